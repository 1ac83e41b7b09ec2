/**
 * Keeps a reply that broke off from being shown twice when it is asked for again: as long as the new one says
 * the same, it is silent, then it goes on where the broken one stopped. Only a reply that differs begins anew.
 * The client passes every delta of every attempt through it.
 */
import type { Delta } from "../core/model.ts";

type Kind = "thinking" | "text";
type TextDelta = Extract<Delta, { kind: Kind }>;

/** One reply over all its attempts. */
export class DeltaResumer {
  /** What people have seen and is not void. */
  readonly #shown: Record<Kind, string> = { thinking: "", text: "" };
  /** How much of it the present attempt has said too. */
  readonly #told: Record<Kind, number> = { thinking: 0, text: 0 };

  /** What has been shown, and stands. */
  get shown(): Readonly<Record<Kind, string>> {
    return this.#shown;
  }

  /** A new attempt begins. */
  restart(): Delta[] {
    this.#told.thinking = 0;
    this.#told.text = 0;
    return this.#shown.thinking === "" && this.#shown.text === "" ? [{ kind: "anew" }] : [];
  }

  /** What a piece of the present attempt adds to what was shown. */
  push({ kind, text }: TextDelta): Delta[] {
    const shown = this.#shown[kind];
    const told = this.#told[kind];
    const common = Math.min(text.length, shown.length - told);
    if (!shown.startsWith(text.slice(0, common), told)) return this.#anew({ kind, text });
    const rest = text.slice(common);
    // A thought that goes on after the answer was begun does not stand where it belongs.
    if (rest !== "" && kind === "thinking" && this.#shown.text !== "" && this.#told.text === 0) {
      return this.#anew({ kind, text });
    }
    this.#told[kind] += text.length;
    this.#shown[kind] += rest;
    return rest === "" ? [] : [{ kind, text: rest }];
  }

  /** The present attempt is whole; if more was shown than it says, it is told anew. */
  end(): Delta[] {
    const { thinking, text } = this.#shown;
    const isSame = this.#told.thinking === thinking.length && this.#told.text === text.length;
    return isSame ? [] : this.#anew();
  }

  #anew(piece?: TextDelta): Delta[] {
    const deltas: Delta[] = [{ kind: "anew" }];
    for (const kind of ["thinking", "text"] as const) {
      const said = this.#shown[kind].slice(0, this.#told[kind]) +
        (piece?.kind === kind ? piece.text : "");
      this.#shown[kind] = said;
      this.#told[kind] = said.length;
      if (said !== "") deltas.push({ kind, text: said });
    }
    return deltas;
  }
}
