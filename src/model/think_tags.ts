/**
 * Tells thinking from text where a server leaves both in the content: a thought between tags before the
 * answer, with tags split between pieces, nested, or several in a row. A tag anywhere else is the model's own
 * text, except the end of a thought whose opening tag the chat template swallowed: that is found once the
 * content is complete.
 */
import { MAX_BLANKS, partialMarkLength, toLowerAscii } from "./partial_mark.ts";

interface Tag {
  readonly open: string;
  readonly close: string;
}

/** Lower case; the longer of two that begin alike comes first. */
const TAGS: readonly Tag[] = [
  ...["thinking", "think", "thought", "reasoning", "seed:think"].map((name) => ({
    open: `<${name}>`,
    close: `</${name}>`,
  })),
  { open: "[think]", close: "[/think]" },
  { open: "◁think▷", close: "◁/think▷" },
  { open: "<|start_thinking|>", close: "<|end_thinking|>" },
  { open: "<|channel>thought", close: "<channel|>" },
];

/** A piece of content, separated; either part may be empty. */
export interface ContentParts {
  readonly thinking: string;
  readonly text: string;
}

const NOTHING: ContentParts = { thinking: "", text: "" };

/** Takes content piece by piece; holds back only what may still become a tag, and blanks around them. */
export class ThinkTagParser {
  #state: "start" | "thinking" | "text" = "start";
  #held = "";
  #tag: Tag = TAGS[0]!;
  /** Thoughts open within one another. */
  #depth = 0;
  #begun = false;
  /** All content up to the answer. */
  #passed = "";
  #before = "";
  /** What came since the last closing tag of a thought within a thought. */
  #sinceClose: string | undefined;

  /** The thoughts and what is around them as they came, once they have ended; empty if there were none. */
  get before(): string {
    return this.#before;
  }

  /** What the next piece adds. */
  push(piece: string): ContentParts {
    if (this.#state === "text") return { thinking: "", text: piece };
    this.#held += piece;
    this.#passed += piece;
    let thinking = "";
    for (;;) {
      if (this.#state === "start" && !this.#leaveStart()) return { thinking, text: "" };
      if (this.#state === "thinking") {
        thinking += this.#takeThinking();
        if (this.#depth > 0) return { thinking, text: "" };
        continue;
      }
      const text = this.#held;
      this.#held = "";
      return { thinking, text };
    }
  }

  /** What was held back, at the end of the content. */
  end(): ContentParts {
    if (this.#state === "start") this.#noteThoughts();
    const held = this.#held;
    this.#held = "";
    if (this.#state !== "thinking") {
      return held.trim() === "" ? NOTHING : { thinking: "", text: held };
    }
    // More thoughts began than ended: what follows the last end is the answer.
    const answer = this.#sinceClose === undefined ? "" : (this.#sinceClose + held).trimStart();
    return { thinking: held, text: answer };
  }

  /** Decides what the content goes on with; false while it could still be either. */
  #leaveStart(): boolean {
    const begin = this.#held.trimStart();
    const lower = begin.slice(0, 60).toLowerCase();
    const tag = TAGS.find(({ open }) => lower.startsWith(open));
    if (tag !== undefined) {
      this.#state = "thinking";
      this.#tag = tag;
      this.#depth = 1;
      this.#begun = true;
      this.#sinceClose = undefined;
      this.#held = begin.slice(tag.open.length);
    } else if (TAGS.some(({ open }) => open.startsWith(lower)) && !this.#isBlankForLong()) {
      return false;
    } else {
      this.#state = "text";
      // Blanks between a thought and the answer belong to neither.
      if (this.#begun) this.#held = begin;
      this.#noteThoughts();
    }
    return true;
  }

  #noteThoughts(): void {
    // Blanks with nothing behind them are no answer.
    const end = this.#passed.length - (this.#held.trim() === "" ? 0 : this.#held.length);
    if (this.#begun) this.#before = this.#passed.slice(0, end);
  }

  /** Nothing but blanks is not held back for ever. */
  #isBlankForLong(): boolean {
    return this.#held.length > MAX_BLANKS;
  }

  /** The held thinking, up to the tag that ends it or to what may become a tag. */
  #takeThinking(): string {
    const { open, close } = this.#tag;
    let taken = "";
    while (this.#depth > 0) {
      const lower = toLowerAscii(this.#held);
      const ends = lower.indexOf(close);
      const begins = lower.indexOf(open);
      const isEnd = ends >= 0 && (begins < 0 || ends < begins);
      const at = isEnd ? ends : begins;
      if (at < 0) return taken + this.#keepTail(lower);
      const length = isEnd ? close.length : open.length;
      this.#depth += isEnd ? -1 : 1;
      const whole = this.#held.slice(0, at + length);
      this.#held = this.#held.slice(at + length);
      taken += this.#depth === 0 ? whole.slice(0, at) : whole;
      if (isEnd) this.#sinceClose = "";
      else if (this.#sinceClose !== undefined) this.#sinceClose += whole;
    }
    this.#state = "start";
    return taken;
  }

  /** Takes all but what may be the beginning of a tag. */
  #keepTail(lower: string): string {
    const { open, close } = this.#tag;
    const keep = partialMarkLength(lower, [open, close]);
    const taken = this.#held.slice(0, this.#held.length - keep);
    this.#held = this.#held.slice(taken.length);
    if (this.#sinceClose !== undefined) this.#sinceClose += taken;
    return taken;
  }
}

/** Splits complete content whose thought has a closing tag but no opening one. */
export function splitAtClosingTag(content: string): ContentParts {
  const match = /<\/think(?:ing)?>/i.exec(content);
  const thinking = content.slice(0, match?.index);
  const rest = content.slice(thinking.length + (match?.[0].length ?? 0));
  // Within a line, a fence or quotation marks the text is about the tag.
  const isMentioned = !/^[ \t]*(\n|$)/.test(rest) || /["'`]$/.test(thinking) ||
    thinking.split("```").length % 2 === 0 || /<think(ing)?>/i.test(thinking);
  return match === null || isMentioned
    ? { thinking: "", text: content }
    : { thinking, text: rest.trimStart() };
}
