/**
 * Runs a job on bytes of unknown origin in a worker without permissions, which is ended when it takes too long or too
 * much memory: a few bytes can ask for gigabytes.
 */
import { type Asset, assetUrl } from "../lib/assets.ts";
import type { JobAnswer } from "./serve_job.ts";

/** What a job may take. */
export interface JobLimits {
  /** Milliseconds. */
  readonly timeMs: number;
  /** Bytes. */
  readonly memory: number;
}

/** How often the memory is looked at, in milliseconds. */
const LOOK_EVERY_MS = 20;

/** The job came to no end: it failed, or took more than it may. */
export class JobFailure extends Error {
  override name = "JobFailure";
  /** Which limit it met; undefined if it failed by itself. */
  readonly limit: string | undefined;

  constructor(message: string, { isLimit }: { isLimit: boolean }) {
    super(message);
    this.limit = isLimit ? message : undefined;
  }
}

/** Has a worker do a job. @throws {JobFailure} or what it was aborted with */
export async function runJob<J, T>(
  worker: Asset,
  { job, limits, signal }: { job: J; limits: JobLimits; signal?: AbortSignal | undefined },
): Promise<T> {
  signal?.throwIfAborted();
  const running = new Worker(assetUrl(worker), {
    type: "module",
    name: worker,
    deno: { permissions: "none" },
  });
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const fail = (why: string, isLimit = false) => reject(new JobFailure(why, { isLimit }));
  running.onmessage = ({ data }: MessageEvent<JobAnswer<T>>) =>
    "result" in data ? resolve(data.result) : fail(data.error);
  running.onerror = (event) => {
    event.preventDefault();
    fail(event.message);
  };
  const abort = () => reject(signal?.reason);
  signal?.addEventListener("abort", abort, { once: true });
  const before = Deno.memoryUsage().rss;
  const looking = setInterval(() => {
    if (Deno.memoryUsage().rss - before > limits.memory) fail("it takes too much memory", true);
  }, LOOK_EVERY_MS);
  const timer = setTimeout(() => fail("it takes too long", true), limits.timeMs);
  try {
    running.postMessage(job);
    return await promise;
  } finally {
    clearInterval(looking);
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
    running.terminate();
  }
}
