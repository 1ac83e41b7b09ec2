/**
 * A tool is a plain value: data the model sees (its definition) and a few functions. What else ally needs
 * to know (does it ask? may it run beside others?) is derived from `effects`, never flagged.
 */
import type { FromSchema } from "json-schema-to-ts";
import type { Access } from "./access.ts";
import type { ConversationAccess } from "./conversation_access.ts";
import type { Delegate } from "./delegate.ts";
import type { ErrorKind } from "./errors.ts";
import type { EditPlan, Files } from "./files.ts";
import type { ImagePart, Media } from "./image.ts";
import type { FileMark, LoadedSkill } from "./message.ts";
import type { Shell } from "./shell.ts";
import type { Web } from "./web.ts";

/** What a call can do; whether it asks, may run beside others and is shown to sub-agents follows from it. */
export type Effect = "read" | "write" | "exec" | "net" | "session" | "remote" | "delegate";

/**
 * JSON Schema of a tool's arguments. `format: "path"` marks a path and `format: "command"` a command
 * line: the pipeline checks what is so marked, and no tool checks for itself.
 */
export interface Parameters {
  /** Arguments are always an object. */
  readonly type: "object";
  /** A schema for each argument, by its name. */
  readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** The arguments that must be there. @default none */
  readonly required?: readonly string[];
  /** What is not named is refused. */
  readonly additionalProperties: false;
}

/** Which tool of which server a remote tool is. */
export interface RemoteTool {
  /** Name of the server. */
  readonly server: string;
  /** The tool's name on the server. */
  readonly tool: string;
  /** Hash of what of it was approved; a rule made for it holds for no other. */
  readonly pin: string;
  /** Whether the server itself says that it may destroy something. */
  readonly destructive: boolean;
}

/** All that start-up and the model need to know of a tool; loading it loads nothing else. */
export interface ToolDefinition {
  /** By which the model calls it. */
  readonly name: string;
  /** What the model reads of it. */
  readonly description: string;
  /** Schema of its arguments. */
  readonly parameters: Parameters;
  /** All that some call of it can do. */
  readonly effects: readonly Effect[];
  /** A correct call, shown to a model that sent a wrong one. */
  readonly example: Readonly<Record<string, unknown>>;
  /** Required arguments that the tool accepts calls without. @default none */
  readonly mayOmit?: readonly string[];
  /** Set if a server runs it: each call asks as one of that server's. */
  readonly remote?: RemoteTool;
  /** Set if a plugin of this name runs it: a question about a call shows all that the plugin is given. */
  readonly plugin?: string;
  /** Set if its calls are calls of the tool that they name, with the arguments that they hold. */
  readonly forwards?: true;
}

/** The type of a tool's arguments, from its definition written `as const satisfies ToolDefinition`. */
export type Input<D extends ToolDefinition> = Arguments<D["parameters"]>;

/** @internal The type of what a schema accepts. */
type Arguments<P extends Parameters> = FromSchema<P>;

/** Who makes a call. */
export interface AgentIdentity {
  /** The same as long as the agent works: "main", "agent_1". */
  readonly id: string;
  /** For people; no other agent at work has it. */
  readonly name: string;
  /** 0 for the agent the user talks to. */
  readonly depth: number;
  /** The call of the agent above for which it works. */
  readonly call_id?: string;
}

/** Sizes that grow with the model's window. */
export interface Limits {
  /** Tokens one `read` may return. */
  readonly readTokens: number;
  /** Seconds a command may take if it does not say. */
  readonly bashTimeout: number;
  /** Counts the tokens of a text, near enough for a budget. */
  countTokens(text: string): number;
}

