/**
 * The vocabulary of permission: what a call wants to do, how risky that is, who decided what.
 * Kinds are Deno's own: read, write, run, net, env.
 */
import type { PartedScript, Power, SandboxPolicy } from "./sandbox.ts";
import type { CanonicalCommand } from "./shell.ts";
import type { AgentIdentity } from "./tool.ts";

export type { Access, AccessKind } from "./access.ts";

/** What a rule names of a kind: a list, or `true` for the whole kind (of read and write: the workspace). */
export type Targets = true | readonly string[];

/** Safe never asks; sensitive offers Always; extreme offers Allow and Deny only. */
export type Risk = "safe" | "sensitive" | "extreme";

const RISK_ORDER: Readonly<Record<Risk, number>> = { safe: 0, sensitive: 1, extreme: 2 };

/** Whether one risk is greater than another. */
export function isRiskier(one: Risk, other: Risk): boolean {
  return RISK_ORDER[one] > RISK_ORDER[other];
}

/** The greater of two risks. */
export function higherRisk(one: Risk, other: Risk): Risk {
  return isRiskier(other, one) ? other : one;
}

/** One simple command of a command line, or one of its redirections. */
export interface CommandPart {
  /** As written. */
  readonly command: string;
  /** How much harm it could do. */
  readonly risk: Risk;
  /** Why it has that risk. */
  readonly why: string;
  /** What it may do in the sandbox, nothing if it runs closed; absent without a sandbox. */
  readonly powers?: readonly Power[];
  /** What it gets beyond the workspace, or that it runs closed, in words; absent if there is nothing to say. */
  readonly gets?: string;
  /** A place outside of the workspace that it writes, absolute. */
  readonly outside?: string;
}

/** What the policy says of a call. */
export interface Verdict {
  readonly decision: "allow" | "ask" | "deny";
  readonly risk: Risk;
  /** One line: why it asks, or which rule decided. */
  readonly why: string;
  /** The rule that decided; absent if only the risk did. */
  readonly rule?: string;
  /** What "Always" could store, the narrowest first; empty or absent if Always is not offered. */
  readonly offers?: readonly GrantOffer[];
  /** Set if no flag and no answer could allow it: what the user would have to change. */
  readonly banned?: string;
  /** For a command line of more than one part: each with its risk. */
  readonly parts?: readonly CommandPart[];
  /** How the sandbox is to hold what runs; absent if nothing runs. */
  readonly sandboxPolicy?: SandboxPolicy;
  /**
   * What runs in place of each command line, and nothing else; absent if the commands run as written,
   * because a person saw them or allowed every command.
   */
  readonly runs?: ReadonlyMap<string, CanonicalCommand>;
  /** Command lines, as they were judged, that run in parts with sandboxes of their own. @default none */
  readonly parted?: ReadonlyMap<string, PartedScript>;
  /**
   * The place, absolute, that the only command writes or removes, and no sandbox lets it: what a person allows begins
   * outside.
   */
  readonly outside?: string;
}

/** What a verdict says of how commands run. */
export type Confinement = Pick<Verdict, "sandboxPolicy" | "runs" | "parted" | "outside">;

/** What is shown before a question. */
export type Preview =
  | { readonly kind: "diff"; readonly path: string; readonly diff: string }
  | { readonly kind: "new_file"; readonly path: string; readonly content: string }
  | { readonly kind: "deleted_file"; readonly path: string; readonly lines: number }
  /** What cannot be shown as text: a link, permission bits, a binary file. */
  | { readonly kind: "other_change"; readonly path: string; readonly what: string }
  | { readonly kind: "command"; readonly command: string; readonly cwd: string }
  /** What a tool of a server or of a plugin is given: the arguments as JSON, on lines. */
  | { readonly kind: "sent"; readonly text: string };

/** One call that needs an answer. */
export interface PermissionRequest {
  /** Id of the call. */
  readonly callId: string;
  /** Who makes it. */
  readonly agent: AgentIdentity;
  /** Name of the tool. */
  readonly tool: string;
  /** What the call does, in one line. */
  readonly description: string;
  /** How much harm it could do. */
  readonly risk: Risk;
  /** Why it asks. */
  readonly why: string;
  /** Set if the call would run outside of the sandbox, which stopped it. */
  readonly outsideSandbox?: true;
  /** What "Always" could store, the narrowest first; empty if it is not offered. */
  readonly offers: readonly GrantOffer[];
  /** For a command line of more than one part: each with its risk. */
  readonly parts?: readonly CommandPart[] | undefined;
  /** What it would change, run or send. */
  readonly previews: readonly Preview[];
  /** What could be overlooked in it, each in words. @default nothing */
  readonly unusual?: readonly string[];
  /** What may be changed before the call runs, and asked about again. */
  readonly editable?: EditableCall | undefined;
}

