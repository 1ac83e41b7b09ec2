/**
 * A conversation as one HTML file that needs nothing else: what was said, with calls, changes and thoughts folded away.
 * It runs no script and loads nothing. Secrets must be masked already.
 */
import type { ImagePart } from "../core/image.ts";
import {
  type AssistantMessage,
  imagesOf,
  type Message,
  type ToolCall,
  type ToolMessage,
  type UserMessage,
} from "../core/message.ts";
import type { EndedTurn, ShownCall } from "../core/session_log.ts";
import { describeImage } from "../lib/file_type.ts";
import { formatCount, formatDuration, oneLine, plural } from "../lib/text.ts";
import { parseJson } from "../lib/json_text.ts";
import { diffHtml, escapeHtml, type HtmlText, loadHtmlText } from "./html_text.ts";
import { TRANSCRIPT_STYLE } from "./transcript_style.ts";
import { callEnd, matchTurns, type TranscriptHead } from "./transcript.ts";

/** Characters shown of one result, and of the arguments of one call. */
const MAX_TEXT = 20_000;
/** A call that took less is shown without its duration, in milliseconds. */
const MIN_SHOWN_MS = 1000;

/** What was said, and how its calls and turns looked. */
export interface TalkToExport {
  readonly messages: readonly Message[];
  /** By the ids of calls. */
  readonly calls: ReadonlyMap<string, ShownCall>;
  readonly turns: readonly EndedTurn[];
  /** Data URLs of images, by their hashes; an image without one is named only. */
  readonly imageUrls: ReadonlyMap<string, string>;
}

/** What the parts of a document are made with. */
interface Parts {
  readonly html: HtmlText;
  readonly results: ReadonlyMap<string, ToolMessage>;
  readonly calls: ReadonlyMap<string, ShownCall>;
  readonly imageUrls: ReadonlyMap<string, string>;
}

