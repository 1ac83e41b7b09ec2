/**
 * How a replayed run differs from its recording, as an error that passes through the client and as data for
 * programs.
 */

/** One part of a request that differs from the recording. */
export interface DifferentPart {
  /** "message 3 (result of bash)", "the definition of grep", "temperature". */
  readonly where: string;
  /** The words around the first difference; null if that part is missing. */
  readonly recorded: string | null;
  readonly now: string | null;
  /** The whole texts. */
  readonly texts: { readonly recorded: string; readonly now: string };
}

/** The first request that differs from the recording. */
export interface Difference {
  /** Of the prompts, 1-based; 0 before the first. */
  readonly turn: number;
  /** Of the requests to the model, 1-based. */
  readonly request: number;
  /** Line of the recording; absent if it has no such request. */
  readonly line?: number;
  readonly what: string;
  readonly parts: readonly DifferentPart[];
}

/** A run differs from its recording; the message shows where. */
export class RecordingMismatch extends Error {
  override name = "RecordingMismatch";
  readonly difference: Difference;

  constructor(message: string, difference: Difference) {
    super(message);
    this.difference = difference;
  }
}
