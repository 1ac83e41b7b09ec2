/**
 * The channels of gpt-oss where a server leaves them in the content: `<|channel|>analysis<|message|>` is
 * thinking, `final` and a `commentary` without a recipient are text, and a message to a function stays as it
 * is, for `text_tool_calls.ts`. Content without channels passes unchanged.
 */
import { MAX_BLANKS, partialMarkLength } from "./partial_mark.ts";
import type { ContentParts } from "./think_tags.ts";

const OPENINGS: readonly string[] = ["<|channel|>", "<|start|>assistant"];
const MESSAGE = "<|message|>";
/** What ends a message; the first two begin the next one. */
const ENDS: readonly string[] = [...OPENINGS, "<|end|>", "<|return|>", "<|call|>"];
/** Characters that the head of a message may have. */
const MAX_HEAD = 300;
type Kind = "thinking" | "text" | "call";

/** Takes content piece by piece; holds back only what may still become a mark. */
export class ChannelParser {
  #state: "start" | "plain" | "head" | "body" | "between" = "start";
  #kind: Kind = "text";
  #held = "";
  #hasText = false;
  #thinking = "";
  #text = "";

  /** What the next piece adds. */
  push(piece: string): ContentParts {
    if (this.#state === "plain") return { thinking: "", text: piece };
    this.#held += piece;
    while (this.#step());
    return this.#takeParts();
  }

  /** What was held back, at the end of the content. */
  end(): ContentParts {
    if (this.#state === "body") this.#add(this.#held);
    // A message that never began is text.
    else if (this.#held.trim() !== "") this.#text += this.#held;
    this.#held = "";
    return this.#takeParts();
  }

  #takeParts(): ContentParts {
    const parts = { thinking: this.#thinking, text: this.#text };
    this.#thinking = "";
    this.#text = "";
    return parts;
  }

  /** Takes the next part of what is held; false if more must come first. */
  #step(): boolean {
    switch (this.#state) {
      case "start":
      case "between":
        return this.#begin();
      case "head":
        return this.#takeHead();
      case "body":
        return this.#takeBody();
      case "plain":
        this.#text += this.#held;
        this.#held = "";
        return false;
    }
  }

  #begin(): boolean {
    const begin = this.#held.trimStart();
    const isFirst = this.#state === "start";
    if (OPENINGS.some((mark) => begin.startsWith(mark))) {
      this.#state = "head";
      this.#held = begin;
      return true;
    }
    const mayYet = OPENINGS.some((mark) => mark.startsWith(begin));
    if (mayYet && this.#held.length - begin.length <= MAX_BLANKS) return false;
    this.#state = "plain";
    if (!isFirst) this.#held = `${this.#hasText ? "\n\n" : ""}${begin}`;
    return true;
  }

  #takeHead(): boolean {
    const at = this.#held.indexOf(MESSAGE);
    if (at < 0 || at > MAX_HEAD) {
      if (this.#held.length <= MAX_HEAD) return false;
      this.#state = "plain";
      return true;
    }
    const head = this.#held.slice(0, at);
    this.#held = this.#held.slice(at + MESSAGE.length);
    this.#state = "body";
    this.#kind = /\bto=(?!user\b|assistant\b)/.test(head)
      ? "call"
      : head.includes("<|channel|>analysis")
      ? "thinking"
      : "text";
    if (this.#kind === "call") this.#text += head + MESSAGE;
    else if (this.#kind === "text" && this.#hasText) this.#text += "\n\n";
    return true;
  }

  #takeBody(): boolean {
    const found = ENDS.map((mark) => ({ mark, at: this.#held.indexOf(mark) }))
      .filter(({ at }) => at >= 0).sort((a, b) => a.at - b.at)[0];
    if (found === undefined) {
      const sure = this.#held.length - partialMarkLength(this.#held, ENDS);
      this.#add(this.#held.slice(0, sure));
      this.#held = this.#held.slice(sure);
      return false;
    }
    const { mark, at } = found;
    const isNext = OPENINGS.includes(mark);
    this.#add(this.#held.slice(0, at));
    if (this.#kind === "call" && !isNext) this.#text += mark;
    this.#held = this.#held.slice(isNext ? at : at + mark.length);
    this.#state = "between";
    return true;
  }

  #add(text: string): void {
    if (this.#kind === "thinking") this.#thinking += text;
    else this.#text += text;
    if (this.#kind === "text" && text !== "") this.#hasText = true;
  }
}
