/**
 * Holds back text that may turn out to be a call which the model wrote instead of making it, so that people
 * see either the text or the call. Everything else passes at once. `written_calls.ts` judges what was held.
 *
 * Where a call may stand: at the end of the reply, with a mark that only chat templates use, at the start of
 * a line and outside of any code fence or quotation; without such a mark, only as the whole reply.
 */

/** Beginnings of calls that chat templates mark, in lower case. */
const MARKS: readonly string[] = [
  "<tool_call>",
  "<tool_calls>",
  "<function=",
  "<function_call>",
  "<function_calls>",
  '<invoke name="',
  "[tool_calls]",
  "<|python_tag|>",
  "<|tool_call|>",
  "<|tool_calls_section_begin|>",
  "<｜tool▁calls▁begin｜>",
  "<|channel|>commentary to=",
  "<|start|>assistant<|channel|>commentary to=",
];

/** A fence that may hold a call as the whole reply, as far as it has come. */
const FENCE = /^```(?:json|tool_call|tool_code|xml|python)?[ \t]*(?:\r?\n|$)/i;
const FENCE_BEGUN = /^`{1,3}[a-z_]{0,9}[ \t]*$/i;
/** Unmarked calls begin so: a JSON object with one of a call's keys, or `[name(` or `name(` in a fence. */
const UNMARKED =
  /^(?:[[{\s]*["'](?:name|function|tool|tool_name|tool_calls|action|type|id|arguments|parameters)["']\s*:|\[\s*[\w.-]+\()/;
/** Characters by which an unmarked call must be recognisable. */
const RECOGNISED_WITHIN = 80;

/** Blanks before a call, in characters. */
const MOST_BLANKS = 1000;

/** What was held back at the end of a reply. */
export interface Held {
  readonly text: string;
  /** Whether the held text is all of the reply. */
  readonly whole: boolean;
  /** What stands before it. */
  readonly before: string;
}

/** Passes the text of one reply. */
export class HeldText {
  #held = "";
  #before = "";
  #state: "start" | "lines" | "held" = "start";
  #fenced = false;
  #atLineStart = true;

  /** What of the text so far can be shown. */
  push(piece: string): string {
    this.#held += piece;
    if (this.#state === "held") return "";
    if (this.#state === "start") {
      const unmarked = unmarkedCall(this.#held);
      if (unmarked === "is") this.#state = "held";
      if (unmarked !== "is not") return "";
      this.#state = "lines";
    }
    const shown = this.#takeLines();
    this.#before += shown;
    return shown;
  }

  /** Characters held. */
  get length(): number {
    return this.#held.length;
  }

  /** What is still held at the end. */
  end(): Held {
    return { text: this.#held, whole: this.#before.trim() === "", before: this.#before };
  }

  /** Everything up to a line that is, or may become, the beginning of a call. */
  #takeLines(): string {
    let at = 0;
    while (at < this.#held.length) {
      const end = this.#held.indexOf("\n", at);
      const line = this.#held.slice(at, end < 0 ? undefined : end);
      if (this.#atLineStart) {
        const head = line.replace(/^ {1,3}/, "").toLowerCase();
        if (!this.#fenced && MARKS.some((mark) => head.startsWith(mark))) {
          this.#state = "held";
          break;
        }
        if (end < 0 && this.#mayStillCount(head)) break;
        if (head.startsWith("```")) this.#fenced = !this.#fenced;
      }
      this.#atLineStart = end >= 0;
      at = end < 0 ? this.#held.length : end + 1;
    }
    const shown = this.#held.slice(0, at);
    this.#held = this.#held.slice(at);
    return shown;
  }

  /** Whether the beginning of a line could yet become a mark or a fence. */
  #mayStillCount(head: string): boolean {
    if (/^`{1,2}$/.test(head)) return true;
    return !this.#fenced && MARKS.some((mark) => mark.startsWith(head));
  }
}

/** Whether a reply that begins so is, may be or is not an unmarked call. */
function unmarkedCall(text: string): "is" | "may be" | "is not" {
  const begin = text.trimStart();
  if (text.length - begin.length > MOST_BLANKS) return "is not";
  if (begin === "" || FENCE_BEGUN.test(begin)) return "may be";
  const fenced = FENCE.test(begin);
  const core = begin.replace(FENCE, "").trimStart();
  if (core === "") return "may be";
  if (UNMARKED.test(core) || (fenced && /^(?:[\w.-]+\(|<)/.test(core))) return "is";
  const isOpen = /^[[{][[{\s"'\w.-]*$/.test(core) || (fenced && /^[\w.-]+$/.test(core));
  return isOpen && core.length < RECOGNISED_WITHIN ? "may be" : "is not";
}
