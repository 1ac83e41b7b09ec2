/**
 * A real llama-server with a model of random weights, on a port of its own. Tests that need it are skipped where there
 * is none.
 */
import { join } from "node:path";
import {
  getLlamaServer,
  LlamaServerError,
  type LlamaServerProgram,
} from "../../scripts/llama_server.ts";
import { chatTemplate, type TemplateKind } from "./chat_templates.ts";
import { type ArchitectureName, writeRandomModel } from "./random_model.ts";
import { until } from "./wait.ts";

/** The name under which the server lists its model. */
export const RANDOM_MODEL = "random";

/** What a server is started with. */
export interface LlamaServerOptions {
  /** @default "none" */
  readonly template?: TemplateKind;
  /** A template of the test's own, in Jinja. @default the one of the kind */
  readonly templateText?: string;
  /** How the model computes. @default "llama" */
  readonly architecture?: ArchitectureName;
  /** Requests that it works on at once. @default 1 */
  readonly slots?: number;
  /** More arguments of llama-server. */
  readonly args?: readonly string[];
  /** @default a free one */
  readonly port?: number;
}

/** A server that runs. */
export interface LlamaServer extends AsyncDisposable {
  readonly port: number;
  /** Base URL, ending in `/v1`. */
  readonly url: string;
  /** The JSON that a path answers with; a POST with a body. @throws {Error} it answers with an error */
  ask(path: string, body?: unknown): Promise<Record<string, unknown>>;
  /** Whether a slot is at work. */
  isBusy(): Promise<boolean>;
  /** Kills it, as a crash would. */
  kill(): Promise<void>;
}

/** The program; undefined, and said why, if it cannot be had on this machine. */
export async function findLlamaServer(): Promise<LlamaServerProgram | undefined> {
  try {
    return await getLlamaServer();
  } catch (error) {
    if (!(error instanceof LlamaServerError)) throw error;
    // deno-lint-ignore no-console -- Why they are skipped stands nowhere else.
    console.warn(`Tests with llama-server are skipped. ${error.message}`);
    return undefined;
  }
}

/** Starts a server and waits until its model is loaded. */
export async function startLlamaServer(
  { command: [program, ...args], cwd }: LlamaServerProgram,
  options: LlamaServerOptions = {},
): Promise<LlamaServer> {
  const { template = "none", architecture, slots = 1, port = findFreePort() } = options;
  const scratch = await Deno.makeTempDir({ prefix: "ally-llama-" });
  const model = join(scratch, "random.gguf");
  const { templateText = chatTemplate(template) } = options;
  await writeRandomModel(model, { chatTemplate: templateText, architecture });
  const child = new Deno.Command(program, {
    args: [
      ...args,
      ...["--model", model, "--alias", RANDOM_MODEL, "--port", `${port}`],
      // A second thread only waits for the first: the model is too small.
      ...["--threads", "1", "--parallel", `${slots}`, "--offline", "--no-ui", "--log-file"],
      join(scratch, "log"),
      ...options.args ?? [],
    ],
    cwd,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const base = `http://127.0.0.1:${port}`;
  const ask = async (path: string, body?: unknown) => {
    const response = await fetch(`${base}${path}`, {
      ...body !== undefined && { method: "POST", body: JSON.stringify(body) },
    });
    if (response.ok) return await response.json();
    throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  };
  const kill = async () => {
    try {
      child.kill("SIGKILL");
    } catch {
      // It has ended already.
    }
    await child.status;
  };
  const stop = async () => {
    await kill();
    await Deno.remove(scratch, { recursive: true });
  };
  try {
    await until("llama-server to load its model", () => ask("/health"));
  } catch (error) {
    const log = await Deno.readTextFile(join(scratch, "log")).catch(() => "");
    await stop();
    throw new Error(`llama-server did not start: ${log}`, { cause: error });
  }
  return {
    port,
    url: `${base}/v1`,
    ask,
    async isBusy() {
      const slots: unknown = await ask("/slots");
      return (slots as { is_processing: boolean }[]).some(({ is_processing }) => is_processing);
    },
    kill,
    [Symbol.asyncDispose]: stop,
  };
}

function findFreePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}
