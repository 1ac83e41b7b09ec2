/**
 * The settings that tune window and display, as the parts that honour them want them. Called by the composition
 * root and the REPL.
 */
import type { Thresholds } from "../agent/compact.ts";
import type { Level } from "../context/budget.ts";
import type { TuningConfig } from "../store/tuning_settings.ts";
import type { DiffContext } from "../tools/previews.ts";
import type { DiffLook } from "../ui/diff_colors.ts";

/** What the budget is told: tokens of a result at each level, and whether the model hears of levels. */
export function budgetTuning(tuning: TuningConfig): {
  resultTokens: Partial<Record<Level, number | undefined>>;
  reminds: boolean | undefined;
} {
  return {
    resultTokens: {
      normal: tuning.tool_result_max_tokens_normal,
      moderate: tuning.tool_result_max_tokens_moderate,
      aggressive: tuning.tool_result_max_tokens_aggressive,
      critical: tuning.tool_result_max_tokens_critical,
    },
    reminds: tuning.check_context_msg,
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

/** How much of a file is shown around its changes. */
export function diffContextOf(tuning: TuningConfig): DiffContext {
  return {
    lines: tuning.diff_display_context_lines,
    maxFileSize: tuning.diff_display_max_file_size ?? 102_400,
  };
}

/** How changed lines look. */
export function diffLookOf(tuning: TuningConfig): DiffLook {
  return {
    lines: tuning.diff_display_enabled,
    added: tuning.diff_display_color_added,
    removed: tuning.diff_display_color_removed,
  };
}
