/**
 * The reply that is arriving, saved now and then: if the process is killed in the middle of a long answer, only
 * its last moment is lost. The whole message takes its place.
 */

/** Milliseconds between two savings: little enough to be read again. */
const INTERVAL = 300;

/** Saves a piece of a reply; the first piece of a reply replaces what was saved before. */
type SavePartialReply = (text: string, options: { first: boolean }) => Promise<void>;

/** Saves the text of one reply after the other. */
export class PartialReplyWriter {
  readonly #save: SavePartialReply;
  #unsaved = "";
  /** Whether the next piece is the first of a reply. */
  #first = true;
  #last = performance.now();

  constructor(save: SavePartialReply) {
    this.#save = save;
  }

  /** Takes a piece of text as it arrives. */
  add(text: string): void {
    this.#unsaved += text;
    if (performance.now() - this.#last < INTERVAL) return;
    void this.#save(this.#unsaved, { first: this.#first });
    this.#unsaved = "";
    this.#first = false;
    this.#last = performance.now();
  }

  /** A reply begins, or starts over. */
  begin(): void {
    this.#unsaved = "";
    this.#first = true;
    this.#last = performance.now();
  }
}
