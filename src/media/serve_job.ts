/**
 * The worker's side of a job: one message comes in, one goes out.
 */

/** What a worker answers. */
export type JobAnswer<T> = { readonly result: T } | { readonly error: string };

interface WorkerScope {
  onmessage: ((event: MessageEvent) => void) | null;
  postMessage(message: unknown): void;
}

/** Does the job that comes, and answers. */
export function serveJob<J, T>(run: (job: J) => Promise<T>): void {
  const scope = self as unknown as WorkerScope;
  scope.onmessage = ({ data }) => {
    const answer = (message: JobAnswer<T>) => scope.postMessage(message);
    run(data).then(
      (result) => answer({ result }),
      (error) => answer({ error: error instanceof Error ? error.message : String(error) }),
    );
  };
}
