/**
 * Rescues calls that a model wrote into its text because its server did not recognize them. A text counts as calls
 * only if all of it is calls, each of an offered tool and with arguments that its schema accepts, if it is not
 * introduced as an example, and if the model was not shown it: text repeated from a file, a result or a prompt is not
 * a call. A rescued call is judged like any other.
 */
import type { Message } from "../core/message.ts";
import type { ToolDefinition } from "../core/tool.ts";
import { normalizeNames } from "../lib/argument_names.ts";
import { coerce, type JsonObject, violations } from "../lib/schema.ts";
import { MARKED_CALL_PARSERS, WRAPPERS } from "./text_call_markers.ts";
import {
  type ParsedCalls,
  parseJsonCalls,
  parsePythonicCalls,
  type TextCall,
} from "./text_call_parsers.ts";
import type { WithheldText } from "./text_holdback.ts";
import { resolveToolName } from "./tool_names.ts";

/** What calls are rescued from, and by which tools and messages they are judged. */
export interface RescueContext {
  readonly tools: readonly ToolDefinition[];
  readonly messages: readonly Message[];
}

/** A call found in text; its arguments are JSON that the tool's schema accepts. */
interface RescuedCall {
  readonly name: string;
  readonly arguments: string;
}

/** Characters before a call that may introduce it. */
const LAST_WORDS = 300;
/** Words by which a model introduces an example. */
const INTRODUCTION =
  /(?:\be\.g\.|\b(?:(?:for|an?) example|for instance|looks? like|like (?:this|so)|(?:syntax|format) (?:is|for|of (?:a|the) call)|would (?:be|look|write|call|use|send)|you (?:can|could|would|might) (?:call|write|use))\b)[^\n]*\n*\s*$/i;
/** Words by which it announces somebody else's text, before a colon. */
const ANNOUNCEMENT =
  /\b(?:as follows|expected|format|syntax|form|template|pattern|notation|outputs?|contents?|answers?|response|responds?|reply|replies|writes?|emits?|produces?|generates?|returns?|prints?|says?|reads?)\b[^\n]*:\s*$/i;
/** The model's own step is not an announcement: "I check the output:". */
const OWN_STEP = /(?:^|[\s(])(?:I|let me|let['’]s|we|now|next|first|then)\b[^\n]*:\s*$/i;
/** A quotation mark that stands alone before the call. */
const OPEN_QUOTE = /(?:^|\n)\s*["'“«„]+\s*$/;

/** Whether what stands before a call presents it as the words of others, or as an example. */
function isQuotedOrExample(before: string): boolean {
  const words = before.slice(-LAST_WORDS);
  return INTRODUCTION.test(words) || OPEN_QUOTE.test(words) ||
    (ANNOUNCEMENT.test(words) && !OWN_STEP.test(words));
}

/** The calls that the held end of a reply consists of, or undefined if it is text. */
export async function rescueCalls(
  held: WithheldText,
  context: RescueContext,
): Promise<RescuedCall[] | undefined> {
  const text = held.text.trim();
  if (text === "" || isQuotedOrExample(held.before)) return undefined;
  const shown = context.messages.flatMap((message) =>
    message.role === "user" || message.role === "tool" ? [withoutBlanks(message.content)] : []
  );
  const isShown = (source: string) => shown.some((one) => one.includes(withoutBlanks(source)));
  const written = await parseMarkedCalls(text, isShown) ??
    (held.whole ? await parseUnmarkedCalls(text, isShown) : undefined);
  const calls = written?.map((call) => validateCall(call, context.tools)) ?? [];
  const sound = calls.filter((call) => call !== undefined);
  return sound.length > 0 && sound.length === calls.length ? sound : undefined;
}

/** Tells a text that was shown to the model before, by anyone but itself. */
type IsShown = (source: string) => boolean;

async function parseMarkedCalls(text: string, isShown: IsShown): Promise<TextCall[] | undefined> {
  const calls: TextCall[] = [];
  let rest = stripWrappers(text);
  while (rest !== "") {
    const parsed = await parseFirst(rest);
    if (parsed === undefined || isShown(rest.slice(0, parsed.length))) return undefined;
    calls.push(...parsed.calls);
    rest = stripWrappers(rest.slice(parsed.length));
  }
  return calls.length > 0 ? calls : undefined;
}

async function parseFirst(text: string): Promise<ParsedCalls | undefined> {
  for (const read of MARKED_CALL_PARSERS) {
    const parsed = await read(text);
    if (parsed) return parsed;
  }
  return undefined;
}

function stripWrappers(text: string): string {
  let rest = text.trim();
  for (let match = WRAPPERS.exec(rest); match !== null; match = WRAPPERS.exec(rest)) {
    rest = rest.slice(match[0].length);
  }
  return rest;
}

/** JSON or Python that is the whole reply, in a fence or not. */
async function parseUnmarkedCalls(
  text: string,
  isShown: IsShown,
): Promise<readonly TextCall[] | undefined> {
  const fence = /^```(\w*)[ \t]*\r?\n([^]*?)\r?\n?```$/.exec(text);
  const core = (fence?.[2] ?? text).trim();
  if (isShown(core)) return undefined;
  const isPython = core.startsWith("[") || fence?.[1] === "tool_code";
  const first = await parseJsonCalls(core) ??
    (isPython ? await parsePythonicCalls(core) : undefined);
  if (first === undefined) {
    return fence === null ? undefined : await parseMarkedCalls(core, isShown);
  }
  const calls = [...first.calls];
  // Llama sets several calls apart by semicolons.
  let rest = stripWrappers(core.slice(first.length));
  while (rest !== "") {
    const next = await parseJsonCalls(rest);
    if (next === undefined) return undefined;
    calls.push(...next.calls);
    rest = stripWrappers(rest.slice(next.length));
  }
  return calls;
}

function validateCall(call: TextCall, tools: readonly ToolDefinition[]): RescuedCall | undefined {
  const name = resolveToolName(call.name, tools.map((tool) => tool.name));
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) return undefined;
  const schema = tool.parameters as unknown as JsonObject;
  const input = coerce(schema, normalizeNames(tool.parameters.properties, call.input));
  if (violations(schema, input).length > 0) return undefined;
  return { name, arguments: JSON.stringify(input) };
}

/** Without blanks and without the line numbers that results have. */
function withoutBlanks(text: string): string {
  return text.replace(/^\s*\d+\t/gm, "").replace(/\s+/g, "");
}
