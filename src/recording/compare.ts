/**
 * Compares a request with a recorded one: what differs, where, and in which words.
 */
import { unifiedDiff } from "../lib/diff.ts";
import type { JsonObject } from "../lib/schema.ts";
import { plural, splitLines } from "../lib/text.ts";
import type { Difference, DifferentPart } from "../model/failure.ts";
import { listOf, objectOf } from "../model/fields.ts";
import { messagesOf } from "./traffic.ts";
import { createRandomNameNumberer, type VolatileFields } from "./volatile_fields.ts";

interface Part {
  readonly key: string;
  readonly where: string;
  readonly text: string;
}

/** Characters shown on each side of a difference. */
const AROUND = 40;
const MAX_PARTS = 4;
const MAX_LINES = 24;

/** A request in comparable parts, what may differ replaced by names. */
export function partsOf(
  { endpoint, body }: { endpoint: string | undefined; body: JsonObject },
  volatileFields: VolatileFields,
): readonly Part[] {
  const numbered = createRandomNameNumberer();
  const neutral = (text: string, role?: string) => numbered(volatileFields.normalize(text, role));
  const { messages: _messages, tools, ...fields } = body;
  return [
    ...(endpoint === undefined ? [] : [{ key: "endpoint", where: "endpoint", text: endpoint }]),
    ...Object.entries(fields).map(([key, value]) => ({
      key,
      where: key,
      text: neutral(JSON.stringify(value) ?? ""),
    })),
    ...messagesOf(body).flatMap((message, index) => messageParts(message, { index, neutral })),
    ...listOf(tools).map((tool) => {
      const name = String(objectOf(objectOf(tool)?.["function"])?.["name"]);
      const text = neutral(JSON.stringify(tool, null, 2));
      return { key: `tool ${name}`, where: `the definition of ${name}`, text };
    }),
  ];
}

function messageParts(
  message: unknown,
  { index, neutral }: { index: number; neutral: (text: string, role?: string) => string },
): Part[] {
  const { role, content, tool_calls, ...rest } = objectOf(message) ?? {};
  const name = `message ${index + 1}`;
  const kind = String(role);
  const calls = listOf(tool_calls).map((call, position) => {
    const { name: tool, arguments: given } = objectOf(objectOf(call)?.["function"]) ?? {};
    const id = String(objectOf(call)?.["id"]);
    return {
      key: `${name} call ${position}`,
      where: `${name} (${kind}), call ${position + 1}`,
      text: neutral(`${tool} ${given} ${id}`),
    };
  });
  const text = typeof content === "string" ? content : JSON.stringify(content ?? "");
  const shown = kind === "tool" ? "result" : kind;
  return [
    { key: name, where: `${name} (${shown})`, text: `${kind}\n${neutral(text, kind)}` },
    ...calls,
    ...Object.keys(rest).length > 0
      ? [{ key: `${name} rest`, where: `${name} (${shown})`, text: neutral(JSON.stringify(rest)) }]
      : [],
  ];
}

/** Whether two requests say the same. */
export function hasSameParts(one: readonly Part[], other: readonly Part[]): boolean {
  return one.length === other.length && countCommonParts(one, other) === one.length;
}

/** How many parts two requests begin with in common. */
export function countCommonParts(one: readonly Part[], other: readonly Part[]): number {
  const index = one.findIndex(({ key, text }, position) =>
    other[position]?.key !== key || other[position].text !== text
  );
  return index < 0 ? one.length : index;
}

/** The parts that differ, in the order of the request. */
export function diffParts(
  recorded: readonly Part[],
  now: readonly Part[],
): readonly DifferentPart[] {
  const before = new Map(recorded.map((part) => [part.key, part]));
  const after = new Map(now.map((part) => [part.key, part]));
  const keys = [...new Set([...before.keys(), ...after.keys()])];
  const found = keys.flatMap((key) => {
    const [was, is] = [before.get(key), after.get(key)];
    if (was?.text === is?.text) return [];
    const texts = { recorded: was?.text ?? "", now: is?.text ?? "" };
    const words = excerptsOf(texts);
    return [{
      where: (was ?? is)!.where,
      recorded: was ? words.recorded : null,
      now: is ? words.now : null,
      texts,
    }];
  });
  if (found.length > 0) return found;
  const order = (parts: readonly Part[]) => parts.map(({ where }) => where).join(", ");
  const texts = { recorded: order(recorded), now: order(now) };
  return [{ where: "the order of its parts", ...excerptsOf(texts), texts }];
}

/** What stands where two texts part, with a little around it, on one line. */
function excerptsOf(texts: { recorded: string; now: string }): { recorded: string; now: string } {
  const { recorded, now } = texts;
  let head = 0;
  while (head < recorded.length && recorded[head] === now[head]) head++;
  let tail = 0;
  const most = Math.min(recorded.length, now.length) - head;
  while (tail < most && recorded.at(-1 - tail) === now.at(-1 - tail)) tail++;
  const cut = (text: string) => {
    const start = wordStart(text, Math.max(0, head - AROUND));
    const end = Math.min(text.length, Math.min(text.length - tail, head + 2 * AROUND) + AROUND);
    const words = text.slice(start, end).replace(/\s+/g, " ").trim();
    return `${start > 0 ? "…" : ""}${words}${end < text.length ? "…" : ""}`;
  };
  return { recorded: cut(recorded), now: cut(now) };
}

function wordStart(text: string, from: number): number {
  const blank = text.slice(from, from + AROUND / 2).search(/\s/);
  return from === 0 || blank < 0 ? from : from + blank + 1;
}

/** A difference for people: where it is, the words, and the lines if the text has several. */
export async function describeDifference(
  { turn, request, line, what, parts }: Difference,
  name: string,
): Promise<string> {
  const where = line === undefined ? name : `${name}, line ${line}`;
  const head = `Turn ${turn}, request ${request} ${what} (${where})`;
  if (parts.length === 0) return `${head}.`;
  const shown = await Promise.all(parts.slice(0, MAX_PARTS).map(describePart));
  const more = parts.length - MAX_PARTS;
  const rest = more > 0 ? [`  and ${plural(more, "more part")} of this request`] : [];
  return [`${head}:`, ...shown.flat(), ...rest].join("\n");
}

async function describePart({ where, recorded, now, texts }: DifferentPart): Promise<string[]> {
  if (recorded === null) return [`  ${where} is new:`, `    now:      ${now}`];
  if (now === null) return [`  ${where} is missing:`, `    recorded: ${recorded}`];
  const words = [`  ${where}:`, `    recorded: ${recorded}`, `    now:      ${now}`];
  const isShort = splitLines(texts.recorded).length < 4 && splitLines(texts.now).length < 4;
  if (isShort) return words;
  const diff = splitLines(await unifiedDiff(texts.recorded, texts.now, { path: "" })).slice(2);
  const lines = diff.filter((line) => !line.startsWith("\\")).slice(0, MAX_LINES);
  const cut = diff.length > MAX_LINES ? ["    …"] : [];
  return [...words, ...lines.map((line) => `    ${line}`), ...cut];
}
