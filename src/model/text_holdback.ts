/**
 * Holds back text that may turn out to be a call which the model wrote instead of making it, so that people
 * see either the text or the call. Everything else passes at once. `text_tool_calls.ts` judges what was held.
 *
 * Where a call may stand: at the end of the reply, outside of any code fence or quotation, with a mark that only
 * chat templates use, at the start of a line or where a sentence ends; without such a mark, only as the whole
 * reply.
 */
import { MAX_BLANKS, partialMarkLength } from "./partial_mark.ts";

/** Tags before calls, in lower case; people also write them when they talk about calls. */
const TAGS: readonly string[] = [
  "<tool_call>",
  "<tool_calls>",
  "<toolcall>",
  "<function=",
  '<function name="',
  "<function_call>",
  "<function_calls>",
  '<invoke name="',
  "<minimax:tool_call>",
  "<seed:tool_call>",
  "<longcat_tool_call>",
  "<start_function_call>",
];

/** Special tokens before calls, in lower case. */
const TOKENS: readonly string[] = [
  "[tool_calls]",
  "<|python_tag|>",
  "<|python_start|>",
  "<|tool_call|>",
  "<|tool_call>",
  "<|tool_call_start|>",
  "<|tool_calls_section_begin|>",
  "<|tool_call_begin|>",
  "<|start_action|>",
  "<|action_start|>",
  "<|tools_prefix|>",
  "function call<|role_sep|>",
  ...["｜", "|"].flatMap((bar) =>
    ["▁", "_", " ", "\\_"].flatMap((blank) =>
      ["calls", "call"].map((word) => `<${bar}tool${blank}${word}${blank}begin${bar}>`)
    )
  ),
  "<｜dsml｜",
  "<|channel|>",
  "<|start|>assistant",
];

/** What may begin a call where a line begins. */
const LINE_MARKS: readonly string[] = [
  ...TAGS,
  ...TOKENS,
  "action: ```json",
  "action:```json",
  "functools[",
];
/** What may begin one within a line. */
const INLINE_MARKS: readonly string[] = [...TAGS, ...TOKENS];
/** What a tag follows within a line: people who mention one put a blank before it. */
const AFTER_SENTENCE = /[^\s\d][.!?…。！？]$/;
/** What a token follows. */
const BEFORE_TOKEN = /[^\s\d]([.!?…。！？] ?|:)$/;
const INLINE = new RegExp(INLINE_MARKS.map((mark) => RegExp.escape(mark)).join("|"), "gi");

