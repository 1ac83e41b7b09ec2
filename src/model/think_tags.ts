/**
 * Tells thinking from text where a server leaves both in the content: `<think>...</think>` or
 * `<thinking>...</thinking>` before the answer, with tags cut anywhere between pieces.
 * A tag anywhere but at the start is the model's own text.
 */

const NAMES = ["think", "thinking"];

/** A piece of content, told apart; either may be empty. */
export interface Told {
  readonly thinking: string;
  readonly text: string;
}

const NOTHING: Told = { thinking: "", text: "" };

/** Takes content piece by piece; holds back only what may yet become a tag, and blanks around them. */
export class ThinkTags {
  #state: "start" | "thinking" | "after" | "text" = "start";
  #held = "";
  #closingTag = "";

  /** What the next piece adds. */
  push(piece: string): Told {
    if (this.#state === "text") return { thinking: "", text: piece };
    this.#held += piece;
    if (this.#state === "start" && !this.#leaveStart()) return NOTHING;
    const thinking = this.#state === "thinking" ? this.#takeThinking() : "";
    return { thinking, text: this.#takeText() };
  }

  /** What was held back, at the end of the content. */
  end(): Told {
    const held = this.#held;
    this.#held = "";
    if (this.#state === "thinking") return { thinking: held, text: "" };
    return { thinking: "", text: held.trim() === "" ? "" : held };
  }

  /** Decides what the content begins with; false while it could still be either. */
  #leaveStart(): boolean {
    const begin = this.#held.trimStart();
    const name = NAMES.find((name) => begin.toLowerCase().startsWith(`<${name}>`));
    if (name !== undefined) {
      this.#state = "thinking";
      this.#closingTag = `</${name}>`;
      this.#held = begin.slice(name.length + 2);
    } else if (NAMES.some((name) => `<${name}>`.startsWith(begin.toLowerCase()))) {
      return false;
    } else {
      this.#state = "text";
    }
    return true;
  }

  #takeThinking(): string {
    const at = this.#held.search(new RegExp(this.#closingTag, "i"));
    if (at >= 0) {
      const thinking = this.#held.slice(0, at);
      this.#held = this.#held.slice(at + this.#closingTag.length);
      this.#state = "after";
      return thinking;
    }
    let keep = Math.min(this.#closingTag.length - 1, this.#held.length);
    while (!this.#closingTag.startsWith(this.#held.slice(this.#held.length - keep).toLowerCase())) {
      keep--;
    }
    const thinking = this.#held.slice(0, this.#held.length - keep);
    this.#held = this.#held.slice(thinking.length);
    return thinking;
  }

  /** The held text, once it is certain; blanks between thinking and answer are dropped. */
  #takeText(): string {
    if (this.#state === "after") {
      this.#held = this.#held.trimStart();
      if (this.#held !== "") this.#state = "text";
    }
    if (this.#state !== "text") return "";
    const text = this.#held;
    this.#held = "";
    return text;
  }
}
