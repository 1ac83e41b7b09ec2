/**
 * Text of a conversation that would be more than text in the page it is exported to, or in the trajectory: in the words
 * of the person and of the model, in thoughts, arguments, results, file names.
 */
import { join } from "node:path";
import { type DefaultTreeAdapterTypes, parse } from "parse5";
import type { ProgramAttempt } from "../support/program_attempts.ts";

/** `canary` is found again: as a tag or an attribute of a tag it has become markup. */
const PAYLOADS = [
  "<script>canary()</script>",
  "</script><script canary>1</script>",
  "<img src=x onerror=canary()>",
  '"><img src=x onerror="canary()">',
  "'><svg/onload=canary()>",
  "<svg><animate onbegin=canary() attributeName=x></svg>",
  "<iframe srcdoc='<script>canary()</script>'></iframe>",
  "<style>@import 'http://127.0.0.1/canary'</style>",
  "</style><script>canary()</script>",
  "</title><script>canary()</script>",
  "<!-- --!><script>canary()</script> -->",
  "<![CDATA[<script>canary()</script>]]>",
  "<meta http-equiv=refresh content='0;url=http://127.0.0.1/canary'>",
  "<base href='http://127.0.0.1/canary/'>",
  "<link rel=stylesheet href=http://127.0.0.1/canary>",
  "<form action=http://127.0.0.1/canary><input autofocus onfocus=canary()></form>",
  "[a](javascript:canary())",
  "[a](JaVaScRiPt:canary())",
  "[a](java\tscript:canary())",
  "[a](&#106;avascript:canary())",
  "[a](data:text/html,<script>canary()</script>)",
  "[a](vbscript:canary())",
  "[a](http://x' onmouseover='canary())",
  '[a](http://x" onmouseover="canary())',
  '[a](<http://x" onmouseover="canary()> "t")',
  "![a](http://127.0.0.1/canary.png)",
  '![a" onerror="canary()](x)',
  "![a](data:image/svg+xml,<svg onload=canary()>)",
  '<http://x" onclick="canary()>',
  "[a]: javascript:canary()\n\n[a]",
  "```html\n<script>canary()</script>\n```",
  '```" onclick=canary()\nx\n```',
  "`<script>canary()</script>`",
  "| <script>canary()</script> |\n| --- |\n| <img src=x onerror=canary()> |",
  "# <script>canary()</script>",
  "&lt;script&gt;canary()&lt;/script&gt;",
  "&#60;script&#62;canary()",
  "\u0000<script>canary()</script>",
  "<scr\u0000ipt>canary()</script>",
  "<scr\u200bipt>canary()</script>",
  "+ADw-script+AD4-canary()+ADw-/script+AD4-",
  "\ufeff<script>canary()</script>",
  `${"<b>".repeat(5_000)}<script>canary()</script>`,
];

