/**
 * Keeps a reply that broke off from being shown twice when it is requested again: as long as the new attempt
 * repeats what was shown, nothing is emitted; then it continues where the broken one stopped. Only a reply that
 * differs starts over.
 */
import type { Delta } from "../core/model.ts";

type Kind = "thinking" | "text";
type TextDelta = Extract<Delta, { kind: Kind }>;

/** One reply over all its attempts. */
export class DeltaResumer {
  /** What was shown and is still valid. */
  readonly #shown: Record<Kind, string> = { thinking: "", text: "" };
  /** How many characters of it the current attempt has produced. */
  readonly #produced: Record<Kind, number> = { thinking: 0, text: 0 };

  /** What was shown and is still valid. */
  get shown(): Readonly<Record<Kind, string>> {
    return this.#shown;
  }

  /** A new attempt begins. */
  restart(): Delta[] {
    this.#produced.thinking = 0;
    this.#produced.text = 0;
    return this.#shown.thinking === "" && this.#shown.text === "" ? [{ kind: "restart" }] : [];
  }

  /** What a piece of the current attempt adds to what was shown. */
  push({ kind, text }: TextDelta): Delta[] {
    const shown = this.#shown[kind];
    const produced = this.#produced[kind];
    const common = Math.min(text.length, shown.length - produced);
    if (!shown.startsWith(text.slice(0, common), produced)) return this.#startOver({ kind, text });
    const rest = text.slice(common);
    // Thinking that continues after the answer has begun would be shown in the wrong place.
    if (
      rest !== "" && kind === "thinking" && this.#shown.text !== "" && this.#produced.text === 0
    ) {
      return this.#startOver({ kind, text });
    }
    this.#produced[kind] += text.length;
    this.#shown[kind] += rest;
    return rest === "" ? [] : [{ kind, text: rest }];
  }

  /** Ends the current attempt, which is complete; starts over if more was shown than it produced. */
  end(): Delta[] {
    const { thinking, text } = this.#shown;
    const isSame = this.#produced.thinking === thinking.length &&
      this.#produced.text === text.length;
    return isSame ? [] : this.#startOver();
  }

  #startOver(piece?: TextDelta): Delta[] {
    const deltas: Delta[] = [{ kind: "restart" }];
    for (const kind of ["thinking", "text"] as const) {
      const text = this.#shown[kind].slice(0, this.#produced[kind]) +
        (piece?.kind === kind ? piece.text : "");
      this.#shown[kind] = text;
      this.#produced[kind] = text.length;
      if (text !== "") deltas.push({ kind, text });
    }
    return deltas;
  }
}
