/**
 * Opens what `--record` and `--replay` ask for; what does it is loaded only then. The composition root calls it.
 */
import { deniedKinds } from "./process_permissions.ts";
import type { ProjectTrust } from "./project.ts";
import type { Traffic, TrafficOptions } from "./traffic.ts";

/** The run's traffic, or undefined if it is not kept. @throws {UsageError} a file cannot be read or written */
export async function openTraffic(
  parts: Omit<TrafficOptions, "run" | "fetch" | "mayMove">,
  { front: frontend, project, fetch }: {
    front: { readonly interactive: boolean; readonly isolated?: boolean };
    project: ProjectTrust;
    fetch: TrafficOptions["fetch"];
  },
): Promise<Traffic | undefined> {
  const { record, replay } = parts.options;
  if (record === undefined && replay === undefined) return undefined;
  const { interactive, isolated = false } = frontend;
  const run = { interactive, isolated, trusted: project.states.some(({ isActive }) => isActive) };
  const mayMove = !deniedKinds(parts.options).has("write");
  const { Traffic } = await import("./traffic.ts");
  return await Traffic.open({ ...parts, run, fetch, mayMove });
}
