/**
 * Puts tool calls together from what servers stream: whole or in pieces, numbered or not, with ids that
 * are missing, empty, or the same for every call.
 */
import type { ToolCall } from "../core/message.ts";
import { parseJson } from "../lib/json_text.ts";
import { cutEnd } from "../lib/text.ts";
import { MAX_ARGUMENT_CHARACTERS } from "./call_arguments.ts";
import { keepableOf, numberOf, objectOf, textOf } from "./fields.ts";

/** Partial calls held of one reply; far fewer are run. */
const MAX_PARTIALS = 1000;
/** Characters of an id beyond which its call gets another one, and of a name, which no tool has. */
const MAX_ID = 512;
const MAX_NAME = 512;

interface PartialCall {
  id: string | undefined;
  name: string;
  arguments: string;
  extra: ToolCall["extra"];
}

interface CallDelta {
  readonly index: number | undefined;
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly arguments: string;
}

/** The calls of one reply while they arrive. */
export class CallAssembler {
  readonly #partials: PartialCall[] = [];
  readonly #byIndex = new Map<number, PartialCall>();

  /** Takes one entry of a delta's `tool_calls`. */
  add(entry: unknown): void {
    const fields = objectOf(entry);
    // A few servers leave out the `function` level.
    const called = objectOf(fields?.["function"]) ?? fields;
    if (fields === undefined || called === undefined) return;
    const piece: CallDelta = {
      index: indexOf(fields["index"]),
      id: textOf(fields["id"]),
      name: textOf(called["name"]),
      arguments: argumentsAsText(called["arguments"]),
    };
    const partial = this.#partialFor(piece);
    if (partial === undefined) return;
    partial.id ??= piece.id;
    if (partial.name === "" || continuesName(piece, partial)) partial.name += piece.name ?? "";
    // Gemini signs its calls there, and refuses a call that comes back unsigned.
    partial.extra ??= keepableOf(fields["extra_content"]);
    // Proxies of Anthropic's API open a call with an empty object and then stream the real one.
    if (partial.arguments === "{}" && piece.arguments.startsWith("{")) partial.arguments = "";
    // Arguments that are too large are refused, so there is no use in keeping all of them.
    if (partial.arguments.length <= MAX_ARGUMENT_CHARACTERS) {
      partial.arguments += piece.arguments;
    }
  }

  /** The finished calls, in order of arrival, each with an id that no other call has. */
  calls(options: { takenIds: ReadonlySet<string>; newId: () => string }): ToolCall[] {
    const taken = new Set(options.takenIds);
    return this.#partials.filter((partial, index) =>
      partial.name !== "" &&
      !this.#partials.slice(0, index).some((other) => isSame(partial, other))
    ).map((partial) => {
      const { id: given = "" } = partial;
      const isUsable = given !== "" && given.length <= MAX_ID && !taken.has(given);
      const id = isUsable ? given : options.newId();
      taken.add(id);
      const { arguments: text, extra } = partial;
      const name = cutEnd(partial.name, MAX_NAME);
      return { id, name, arguments: text, ...extra && { extra } };
    });
  }

  /** Undefined if there are too many. */
  #partialFor(piece: CallDelta): PartialCall | undefined {
    const known = this.#known(piece);
    if (known !== undefined && !startsNewCall(piece, known)) return known;
    if (this.#partials.length >= MAX_PARTIALS) return undefined;
    const partial: PartialCall = { id: undefined, name: "", arguments: "", extra: undefined };
    this.#partials.push(partial);
    if (piece.index !== undefined) this.#byIndex.set(piece.index, partial);
    return partial;
  }

  /** The partial call that a piece's address names, whether or not the piece goes on with it. */
  #known({ index, id }: CallDelta): PartialCall | undefined {
    if (index !== undefined) return this.#byIndex.get(index);
    if (id !== undefined) return this.#partials.findLast((partial) => partial.id === id);
    return this.#partials.at(-1);
  }
}

/**
 * Whether a piece addressed to a partial call really starts the next one: some servers give every call the same
 * number or id, others repeat name and id with every piece. Only a piece with a name can start a call.
 */
function startsNewCall(delta: CallDelta, partial: PartialCall): boolean {
  if (delta.name === undefined || partial.name === "" || continuesName(delta, partial)) {
    return false;
  }
  if (delta.id !== undefined && partial.id !== undefined && delta.id !== partial.id) return true;
  if (delta.name !== partial.name) return true;
  return delta.arguments !== "" && isCompleteJson(partial.arguments);
}

/** Whether a piece is the next part of a name: its call has an id, and the piece has none and no arguments yet. */
function continuesName(delta: CallDelta, partial: PartialCall): boolean {
  return delta.index !== undefined && delta.id === undefined && partial.id !== undefined &&
    partial.arguments === "" && delta.arguments === "" && delta.name !== partial.name;
}

/** The number of a call, which a few servers send as text. */
function indexOf(value: unknown): number | undefined {
  return numberOf(typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value);
}

/** Whether one call repeats another: a few servers send all calls once more at the end. */
function isSame(partial: PartialCall, other: PartialCall): boolean {
  return partial.id !== undefined && partial.id === other.id && partial.name === other.name &&
    partial.arguments === other.arguments;
}

function isCompleteJson(text: string): boolean {
  return text.trimEnd().endsWith("}") && objectOf(parseJson(text)) !== undefined;
}

function argumentsAsText(value: unknown): string {
  if (typeof value === "string") return value;
  return objectOf(value) === undefined ? "" : JSON.stringify(value);
}
