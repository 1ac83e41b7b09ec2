/**
 * The settings that tune how the model's window is used and how changes are shown: levels and limits of results,
 * when reads are given up and the conversation is compacted, when a model turns in circles, what Ctrl+C means, the
 * look of diffs. Part of the table in `config.ts`.
 */
import type { Setting } from "./setting.ts";

const tokens = (level: string, value: number) => ({
  schema: { type: "integer", minimum: 50 },
  help: `tokens one result may have ${level}; for a window of 16,384, grows with it`,
  project: "free",
  default: value,
} as const);

const level = (value: number) => ({
  schema: { type: "integer", minimum: 30, maximum: 99 },
  help: `percentage of the window from which ${
    value < 95 ? "results are cut shorter" : "calls are blocked"
  }`,
  project: "free",
  default: value,
} as const);

const COLOR = {
  type: "string",
  pattern: "^(on )?(#[0-9a-fA-F]{6}|rgb\\( *\\d{1,3}( *, *\\d{1,3}){2} *\\))$",
};

/** Context and display. */
export const TUNING_SETTINGS = {
  tool_result_max_tokens_normal: tokens("below 70 % of the window", 1000),
  tool_result_max_tokens_moderate: tokens("from 70 %", 750),
  tool_result_max_tokens_aggressive: tokens("from 85 %", 500),
  tool_result_max_tokens_critical: tokens("from 95 %", 200),
  context_percent_moderate: level(70),
  context_percent_aggressive: level(85),
  context_percent_critical: level(95),
  default_tool_tokens: {
    schema: { type: "integer", minimum: 1 },
    help:
      "tokens a call is taken to cost, until calls were made, when those that remain are estimated",
    project: "free",
    default: 400,
  },
  tokens_per_message: {
    schema: { type: "integer", minimum: 0, maximum: 100 },
    help: "tokens that the frame of a message costs, its role included",
    project: "free",
    default: 5,
  },
  token_buffer_ratio: {
    schema: { type: "number", minimum: 0.3, maximum: 0.95 },
    help: "share of the window over which the conversation is compacted",
    project: "free",
    default: 0.9,
  },
  min_compaction_interval: {
    schema: { type: "integer", minimum: 0 },
    help: "seconds between two compactions that are merely due",
    project: "free",
    default: 180,
  },
  deduplication_ratio: {
    schema: { type: "number", minimum: 0.1, maximum: 0.95 },
    help: "share of the window over which overtaken reads of files are given up",
    project: "free",
    default: 0.8,
  },
  check_context_msg: {
    schema: { type: "boolean" },
    help: "whether the model is told when its window fills up",
    project: "free",
    default: true,
  },
  max_recent_calls: {
    schema: { type: "integer", minimum: 2, maximum: 1000 },
    help: "calls of a turn looked back on for the same call with the same result",
    project: "free",
    default: 10,
  },
  max_same_calls: {
    schema: { type: "integer", minimum: 2, maximum: 1000 },
    help: "how many of them may be the same before the model is told; the next one ends the turn",
    project: "free",
    default: 5,
  },
  interrupt_debounce_seconds: {
    schema: { type: "number", minimum: 0.1, maximum: 10 },
    help: "seconds within which another Ctrl+C belongs to the one before, and leaves ally",
    project: "never",
    default: 2,
  },
  rapid_interrupt_threshold: {
    schema: { type: "integer", minimum: 2, maximum: 10 },
    help: "how often Ctrl+C in a row ends ally without waiting for what it does",
    project: "never",
    default: 3,
  },
  diff_display_enabled: {
    schema: { type: "boolean" },
    help: "whether changes are shown line by line; if not, only how many lines",
    project: "never",
    default: true,
  },
  diff_display_context_lines: {
    schema: { type: "integer", minimum: 0, maximum: 100 },
    help: "unchanged lines shown around a change",
    project: "never",
    default: 3,
  },
  diff_display_max_file_size: {
    schema: { type: "integer", minimum: 0 },
    help: "bytes of a file above which its changed lines are shown without others around them",
    project: "never",
    default: 102_400,
  },
  diff_display_theme: {
    schema: { enum: ["auto", "dark", "light"] },
    help:
      "colours of changed lines: for a dark terminal, a light one, or what the terminal says it is",
    project: "never",
    default: "auto",
  },
  diff_display_color_removed: {
    schema: COLOR,
    help: "background of removed lines, as #3c1919 or rgb(60,25,25)",
    project: "never",
    otherwise: "the theme's red",
  },
  diff_display_color_added: {
    schema: COLOR,
    help: "background of added lines, as #193c19 or rgb(25,60,25)",
    project: "never",
    otherwise: "the theme's green",
  },
  diff_display_color_modified: {
    schema: COLOR,
    help: "background of what differs within a line that was replaced, as #3c3c19 or rgb(60,60,25)",
    project: "never",
    otherwise: "a stronger red or green",
  },
} as const satisfies Record<string, Setting>;

/** Their values. */
export interface TuningConfig {
  readonly tool_result_max_tokens_normal?: number;
  readonly tool_result_max_tokens_moderate?: number;
  readonly tool_result_max_tokens_aggressive?: number;
  readonly tool_result_max_tokens_critical?: number;
  /** Percentages. */
  readonly context_percent_moderate?: number;
  readonly context_percent_aggressive?: number;
  readonly context_percent_critical?: number;
  readonly default_tool_tokens?: number;
  readonly tokens_per_message?: number;
  readonly max_recent_calls?: number;
  readonly max_same_calls?: number;
  readonly interrupt_debounce_seconds?: number;
  readonly rapid_interrupt_threshold?: number;
  /** 0.3 to 0.95 */
  readonly token_buffer_ratio?: number;
  /** Seconds. */
  readonly min_compaction_interval?: number;
  /** 0.1 to 0.95 */
  readonly deduplication_ratio?: number;
  readonly check_context_msg?: boolean;
  readonly diff_display_enabled?: boolean;
  readonly diff_display_context_lines?: number;
  /** Bytes. */
  readonly diff_display_max_file_size?: number;
  readonly diff_display_theme?: "auto" | "dark" | "light";
  /** `#rrggbb` or `rgb(r,g,b)`, with or without `on ` before it. */
  readonly diff_display_color_removed?: string;
  readonly diff_display_color_added?: string;
  readonly diff_display_color_modified?: string;
}