/** The part of a call that a person may edit. */
export interface EditableCall extends EditableText {
  /** What the text is. */
  readonly kind: "command" | "content" | "arguments";
  /** Of a call that changes several files, the content of the others. @default there are none */
  readonly others?: readonly EditableText[];
}

/** A text that a person may edit. */
export interface EditableText {
  /** As it is now. */
  readonly text: string;
  /** End of a file's name by which an editor knows the language: ".ts". */
  readonly suffix: string;
  /** The file that will hold it, as people know it. @default it is no file's content */
  readonly name?: string;
}

/**
 * How far a session goes by itself, below all rules: it asks before it changes anything; it changes files of the
 * workspace unasked; it changes nothing. Only the person at the terminal says which.
 */
export type SessionMode = "ask" | "edits" | "plan";

/** For how long "Always" holds, and where: in this turn, which is offered for edits alone, in this session, ... */
export type GrantScope = "turn" | RuleScope;

/** ... or as a rule: in this project, in this session, everywhere. */
export type RuleScope = (typeof RULE_SCOPES)[number];

/** For how long a rule may hold, in the order in which it is offered. */
export const RULE_SCOPES = ["project", "session", "user"] as const;

/**
 * How much "Always" allows, the narrowest first: just what was asked about; the same program with other arguments;
 * git's everyday work in the repository; the whole kind, which is every command that stays in the sandbox, or every
 * edit of the workspace.
 */
export const BREADTHS = ["exact", "program", "repository", "kind"] as const;

/** One of them. */
export type Breadth = (typeof BREADTHS)[number];

/** One thing that "Always" could store. */
export interface GrantOffer {
  /** How much it allows. */
  readonly breadth: Breadth;
  /** For people: `run=npm run build`, `run=npm run *`. */
  readonly text: string;
  /** For how long it may hold, the first by default. @default a rule's: this project, this session, everywhere */
  readonly scopes?: readonly GrantScope[];
  /** What voids a rule for it when it is changed. @default nothing does */
  readonly bound?: BoundFiles | undefined;
  /** What a rule for it would have covered today; absent if nothing is known of today. */
  readonly coverage?: Coverage | undefined;
}

/** The files that decide what a command does. */
export interface BoundFiles {
  /** Those that are there, from the working directory if they lie below it. */
  readonly files: readonly string[];
  /** Whether it may run others too, of which nothing is known. */
  readonly runsUnknown: boolean;
}

/** How many of earlier questions a rule would have answered. */
export interface Coverage {
  /** How many there were. */
  readonly questions: number;
  /** How many of them it would have answered. */
  readonly covered: number;
  /** Of those covered, how many the person denied. */
  readonly denied: number;
}

/** What a person, or who stands in for one, answers to a request. */
export type Answer =
  | { readonly kind: "allow" }
  | {
    readonly kind: "always";
    readonly scope: GrantScope;
    /** @default "exact" */
    readonly breadth?: Breadth;
  }
  | { readonly kind: "deny" }
  | { readonly kind: "instead"; readonly text: string }
  /** The text as edited: the call is judged again with it, and asked about again if need be. */
  | EditAnswer;

/** A call as edited. */
export interface EditAnswer {
  /** Tells it from other answers. */
  readonly kind: "edit";
  /** What the call shall be. */
  readonly text: string;
  /** Of a call that changes several files, what the others shall hold. */
  readonly others?: readonly string[];
}

/**
 * Asks a person about all calls of one reply at once; answers come in the same order, one each.
 * An aborted signal or a closed terminal is a denial.
 */
export type AskPermission = (
  requests: readonly PermissionRequest[],
  signal: AbortSignal,
) => Promise<readonly Answer[]>;

/** Whether a reason tells something unusual already: "over the network" does of "with the network". */
export function tellsUnusual(why: string, what: string): boolean {
  return why.includes(what.replace(/^with /, ""));
}
