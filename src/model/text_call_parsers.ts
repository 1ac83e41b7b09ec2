/**
 * What stands in a call that a model wrote as text: JSON, Python, tags with parameters, keys and values. Each
 * reader takes a call, or a row of calls, off the beginning of a text, and knows nothing of which tools there
 * are, nor of the marks around them (`text_call_markers.ts`).
 */
import { parseJson, repairJson, scanJson } from "../lib/json_text.ts";
import { listOf, objectOf, textOf } from "./fields.ts";

/** A call as it was written. */
export interface TextCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** What a reader took: calls, and how many characters they were. */
export interface ParsedCalls {
  readonly calls: readonly TextCall[];
  readonly length: number;
  /** Set if more could have followed: such a call counts only with the mark after it. */
  readonly open?: true;
}

/** Takes calls off the beginning of a text; undefined if it does not begin with one. */
export type CallParser = (text: string) => Promise<ParsedCalls | undefined>;

/** A JSON object or list of them that names calls, the whole of a text or its beginning. */
export async function parseJsonCalls(text: string): Promise<ParsedCalls | undefined> {
  const doubled = /^\s*\{(?=\s*\{)/.exec(text)?.[0];
  if (doubled !== undefined) return await parseDoubledBraces(text, doubled.length);
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

/** `{{"name": ...}}`, as models write that were shown a template's own doubled braces. */
async function parseDoubledBraces(text: string, from: number): Promise<ParsedCalls | undefined> {
  const inner = await parseJsonCalls(text.slice(from));
  const close = inner && /^\s*\}/.exec(text.slice(from + inner.length));
  return inner && close
    ? { calls: inner.calls, length: from + inner.length + close[0].length }
    : undefined;
}

/** `[name(key="value"), other()]`, or one call without the brackets. */
export async function parsePythonicCalls(text: string): Promise<ParsedCalls | undefined> {
  const calls: TextCall[] = [];
  const opened = /^\s*\[\s*/.exec(text)?.[0];
  let at = opened?.length ?? 0;
  for (;;) {
    const head = /^\s*([A-Za-z_][\w.-]*)\(\s*/.exec(text.slice(at));
    if (head === null) return undefined;
    const parsed = await parseKeywords(text.slice(at + head[0].length));
    if (parsed === undefined) return undefined;
    calls.push({ name: head[1]!, input: parsed.input });
    at += head[0].length + parsed.length;
    const next = opened === undefined ? null : /^\s*,/.exec(text.slice(at));
    if (next === null) break;
    at += next[0].length;
  }
  if (opened === undefined) return { calls, length: at };
  const close = /^\s*\]/.exec(text.slice(at));
  return close === null ? undefined : { calls, length: at + close[0].length };
}

/** `key=value, ...)`, the closing bracket included. */
async function parseKeywords(
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
    const value = await parseLiteral(text.slice(at, at + end));
    if (value === undefined) return undefined;
    input.set(key[1]!, value);
    at += end;
  }
}

async function parseLiteral(source: string): Promise<unknown> {
  return parseJson(source) ?? parseJson(await repairJson(source) ?? "");
}

/** A call of one of the shapes that JSON calls have. */
function callOf(value: unknown): TextCall | undefined {
  const fields = objectOf(value);
  const called = objectOf(fields?.["function"]) ?? objectOf(fields?.["function_call"]) ?? fields;
  if (called === undefined) return undefined;
  const name = first(called, ["name", "function", "tool", "tool_name", "function_name", "action"]);
  const given = first(called, ["arguments", "parameters", "args", "input", "tool_input"]);
  const input = typeof given === "string" ? objectOf(parseJson(given)) : objectOf(given);
  if (textOf(name) !== undefined && input !== undefined) return { name: String(name), input };
  // Apertus: the name is the key.
  const [[key, content] = ["", undefined], ...others] = Object.entries(called);
  const named = objectOf(content);
  return named && others.length === 0 ? { name: key, input: named } : undefined;
}

function first(fields: Readonly<Record<string, unknown>>, keys: readonly string[]): unknown {
  return keys.map((key) => fields[key]).find((value) => value !== undefined);
}

/** A name that was read already, with the JSON object that begins at `from`. */
export async function parseNamedCall(
  text: string,
  { name, from, close }: { name: string; from: number; close?: RegExp },
): Promise<ParsedCalls | undefined> {
  const body = text.slice(from);
  const { closed, end } = scanJson(body);
  const input = closed ? objectOf(await parseLiteral(body.slice(0, end).trim())) : undefined;
  const after = close?.exec(body.slice(end))?.[0].length ?? 0;
  return input && { calls: [{ name, input }], length: from + end + after };
}

/** A name, then its arguments as JSON, fenced or not. */
export async function parseNamedJson(text: string): Promise<ParsedCalls | undefined> {
  const head = /^\s*([\w.-]+)\s*(?:```json\s*)?(?=\{)/.exec(text);
  if (head === null) return undefined;
  return await parseNamedCall(text, { name: head[1]!, from: head[0].length, close: /^\s*```/ });
}

/** GLM: a name, then keys and values in tags. */
export function parseKeyValues(text: string): Promise<ParsedCalls | undefined> {
  const head = /^\s*([\w.-]+)/.exec(text);
  if (head === null) return Promise.resolve(undefined);
  const [before, name = ""] = head;
  const pair = /\s*<arg_key>([^]*?)<\/arg_key>\s*<arg_value>([^]*?)<\/arg_value>/y;
  const pairs: RegExpExecArray[] = [];
  let at = before.length;
  for (pair.lastIndex = at;; at = pair.lastIndex) {
    const match = pair.exec(text);
    if (match === null) break;
    pairs.push(match);
  }
  return Promise.resolve({ calls: [{ name, input: inputOf(pairs) }], length: at, open: true });
}

/** Qwen-Coder and Llama: `<function=name>` around parameter tags or JSON; MiniCPM: `<function name="name">`. */
export async function parseFunctionTag(text: string): Promise<ParsedCalls | undefined> {
  const match = FUNCTION_TAG.exec(text);
  if (match === null) return undefined;
  const [whole, name = "", body = ""] = match;
  if (body.trim().startsWith("{")) {
    const input = objectOf(await parseLiteral(body.trim()));
    return input && { calls: [{ name, input }], length: whole.length };
  }
  const input = parametersIn(body, TAGGED_PARAMETER);
  return input && { calls: [{ name, input }], length: whole.length };
}

const FUNCTION_TAG =
  /^\s*<function(?:=|\s+name=")([^>\s"]+)"?>([^]*?)(?:<\/function>|(?=<\/tool_call>))/i;
