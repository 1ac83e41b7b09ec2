/**
 * A command line in parts as one process to start: a shell outside of any sandbox, whose script is written here and
 * holds nothing but the command lines of sandboxes, joined as the parts are. The command lines are its arguments, so
 * that nothing of them is read by it. All is one process group, with one time limit and one output.
 */
import type { PartedScript } from "../core/sandbox.ts";
import { openInputs } from "../lib/process.ts";
import type { ConfinedCommand, EndedCommand } from "../sandbox/sandbox.ts";

type Argv = readonly [program: string, ...args: string[]];
type Script = Extract<PartedScript, { kind: "script" }>;

/** How parts are started. */
interface JoinOptions {
  /** Absolute path of bash. */
  readonly bash: string;
  /** The command line that runs a text. */
  readonly interpret: (text: string) => Argv;
  /** Puts a command line into its sandbox, to run in a directory. */
  readonly confine: (
    argv: Argv,
    options: { policy: Script["policy"]; cwd: string },
  ) => Promise<ConfinedCommand>;
}

/** Stand in a command line for what only the joining shell knows: its directory, its exit status. */
const DIRECTORY = "ally:directory";
const STATUS = "ally:status";

/** The parts as one command. @throws as `confine` */
export async function joinParts(
  parted: PartedScript,
  options: JoinOptions,
): Promise<ConfinedCommand> {
  const joiner = new Joiner(options);
  try {
    const script = await joiner.render(parted);
    return joiner.command(script);
  } catch (error) {
    await joiner.finish();
    throw error;
  }
}

class Joiner {
  readonly #options: JoinOptions;
  readonly #args: string[] = [];
  readonly #parts: ConfinedCommand[] = [];

  constructor(options: JoinOptions) {
    this.#options = options;
  }

  command(script: string): ConfinedCommand {
    const { bash } = this.#options;
    // It waits for a part that is told to end, and starts no other then.
    const text = `trap 'exit 143' TERM; ${script}`;
    return {
      argv: [bash, "--noprofile", "--norc", "-c", text, bash, ...this.#args],
      inputs: {},
      shield: false,
      policies: this.#parts.flatMap(({ policies }) => policies),
      finish: () => this.finish(),
    };
  }

  async finish(): Promise<EndedCommand> {
    const ends = await Promise.all(this.#parts.map((part) => part.finish()));
    return {
      leftBehind: ends.some(({ leftBehind }) => leftBehind),
      setAside: ends.flatMap(({ setAside }) => setAside),
    };
  }

  async render(parted: PartedScript): Promise<string> {
    switch (parted.kind) {
      case "script":
        return await this.#script(parted);
      case "cd":
        return `cd -P -- ${this.#words([parted.directory])}`;
      case "exit":
        return parted.code === undefined ? "exit" : `exit ${Number(parted.code)}`;
      case "subshell":
        return `( ${await this.render(parted.body)} )`;
      case "group":
        return `{ ${await this.render(parted.body)}; }`;
      case "chain": {
        let text = parted.negated ? "! " : "";
        for (const [at, item] of parted.items.entries()) {
          text += at === 0 ? "" : ` ${parted.operators[at - 1]} `;
          text += await this.render(item);
        }
        return text;
      }
    }
  }

  /** What a sandbox is started by ignores SIGTERM and leaves it to the part. */
  async #script({ text, policy, readsStatus }: Script): Promise<string> {
    const argv = this.#options.interpret(readsStatus ? `(exit $1); ${text}` : text);
    const started: Argv = readsStatus ? [...argv, this.#options.bash, STATUS] : argv;
    const confined = await this.#options.confine(started, { policy, cwd: DIRECTORY });
    this.#parts.push(confined);
    const shield = confined.shield ? "trap '' TERM; " : "";
    const words = this.#words(confined.argv) + openInputs(confined.inputs);
    return `(status=$?; ${shield}exec ${words})`;
  }

  /** Words of the script that stand for these arguments. */
  #words(argv: readonly string[]): string {
    const words: string[] = [];
    let from = this.#args.length;
    const flush = () => {
      const count = this.#args.length - from;
      if (count > 0) words.push(`"\${@:${from + 1}:${count}}"`);
      from = this.#args.length;
    };
    for (const one of argv) {
      if (one !== DIRECTORY && one !== STATUS) {
        this.#args.push(one);
        continue;
      }
      flush();
      words.push(one === DIRECTORY ? '"$PWD"' : '"$status"');
    }
    flush();
    return words.join(" ");
  }
}
