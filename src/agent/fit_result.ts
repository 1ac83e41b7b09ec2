/**
 * What of a call's result the model gets to read: all of it, or what the window has room for, with the
 * whole in a file that it can read on in. The turn asks for every result, in order.
 */
import type { Budget } from "../context/budget.ts";
import type { FileMark } from "../core/message.ts";
import type { CallOutcome } from "../tools/call_outcome.ts";

/** A result as it goes into the conversation. */
export interface FittedResult {
  readonly text: string;
  readonly files: readonly FileMark[] | undefined;
}

/** Fits a result into the room that it shares with those behind it. */
export async function fitResult(
  { text, result, files, record }: CallOutcome,
  { budget, keepOutput, sharers }: {
    budget: Budget;
    keepOutput?: ((text: string) => Promise<string | undefined>) | undefined;
    sharers: number;
  },
): Promise<FittedResult> {
  const toolBudget = result.ok ? result.budget : undefined;
  if (budget.fits(text, { toolBudget, sharers })) return { text, files };
  // A command's output is kept by its lines, not as the one line of its record.
  const { log_path: log, output } = record;
  const whole = typeof output === "string" && !result.ok ? output : text;
  const file = typeof log === "string" ? log : await keepOutput?.(whole);
  const changed = files?.filter(({ how }) => how === "changed") ?? [];
  return {
    text: budget.fit(text, { toolBudget, sharers, file }),
    files: changed.length === 0 ? undefined : changed,
  };
}
