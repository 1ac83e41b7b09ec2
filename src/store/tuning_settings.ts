/**
 * The settings that tune how the model's window is used and how changes are shown: the limits of results, when
 * reads are given up and the conversation is compacted, the look of diffs. Part of the table in `config.ts`.
 */
import type { Setting } from "./setting.ts";

const tokens = (level: string, value: number) => ({
  schema: { type: "integer", minimum: 50 },
  help: `tokens one result may have ${level}; for a window of 16,384, grows with it`,
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
  diff_display_color_removed: {
    schema: COLOR,
    help: "background of removed lines, as #3c1919 or rgb(60,25,25)",
    project: "never",
    otherwise: "a dark red",
  },
  diff_display_color_added: {
    schema: COLOR,
    help: "background of added lines, as #193c19 or rgb(25,60,25)",
    project: "never",
    otherwise: "a dark green",
  },
} as const satisfies Record<string, Setting>;

/** Their values. */
export interface TuningConfig {
  readonly tool_result_max_tokens_normal?: number;
  readonly tool_result_max_tokens_moderate?: number;
  readonly tool_result_max_tokens_aggressive?: number;
  readonly tool_result_max_tokens_critical?: number;
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
  /** `#rrggbb` or `rgb(r,g,b)`, with or without `on ` before it. */
  readonly diff_display_color_removed?: string;
  readonly diff_display_color_added?: string;
}
