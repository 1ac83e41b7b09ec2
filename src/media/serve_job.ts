/**
 * The other side of a job, in a worker or in a process of its own: one message comes in, one goes out.
 */
import { deserialize, serialize } from "node:v8";

/** What is answered. */
export type JobAnswer<T> = { readonly result: T } | { readonly error: string };

interface WorkerScope {
  onmessage: ((event: MessageEvent) => void) | null;
  postMessage(message: unknown): void;
}

/** Does the job that comes, and answers. */
export async function serveJob<J, T>(run: (job: J) => Promise<T>): Promise<void> {
  const answer = (job: J): Promise<JobAnswer<T>> =>
    run(job).then(
      (result) => ({ result }),
      (error) => ({ error: error instanceof Error ? error.message : String(error) }),
    );
  if ("DedicatedWorkerGlobalScope" in globalThis) {
    const scope = self as unknown as WorkerScope;
    scope.onmessage = async ({ data }) => scope.postMessage(await answer(data));
    return;
  }
  const input = await new Response(Deno.stdin.readable).bytes();
  const output = serialize(await answer(deserialize(input)));
  await new Response(new Uint8Array(output)).body?.pipeTo(Deno.stdout.writable);
  Deno.exit(0);
}