/** The document. */
export async function renderTranscriptHtml(
  { messages, calls, turns, imageUrls }: TalkToExport,
  head: TranscriptHead,
): Promise<string> {
  const results = new Map(
    messages.flatMap((one) => one.role === "tool" ? [[one.call_id, one] as const] : []),
  );
  const parts = { html: await loadHtmlText(), results, calls, imageUrls };
  const ends = matchTurns(messages, turns);
  const sections = messages.map((message) =>
    messageHtml(message, parts) + footerHtml(ends.get(message))
  );
  const title = escapeHtml(oneLine(head.title) || "A conversation");
  const allowed = imageUrls.size === 0 ? "" : "; img-src data:";
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'${allowed}">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="ally">
<title>${title}</title>
<style>${TRANSCRIPT_STYLE}</style>
</head>
<body>
<main>
<header>
<h1>${title}</h1>
<ul>
${factsOf(head).map((fact) => `<li>${escapeHtml(oneLine(fact))}</li>`).join("\n")}
</ul>
</header>
${sections.filter((section) => section !== "").join("\n")}
</main>
</body>
</html>
`;
}

function factsOf({ id, cwd, created }: TranscriptHead): string[] {
  return [
    ...id === undefined ? [] : [`Session ${id}`],
    `Directory ${cwd}`,
    ...created ? [`Begun ${created}`] : [],
  ];
}

function messageHtml(message: Message, parts: Parts): string {
  if (message.role === "user") return userHtml(message, parts);
  return message.role === "assistant" ? assistantHtml(message, parts) : "";
}

/** The user's words as typed; what went with them is folded away, as is what ally said in their place. */
function userHtml(message: UserMessage, parts: Parts): string {
  const { content, typed, told, said } = message;
  if (told !== undefined || said !== undefined) {
    const summary = told === undefined ? "Summary of what was said before" : "Told by ally";
    return detailsHtml(escapeHtml(summary), textHtml(content));
  }
  const sent = typed === undefined || typed === content
    ? ""
    : detailsHtml("What was sent with it", textHtml(content));
  const words = `<p class="words">${escapeHtml((typed ?? content).trimEnd())}</p>`;
  const images = imagesHtml(message, parts);
  return `<section class="user">\n<h2>User</h2>\n${words}\n${images}${sent}</section>`;
}

/** The images of a message, each with what it is. */
function imagesHtml(message: Message, { imageUrls }: Pick<Parts, "imageUrls">): string {
  const figure = (image: ImagePart) => {
    const caption = escapeHtml(oneLine(`${image.name}: ${describeImage(image)}`));
    const url = imageUrls.get(image.hash);
    const shown = url === undefined ? "" : `<img src="${escapeHtml(url)}" alt="">`;
    return `<figure>${shown}<figcaption>${caption}</figcaption></figure>\n`;
  };
  return imagesOf(message).map(figure).join("");
}

function assistantHtml({ content, thinking, calls }: AssistantMessage, parts: Parts): string {
  const body = [
    ...thinking ? [detailsHtml("Thinking", textHtml(thinking))] : [],
    ...content.trim() === "" ? [] : [parts.html.markdown(content)],
    ...calls.map((call) => callHtml(call, parts)),
  ];
  if (body.length === 0) return "";
  return `<section class="assistant">\n<h2>Assistant</h2>\n${body.join("\n")}\n</section>`;
}

function callHtml(call: ToolCall, { html, results, calls, imageUrls }: Parts): string {
  const result = results.get(call.id);
  const { description = "", duration_ms: ms = 0, diffs = [] } = calls.get(call.id) ?? {};
  const state = callEnd(result);
  const facts = [oneLine(description), ...ms < MIN_SHOWN_MS ? [] : [formatDuration(ms)], state];
  const summary = `<b>${escapeHtml(call.name)}</b> ${
    facts.filter(Boolean).map((fact) => `<small>${escapeHtml(fact)}</small>`).join(" · ")
  }`;
  const body = [
    ...diffs.map(({ path, diff }) => `<p>${escapeHtml(path)}</p>\n${diffHtml(diff)}`),
    html.code(cut(prettyJson(call.arguments)), "json"),
    ...result === undefined ? [] : [textHtml(result.content), imagesHtml(result, { imageUrls })],
  ];
  const kind = result?.success ? "call done" : "call failed";
  return detailsHtml(summary, body.join("\n"), kind);
}

function footerHtml(turn: EndedTurn | undefined): string {
  if (turn === undefined) return "";
  const input = turn.spent.reduce((sum, one) => sum + one.prompt_tokens, 0);
  const output = turn.spent.reduce((sum, one) => sum + one.completion_tokens, 0);
  const facts = [
    ...turn.reason === "done" ? [] : [turn.error ? oneLine(turn.error) : turn.reason],
    ...input + output === 0 ? [] : [`${formatCount(input)} tokens in, ${formatCount(output)} out`],
    ...turn.tool_calls === 0 ? [] : [plural(turn.tool_calls, "call")],
    formatDuration(turn.duration_ms),
  ];
  return `\n<footer>${escapeHtml(facts.join(" · "))}</footer>`;
}

/** A folded part; the summary is HTML. */
function detailsHtml(summary: string, body: string, kind = "note"): string {
  return `<details class="${kind}">\n<summary>${summary}</summary>\n${body}\n</details>`;
}

function textHtml(text: string): string {
  return `<pre>${escapeHtml(cut(text.trimEnd()))}</pre>`;
}

/** Arguments over several lines, as far as they are JSON. */
function prettyJson(text: string): string {
  const value = parseJson(text);
  return value === undefined ? text : JSON.stringify(value, undefined, 2);
}

/** The beginning of a long text, and how much more there was. */
function cut(text: string): string {
  const left = text.length - MAX_TEXT;
  return left <= 0 ? text : `${text.slice(0, MAX_TEXT)}\n… ${formatCount(left)} more characters`;
}
