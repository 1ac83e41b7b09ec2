/**
 * The question whether a plugin may run, as it is put to a person: what it may do in plain words, and what is
 * new since it was last allowed.
 */

/** What a person is asked. Its texts are as the plugin's author wrote them: not safe to draw. */
export interface ConsentRequest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  /** Absolute. */
  readonly folder: string;
  /** What it may do and may not, one line each: "may reach tracker.example.com". */
  readonly may: readonly string[];
  /** "name: description" of each of its tools. */
  readonly tools: readonly string[];
  /** What is different from what was allowed before; absent if it never was. */
  readonly changes?: readonly string[];
}

/** Until ally ends, for as long as the plugin stays as it is, or not at all. */
export type ConsentChoice = "session" | "always" | "deny";

/** Asks a person; an aborted signal and a closed terminal are "deny". */
export type AskConsent = (request: ConsentRequest, signal: AbortSignal) => Promise<ConsentChoice>;