/** Markup that a text has become. */
function markupOf(html: string): string[] {
  const found: string[] = [];
  for (const [tag] of html.matchAll(/<[a-zA-Z!/][^<>]*>/g)) {
    const isOwn = /^<(!doctype html|meta (charset|name|http-equiv="Content-Security-Policy"))/.test(
      tag,
    );
    if (/^<\/?(script|iframe|img|svg|style|base|link|form|input|meta|object|embed)\b/i.test(tag)) {
      if (!isOwn && !/^<\/?style>$/.test(tag)) found.push(tag);
    }
    if (/\son\w+\s*=/i.test(tag.replace(/"[^"]*"/g, '""'))) found.push(tag);
    const [, address = ""] = /\s(?:href|src)="([^"]*)"/i.exec(tag) ?? [];
    if (address !== "" && !/^(https?:|mailto:|#)/i.test(address)) found.push(tag);
    if (/\ssrc="http/i.test(tag)) found.push(tag);
  }
  if ((html.match(/<style>/g) ?? []).length > 1) found.push("a second <style>");
  return [...found, ...foreignNodes(parse(html))];
}

/** Elements of an exported page, each with its attributes. */
const OWN: Readonly<Record<string, readonly string[]>> = {
  html: ["lang"],
  head: [],
  meta: ["charset", "name", "content", "http-equiv"],
  title: [],
  style: [],
  body: [],
  main: [],
  header: [],
  section: ["class"],
  footer: [],
  ...{ details: ["class"], summary: [], pre: ["class"], p: ["class"], span: ["class"] },
  ...{ h1: [], h2: [], ul: [], li: [], b: [], small: [], code: [] },
  // What Markdown of the model's own words has become.
  ...{ table: [], thead: [], tbody: [], tr: [], th: [], td: [], a: ["href", "rel"] },
};

/** Elements and attributes of a page, as a browser reads it, that no export writes. */
function foreignNodes(node: DefaultTreeAdapterTypes.Node): string[] {
  const found: string[] = [];
  if ("tagName" in node) {
    const own = Object.hasOwn(OWN, node.tagName) ? OWN[node.tagName] : undefined;
    if (own === undefined) found.push(`<${node.tagName}>`);
    for (const { name } of node.attrs) {
      if (!own?.includes(name)) found.push(`${name} of <${node.tagName}>`);
    }
  }
  const children = "childNodes" in node ? node.childNodes : [];
  return [...found, ...children.flatMap(foreignNodes)];
}

function isJson(text: string): boolean {
  try {
    return JSON.parse(text) !== null;
  } catch {
    return false;
  }
}

/** In what a session is called by: the model, and a title that it gets from its first words. */
const IN_NAMES: readonly ProgramAttempt[] = PAYLOADS.map((payload) =>
  payload.replaceAll("\u0000", "")
)
  .filter((name) => name.length < 500 && name.trim() !== "").map((name) => ({
    name: `the model is called ${JSON.stringify(name).slice(0, 60)}`,
    prepare: () => {},
    args: [
      ["-p", "--model", name, name],
      ["sessions", "export", "last", "--format", "html"],
      ["sessions", "list", "--json"],
    ],
    find: ([, html, list]) => [
      ...markupOf(html?.stdout ?? "").map((tag) => `the page has ${tag.slice(0, 100)}`),
      ...html?.code === 0 ? [] : [`it is not exported: ${html?.stderr}`],
      ...isJson(list?.stdout ?? "") ? [] : [`the list is no JSON: ${list?.stderr}`],
    ],
  }));

const IN_WORDS: readonly ProgramAttempt[] = PAYLOADS.map((payload) => ({
  name: `it says ${JSON.stringify(payload).slice(0, 70)}`,
  prepare: async (place) => {
    await place.write("evil.txt", `${payload}\n`);
    const name = payload.replaceAll("/", "_").replaceAll("\u0000", "").slice(0, 100);
    await place.write(name, `${payload}\n`);
  },
  replies: () => [
    {
      thinking: payload,
      text: payload,
      calls: [
        { name: "read", arguments: { file_paths: ["evil.txt"] } },
        { name: "ls", arguments: {} },
        { name: payload.slice(0, 60), arguments: { [payload]: payload } },
        {
          name: "edit",
          arguments: { file_path: "evil.txt", old_string: payload, new_string: "x" },
        },
      ],
    },
    { text: payload },
  ],
  args: [
    ["-p", "--allow-write", payload.replaceAll("\u0000", "") || "x"],
    ["sessions", "export", "last", "--format", "html"],
    ["sessions", "export", "last", "--format", "atif"],
    ["sessions", "export", "last", "--format", "md"],
  ],
  find: ([, html, atif, md]) => {
    return [
      ...markupOf(html?.stdout ?? "").map((tag) => `the page has ${tag.slice(0, 100)}`),
      ...html?.code === 0 && md?.code === 0 ? [] : [`it is not exported: ${html?.stderr}`],
      ...isJson(atif?.stdout ?? "") ? [] : [`the trajectory is no JSON: ${atif?.stderr}`],
    ];
  },
}));

/** A text as the name of a file or a branch. */
const toName = (payload: string) =>
  payload.replaceAll("/", "\u2044").replace(/[\p{Cc}\p{Cf}]/gu, "").slice(0, 80);

/** In names of files that are written and edited, of the branch, and of what is searched for. */
const IN_FILES: readonly ProgramAttempt[] = PAYLOADS.map((payload) => {
  const file = toName(payload);
  return {
    name: `a file and the branch are called ${JSON.stringify(file)}`,
    prepare: (_place, { dir }) =>
      Deno.writeTextFile(join(dir, ".git", "HEAD"), `ref: refs/heads/${file}\n`),
    replies: () => [
      { calls: [{ name: "write", arguments: { file_path: file, content: `${payload}\n` } }] },
      {
        calls: [{
          name: "edit",
          arguments: { file_path: file, old_string: payload, new_string: `${payload}${payload}` },
        }],
      },
      { calls: [{ name: "grep", arguments: { pattern: "canary" } }] },
      { calls: [{ name: "bash", arguments: { command: `cat '${file.replaceAll("'", "")}'` } }] },
      { text: "done" },
    ],
    args: [
      ["-p", "--allow-write", "--receipt", "receipt.jsonl", "go"],
      ["sessions", "export", "last", "--format", "html"],
      ["sessions", "export", "last", "--format", "atif"],
    ],
    find: ([, html, atif]) => [
      ...markupOf(html?.stdout ?? "").map((tag) => `the page has ${tag.slice(0, 100)}`),
      ...html?.code === 0 ? [] : [`it is not exported: ${html?.stderr}`],
      ...isJson(atif?.stdout ?? "") ? [] : [`the trajectory is no JSON: ${atif?.stderr}`],
    ],
  };
});

/** One for each text in words, in names of models and titles, and in names of files. */
export const EXPORT_ATTEMPTS: readonly ProgramAttempt[] = [...IN_WORDS, ...IN_NAMES, ...IN_FILES];
