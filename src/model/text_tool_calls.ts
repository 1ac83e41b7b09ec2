/**
 * Rescues calls that a model wrote into its text because its server did not understand them. A text counts
 * as calls only if all of it are calls, each of a tool that was offered, with arguments that pass its schema;
 * if it is not introduced as an example; and if nobody showed it to the model: text that stands in a file,
 * a result or the user's words and is merely repeated is no call. A rescued call is judged like any other.
 */
import type { Message } from "../core/message.ts";
import type { ToolDefinition } from "../core/tool.ts";
import { coerce, type JsonObject, violations } from "../lib/schema.ts";
import { MARKED, WRAPPERS } from "./text_call_markers.ts";
import { jsonCalls, pythonicCalls, type Taken, type WrittenCall } from "./text_call_parsers.ts";
import type { Held } from "./text_holdback.ts";
import { toolName } from "./tool_names.ts";

/** What calls are rescued from, and by which tools and messages they are judged. */
export interface Surroundings {
  readonly tools: readonly ToolDefinition[];
  readonly messages: readonly Message[];
}

/** A call found in text; its arguments are JSON that the tool's schema accepts. */
export interface RescuedCall {
  readonly name: string;
  readonly arguments: string;
}

/** Characters before a call that may introduce it. */
const LAST_WORDS = 300;
/** Words by which a model introduces an example. */
const INTRODUCTION =
  /(?:\be\.g\.|\b(?:(?:for|an?) example|for instance|looks? like|like (?:this|so)|(?:syntax|format) (?:is|for|of (?:a|the) call)|would (?:be|look|write|call|use|send)|you (?:can|could|would|might) (?:call|write|use))\b)[^\n]*\n*\s*$/i;
/** Words by which it announces what somebody or something says, before a colon. */
const ANNOUNCEMENT =
  /\b(?:as follows|expected|format|syntax|form|template|pattern|notation|outputs?|contents?|answers?|response|responds?|reply|replies|writes?|emits?|produces?|generates?|returns?|prints?|says?|reads?)\b[^\n]*:\s*$/i;
/** What it does itself is no announcement: "I check the output:". */
const OWN_STEP = /(?:^|[\s(])(?:I|let me|let['’]s|we|now|next|first|then)\b[^\n]*:\s*$/i;
/** A quotation mark that stands alone before the call. */
const OPEN_QUOTE = /(?:^|\n)\s*["'“«„]+\s*$/;

/** Whether what stands before a call presents it as the words of others, or as an example. */
function isPresented(before: string): boolean {
  const words = before.slice(-LAST_WORDS);
  return INTRODUCTION.test(words) || OPEN_QUOTE.test(words) ||
    (ANNOUNCEMENT.test(words) && !OWN_STEP.test(words));
}

/** The calls that the held end of a reply consists of, or undefined if it is text. */
export async function rescueCalls(
  held: Held,
  surroundings: Surroundings,
): Promise<RescuedCall[] | undefined> {
  const text = held.text.trim();
  if (text === "" || isPresented(held.before)) return undefined;
  const shown = surroundings.messages.flatMap((message) =>
    message.role === "user" || message.role === "tool" ? [dense(message.content)] : []
  );
  const isShown = (source: string) => shown.some((one) => one.includes(dense(source)));
  const written = await markedCalls(text, isShown) ??
    (held.whole ? await unmarkedCalls(text, isShown) : undefined);
  const calls = written?.map((call) => checked(call, surroundings.tools)) ?? [];
  const sound = calls.filter((call) => call !== undefined);
  return sound.length > 0 && sound.length === calls.length ? sound : undefined;
}

/** Tells a text that was shown to the model before, by anyone but itself. */
type IsShown = (source: string) => boolean;

async function markedCalls(text: string, isShown: IsShown): Promise<WrittenCall[] | undefined> {
  const calls: WrittenCall[] = [];
  let rest = unwrapped(text);
  while (rest !== "") {
    const taken = await firstTaken(rest);
    if (taken === undefined || isShown(rest.slice(0, taken.length))) return undefined;
    calls.push(...taken.calls);
    rest = unwrapped(rest.slice(taken.length));
  }
  return calls.length > 0 ? calls : undefined;
}

async function firstTaken(text: string): Promise<Taken | undefined> {
  for (const read of MARKED) {
    const taken = await read(text);
    if (taken) return taken;
  }
  return undefined;
}

function unwrapped(text: string): string {
  let rest = text.trim();
  for (let match = WRAPPERS.exec(rest); match !== null; match = WRAPPERS.exec(rest)) {
    rest = rest.slice(match[0].length);
  }
  return rest;
}

/** JSON or Python that is the whole reply, in a fence or not. */
async function unmarkedCalls(
  text: string,
  isShown: IsShown,
): Promise<readonly WrittenCall[] | undefined> {
  const fence = /^```(\w*)[ \t]*\r?\n([^]*?)\r?\n?```$/.exec(text);
  const core = (fence?.[2] ?? text).trim();
  if (isShown(core)) return undefined;
  const isPython = core.startsWith("[") || fence?.[1] === "tool_code";
  const first = await jsonCalls(core) ?? (isPython ? await pythonicCalls(core) : undefined);
  if (first === undefined) return fence === null ? undefined : await markedCalls(core, isShown);
  const calls = [...first.calls];
  // Llama sets several calls apart by semicolons.
  let rest = unwrapped(core.slice(first.length));
  while (rest !== "") {
    const next = await jsonCalls(rest);
    if (next === undefined) return undefined;
    calls.push(...next.calls);
    rest = unwrapped(rest.slice(next.length));
  }
  return calls;
}

function checked(call: WrittenCall, tools: readonly ToolDefinition[]): RescuedCall | undefined {
  const name = toolName(call.name, tools.map((tool) => tool.name));
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) return undefined;
  const schema = tool.parameters as unknown as JsonObject;
  const input = coerce(schema, call.input);
  if (violations(schema, input).length > 0) return undefined;
  return { name, arguments: JSON.stringify(input) };
}

/** Without blanks and without the line numbers that results have. */
function dense(text: string): string {
  return text.replace(/^\s*\d+\t/gm, "").replace(/\s+/g, "");
}
