/**
 * The ways in which models write calls as text, as a table of readers. Each takes a call, or a row of calls,
 * off the beginning of a text, and knows nothing of which tools there are. `written_calls.ts` tries them.
 */
import { repairJson, scanJson } from "../lib/json_text.ts";
import { listOf, objectOf, parseJson, textOf } from "./fields.ts";

/** A call as it was written. */
export interface WrittenCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** What a reader took: calls, and how many characters they were. */
export interface Taken {
  readonly calls: readonly WrittenCall[];
  readonly length: number;
}

type Reader = (text: string) => Promise<Taken | undefined>;

/** All readers of calls that chat templates mark; the first that takes something counts. */
export const MARKED: readonly Reader[] = [
  tagged,
  functionTag,
  invoke,
  mistral,
  python,
  phi,
  kimi,
  deepSeek,
  harmony,
];

/** Marks that stand around calls and say nothing. */
export const WRAPPERS =
  /^\s*(?:<\/?(?:function_calls|tool_calls)>|<\|tool_calls_section_(?:begin|end)\|>|<｜tool▁calls▁(?:begin|end)｜>|<\|(?:im_end|eot_id|eom_id|end|return|call|endoftext)\|>|<\/s>|<｜end▁of▁sentence｜>|;)\s*/;

/** A JSON object or list of them that names calls, the whole of a text or its beginning. */
export async function jsonCalls(text: string): Promise<Taken | undefined> {
  const lead = text.length - text.trimStart().length;
  const { closed, end } = scanJson(text);
  if (!closed || !/^[[{]/.test(text.trimStart())) return undefined;
  const source = text.slice(lead, end);
  const value = parseJson(source) ?? parseJson(await repairJson(source) ?? "");
  const entries = listOf(objectOf(value)?.["tool_calls"] ?? value);
  const found = (entries.length > 0 ? entries : [value]).map(callOf);
  const calls = found.filter((call) => call !== undefined);
  return calls.length > 0 && calls.length === found.length ? { calls, length: end } : undefined;
}

/** `[name(key="value"), other()]`, or one call without the brackets. */
export async function pythonicCalls(text: string): Promise<Taken | undefined> {
  const calls: WrittenCall[] = [];
  const opened = /^\s*\[\s*/.exec(text)?.[0];
  let at = opened?.length ?? 0;
  for (;;) {
    const head = /^\s*([A-Za-z_][\w.-]*)\(\s*/.exec(text.slice(at));
    if (head === null) return undefined;
    const taken = await keywords(text.slice(at + head[0].length));
    if (taken === undefined) return undefined;
    calls.push({ name: head[1]!, input: taken.input });
    at += head[0].length + taken.length;
    const next = opened === undefined ? null : /^\s*,/.exec(text.slice(at));
    if (next === null) break;
    at += next[0].length;
  }
  if (opened === undefined) return { calls, length: at };
  const close = /^\s*\]/.exec(text.slice(at));
  return close === null ? undefined : { calls, length: at + close[0].length };
}

/** `key=value, ...)`, the closing bracket included. */
async function keywords(
  text: string,
): Promise<{ input: Record<string, unknown>; length: number } | undefined> {
  const input = new Map<string, unknown>();
  let at = 0;
  for (;;) {
    const close = /^\s*,?\s*\)/.exec(text.slice(at));
    if (close !== null) return { input: Object.fromEntries(input), length: at + close[0].length };
    const key = /^\s*,?\s*([A-Za-z_]\w*)\s*=\s*/.exec(text.slice(at));
    if (key === null || input.has(key[1]!)) return undefined;
    at += key[0].length;
    const word = /^[\w.+-]+/.exec(text.slice(at))?.[0];
    const end = word?.length ?? scanJson(text.slice(at)).end;
    const value = await literal(text.slice(at, at + end));
    if (value === undefined) return undefined;
    input.set(key[1]!, value);
    at += end;
  }
}

async function literal(source: string): Promise<unknown> {
  return parseJson(source) ?? parseJson(await repairJson(source) ?? "");
}

/** A call of one of the shapes that JSON calls have. */
function callOf(value: unknown): WrittenCall | undefined {
  const fields = objectOf(value);
  const called = objectOf(fields?.["function"]) ?? fields;
  if (called === undefined) return undefined;
  const name = first(called, ["name", "function", "tool", "tool_name", "function_name", "action"]);
  const given = first(called, ["arguments", "parameters", "args", "input", "tool_input"]);
  const input = typeof given === "string" ? objectOf(parseJson(given)) : objectOf(given);
  return textOf(name) === undefined || input === undefined
    ? undefined
    : { name: String(name), input };
}

function first(fields: Readonly<Record<string, unknown>>, keys: readonly string[]): unknown {
  return keys.map((key) => fields[key]).find((value) => value !== undefined);
}

/** Hermes, Qwen, GLM: `<tool_call>` around JSON, a function tag, or a name with keys and values. */
async function tagged(text: string): Promise<Taken | undefined> {
  const open = /^<(tool_call|function_call)>\s*/i.exec(text);
  if (open === null) return undefined;
  const body = text.slice(open[0].length);
  const inner = await jsonCalls(body) ?? await functionTag(body) ?? keyValues(body);
  if (inner === undefined) return undefined;
  const rest = body.slice(inner.length);
  const close = new RegExp(`^\\s*(?:</${open[1]}>|$)`, "i").exec(rest);
  return close === null
    ? undefined
    : { calls: inner.calls, length: open[0].length + inner.length + close[0].length };
}

function keyValues(text: string): Taken | undefined {
  const name = /^[\w.-]+/.exec(text)?.[0];
  if (name === undefined) return undefined;
  const pair = /\s*<arg_key>([^]*?)<\/arg_key>\s*<arg_value>([^]*?)<\/arg_value>/y;
  const pairs: RegExpExecArray[] = [];
  let at = name.length;
  for (pair.lastIndex = at;; at = pair.lastIndex) {
    const match = pair.exec(text);
    if (match === null) break;
    pairs.push(match);
  }
  return { calls: [{ name, input: inputOf(pairs) }], length: at };
}

/** Qwen-Coder and Llama: `<function=name>` around parameter tags or JSON. */
async function functionTag(text: string): Promise<Taken | undefined> {
  const match = /^<function=([^>\s]+)>([^]*?)<\/function>/i.exec(text);
  if (match === null) return undefined;
  const [whole, name = "", body = ""] = match;
  if (body.trim().startsWith("{")) {
    const input = objectOf(await literal(body.trim()));
    return input && { calls: [{ name, input }], length: whole.length };
  }
  const input = parametersIn(body, /<parameter=([^>]+)>([^]*?)<\/parameter>/gi);
  return input && { calls: [{ name, input }], length: whole.length };
}

function invoke(text: string): Promise<Taken | undefined> {
  const match = /^<invoke name="([^"]+)">([^]*?)<\/invoke>/i.exec(text);
  const input = match &&
    parametersIn(match[2]!, /<parameter name="([^"]+)"[^>]*>([^]*?)<\/parameter>/gi);
  return Promise.resolve(
    match && input ? { calls: [{ name: match[1]!, input }], length: match[0].length } : undefined,
  );
}

