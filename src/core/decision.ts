/**
 * The port for the log of decisions: who allowed or denied what, and why.
 */
import type { AccessKind, Answer, Risk } from "./permission.ts";

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
}

/** Logs a decision. Never throws, and returns at once. */
export type LogDecision = (decision: PermissionDecision) => void;
