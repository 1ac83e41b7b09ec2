/**
 * The reply that is arriving, saved now and then, so that who kills the process in the middle of a long
 * answer loses no more than its last moment. The whole message takes its place. Used by the turn.
 */
/** Milliseconds between two savings: a person reads no more in that time than they can bear to lose. */
const INTERVAL = 300;

/** Saves a piece of a reply; the first of one begins it anew. */
type SavePartialReply = (text: string, options: { first: boolean }) => Promise<void>;

/** Collects the text of one reply after the other. */
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

  /** A reply begins, maybe anew. */
  begin(): void {
    this.#unsaved = "";
    this.#first = true;
    this.#last = performance.now();
  }
}
