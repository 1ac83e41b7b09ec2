/**
 * The settings that tune window and display, as the parts that honour them want them. Called by the composition
 * root and the REPL.
 */
import type { Thresholds } from "../agent/compact.ts";
import type { InterruptOptions } from "../agent/interrupt.ts";
import type { RepetitionLimits } from "../agent/loop_guard.ts";
import type { BudgetTuning } from "../context/budget.ts";
import type { TuningConfig } from "../store/tuning_settings.ts";
import type { DiffContext } from "../tools/previews.ts";
import type { DiffStyle } from "../ui/diff_colors.ts";

/** How the window is used. */
export function budgetTuning(tuning: TuningConfig): BudgetTuning {
  return {
    resultTokens: {
      normal: tuning.tool_result_max_tokens_normal,
      moderate: tuning.tool_result_max_tokens_moderate,
      aggressive: tuning.tool_result_max_tokens_aggressive,
      critical: tuning.tool_result_max_tokens_critical,
    },
    levelsFrom: {
      moderate: tuning.context_percent_moderate,
      aggressive: tuning.context_percent_aggressive,
      critical: tuning.context_percent_critical,
    },
    callTokens: tuning.default_tool_tokens,
    announceLevels: tuning.check_context_msg,
  };
}

/** When room is made in the window. */
export function thresholdsOf(tuning: TuningConfig): Thresholds {
  return {
    dedupe: tuning.deduplication_ratio,
    compact: tuning.token_buffer_ratio,
    interval: tuning.min_compaction_interval,
  };
}

/** When a model turns in circles. */
export function loopLimitsOf(tuning: TuningConfig): RepetitionLimits {
  return { window: tuning.max_recent_calls, maxSame: tuning.max_same_calls };
}

/** What Ctrl+C means when it is pressed again. */
export function interruptsOf(tuning: TuningConfig): Omit<InterruptOptions, "now"> {
  const { interrupt_debounce_seconds: seconds, rapid_interrupt_threshold: forceExitPresses } =
    tuning;
  return { againMs: seconds === undefined ? undefined : seconds * 1000, forceExitPresses };
}

/** How much of a file is shown around its changes. */
export function diffContextOf(tuning: TuningConfig): DiffContext {
  return {
    lines: tuning.diff_display_context_lines,
    maxFileSize: tuning.diff_display_max_file_size ?? 102_400,
  };
}

/** How changed lines look. */
export function diffLookOf(tuning: TuningConfig): DiffStyle {
  return {
    lines: tuning.diff_display_enabled,
    added: tuning.diff_display_color_added,
    removed: tuning.diff_display_color_removed,
    modified: tuning.diff_display_color_modified,
    theme: tuning.diff_display_theme,
  };
}
