/**
 * Opens what `--record` and `--replay` ask for; the code that does it is loaded only then.
 */
import type { Bootstrap } from "./bootstrap.ts";
import type { Traffic } from "./traffic.ts";

/**
 * The traffic of a run, undefined if it is neither recorded nor replayed. @throws {UsageError} a file cannot be read
 * or written
 */
export async function openTraffic(
  bootstrap: Bootstrap,
  fetch: typeof globalThis.fetch | undefined,
): Promise<Traffic | undefined> {
  const { options, frontend, denied, events, storage, project, workspace } = bootstrap;
  if (options.record === undefined && options.replay === undefined) return undefined;
  const { interactive, isolated = false } = frontend;
  const { Traffic } = await import("./traffic.ts");
  return await Traffic.open({
    ...bootstrap,
    paths: storage.paths,
    roots: workspace.roots,
    run: { interactive, isolated, trusted: project.states.some(({ isActive }) => isActive) },
    fetch,
    mayMove: !denied.has("write"),
    warn: events.warn,
  });
}
