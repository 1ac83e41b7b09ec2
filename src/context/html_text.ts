/**
 * Text as HTML that does nothing but show it: Markdown of models, code in colours, diffs by line. Whatever a text says,
 * no markup of its own comes through, nothing is loaded, and links lead to web and mail addresses only.
 */
import { stripControls } from "../lib/text.ts";

/** Code longer than this is not coloured. */
const MAX_COLOURED = 50_000;
const SAFE_ADDRESS = /^(https?:|mailto:)/i;

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** The text for an element or an attribute. */
export function escapeHtml(text: string): string {
  return stripControls(text).replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
}

/** The lines of a unified diff, each with its class. */
export function diffHtml(diff: string): string {
  const lines = diff.split("\n").filter((line) => !/^(---|\+\+\+|\\) /.test(line));
  const html = lines.map((line) => {
    const kind = line.startsWith("@@")
      ? "gap"
      : line.startsWith("+")
      ? "added"
      : line.startsWith("-")
      ? "removed"
      : "same";
    return `<span class="${kind}">${escapeHtml(line)}</span>`;
  });
  return `<pre class="diff">${html.join("\n")}</pre>`;
}

/** Makes HTML of Markdown and of code. */
export interface HtmlText {
  markdown(text: string): string;
  code(text: string, language: string): string;
}

/** Loads what knows Markdown and languages. */
export async function loadHtmlText(): Promise<HtmlText> {
  const [{ Marked }, { default: highlighter }] = await Promise.all([
    import("marked"),
    import("highlight.js/lib/common"),
  ]);
  const code = (text: string, language: string) => {
    const plain = stripControls(text);
    const isKnown = highlighter.getLanguage(language) !== undefined;
    const html = isKnown && plain.length <= MAX_COLOURED
      ? highlighter.highlight(plain, { language, ignoreIllegals: true }).value
      : escapeHtml(plain);
    return `<pre><code>${html}</code></pre>`;
  };
  const marked = new Marked({
    gfm: true,
    renderer: {
      html: ({ text }) => escapeHtml(text),
      text(token) {
        return "tokens" in token && token.tokens
          ? this.parser.parseInline(token.tokens)
          : escapeOnce(token.text);
      },
      code: ({ text, lang = "" }) => code(text, lang.trim().split(/\s/)[0]?.toLowerCase() ?? ""),
      link({ href, tokens }) {
        return linkHtml(href, this.parser.parseInline(tokens));
      },
      // A picture would be loaded from somewhere.
      image: ({ href, text }) => linkHtml(href, escapeOnce(text || href)),
    },
  });
  return { code, markdown: (text) => marked.parse(stripControls(text), { async: false }) };
}

function linkHtml(address: string, html: string): string {
  if (!SAFE_ADDRESS.test(address)) return html;
  return `<a href="${escapeHtml(address)}" rel="noopener noreferrer nofollow">${html}</a>`;
}

/** Escapes all but the entities that Markdown allows in its text. */
function escapeOnce(text: string): string {
  return escapeHtml(text).replace(
    /&amp;(#\d{1,7}|#[xX][\da-fA-F]{1,6}|[a-zA-Z]\w{1,31});/g,
    "&$1;",
  );
}
