/**
 * Valid streams of a chat completion, and what may become of them on their way: bytes cut off, written in
 * other pieces, events twice, in another order or glued together. The same seed makes the same streams.
 */
import { randomNumbers } from "./random.ts";

/** A stream as it arrives, and what can be said of it by looking at it alone. */
export interface MangledStream {
  /** The bytes in the pieces in which they are written. */
  readonly pieces: readonly Uint8Array[];
  /** Whether the bytes are those of the valid stream, however they are cut into pieces. */
  readonly intact: boolean;
  /** The calls of the valid stream. */
  readonly calls: readonly { readonly name: string; readonly arguments: string }[];
  readonly text: string;
  /** Every argument text that the events, as they arrive, spell out for one call. */
  readonly spelled: ReadonlySet<string>;
}

interface Source {
  readonly calls: { name: string; arguments: string }[];
  readonly text: string;
  readonly events: string[];
}

const WORDS = ["rm", "-rf", "a", "ü", "😀", '"', "\\", "\n", "{", "}", ",", "7", "build/", "true"];

/** A source of chance that a seed repeats. */
class Chance {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = randomNumbers(seed);
  }

  below(limit: number): number {
    return Math.floor(this.#next() * limit);
  }

  words(most: number): string {
    return Array.from({ length: this.below(most) }, () => WORDS[this.below(WORDS.length)]).join("");
  }

  cut(text: string, most: number): string[] {
    const letters = [...text];
    const parts: string[] = [];
    while (letters.length > 0) parts.push(letters.splice(0, 1 + this.below(most)).join(""));
    return parts;
  }
}

/** The stream of a seed. */
export function mangledStream(seed: number): MangledStream {
  const chance = new Chance(seed);
  const source = validStream(chance);
  const mangled = chance.below(4) === 0 ? source.events : mangleEvents(source.events, chance);
  const whole = mangled.map((data) => `data: ${data}${chance.below(30) === 0 ? "\n" : "\n\n"}`);
  const bytes = new TextEncoder().encode(whole.join(""));
  const kept = chance.below(3) === 0 ? mangleBytes(bytes, chance) : bytes;
  const text = new TextDecoder().decode(kept);
  return {
    pieces: inPieces(kept, chance),
    intact: text === source.events.map((data) => `data: ${data}\n\n`).join(""),
    calls: source.calls,
    text: source.text,
    // A line that lost its `data:` is no event's, unless all lines are bare.
    spelled: new Set([...spelledIn(text), ...spelledIn(dataLinesOf(text))]),
  };
}

function validStream(chance: Chance): Source {
  const text = chance.words(8);
  const calls = Array.from({ length: chance.below(4) }, (_, index) => {
    const fields = { command: chance.words(6), count: chance.below(1000), n: index };
    return { name: chance.below(2) === 0 ? "bash" : "write", arguments: JSON.stringify(fields) };
  });
  const choice = (delta: unknown, finish: string | null = null) =>
    JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] });
  const events = chance.cut(text, 6).map((content) => choice({ content }));
  for (const [index, call] of calls.entries()) {
    const id = `c${index}`;
    const isWhole = chance.below(3) === 0;
    const first = isWhole ? call.arguments : "";
    const head = { index, id, function: { name: call.name, arguments: first } };
    events.push(choice({ tool_calls: [head] }));
    const rest = isWhole ? [] : chance.cut(call.arguments, 9);
    for (const part of rest) {
      events.push(choice({ tool_calls: [{ index, function: { arguments: part } }] }));
    }
  }
  events.push(choice({}, calls.length > 0 ? "tool_calls" : "stop"));
  events.push(JSON.stringify({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } }));
  events.push("[DONE]");
  return { calls, text, events };
}

/** One to three events twice, elsewhere, away or glued to the next. */
function mangleEvents(events: readonly string[], chance: Chance): string[] {
  const mangled = [...events];
  for (let count = 1 + chance.below(3); count > 0; count--) {
    const at = chance.below(mangled.length);
    const [event = ""] = mangled.splice(at, 1);
    switch (chance.below(4)) {
      case 0:
        mangled.splice(at, 0, event, event);
        break;
      case 1:
        mangled.splice(chance.below(mangled.length + 1), 0, event);
        break;
      case 2:
        break;
      case 3:
        mangled.splice(at, 1, event + (mangled[at] ?? ""));
        break;
    }
  }
  return mangled;
}

/** The end cut off, or a run of bytes twice, away or elsewhere. */
function mangleBytes(bytes: Uint8Array<ArrayBuffer>, chance: Chance): Uint8Array<ArrayBuffer> {
  const from = chance.below(bytes.length);
  const to = Math.min(bytes.length, from + 1 + chance.below(40));
  const [head, run, tail] = [bytes.slice(0, from), bytes.slice(from, to), bytes.slice(to)];
  const join = (...parts: Uint8Array[]) => new Uint8Array(parts.flatMap((part) => [...part]));
  switch (chance.below(4)) {
    case 0:
      return head;
    case 1:
      return join(head, run, run, tail);
    case 2:
      return join(head, tail);
    default:
      return join(run, head, tail);
  }
}

function inPieces(bytes: Uint8Array<ArrayBuffer>, chance: Chance): Uint8Array[] {
  const most = [1, 16, 200, bytes.length][chance.below(4)]!;
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length && pieces.length < 60;) {
    const isLast = pieces.length === 59;
    const length = isLast ? bytes.length : 1 + chance.below(most);
    pieces.push(bytes.slice(at, at + length));
    at += length;
  }
  return pieces;
}

function dataLinesOf(text: string): string {
  return text.split(/\r\n|\n|\r/).filter((line) => line.startsWith("data:")).join("\n");
}

/** All runs of argument pieces that follow one another for an index, from one that has a name. */
function spelledIn(text: string): Set<string> {
  const byIndex = new Map<unknown, { named: boolean; text: string }[]>();
  let last: unknown;
  for (const line of text.split(/\r\n|\n|\r/)) {
    for (const entry of entriesOf(line.replace(/^(data:\s*)+/, ""))) {
      // A piece without a number goes on with the call that began last.
      const index = entry.index ?? last;
      if (!byIndex.has(index)) last = index;
      const known = byIndex.get(index) ?? [];
      byIndex.set(index, known);
      known.push({
        named: entry.function?.name !== undefined,
        text: entry.function?.arguments ?? "",
      });
    }
  }
  const spelled = new Set<string>();
  for (const parts of byIndex.values()) {
    for (const [start, part] of parts.entries()) {
      if (!part.named && start > 0) continue;
      for (let end = start + 1; end <= parts.length; end++) {
        spelled.add(parts.slice(start, end).map((one) => one.text).join(""));
      }
    }
  }
  return spelled;
}

interface Entry {
  readonly index?: unknown;
  readonly function?: { readonly name?: string; readonly arguments?: string };
}

function entriesOf(data: string): Entry[] {
  try {
    return JSON.parse(data)?.choices?.[0]?.delta?.tool_calls ?? [];
  } catch {
    return [];
  }
}
