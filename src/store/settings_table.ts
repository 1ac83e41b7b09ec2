/**
 * The settings of ally, one row each: what a value must be, what holds without one, where it can be said (file,
 * flag, environment), what it means, and what a project may do to it. The type `Config`, the defaults, the flags, the
 * variables, the JSON schema, `ally config` and the table in the documentation are derived from the rows.
 */
import { EFFORTS } from "../core/model.ts";
import { THEME_NAMES } from "../core/theme_names.ts";
import type { ProjectRule, Setting } from "./setting.ts";
import {
  COLOR,
  ENDPOINTS_SCHEMA,
  HOOKS_SCHEMA,
  PRICES_SCHEMA,
  SEARCH_URL,
  STATUS_LINE_SCHEMA,
  type TypedSchema,
} from "./setting_schemas.ts";

const tokens = (level: string, value: number) => ({
  schema: { type: "integer", minimum: 50 },
  help: `tokens one result may have ${level}; for a window of 16,384, grows with it`,
  project: "free",
  default: value,
} as const);

const level = (value: number, effect: string) => ({
  schema: { type: "integer", minimum: 30, maximum: 99 },
  help: `percentage of the window from which ${effect}`,
  project: "free",
  default: value,
} as const);

/** All settings, in the order in which they are listed. */
const SETTINGS = {
  endpoint: {
    schema: { type: "string", minLength: 1 },
    help: "base URL of the model server, or the name of one of endpoints",
    project: "never",
    otherwise: "OpenAI if OPENAI_API_KEY is set, else http://localhost:11434/v1",
    variable: "OPENAI_BASE_URL",
    flags: [{
      term: "--endpoint <URL>",
      group: "model",
      help: "server, or a configured name",
    }],
  },
  endpoints: {
    schema: ENDPOINTS_SCHEMA,
    help:
      "servers by name: {NAME: {url, key_env, key_file, model, context_size, headers, prices, " +
      "effort, effort_by}}; " +
      "one alone: endpoints.NAME, endpoints.NAME.url, ...",
    project: "never",
  },
  prices: {
    schema: PRICES_SCHEMA,
    help: "money for a million tokens: {input, output, cached_input}, or such an object by model",
    project: "never",
  },
  model: {
    schema: { type: "string", minLength: 1 },
    help: "name of the model",
    project: "free",
    otherwise: "the first that the server lists",
    variable: "ALLY_MODEL",
    flags: [{ term: "-m, --model <NAME>", group: "model", help: "model, or ENDPOINT/NAME" }],
  },
  fallback_model: {
    schema: { type: "string", minLength: 1 },
    help: "model for the rest of a turn in which the first one's server is overloaded or fails",
    project: "free",
    otherwise: "the turn ends with an error",
    flags: [{
      term: "--fallback-model <NAME>",
      group: "model",
      help: "the model if the first one's server fails",
    }],
  },
  context_size: {
    schema: { type: "integer", minimum: 1024 },
    help: "the model's window in tokens",
    project: "free",
    default: 16_384,
    otherwise: "as the server says, else 16384",
    variable: "ALLY_CONTEXT_SIZE",
    flags: [{ term: "--context-size <N>", group: "model" }],
  },
  max_tokens: {
    schema: { type: "integer", minimum: 1 },
    help: "tokens one reply may have",
    project: "free",
    otherwise: "as the server decides",
    flags: [{ term: "--max-tokens <N>", group: "model" }],
  },
  temperature: {
    schema: { type: "number", minimum: 0, maximum: 2 },
    help: "sampling temperature",
    project: "free",
    otherwise: "as the server decides",
    flags: [{ term: "--temperature <X>", group: "model", help: "sampling temperature, 0 to 2" }],
  },
  effort: {
    schema: { enum: EFFORTS },
    help:
      "how much a model thinks before it answers, where its server can be told: minimal to high",
    project: "free",
    otherwise: "as the server decides",
    flags: [{
      term: "--effort <LEVEL>",
      group: "model",
      help: "how much it thinks: minimal, low, medium, high",
    }],
  },
  max_turns: {
    schema: { type: "integer", minimum: 1 },
    help: "requests one turn may make",
    project: "tighten",
    default: 100,
    flags: [{ term: "--max-turns <N>", group: "model" }],
  },
  agent_max_turns: {
    schema: { type: "integer", minimum: 1 },
    help: "requests an agent may make for one task it was given",
    project: "tighten",
    default: 50,
  },
  max_tokens_total: {
    schema: { type: "integer", minimum: 1 },
    help: "tokens that a run may use, those of its agents and of compactions included",
    project: "tighten",
    otherwise: "no limit",
    flags: [{
      term: "--max-tokens-total <N>",
      group: "model",
      help: "tokens the whole run may use",
    }],
  },
  max_cost: {
    schema: { type: "number", exclusiveMinimum: 0 },
    help: "what a run may cost, in the currency of `prices`",
    project: "tighten",
    otherwise: "no limit",
    flags: [{
      term: "--max-cost <N>",
      group: "model",
      help: "what the run may cost, by your prices",
    }],
  },
  max_time: {
    schema: { type: "number", exclusiveMinimum: 0 },
    help: "seconds that a turn may take",
    project: "tighten",
    otherwise: "no limit",
    flags: [{ term: "--max-time <SECONDS>", group: "model", help: "seconds a turn may take" }],
  },
  max_parallel: {
    schema: { type: "integer", minimum: 1, maximum: 64 },
    help: "calls that may run at once, and agents",
    project: "tighten",
    default: 4,
    variable: "ALLY_MAX_PARALLEL",
  },
  bash_timeout: {
    schema: { type: "integer", minimum: 1, maximum: 600 },
    help: "seconds a command may take",
    project: "free",
    default: 120,
  },
  banned_commands: {
    schema: { type: "array", items: { type: "string", minLength: 1 } },
    help: "programs that never run, instead of the built-in list; [] bans nothing",
    project: "tighten",
    otherwise: "the built-in list",
  },
  permissions: {
    schema: { type: "object" },
    help: "what is allowed and denied: {allow: {kind: true or list}, deny: {...}}",
    project: "tighten",
    otherwise: "what can change nothing runs unasked, all else asks",
  },
  hooks: {
    schema: HOOKS_SCHEMA,
    help: "commands of yours by event: {EVENT: [{command, name, tools, paths, timeout, required, " +
      "trusted}]}; ally help hooks",
    project: "add",
  },
  sandbox: {
    schema: { enum: ["auto", "required", "off"] },
    help: "whether commands run in the OS sandbox: where there is one, in any case, or never",
    project: "never",
    default: "auto",
    flags: [
      {
        term: "--sandbox",
        group: "permissions",
        help: "no command without the OS sandbox",
        value: "required",
      },
      {
        term: "--no-sandbox",
        group: "permissions",
        help: "commands without the OS sandbox: most ask; with -A nothing holds them",
        value: "off",
      },
    ],
  },
  unasked: {
    schema: { enum: ["closed", "safe"] },
    help:
      "what runs without a question in the OS sandbox: all that runs closed, which reads the workspace and changes nothing, or only what is known to read",
    project: "never",
    default: "closed",
  },
  file_checks: {
    schema: { type: "boolean" },
    help: "whether changed files are checked for syntax errors",
    project: "free",
    default: true,
  },
  skills_compat: {
    schema: { type: "boolean" },
    help: "whether skills are looked for in .claude/skills too, yours and the project's",
    project: "never",
    default: false,
  },
  search_url: {
    schema: SEARCH_URL,
    help: "base URL of a SearXNG server, with which the model can search the web; ally help tools",
    project: "never",
    otherwise: "there is no web_search",
  },
  keep_sessions: {
    schema: { type: "integer", minimum: 1 },
    help: "sessions kept for each project; beyond that the oldest are removed",
    project: "never",
    default: 200,
  },
  mask_secrets: {
    schema: { type: "boolean" },
    help: "whether the model, sessions and logs get placeholders for secrets",
    project: "never",
    default: true,
  },
  show_thinking: {
    schema: { enum: ["full", "short", "off"] },
    help:
      "how much of the model's thinking stays on the screen: all, its first lines (short), nothing",
    project: "never",
    default: "short",
  },
  stream: {
    schema: { type: "boolean" },
    help: "whether replies are shown as they come; false for servers that cannot send them so",
    project: "free",
    default: true,
  },
  warm: {
    schema: { type: "boolean" },
    help:
      "whether a local model server reads ahead what the next request begins with, while nobody waits for it",
    project: "never",
    default: true,
  },
  editing_mode: {
    schema: { enum: ["emacs", "vim"] },
    help: "whose keys edit a line: Emacs's, as in a shell, or vi's",
    project: "never",
    default: "emacs",
  },
  tips: {
    schema: { type: "boolean" },
    help: "whether the first session of a day begins with a tip",
    project: "never",
    default: true,
  },
  retries: {
    schema: { type: "integer", minimum: 0, maximum: 20 },
    help: "times a failed request is sent again",
    project: "free",
    default: 4,
  },
  request_timeout: {
    schema: { type: "integer", minimum: 1 },
    help: "seconds until the server must have begun its answer",
    project: "free",
    default: 1800,
  },
  idle_timeout: {
    schema: { type: "integer", minimum: 1 },
    help: "seconds of silence within an answer after which it is asked for again",
    project: "free",
    default: 300,
  },
  reply_timeout: {
    schema: { type: "integer", minimum: 1 },
    help: "seconds one answer may take in all",
    project: "free",
    default: 7200,
  },
  mcp_timeout: {
    schema: { type: "number", minimum: 0, maximum: 3600 },
    help: "seconds that ally -p waits for MCP servers whose tools are not known yet",
    project: "free",
    default: 30,
    flags: [{
      term: "--mcp-timeout <SECONDS>",
      group: "session",
      help: "how long -p waits for new MCP servers",
    }],
  },

  tool_result_max_tokens_normal: tokens("at first", 1000),
  tool_result_max_tokens_moderate: tokens("from context_percent_moderate on", 750),
  tool_result_max_tokens_aggressive: tokens("from context_percent_aggressive on", 500),
  tool_result_max_tokens_critical: tokens("from context_percent_critical on", 200),
  context_percent_moderate: level(70, "results are cut shorter"),
  context_percent_aggressive: level(85, "results are cut shorter still"),
  context_percent_critical: level(95, "calls are blocked"),
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
  status_line: {
    schema: STATUS_LINE_SCHEMA,
    help:
      'what stands below the prompt: auto, off, a text such as "{model} {window} {branch}", or ' +
      "{command: [PROGRAM, ...]}, whose first line is shown",
    project: "never",
    default: "auto",
    variable: "ALLY_STATUS_LINE",
  },
  terminal_integration: {
    schema: { type: "boolean" },
    help: "whether the terminal gets a title, progress, marks, links and notifications",
    project: "never",
    default: true,
  },
  screen_reader: {
    schema: { type: "boolean" },
    help: "whether a session is plain lines that a screen reader can follow; nothing moves",
    project: "never",
    default: false,
    variable: "ALLY_SCREEN_READER",
  },
  reduced_motion: {
    schema: { type: "boolean" },
    help: "whether nothing on the screen turns, and what counts does so once a second",
    project: "never",
    default: false,
  },
  theme: {
    schema: { enum: THEME_NAMES },
    help:
      "colours on the screen: for a dark or light terminal, high-contrast, color-blind, none, " +
      "or what the terminal says it is",
    project: "never",
    default: "auto",
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

/** @internal The key of a setting. */
export type SettingKey = keyof typeof SETTINGS;

/** What values of a schema are in the program. */
type ValueOf<S> = S extends TypedSchema<infer T> ? T
  : S extends { readonly enum: readonly (infer E)[] } ? E
  : S extends { readonly type: "boolean" } ? boolean
  : S extends { readonly type: "integer" | "number" } ? number
  : S extends { readonly type: "string" } ? string
  : S extends { readonly type: "array"; readonly items: infer I } ? readonly ValueOf<I>[]
  : unknown;

/** @internal The settings with these keys. */
type ValuesOf<K extends SettingKey> = {
  readonly [Key in K]: ValueOf<(typeof SETTINGS)[Key]["schema"]>;
};

/** What one source says of the settings: any of them, or none. */
export type Config = Partial<ValuesOf<SettingKey>>;

type KeyWithDefault = {
  [K in SettingKey]: (typeof SETTINGS)[K] extends { readonly default: unknown } ? K : never;
}[SettingKey];

/** A value for each setting that always has one, and for those of the others that were set. */
export type SettingValues = Config & ValuesOf<KeyWithDefault>;

/** Every setting by its key, in the order in which they are listed. */
export const SETTING_TABLE: ReadonlyMap<string, Setting> = new Map(
  Object.entries<Setting>(SETTINGS),
);

/** What holds where nobody says anything. */
export const DEFAULTS = Object.fromEntries(
  [...SETTING_TABLE].flatMap(([key, one]) => one.default === undefined ? [] : [[key, one.default]]),
) as ValuesOf<KeyWithDefault>;

/** What a project may do to a setting; to one that is not known, nothing. */
export function projectRule(key: string): ProjectRule {
  return SETTING_TABLE.get(key)?.project ?? "never";
}
