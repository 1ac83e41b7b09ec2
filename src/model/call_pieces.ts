/**
 * Puts tool calls together from what servers stream: whole or in pieces, numbered or not, with ids that
 * are missing, empty, or the same for every call. Used by the reply's assembly alone.
 */
import type { ToolCall } from "../core/message.ts";
import { parseJson } from "../lib/json_text.ts";
import { MOST_ARGUMENT_CHARACTERS } from "./call_arguments.ts";
import { numberOf, objectOf, textOf } from "./fields.ts";

/** Drafts that are kept of one reply; `settleCalls` refuses long before. */
const MOST_DRAFTS = 1000;

interface Draft {
  id: string | undefined;
  name: string;
  arguments: string;
  extra: ToolCall["extra"];
}

interface Piece {
  readonly index: number | undefined;
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly arguments: string;
}

/** The calls of one reply while they arrive. */
export class CallPieces {
  readonly #drafts: Draft[] = [];
  readonly #byIndex = new Map<number, Draft>();

  /** Takes one entry of a delta's `tool_calls`. */
  add(entry: unknown): void {
    const fields = objectOf(entry);
    // A few servers leave out the `function` level.
    const called = objectOf(fields?.["function"]) ?? fields;
    if (fields === undefined || called === undefined) return;
    const piece: Piece = {
      index: numberOf(fields["index"]),
      id: textOf(fields["id"]),
      name: textOf(called["name"]),
      arguments: argumentText(called["arguments"]),
    };
    const draft = this.#draftFor(piece);
    if (draft === undefined) return;
    draft.id ??= piece.id;
    draft.name ||= piece.name ?? "";
    // Gemini signs its calls there, and refuses a call that comes back unsigned.
    draft.extra ??= objectOf(fields["extra_content"]);
    // What is too large is refused; there is no use in keeping all of it.
    if (draft.arguments.length <= MOST_ARGUMENT_CHARACTERS) draft.arguments += piece.arguments;
  }

  /** The finished calls, in order of arrival, each with an id that no other call has. */
  calls(options: { takenIds: ReadonlySet<string>; newId: () => string }): ToolCall[] {
    const taken = new Set(options.takenIds);
    return this.#drafts.filter((draft, index) =>
      draft.name !== "" && !this.#drafts.slice(0, index).some((other) => isSame(draft, other))
    ).map((draft) => {
      const id = draft.id === undefined || taken.has(draft.id) ? options.newId() : draft.id;
      taken.add(id);
      const { name, arguments: text, extra } = draft;
      return { id, name, arguments: text, ...extra && { extra } };
    });
  }

  /** Undefined if there are too many. */
  #draftFor(piece: Piece): Draft | undefined {
    const known = this.#known(piece);
    if (known !== undefined && !startsAnother(piece, known)) return known;
    if (this.#drafts.length >= MOST_DRAFTS) return undefined;
    const draft: Draft = { id: undefined, name: "", arguments: "", extra: undefined };
    this.#drafts.push(draft);
    if (piece.index !== undefined) this.#byIndex.set(piece.index, draft);
    return draft;
  }

  /** The draft that a piece's address names, whether or not the piece goes on with it. */
  #known({ index, id }: Piece): Draft | undefined {
    if (index !== undefined) return this.#byIndex.get(index);
    if (id !== undefined) return this.#drafts.findLast((draft) => draft.id === id);
    return this.#drafts.at(-1);
  }
}

/**
 * Whether a piece addressed to a draft is really the next call: some servers give every call the same
 * number or id, others repeat name and id with every piece. Only a piece with a name can start a call.
 */
function startsAnother(piece: Piece, draft: Draft): boolean {
  if (piece.name === undefined || draft.name === "") return false;
  if (piece.id !== undefined && draft.id !== undefined && piece.id !== draft.id) return true;
  if (piece.name !== draft.name) return true;
  return piece.arguments !== "" && isWhole(draft.arguments);
}

/** Whether a draft repeats another one: a few servers end with all calls once more. */
function isSame(draft: Draft, other: Draft): boolean {
  return draft.id !== undefined && draft.id === other.id && draft.name === other.name &&
    draft.arguments === other.arguments;
}

function isWhole(text: string): boolean {
  return text.trimEnd().endsWith("}") && objectOf(parseJson(text)) !== undefined;
}

function argumentText(value: unknown): string {
  if (typeof value === "string") return value;
  return objectOf(value) === undefined ? "" : JSON.stringify(value);
}
