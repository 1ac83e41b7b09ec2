/**
 * ally as a user starts it, with a home and a directory of its own: called in this process, or, where the process
 * itself is what matters, in one of its own.
 */
import { dirname, join } from "node:path";
import { COMPILE_FLAGS, RUN_FLAGS } from "../../scripts/permissions.ts";
import { run } from "../../src/cli/run.ts";
import type { Message } from "../../src/core/message.ts";
import {
  type ReplyFunction,
  type ScriptedReply,
  type ScriptedServer,
  startScriptedServer,
} from "../../src/modes/demo/scripted_server.ts";
import { bundledMain } from "./bundle.ts";
import { denoDir } from "./deno_dir.ts";
import { createMemoryIo, type MemoryIo } from "./memory_io.ts";
import { until } from "./wait.ts";

/** The command line that starts ally. */
export function allyCommand(): readonly string[] {
  return [Deno.execPath(), "run", ...RUN_FLAGS, bundledMain()];
}

/** The command line that starts ally under other permissions of Deno's, which need not cover its own files. */
export function allyUnder(permissions: readonly string[]): readonly string[] {
  const flags = COMPILE_FLAGS.filter((flag) => flag !== "--allow-all");
  return [Deno.execPath(), "run", ...permissions, ...flags, bundledMain()];
}

/** A home and a working directory that are gone after the test. */
export interface Place extends AsyncDisposable {
  readonly home: string;
  readonly dir: string;
  /** The environment that makes ally use them; nothing of the machine's own settings comes through. */
  readonly env: Readonly<Record<string, string>>;
  read(name: string): Promise<string>;
  write(name: string, text: string): Promise<void>;
  /** The lines of the only session that was saved. */
  session(): Promise<Record<string, unknown>[]>;
  /** The messages in it. */
  messages(): Promise<Message[]>;
}

/** Makes a place; `endpoint` becomes OPENAI_BASE_URL. */
export async function makePlace(
  options: { endpoint?: string; files?: Readonly<Record<string, string>> } = {},
): Promise<Place> {
  const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "ally-e2e-" }));
  const home = join(root, "home");
  const dir = join(root, "work");
  await Deno.mkdir(dir);
  const write = (name: string, text: string) => Deno.writeTextFile(join(dir, name), text);
  const session = async () => {
    const [project] = await Array.fromAsync(Deno.readDir(join(home, "projects")));
    const sessions = join(home, "projects", project?.name ?? "", "sessions");
    const file = (await Array.fromAsync(Deno.readDir(sessions)))
      .find(({ name }) => name.endsWith(".jsonl"));
    const text = await Deno.readTextFile(join(sessions, file?.name ?? ""));
    return text.trim().split("\n").map((line) => JSON.parse(line));
  };
  for (const [name, text] of Object.entries(options.files ?? {})) {
    await Deno.mkdir(dirname(join(dir, name)), { recursive: true });
    await write(name, text);
  }
  return {
    home,
    dir,
    env: {
      PATH: Deno.env.get("PATH") ?? "",
      HOME: root,
      DENO_DIR: denoDir(),
      ALLY_HOME: home,
      ALLY_MODEL: "scripted",
      // A screen ends with its prompt, unless a test wants to see more.
      ALLY_STATUS_LINE: "off",
      ...(options.endpoint === undefined ? {} : { OPENAI_BASE_URL: options.endpoint }),
    },
    read: (name) => Deno.readTextFile(join(dir, name)),
    write,
    session,
    async messages() {
      return (await session()).filter(({ type }) => type === "message").map(({ message }) =>
        message
      );
    },
    // An ally whose terminal was taken away may still be saving.
    async [Symbol.asyncDispose]() {
      await until(`the removal of ${root}`, async () => {
        await Deno.remove(root, { recursive: true });
        return true;
      });
    },
  };
}

/** A scripted server and a place that uses it. */
export interface Stage extends AsyncDisposable {
  readonly server: ScriptedServer;
  readonly place: Place;
}

/** Starts a server with a script and makes a place for it. */
export async function stage(
  replies: readonly (ScriptedReply | ReplyFunction)[],
  files: Readonly<Record<string, string>> = {},
): Promise<Stage> {
  const server = await startScriptedServer({ replies, models: ["scripted", "other"] });
  const place = await makePlace({ endpoint: server.url, files });
  return {
    server,
    place,
    async [Symbol.asyncDispose]() {
      await server.close();
      await place[Symbol.asyncDispose]();
    },
  };
}

export interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Nothing but `env` is in its environment. */
  readonly bare?: boolean;
}

/** Options, and the words of the command line. */
type WithArguments<T> = T & { readonly args: readonly string[] };

/** How a process of its own is started. */
export interface ProcessOptions extends RunOptions {
  /** What starts it. @default ally with every permission */
  readonly program?: readonly string[];
}

/** Starts ally in a process of its own, to signal it, read along or kill it; without input, standard input is closed. */
export function spawnAlly(
  place: Place,
  options: WithArguments<ProcessOptions>,
): Deno.ChildProcess {
  const { args, env, input } = options;
  const [program, ...rest] = options.program ?? allyCommand();
  return new Deno.Command(program!, {
    args: [...rest, ...args],
    cwd: place.dir,
    clearEnv: true,
    env: { ...(options.bare ? {} : place.env), ...env },
    stdin: input === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/** ally as it runs in this process. */
export interface RunningAlly {
  /** To send it signals, and to read along. */
  readonly io: MemoryIo;
  readonly finished: Promise<Finished>;
}

/** Starts ally in a place, in this process. */
export function startAlly(place: Place, options: WithArguments<RunOptions>): RunningAlly {
  const { args, env, input, bare = false } = options;
  const io = createMemoryIo({
    env: { ...(bare ? {} : place.env), ...env },
    cwd: place.dir,
    ...(input !== undefined && { input }),
  });
  const finish = async (): Promise<Finished> => {
    try {
      const code = await run(args, io);
      return { code: io.exitCode ?? code, stdout: io.output, stderr: io.errors };
    } finally {
      io.end();
    }
  };
  return { io, finished: finish() };
}

/** Runs ally in a place to its end, in this process. */
export function runAlly(place: Place, options: WithArguments<RunOptions>): Promise<Finished> {
  return startAlly(place, options).finished;
}

/**
 * Runs ally in a place to its end, in a process of its own: for what Deno does at its start (flags, proxies,
 * certificates) and for permissions that are really given up.
 */
export async function runAllyProcess(
  place: Place,
  options: WithArguments<ProcessOptions>,
): Promise<Finished> {
  const child = spawnAlly(place, options);
  if (options.input !== undefined) {
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(options.input));
    await writer.close();
  }
  return await finish(child);
}

/** What a process came to. */
export async function finish(child: Deno.ChildProcess): Promise<Finished> {
  const { code, stdout, stderr } = await child.output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}
