/**
 * The marks that chat templates put around calls, as a table of readers: each takes what stands between marks
 * off the beginning of a text. `written_calls.ts` tries them.
 */
import {
  functionTag,
  gemmaCall,
  invoke,
  jsonCalls,
  keyValues,
  named,
  namedJson,
  pythonicCalls,
  type Reader,
  type Taken,
  type WrittenCall,
} from "./text_call_parsers.ts";

/** A mark before calls and the one after them, which a server may have taken for its own. */
interface Enclosure {
  readonly open: RegExp;
  readonly close: RegExp;
}

const ENCLOSURES: readonly Enclosure[] = [
  // Hermes, Qwen, GLM, Hunyuan, Granite; Nemotron; Seed; MiniMax
  ...["tool_call", "function_call", "tool_calls", "function_calls", "TOOLCALL", "seed:tool_call"]
    .map((name) => tags(name)),
  tags("minimax:tool_call"),
  // DeepSeek from 3.2 on
  ...["function_calls", "tool_calls"].map((name) => tags(`｜DSML｜${name}`)),
  // Llama
  tokens("<|python_tag|>", ""),
  tokens("<|python_start|>", "<|python_end|>"),
  // Phi and Granite; LFM; Command; InternLM
  tokens("<|tool_call|>", "<|/tool_call|>"),
  tokens("<|tool_call_start|>", "<|tool_call_end|>"),
  tokens("<|START_ACTION|>", "<|END_ACTION|>"),
  tokens("<|action_start|><|plugin|>", "<|action_end|>"),
  // Gemma
  tokens("<|tool_call>", "<tool_call|>"),
  tokens("<start_function_call>", "<end_function_call>"),
  // Command before R7B
  { open: /^Action:\s*```json\s*/i, close: /^\s*```/ },
];

function tags(name: string): Enclosure {
  return tokens(`<${name}>`, `</${name}>`);
}

function tokens(open: string, close: string): Enclosure {
  return {
    open: new RegExp(`^${RegExp.escape(open)}\\s*`, "i"),
    close: new RegExp(`^\\s*${RegExp.escape(close)}`, "i"),
  };
}

/** What may stand between marks; a name alone is a call too, so keys and values come last. */
const BODIES: readonly Reader[] = [
  jsonCalls,
  functionTag,
  invoke,
  gemmaCall,
  pythonicCalls,
  namedJson,
  keyValues,
];

/** Marks of the end of a reply, which stand for a closing mark that is missing. */
const LAST =
  /^\s*(?:$|<\|(?:im_end|eot_id|eom_id|end|return|call|endoftext)\|>|<\/s>|<｜end▁of▁sentence｜>)/;
/** Marks within marks, such as `<tool_calls>` around `<tool_call>`. */
const DEEPEST = 3;

/** All readers of calls that chat templates mark; the first that takes something counts. */
export const MARKED: readonly Reader[] = [
  (text) => enclosed(text, 1),
  functionTag,
  invoke,
  mistral,
  kimi,
  deepSeek,
  harmony,
];

/** Marks that stand around calls and say nothing. */
export const WRAPPERS =
  /^\s*(?:<\/(?:function_calls?|tool_calls?)>|<\|tool_calls_section_(?:begin|end)\|>|<｜tool▁calls▁(?:begin|end)｜>|<\|(?:im_end|eot_id|eom_id|end|return|call|endoftext)\|>|<\/s>|<｜end▁of▁sentence｜>|;)\s*/;

/** Calls between marks, one or several. */
async function enclosed(text: string, depth: number): Promise<Taken | undefined> {
  for (const { open, close } of ENCLOSURES) {
    const opened = open.exec(text);
    if (opened === null) continue;
    const inner = await bodies(text.slice(opened[0].length), depth);
    if (inner === undefined) return undefined;
    const end = opened[0].length + inner.length;
    const rest = text.slice(end);
    const closed = close.exec(rest);
    if (closed === null && (inner.open || !LAST.test(rest))) return undefined;
    return { calls: inner.calls, length: end + (closed?.[0].length ?? 0) };
  }
  return undefined;
}

/** A row of calls, set apart by blanks or a semicolon. */
async function bodies(text: string, depth: number): Promise<Taken | undefined> {
  const calls: WrittenCall[] = [];
  let at = 0;
  let last: Taken | undefined;
  for (;;) {
    const taken = await body(text.slice(at), depth);
    if (taken === undefined) break;
    last = taken;
    calls.push(...taken.calls);
    at += taken.length;
    at += /^\s*;?\s*/.exec(text.slice(at))?.[0].length ?? 0;
  }
  return last && { ...last, calls, length: at };
}

async function body(text: string, depth: number): Promise<Taken | undefined> {
  const inner = depth < DEEPEST ? await enclosed(text, depth + 1) : undefined;
  if (inner) return inner;
  for (const read of BODIES) {
    const taken = await read(text);
    if (taken) return taken;
  }
  return undefined;
}

/** Mistral: `[TOOL_CALLS]` before a list of calls, or before a name and its JSON. */
async function mistral(text: string): Promise<Taken | undefined> {
  const open = /^\[TOOL_CALLS\]\s*/i.exec(text);
  if (open === null) return undefined;
  const rest = text.slice(open[0].length);
  const list = await jsonCalls(rest);
  if (list !== undefined) return { ...list, length: open[0].length + list.length };
  const head = /^([\w.-]+)\s*(?:\[CALL_ID\]\w+)?\s*(?:\[ARGS\])?\s*(?=\{)/.exec(rest);
  return head === null
    ? undefined
    : await named(text, { name: head[1]!, from: open[0].length + head[0].length });
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

/** gpt-oss: a message addressed to a function, which stands before or after the channel. */
async function harmony(text: string): Promise<Taken | undefined> {
  const open =
    /^(?:<\|start\|>assistant)?(?:\s*to=([\w.:-]+)\s*)?<\|channel\|>\w+(?:\s*to=([\w.:-]+))?\s*(?:<\|constrain\|>)?\s*\w*\s*<\|message\|>\s*/
      .exec(text);
  const name = open?.[1] ?? open?.[2];
  return open && name ? await named(text, { name, from: open[0].length }) : undefined;
}
