/**
 * The defaults of the settings, in the shape in which the parts take them that get them as arguments.
 */
import {
  budgetTuningOf,
  clientLimitsOf,
  diffContextOf,
  diffLookOf,
  interruptsOf,
  loopLimitsOf,
  thresholdsOf,
} from "../../src/app/tuning.ts";
import { TokenCounter } from "../../src/context/counter.ts";
import { DEFAULTS } from "../../src/store/settings_table.ts";

export const BUDGET_TUNING = budgetTuningOf(DEFAULTS);
export const CLIENT_LIMITS = clientLimitsOf(DEFAULTS);
export const DIFF_CONTEXT = diffContextOf(DEFAULTS);
export const DIFF_STYLE = diffLookOf(DEFAULTS);
export const INTERRUPTS = interruptsOf(DEFAULTS);
export const LOOP_LIMITS = loopLimitsOf(DEFAULTS);
export const THRESHOLDS = thresholdsOf(DEFAULTS);

/** A counter of its own for each test. */
export function newCounter(): TokenCounter {
  return new TokenCounter({ perMessage: DEFAULTS.tokens_per_message });
}
