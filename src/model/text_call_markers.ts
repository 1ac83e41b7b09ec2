/**
 * The marks that chat templates put around calls, as a table of readers: each takes what stands between marks
 * off the beginning of a text.
 */
import {
  type CallParser,
  type ParsedCalls,
  parseFunctionTag,
  parseGemmaCall,
  parseInvoke,
  parseJsonCalls,
  parseKeyValues,
  parseNamedCall,
  parseNamedJson,
  parsePythonicCalls,
  type TextCall,
} from "./text_call_parsers.ts";

/** A mark before calls and the one after them, which a server may have consumed. */
interface MarkerPair {
  readonly open: RegExp;
  readonly close: RegExp;
}

const MARKER_PAIRS: readonly MarkerPair[] = [
  // Hermes, Qwen, GLM, Hunyuan, Granite; Nemotron; Seed; MiniMax
  ...["tool_call", "function_call", "tool_calls", "function_calls", "TOOLCALL", "seed:tool_call"]
    .map((name) => tagPair(name)),
  tagPair("minimax:tool_call"),
  tagPair("longcat_tool_call"),
  // DeepSeek from 3.2 on
  ...["function_calls", "tool_calls"].map((name) => tagPair(`｜DSML｜${name}`)),
  // Llama
  tokenPair("<|python_tag|>", ""),
  tokenPair("<|python_start|>", "<|python_end|>"),
  // Phi and Granite; LFM; Command; InternLM
  tokenPair("<|tool_call|>", "<|/tool_call|>"),
  tokenPair("<|tool_call_start|>", "<|tool_call_end|>"),
  tokenPair("<|START_ACTION|>", "<|END_ACTION|>"),
  tokenPair("<|action_start|><|plugin|>", "<|action_end|>"),
  // Gemma; Apertus
  tokenPair("<|tool_call>", "<tool_call|>"),
  tokenPair("<start_function_call>", "<end_function_call>"),
  tokenPair("<|tools_prefix|>", "<|tools_suffix|>"),
  // Phi 4 mini and Firefunction; GigaChat
  { open: /^functools\s*(?=\[)/i, close: /^/ },
  tokenPair("function call<|role_sep|>", ""),
  // Command before R7B
  { open: /^Action:\s*```json\s*/i, close: /^\s*```/ },
];

function tagPair(name: string): MarkerPair {
  return tokenPair(`<${name}>`, `</${name}>`);
}

function tokenPair(open: string, close: string): MarkerPair {
  return {
    open: new RegExp(`^${RegExp.escape(open)}\\s*`, "i"),
    close: new RegExp(`^\\s*${RegExp.escape(close)}`, "i"),
  };
}

/** What may stand between marks; a name alone is a call too, so keys and values come last. */
const BODY_PARSERS: readonly CallParser[] = [
  parseJsonCalls,
  parseFunctionTag,
  parseInvoke,
  parseGemmaCall,
  parsePythonicCalls,
  parseNamedJson,
  parseKeyValues,
];

/** Marks of the end of a reply, which stand for a closing mark that is missing. */
const END_OF_REPLY =
  /^\s*(?:$|<\|(?:im_end|eot_id|eom_id|end|return|call|endoftext)\|>|<\/s>|<｜end▁of▁sentence｜>)/;
/** Marks within marks, such as `<tool_calls>` around `<tool_call>`. */
const MAX_DEPTH = 3;

/** All readers of calls that chat templates mark; the first that takes something counts. */
export const MARKED_CALL_PARSERS: readonly CallParser[] = [
  (text) => parseBetweenMarkers(text, 1),
  parseFunctionTag,
  parseInvoke,
  parseMistral,
  parseKimi,
  parseDeepSeek,
  parseHarmony,
];

/** Marks around calls that carry no meaning. */
export const WRAPPERS = new RegExp(
  /^\s*(?:<\/(?:function_calls?|tool_calls?)>|<\|tool_calls_section_(?:begin|end)\|>|DEEPSEEK|<\|(?:im_end|eot_id|eom_id|end|return|call|endoftext)\|>|<\/s>|<｜end▁of▁sentence｜>|;)\s*/
    .source.replace("DEEPSEEK", deepSeekMark("calls (?:begin|end)")),
);

/** A mark of DeepSeek's as a pattern: its distilled models spell it with other bars and blanks. */
function deepSeekMark(words: string): string {
  return `<[｜|]tool ${words}[｜|]>`.replaceAll(" ", "(?:▁|_|\\\\_| )");
}

/** Calls between marks, one or several. */
async function parseBetweenMarkers(text: string, depth: number): Promise<ParsedCalls | undefined> {
  for (const { open, close } of MARKER_PAIRS) {
    const opened = open.exec(text);
    if (opened === null) continue;
    const inner = await parseBodies(text.slice(opened[0].length), depth);
    if (inner === undefined) return undefined;
    const end = opened[0].length + inner.length;
    const rest = text.slice(end);
    const closed = close.exec(rest);
    if (closed === null && (inner.open || !END_OF_REPLY.test(rest))) return undefined;
    return { calls: inner.calls, length: end + (closed?.[0].length ?? 0) };
  }
  return undefined;
}

/** A row of calls, set apart by blanks or a semicolon. */
async function parseBodies(text: string, depth: number): Promise<ParsedCalls | undefined> {
  const calls: TextCall[] = [];
  let at = 0;
  let last: ParsedCalls | undefined;
  for (;;) {
    const parsed = await parseBody(text.slice(at), depth);
    if (parsed === undefined) break;
    last = parsed;
    calls.push(...parsed.calls);
    at += parsed.length;
    at += /^\s*;?\s*/.exec(text.slice(at))?.[0].length ?? 0;
  }
  return last && { ...last, calls, length: at };
}

async function parseBody(text: string, depth: number): Promise<ParsedCalls | undefined> {
  const inner = depth < MAX_DEPTH ? await parseBetweenMarkers(text, depth + 1) : undefined;
  if (inner) return inner;
  for (const read of BODY_PARSERS) {
    const parsed = await read(text);
    if (parsed) return parsed;
  }
  return undefined;
}

/** Mistral: `[TOOL_CALLS]` before a list of calls, or before a name and its JSON. */
async function parseMistral(text: string): Promise<ParsedCalls | undefined> {
  const open = /^\[TOOL_CALLS\]\s*/i.exec(text);
  if (open === null) return undefined;
  const rest = text.slice(open[0].length);
  const list = await parseJsonCalls(rest);
  if (list !== undefined) return { ...list, length: open[0].length + list.length };
  const head = /^([\w.-]+)\s*(?:\[CALL_ID\]\w+)?\s*(?:\[ARGS\])?\s*(?=\{)/.exec(rest);
  return head === null
    ? undefined
    : await parseNamedCall(text, { name: head[1]!, from: open[0].length + head[0].length });
}

async function parseKimi(text: string): Promise<ParsedCalls | undefined> {
  const open = /^<\|tool_call_begin\|>\s*([\w.:-]+)\s*<\|tool_call_argument_begin\|>\s*/.exec(text);
  if (open === null) return undefined;
  const close = /^\s*<\|tool_call_end\|>/;
  return await parseNamedCall(text, { name: open[1]!, from: open[0].length, close });
}

/** DeepSeek, and Step, which puts an invocation between the marks. */
async function parseDeepSeek(text: string): Promise<ParsedCalls | undefined> {
  const begin = DEEPSEEK_BEGIN.exec(text)?.[0].length;
  if (begin === undefined) return undefined;
  const invocation = await parseInvoke(text.slice(begin));
  if (invocation !== undefined) {
    const length = begin + invocation.length;
    const end = DEEPSEEK_END.exec(text.slice(length))?.[0].length ?? 0;
    return { ...invocation, length: length + end };
  }
  const [head = "", name] = DEEPSEEK_NAME.exec(text.slice(begin)) ?? [];
  if (name === undefined) return undefined;
  return await parseNamedCall(text, { name, from: begin + head.length, close: DEEPSEEK_END });
}

const DEEPSEEK_BEGIN = new RegExp(
  `^${deepSeekMark("call begin")}(?:function${deepSeekMark("sep")})?`,
);
const DEEPSEEK_NAME = new RegExp(
  `^([\\w.-]+)(?:${deepSeekMark("sep")})?\\s*(?:\`\`\`json\\s*)?(?=\\{)`,
);
const DEEPSEEK_END = new RegExp(`^\\s*(?:\`\`\`\\s*)?${deepSeekMark("call end")}`);

/** gpt-oss: a message addressed to a function, which stands before or after the channel. */
async function parseHarmony(text: string): Promise<ParsedCalls | undefined> {
  const open =
    /^(?:<\|start\|>assistant)?(?:\s*to=([\w.:-]+)\s*)?<\|channel\|>\w+(?:\s*to=([\w.:-]+))?\s*(?:<\|constrain\|>)?\s*\w*\s*<\|message\|>\s*/
      .exec(text);
  const name = open?.[1] ?? open?.[2];
  return open && name ? await parseNamedCall(text, { name, from: open[0].length }) : undefined;
}