/** What a tool gets with each call. */
export interface ToolContext extends ConversationAccess {
  /** Id of the call. */
  readonly callId: string;
  /** Who makes it. */
  readonly agent: AgentIdentity;
  /** Aborted when the user interrupts. */
  readonly signal: AbortSignal;
  /** The user's files. */
  readonly files: Files;
  /** Where processes are started. */
  readonly shell: Shell;
  /** The hosts of the web that the tool named; absent where nothing is reached. */
  readonly web?: Web | undefined;
  /** How much it may take and give. */
  readonly limits: Limits;
  /** Makes something of files that are no text; absent where nothing can. */
  readonly media?: Media | undefined;
  /** Has other agents work on tasks; absent for an agent that works for another one. */
  readonly delegate?: Delegate | undefined;
  /** Notes private keys of a text of which the result shows only a part, and perhaps neither beginning nor end of a key. */
  learnSecrets(text: string): void;
  /** Live output for the person watching; the model does not see it. */
  report(chunk: string): void;
}

/** The same at the time of running, with what was planned and shown. */
export interface RunContext extends ToolContext {
  /** Present if the tool has `plan`. */
  readonly plan: EditPlan | undefined;
}

/** The fields that a tool adds to the record of its result. */
export type ToolData = Readonly<Record<string, unknown>>;

/** What a call came to: a success with its data, or a failure with its reason. */
export type ToolResult<D extends ToolData = ToolData> =
  | {
    readonly ok: true;
    readonly data: D;
    /** What the model reads instead of the record as JSON. */
    readonly text?: string;
    /** Tokens the tool kept its text within by itself; it is not cut below that. */
    readonly budget?: number;
    /** The files that the text shows whole, if it shows nothing else. */
    readonly files?: readonly FileMark[];
    /** Pictures that the model sees with the text. */
    readonly images?: readonly ImagePart[];
    /** The skills whose instructions the text holds. */
    readonly skills?: readonly LoadedSkill[];
  }
  | {
    readonly ok: false;
    readonly error: {
      readonly kind: ErrorKind;
      readonly message: string;
      readonly suggestion?: string | undefined;
    };
    /** Further fields of the record, such as a command's output. */
    readonly data?: ToolData | undefined;
  };

/** Arguments that the schema of a tool has accepted. */
export type ToolInput = Readonly<Record<string, unknown>>;

/**
 * What a tool does. Its functions are methods, whose parameters TypeScript compares in both directions: a
 * tool written for its own arguments is a `Tool`, which gets them once the schema has accepted them.
 */
export interface Tool<I extends ToolInput = ToolInput, D extends ToolData = ToolData> {
  /** What the model and start-up know of it. */
  readonly definition: ToolDefinition;
  /** Refuses arguments that are valid one by one but not together. @throws {ToolError} validation */
  check?(input: I): void;
  /** The effects of this very call, if fewer than the definition's. */
  effectsOf?(input: I): readonly Effect[];
  /** One line for people: what this call does, without the tool's name. */
  describe(input: I): string;
  /**
   * What the call does beyond its paths and command lines, such as reaching a host; the target of what it reads may be
   * relative, as a path in its arguments.
   */
  accesses?(input: I): readonly Access[];
  /**
   * The command lines that planning and running will start, worked out without starting anything. Each
   * is judged and shown as what it is; no other can then be started through the shell of the context.
   */
  commands?(input: I, context: ToolContext): Promise<readonly string[]>;
  /**
   * Works out the changes to files, so that they can be shown before they are made. A tool that names
   * `commands` is planned once these are allowed.
   */
  plan?(input: I, context: ToolContext): Promise<EditPlan>;
  /** Does it. @throws {ToolError} what the model should know */
  run(input: I, context: RunContext): Promise<ToolResult<D>>;
  /**
   * Up to `lines` lines of the result for people, all of them for `Infinity`.
   * @default both ends of text, output or content
   */
  preview?(data: D, lines: number): string[];
}

/** A tool as the registry holds it: the definition now, the rest when first called. */
export interface ToolEntry {
  /** What the model and start-up know of it. */
  readonly definition: ToolDefinition;
  /** Loads the tool itself. */
  load(): Promise<Tool>;
}