/** A fence that may hold a call as the whole reply, as far as it has come. */
const FENCE = /^```(?:json|tool_call|tool_code|xml|python)?[ \t]*(?:\r?\n|$)/i;
const FENCE_BEGUN = /^`{1,3}[a-z_]{0,9}[ \t]*$/i;
/** Unmarked calls begin so: a JSON object with one of a call's keys, or `[name(` or `name(` in a fence. */
const UNMARKED =
  /^(?:[[{\s]*["'](?:name|function|tool|tool_name|tool_calls|function_call|action|type|id|arguments|parameters)["']\s*:|\[\s*[\w.-]+\()/;
/** Characters by which an unmarked call must be recognisable. */
const RECOGNISED_WITHIN = 80;

/** Characters of a line's end that say whether a call may follow. */
const TAIL = 4;

/** What was held back at the end of a reply. */
export interface WithheldText {
  readonly text: string;
  /** Whether the held text is all of the reply. */
  readonly whole: boolean;
  /** What stands before it. */
  readonly before: string;
}

/** What has passed of the present line, as far as it matters for what follows: a line may have no end. */
class Line {
  #tail = "";
  #ticks = 0;
  /** Whether it begins as a quotation; undefined while it has nothing but blanks. */
  #isQuotation: boolean | undefined;

  get isEmpty(): boolean {
    return this.#tail === "";
  }

  pass(text: string): void {
    this.#isQuotation = this.#begins(text);
    this.#ticks += text.split("`").length - 1;
    this.#tail = (this.#tail + text).slice(-TAIL);
  }

  end(): void {
    this.#tail = "";
    this.#ticks = 0;
    this.#isQuotation = undefined;
  }

  /** Where the line stands once this text has passed too. */
  after(text: string): { isQuoted: boolean; tail: string } {
    const isInSpan = (this.#ticks + text.split("`").length - 1) % 2 === 1;
    return {
      isQuoted: isInSpan || this.#begins(text) === true,
      tail: (this.#tail + text).slice(-TAIL),
    };
  }

  #begins(text: string): boolean | undefined {
    if (this.#isQuotation !== undefined || text.trim() === "") return this.#isQuotation;
    return text.trimStart().startsWith(">");
  }
}

/** Passes the text of one reply. */
export class TextHoldback {
  #held = "";
  #before = "";
  #state: "start" | "lines" | "held" = "start";
  #fenced = false;
  readonly #line = new Line();

  /** What of the text so far can be shown. */
  push(piece: string): string {
    this.#held += piece;
    if (this.#state === "held") return "";
    if (this.#state === "start") {
      const unmarked = unmarkedCall(this.#held);
      if (unmarked === "is") this.#state = "held";
      if (unmarked !== "is not") return "";
      this.#state = "lines";
    }
    const shown = this.#takeLines();
    this.#before += shown;
    return shown;
  }

  /** Characters held. */
  get length(): number {
    return this.#held.length;
  }

  /** What is still held at the end. */
  end(): WithheldText {
    return { text: this.#held, whole: this.#before.trim() === "", before: this.#before };
  }

  /** Everything up to a line that contains, or may become, the beginning of a call. */
  #takeLines(): string {
    let at = 0;
    while (at < this.#held.length) {
      const end = this.#held.indexOf("\n", at);
      const line = this.#held.slice(at, end < 0 ? undefined : end);
      if (this.#line.isEmpty) {
        const head = line.replace(/^ {1,3}/, "").toLowerCase();
        if (!this.#fenced && LINE_MARKS.some((mark) => head.startsWith(mark))) {
          this.#state = "held";
          break;
        }
        if (end < 0 && this.#mayBecomeMark(head)) break;
        if (head.startsWith("```")) this.#fenced = !this.#fenced;
      }
      const call = this.#callWithin(line);
      if (call !== undefined) {
        at += call;
        this.#state = "held";
        break;
      }
      if (end < 0) {
        const sure = line.length - this.#openEnd(line);
        this.#line.pass(line.slice(0, sure));
        at += sure;
        break;
      }
      this.#line.end();
      at = end + 1;
    }
    const shown = this.#held.slice(0, at);
    this.#held = this.#held.slice(at);
    return shown;
  }

  /** Where in the rest of a line a call may begin: not in a quotation, nor where the text talks about one. */
  #callWithin(rest: string): number | undefined {
    if (this.#fenced) return undefined;
    for (const { index, 0: mark } of rest.matchAll(INLINE)) {
      const { isQuoted, tail } = this.#line.after(rest.slice(0, index));
      const follows = TAGS.includes(mark.toLowerCase()) ? AFTER_SENTENCE : BEFORE_TOKEN;
      if (!isQuoted && follows.test(tail)) return index;
    }
    return undefined;
  }

  /** Characters at the end of an unfinished line that may still begin a call. */
  #openEnd(rest: string): number {
    const open = partialMarkLength(rest, INLINE_MARKS);
    if (open === 0 || this.#fenced) return 0;
    const { tail } = this.#line.after(rest.slice(0, rest.length - open));
    return BEFORE_TOKEN.test(tail) ? open : 0;
  }

  /** Whether the beginning of a line could yet become a mark or a fence. */
  #mayBecomeMark(head: string): boolean {
    if (/^`{1,2}$/.test(head)) return true;
    return !this.#fenced && LINE_MARKS.some((mark) => mark.startsWith(head));
  }
}

/** Whether a reply that begins so is, may be or is not an unmarked call. */
function unmarkedCall(text: string): "is" | "may be" | "is not" {
  const begin = text.trimStart();
  if (text.length - begin.length > MAX_BLANKS) return "is not";
  if (begin === "" || FENCE_BEGUN.test(begin)) return "may be";
  const fenced = FENCE.test(begin);
  const core = begin.replace(FENCE, "").trimStart();
  if (core === "") return "may be";
  if (UNMARKED.test(core) || (fenced && /^(?:[\w.-]+\(|<)/.test(core))) return "is";
  const isOpen = /^[[{][[{\s"'\w.-]*$/.test(core) || (fenced && /^[\w.-]+$/.test(core));
  return isOpen && core.length < RECOGNISED_WITHIN ? "may be" : "is not";
}
