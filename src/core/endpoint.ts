/**
 * Model servers as the configuration names them, and what is known of a model that was tried.
 */
import type { Effort, EffortDialect } from "./model.ts";

/** Money for a million tokens, in whatever currency the user counts. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** Of tokens that the server had cached. @default input */
  readonly cached_input?: number;
}

/** One price for all models, or one for each by its name; `*` stands for all others. */
export type Prices = Price | Readonly<Record<string, Price>>;

/** A server in `endpoints` of the configuration. */
export interface EndpointProfile {
  /** Base URL. */
  readonly url: string;
  /** Environment variable that holds the key. */
  readonly key_env?: string;
  /** File that holds the key (0600). @default `keys/NAME` in ally's home, if it is there */
  readonly key_file?: string;
  /** Used where none is named. @default the server's first */
  readonly model?: string;
  /** Tokens of its models' window. */
  readonly context_size?: number;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly prices?: Prices;
  /** How much its models are to think. @default as `effort` says */
  readonly effort?: Effort;
  /** How it is told that. @default as it shows, else in OpenAI's field */
  readonly effort_by?: EffortDialect;
}

/** Where the size of a window is known from. */
type WindowSource =
  /** A server says what it runs the model with. */
  | "server"
  /** What is said when a server of this kind is not told otherwise. */
  | "default"
  /** Tried: what is longer lost its beginning or was refused. */
  | "probe";

/** The window of a model. */
interface ModelWindow {
  /** Tokens. */
  readonly size: number;
  readonly source: WindowSource;
  /** What the server said at that time; if it says something else by now, `size` is out of date. */
  readonly asked?: number;
}

/** What a server has shown that it knows beyond the API that all servers have. */
export interface ServerFeatures {
  /** The program. */
  readonly kind: "llamacpp" | "ollama" | "lmstudio" | "vllm";
  /** Requests that it works on at once, each in a slot with a cache of its own; absent if it does not say. */
  readonly slots?: number;
  /** Whether it tells of each slot what it does. */
  readonly lists_slots: boolean;
  /** What its chat template can do, as the server calls it: "supports_preserve_reasoning". */
  readonly template_caps: readonly string[];
  /** Arguments that its chat template reads from `chat_template_kwargs`: "enable_thinking". */
  readonly template_arguments: readonly string[];
}

/** What is known of one model on one server. */
export interface ModelProfile {
  /** ISO 8601: when it was last looked at. */
  readonly checked: string;
  /** The server's own mark of this very model. */
  readonly digest?: string;
  /** "Ollama 0.12.3" */
  readonly server?: string;
  readonly window?: ModelWindow;
  /** Parts of a request that the server refuses. */
  readonly without?: readonly string[];
  readonly streaming?: boolean;
  readonly usage?: boolean;
  readonly reasoning?: boolean;
  /** What its server has shown that it knows. */
  readonly features?: ServerFeatures;
  /** How it calls tools: in the fields for it, in its text, or not at all. */
  readonly tools?: "native" | "text" | "none";
  /** Whether it makes several calls in one reply, of its own accord or only if the request asks for it. */
  readonly parallel_calls?: boolean | "asked";
  readonly first_token_ms?: number;
  readonly tokens_per_second?: number;
}
