/**
 * Runs a job on bytes of unknown origin in a process of its own without permissions: unlike a worker, it can be ended at
 * any time, and the system bounds its memory.
 */
import { deserialize, serialize } from "node:v8";
import { type Asset, assetPath } from "../lib/assets.ts";
import { spawnGroup } from "../lib/process_group.ts";
import { JobFailure, type JobLimits, runJob } from "./run_job.ts";
import type { JobAnswer } from "./serve_job.ts";

/** What Deno needs to find its packages. */
const VARIABLES = [
  "DENO_DIR",
  "HOME",
  "XDG_CACHE_HOME",
  "LOCALAPPDATA",
  "USERPROFILE",
  "SYSTEMROOT",
];
/** The environment of ally. */
export interface ProcessEnv {
  get(name: string): string | undefined;
}

/** What Deno ends with after an error that nothing catches; without memory it ends otherwise. */
const UNCAUGHT = 1;
const NO_PERMISSIONS = ["run", "--quiet", "--no-prompt", "--no-remote"];

/** Has a process do a job; an ally that is one executable has no Deno to start, and takes a worker. @throws {JobFailure} or what it was aborted with */
export async function runProcessJob<J, T>(
  asset: Asset,
  options: { job: J; limits: JobLimits; env: ProcessEnv; signal?: AbortSignal | undefined },
): Promise<T> {
  if (Deno.build.standalone) return await runJob(asset, options);
  const { job, limits, env, signal } = options;
  signal?.throwIfAborted();
  const end = new AbortController();
  const abort = () => end.abort();
  signal?.addEventListener("abort", abort, { once: true });
  const timer = setTimeout(() => end.abort(), limits.timeMs);
  try {
    const bytes = await exchange(assetPath(asset), { input: serialize(job), limits, env, end });
    const answer: JobAnswer<T> = deserialize(bytes);
    if ("result" in answer) return answer.result;
    throw new JobFailure(answer.error, { isLimit: false });
  } catch (cause) {
    if (cause instanceof JobFailure) throw cause;
    signal?.throwIfAborted();
    const why = end.signal.aborted ? "it takes too long" : whyEnded(cause);
    throw new JobFailure(why, { isLimit: true });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

/** A process that the system ended has answered nothing. */
function whyEnded(cause: unknown): string {
  return cause instanceof Deno.errors.NotCapable
    ? "this run may start no process (--deny-run)"
    : "it takes too much memory";
}

async function exchange(
  path: string,
  { input, limits, env, end }: {
    input: Uint8Array;
    limits: JobLimits;
    env: ProcessEnv;
    end: AbortController;
  },
): Promise<Uint8Array> {
  const deno = [Deno.execPath(), ...NO_PERMISSIONS, path] as const;
  const limit = `ulimit -d ${Math.floor(limits.memory / 1024)}; exec "$@"`;
  const argv = Deno.build.os === "windows"
    ? deno
    : ["/bin/sh", "-c", limit, "sh", ...deno] as const;
  const child = spawnGroup(argv, {
    clearEnv: true,
    env: Object.fromEntries(VARIABLES.flatMap((name) => {
      const value = env.get(name);
      return value === undefined ? [] : [[name, value]];
    })),
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
    signal: end.signal,
  });
  const writer = child.stdin.getWriter();
  // A process that ends early takes nothing more.
  const written = writer.write(input).then(() => writer.close()).catch(() => {});
  const { stdout, code } = await child.output();
  await written;
  if (code === UNCAUGHT) throw new JobFailure("what reads it failed", { isLimit: false });
  return stdout;
}