/** The parameters of a body that holds nothing else, each once. */
function parametersIn(body: string, pattern: RegExp): Record<string, unknown> | undefined {
  if (body.replace(pattern, "").trim() !== "") return undefined;
  const pairs = [...body.matchAll(pattern)];
  const input = inputOf(pairs);
  return Object.keys(input).length === pairs.length ? input : undefined;
}

function inputOf(pairs: Iterable<RegExpMatchArray>): Record<string, unknown> {
  return Object.fromEntries(
    [...pairs].map(([, key = "", value = ""]) => [
      key.trim(),
      value.replace(/^\r?\n/, "").replace(/\r?\n$/, ""),
    ]),
  );
}

/** Mistral: `[TOOL_CALLS]` before a list of calls, or before a name and its JSON. */
async function mistral(text: string): Promise<Taken | undefined> {
  const open = /^\[TOOL_CALLS\]\s*/i.exec(text);
  if (open === null) return undefined;
  const body = text.slice(open[0].length);
  const list = await jsonCalls(body);
  if (list !== undefined) return { ...list, length: open[0].length + list.length };
  const head = /^([\w.-]+)\s*(?:\[CALL_ID\]\w+)?\s*(?:\[ARGS\])?\s*(?=\{)/.exec(body);
  return head === null
    ? undefined
    : await named(text, { name: head[1]!, from: open[0].length + head[0].length });
}

/** A name that was read already, with the JSON object that begins at `from`. */
async function named(
  text: string,
  { name, from, close }: { name: string; from: number; close?: RegExp },
): Promise<Taken | undefined> {
  const body = text.slice(from);
  const { closed, end } = scanJson(body);
  const input = closed ? objectOf(await literal(body.slice(0, end).trim())) : undefined;
  const after = close?.exec(body.slice(end))?.[0].length ?? 0;
  return input && { calls: [{ name, input }], length: from + end + after };
}

/** Llama: a tag before JSON or Python. */
async function python(text: string): Promise<Taken | undefined> {
  const open = /^<\|python_tag\|>\s*/i.exec(text);
  if (open === null) return undefined;
  const body = text.slice(open[0].length);
  const taken = await jsonCalls(body) ?? await pythonicCalls(body);
  return taken && { ...taken, length: open[0].length + taken.length };
}

/** Phi and Granite: a tag before a list. */
async function phi(text: string): Promise<Taken | undefined> {
  const open = /^<\|tool_call\|>\s*/i.exec(text);
  const taken = open && await jsonCalls(text.slice(open[0].length));
  if (open === null || !taken) return undefined;
  const from = open[0].length + taken.length;
  const close = /^\s*<\|\/tool_call\|>/.exec(text.slice(from))?.[0].length ?? 0;
  return { ...taken, length: from + close };
}

async function kimi(text: string): Promise<Taken | undefined> {
  const open = /^<\|tool_call_begin\|>\s*([\w.:-]+)\s*<\|tool_call_argument_begin\|>\s*/.exec(text);
  if (open === null) return undefined;
  const close = /^\s*<\|tool_call_end\|>/;
  return await named(text, { name: open[1]!, from: open[0].length, close });
}

async function deepSeek(text: string): Promise<Taken | undefined> {
  const open =
    /^<｜tool▁call▁begin｜>(?:function<｜tool▁sep｜>)?([\w.-]+)(?:<｜tool▁sep｜>)?\s*(?:```json\s*)?(?=\{)/
      .exec(text);
  if (open === null) return undefined;
  const close = /^\s*(?:```\s*)?<｜tool▁call▁end｜>/;
  return await named(text, { name: open[1]!, from: open[0].length, close });
}

/** gpt-oss: a channel addressed to a function. */
async function harmony(text: string): Promise<Taken | undefined> {
  const open =
    /^(?:<\|start\|>assistant)?<\|channel\|>commentary to=([\w.:-]+)\s*(?:<\|constrain\|>)?\s*\w*\s*<\|message\|>\s*/
      .exec(text);
  return open === null ? undefined : await named(text, { name: open[1]!, from: open[0].length });
}
