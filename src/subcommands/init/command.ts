/**
 * The command line of `ally init`.
 */
import { type Command, InvalidArgumentError } from "commander";

/** What `ally init` is to do. */
export interface InitRequest {
  /** Ports of this machine where servers are looked for. @default the usual ones */
  readonly ports?: readonly number[];
  /** Name of the endpoint in `endpoints`. @default none: it becomes `endpoint` itself */
  readonly name?: string;
  /** Environment variable that holds its key. */
  readonly keyEnv?: string;
  /** Writes without asking. */
  readonly yes: boolean;
}

/** Adds `init`; `onRequest` gets what it is to do. */
export function addInitCommand(program: Command, onRequest: (request: InitRequest) => void): void {
  program.command("init")
    .description("find a model server, choose a model, try it, write the configuration")
    .summary("find a model server, write the configuration")
    .option("--name <NAME>", "keep the endpoint under this name, beside others")
    .option("--key-env <VARIABLE>", "environment variable that holds its key")
    .option("--ports <LIST>", "look for servers on these ports of this machine", parsePorts)
    .option("-y, --yes", "write without asking; needs a server that answers")
    .addHelpText("after", ANSWERS_HELP)
    .action(({ yes = false, ...rest }: Partial<InitRequest>) => onRequest({ ...rest, yes }));
}

const ANSWERS_HELP = `
Options of ally's own that answer its questions:
  --endpoint <URL>      the server to set up
  -m, --model <NAME>    the model`;

function parsePorts(list: string): number[] {
  const numbers = list.split(",").map(Number);
  if (numbers.every((port) => Number.isInteger(port) && port > 0 && port < 65_536)) return numbers;
  throw new InvalidArgumentError("Give port numbers such as 11434,8080.");
}