const TAGGED_PARAMETER = /<param(?:eter)?(?:=|\s+name=")([^>"]+)"?>([^]*?)<\/param(?:eter)?>/gi;

/** MiniMax, DeepSeek, Step and others: `<invoke name="...">` around parameter tags. */
export function parseInvoke(text: string): Promise<ParsedCalls | undefined> {
  const match = INVOKE.exec(text);
  const input = match && parametersIn(match[2]!, INVOKE_PARAMETER);
  return Promise.resolve(
    match && input ? { calls: [{ name: match[1]!, input }], length: match[0].length } : undefined,
  );
}

const INVOKE =
  /^\s*<(?:｜DSML｜\s*|steptml:)?invoke name="([^"]+)">([^]*?)<\/(?:｜DSML｜\s*|steptml:)?invoke>/i;
const INVOKE_PARAMETER =
  /<(?:｜DSML｜\s*|steptml:)?parameter name="([^"]+)"[^>]*>([^]*?)<\/(?:｜DSML｜\s*|steptml:)?parameter>/gi;

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

/** Gemma: `call:name{key:"text"}`, where a token of its own stands for the quotes. */
export async function parseGemmaCall(text: string): Promise<ParsedCalls | undefined> {
  const head = /^\s*call:([\w.-]+)\s*(?=\{)/.exec(text);
  if (head === null) return undefined;
  const quoted = /<\|"\|>([^]*?)<\|"\|>|<escape>([^]*?)<escape>|[{}]/g;
  quoted.lastIndex = head[0].length;
  let json = "";
  let depth = 0;
  for (let from = head[0].length;; from = quoted.lastIndex) {
    const match = quoted.exec(text);
    if (match === null) return undefined;
    const [whole, one, other] = match;
    const string = one ?? other;
    json += text.slice(from, match.index) + (string === undefined ? whole : JSON.stringify(string));
    if (whole === "{") depth++;
    else if (whole === "}") depth--;
    if (depth === 0) break;
  }
  const input = objectOf(await parseLiteral(json));
  return input && { calls: [{ name: head[1]!, input }], length: quoted.lastIndex };
}
