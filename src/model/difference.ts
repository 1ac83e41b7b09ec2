/**
 * How a run is not what was recorded: the fact that `replay.ts` reports, as an error that the client hands on
 * and as data for programs.
 */

/** One part of a request that is not as recorded. */
export interface DifferentPart {
  /** "message 3 (result of bash)", "the definition of grep", "temperature". */
  readonly where: string;
  /** The words around the first difference; null if that part is not there at all. */
  readonly recorded: string | null;
  readonly now: string | null;
  /** The whole texts. */
  readonly texts: { readonly recorded: string; readonly now: string };
}

/** The first request that is not as recorded. */
export interface Difference {
  /** Of the prompts, 1-based; 0 before the first. */
  readonly turn: number;
  /** Of the requests to the model, 1-based. */
  readonly request: number;
  /** Line of the recording; absent if the recording has no such request. */
  readonly line?: number;
  readonly what: string;
  readonly parts: readonly DifferentPart[];
}

/** A run is not what was recorded; its message shows where. */
export class RecordingMismatch extends Error {
  override name = "RecordDiffers";
  readonly difference: Difference;

  constructor(message: string, difference: Difference) {
    super(message);
    this.difference = difference;
  }
}
