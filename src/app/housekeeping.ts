/**
 * Cleaning up around a run: reports what a killed run left half done, removes the oldest files of earlier runs, and ends
 * background tasks.
 */
import type { EventBody } from "../core/event.ts";
import { plural } from "../lib/text.ts";
import type { AllyPaths } from "../store/paths.ts";
import type { BackgroundTasks } from "../workspace/tasks.ts";
import type { Recovery } from "../workspace/undo.ts";

/** Milliseconds after the start. */
const PRUNE_DELAY_MS = 1_000;

/** Removes the oldest files of earlier runs once this one has had time to answer; returns what cancels it. */
export function schedulePrune(
  paths: AllyPaths,
  options: { sessions: number },
): () => void {
  const timer = setTimeout(async () => {
    const { prune } = await import("../store/prune.ts");
    await prune(paths, options).catch(() => {});
  }, PRUNE_DELAY_MS);
  Deno.unrefTimer(timer);
  return () => clearTimeout(timer);
}

/** Ends the background tasks, and says which. */
export async function stopTasks(
  tasks: BackgroundTasks,
  emit: (body: EventBody) => void,
): Promise<void> {
  const running = tasks.running();
  if (running.length === 0) return;
  const names = running.map(({ id, command }) => `${id} (${command})`).join(", ");
  const what = plural(running.length, "background task");
  emit({ type: "notice", level: "info", text: `Stopping ${what}: ${names}` });
  await tasks.stopAll();
}

/** The notice about work that a killed ally left half done. */
export function describeRecovery(
  { number, work, problem, isCut = false }: Recovery,
): { level: "info" | "warning"; text: string } {
  if (work === "command") {
    const what = isCut ? "A part of what it did" : "What it did until then";
    return {
      level: "warning",
      text:
        `An earlier ally ended while a command ran. ${what} is change ${number}, with what has been done to ` +
        `these files since: /undo ${number} takes it back.`,
    };
  }
  const what = { pending: "half-made", undoing: "half-undone", redoing: "half-redone" }[work];
  if (problem !== undefined) {
    return {
      level: "warning",
      text:
        `An earlier ally was killed and left change ${number} ${what}; it cannot be mended: ${problem}`,
    };
  }
  const how = work === "pending" ? "It was taken back." : "It was brought to its end.";
  return {
    level: "info",
    text: `An earlier ally was killed and left change ${number} ${what}. ${how}`,
  };
}
