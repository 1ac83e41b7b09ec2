/**
 * A first request to a model that was chosen: whether it answers, calls tools, and how much it can read.
 */
import { clientLimitsOf } from "../../app/tuning.ts";
import { EndpointError } from "../../core/errors.ts";
import { formatCount, messageOf } from "../../lib/text.ts";
import { createModel } from "../../model/client.ts";
import { fetchWindow, SMALL_WINDOW } from "../../model/window.ts";
import { DEFAULTS } from "../../store/settings_table.ts";
import { probeTools } from "../doctor/probes.ts";
import { InitCancelled } from "./questions.ts";
import type { InitContext, SetupChoice } from "./setup.ts";

/** Milliseconds that the first call may take: the model may have to be loaded. */
const TRIAL_TIMEOUT_MS = 180_000;

const NO_TOOLS = "answers, but called no tool: with another model ally can do more";

/** Shows whether the model can call tools; it is no error if it cannot. */
export async function tryModel(
  choice: SetupChoice,
  { say, ask, signal }: InitContext,
): Promise<void> {
  const { url, model, apiKey, headers } = choice;
  say(`Trying ${model} with a tool; it may have to be loaded first ...`);
  try {
    const tools = await probe(choice, signal);
    say(
      tools === "none" ? `  it ${NO_TOOLS} (see ally doctor)` : "  it answers, and it calls tools",
    );
    const { size } = await fetchWindow({ url, apiKey, headers }, { model, signal });
    if (size !== undefined) {
      const little = size < SMALL_WINDOW
        ? ", which is small: ally doctor says how to enlarge it"
        : "";
      say(`  its window has ${formatCount(size)} tokens${little}`);
    }
  } catch (error) {
    if (signal.aborted) throw new InitCancelled();
    if (!(error instanceof EndpointError) || ask === undefined) throw error;
    say(`  it does not answer: ${messageOf(error)}`);
  }
}

/** What came of trying a model while the person types; undefined if it was given up. */
export interface TrialFinding {
  readonly isGood: boolean;
  readonly text: string;
}

/** Tries a model; never throws. */
export async function findOutModel(
  choice: SetupChoice,
  signal: AbortSignal,
): Promise<TrialFinding | undefined> {
  const { model } = choice;
  try {
    const tools = await probe(choice, signal);
    return tools === "none"
      ? { isGood: false, text: `${model} ${NO_TOOLS}. /model lists what there is.` }
      : { isGood: true, text: `${model} answers, and it calls tools.` };
  } catch (error) {
    if (signal.aborted) return undefined;
    return {
      isGood: false,
      text: `${model} does not answer: ${messageOf(error)} ` +
        "/model chooses another one; ally doctor finds out more.",
    };
  }
}

async function probe(
  { url, model, apiKey, headers }: SetupChoice,
  signal: AbortSignal,
): Promise<"native" | "text" | "none"> {
  const port = createModel({ ...clientLimitsOf(DEFAULTS), url, apiKey, headers, retries: 1 });
  return (await probeTools(port, { model, signal, timeoutMs: TRIAL_TIMEOUT_MS })).tools;
}
