/**
 * The settings in the shape in which each part takes them.
 */
import type { Thresholds } from "../agent/compact.ts";
import type { InterruptOptions } from "../agent/interrupt.ts";
import type { RepetitionLimits } from "../agent/loop_guard.ts";
import type { SpendingLimits } from "../agent/spending.ts";
import type { BudgetTuning } from "../context/budget.ts";
import type { ClientLimits } from "../model/client.ts";
import type { SettingValues } from "../store/settings_table.ts";
import type { DiffContext } from "../tools/previews.ts";
import type { DiffStyle } from "../ui/diff_colors.ts";

/** How the window is used. */
export function budgetTuningOf(values: SettingValues): BudgetTuning {
  return {
    resultTokens: {
      normal: values.tool_result_max_tokens_normal,
      moderate: values.tool_result_max_tokens_moderate,
      aggressive: values.tool_result_max_tokens_aggressive,
      critical: values.tool_result_max_tokens_critical,
    },
    levelsFrom: {
      moderate: values.context_percent_moderate,
      aggressive: values.context_percent_aggressive,
      critical: values.context_percent_critical,
    },
    callTokens: values.default_tool_tokens,
    announceLevels: values.check_context_msg,
  };
}

/** How long a server may take, and how often it is asked again. */
export function clientLimitsOf(values: SettingValues): ClientLimits {
  return {
    stream: values.stream,
    retries: values.retries,
    requestTimeoutMs: values.request_timeout * 1000,
    idleTimeoutMs: values.idle_timeout * 1000,
    replyTimeoutMs: values.reply_timeout * 1000,
  };
}

/** What a run may spend; undefined if nothing is limited. */
export function spendingLimitsOf(values: SettingValues): SpendingLimits | undefined {
  const { max_tokens_total: tokens, max_cost: cost, max_time: seconds } = values;
  const isLimited = tokens !== undefined || cost !== undefined || seconds !== undefined;
  return isLimited ? { tokens, cost, seconds } : undefined;
}

/** When room is made in the window. */
export function thresholdsOf(values: SettingValues): Thresholds {
  return {
    dedupe: values.deduplication_ratio,
    compact: values.token_buffer_ratio,
    interval: values.min_compaction_interval,
  };
}

/** When repeated calls end a turn. */
export function loopLimitsOf(values: SettingValues): RepetitionLimits {
  return { window: values.max_recent_calls, maxSame: values.max_same_calls };
}

/** What Ctrl+C means when it is pressed again. */
export function interruptsOf(values: SettingValues): Omit<InterruptOptions, "now"> {
  const { interrupt_debounce_seconds: seconds, rapid_interrupt_threshold: forceExitPresses } =
    values;
  return { againMs: seconds * 1000, forceExitPresses };
}

/** How much of a file is shown around its changes. */
export function diffContextOf(values: SettingValues): DiffContext {
  return {
    lines: values.diff_display_context_lines,
    maxFileSize: values.diff_display_max_file_size,
  };
}

/** How changed lines look. */
export function diffLookOf(values: SettingValues): DiffStyle {
  return {
    lines: values.diff_display_enabled,
    added: values.diff_display_color_added,
    removed: values.diff_display_color_removed,
    modified: values.diff_display_color_modified,
    theme: values.diff_display_theme,
  };
}
