/**
 * The errors that somebody catches by class. Everything else is a built-in `Error` with a `cause`.
 */

/** Kinds of a tool's failure; the record's `error_type` is derived from them. */
export type ErrorKind =
  | "user"
  | "validation"
  | "permission"
  | "security"
  | "system"
  | "interrupted";

/** Thrown by a tool or a port; the pipeline renders it as the call's result. */
export class ToolError extends Error {
  /** Whose failure it is. */
  readonly kind: ErrorKind;
  /** What the model or the user should do next. */
  readonly suggestion: string | undefined;
  /** Further fields of the record, such as a command's output. */
  readonly data: Readonly<Record<string, unknown>> | undefined;

  /** Makes an error; the message is one sentence that says what could not be done, and why. */
  constructor(
    message: string,
    options: {
      kind: ErrorKind;
      suggestion?: string | undefined;
      data?: Readonly<Record<string, unknown>> | undefined;
      cause?: unknown;
    },
  ) {
    super(message, { cause: options.cause });
    this.name = "ToolError";
    this.kind = options.kind;
    this.suggestion = options.suggestion;
    this.data = options.data;
  }
}

/** A page of the web answered with an error. */
export class WebStatusError extends ToolError {
  /** The status of HTTP, 400 or more. */
  readonly status: number;

  /** Makes an error; the message names the page. */
  constructor(message: string, status: number) {
    super(message, { kind: "user" });
    this.status = status;
  }
}

/** Wrong use of the command line or of the configuration: exit code 2. */
export class UsageError extends Error {
  /** By which it is told from others. */
  override name = "UsageError";
}

/** What a run, or an agent's task, may spend is spent. */
export class BudgetSpentError extends Error {
  override name = "BudgetSpentError";
}

/** No answer of the model fits the schema that was asked for: exit code 6. */
export class AnswerSchemaError extends Error {
  /** By which it is told from others. */
  override name = "AnswerSchemaError";
}

/** What arrived of a reply before its request failed for good. */
export interface PartialReply {
  /** The answer so far. */
  readonly text: string;
  /** The thinking before it. */
  readonly thinking: string;
}

/**
 * "context" if the conversation does not fit the model's window, "unlisted" if something answers, but with no
 * list of models, "overloaded" if the server answers that it cannot work, now or at all.
 */
export type EndpointErrorKind = "context" | "unlisted" | "overloaded" | "other";

/** The model server cannot be reached, or answers with nothing but errors: exit code 75. */
export class EndpointError extends Error {
  /** By which it is told from others. */
  override name = "EndpointError";
  /** What kind of failure it is. */
  readonly kind: EndpointErrorKind;
  /** HTTP status of the last answer, if there was one. */
  readonly status: number | undefined;
  /** What had been shown of the reply, if anything. */
  readonly partial: PartialReply | undefined;

  /** Makes one; the message says what happened, why, and what to do. */
  constructor(
    message: string,
    options: {
      kind?: EndpointErrorKind | undefined;
      status?: number | undefined;
      partial?: PartialReply | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.kind = options.kind ?? "other";
    this.status = options.status;
    this.partial = options.partial;
  }
}
