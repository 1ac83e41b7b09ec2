/**
 * The port for the log of decisions: who allowed or denied what, and why.
 */
import type { Access, AccessKind, Answer, Risk } from "./permission.ts";

/** One decision about one call. */
export interface PermissionDecision {
  readonly agent: string;
  readonly tool: string;
  readonly callId: string;
  readonly kinds: readonly AccessKind[];
  /** The command or path; several stand on lines of their own. */
  readonly what: string;
  readonly risk: Risk;
  readonly reasons: readonly string[];
  readonly decision: Answer["kind"];
  /** The rule that decided, "user" for a person's answer, "default" if only the risk decided. */
  readonly by: string;
  /** Set if a person was asked: all that the call wanted to do. */
  readonly asked?: readonly Access[];
}

/** A question that a person answered. */
export interface PastQuestion {
  /** What the call wanted to do; nothing if no rule could have allowed it. */
  readonly accesses: readonly Access[];
  readonly allowed: boolean;
}

/** Logs a decision. Never throws, and returns at once. */
export type LogDecision = (decision: PermissionDecision) => void;
