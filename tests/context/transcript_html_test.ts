/**
 * A conversation as HTML, read back by a parser of HTML: what it shows, and that nothing in it acts.
 */
import assert from "node:assert/strict";
import { type DefaultTreeAdapterTypes as Tree, parse } from "parse5";
import { renderTranscriptHtml, type TalkToExport } from "../../src/context/transcript_html.ts";
import type { Message } from "../../src/core/message.ts";

const HEAD = { title: "A talk", id: "20261122T100000-abcdef", cwd: "/work" };

/** Texts of people, models and tools that try to become markup. */
const HOSTILE = [
  "<script>alert(1)</script>",
  "</pre></details><img src=x onerror=alert(1)>",
  "a <script> <img src=x onerror=alert(1) </script> b",
  "<pre><img src=x onerror=alert(1)",
  "[click](javascript:alert(1)) [data](data:text/html;base64,PHNjcmlwdD4=) <javascript:alert(1)>",
  '![x](https://tracker.example/x.png) ![y](x" onerror="alert(1))',
  '[a](https://x.example/"onmouseover="alert(1)) `</code><script>1</script>`',
  "```html\n</code></pre><script>alert(1)</script>\n```",
  '```"><script>alert(1)</script>\nx\n```',
  "&lt;script&gt; &#60;script&#62; &colon; \u202e\x1b]8;;javascript:1\x07x\x1b\\",
  "<style>@import url(https://x.example)</style><base href=//x.example><meta http-equiv=refresh>",
  "| <svg onload=alert(1)> | b |\n| --- | --- |\n| <iframe src=//x.example> | d |",
  "</style></title><body onload=alert(1)>",
];

/** Elements that act, load or lead somewhere else. */
const FORBIDDEN: ReadonlySet<string> = new Set(
  "script img iframe svg object embed link base form video audio math template noscript".split(" "),
);

function isElement(node: Tree.Node): node is Tree.Element {
  return "tagName" in node;
}

function elementsOf(node: Tree.Node): Tree.Element[] {
  const below = "childNodes" in node ? node.childNodes.flatMap(elementsOf) : [];
  return isElement(node) ? [node, ...below] : below;
}

function textOf(node: Tree.Node): string {
  if ("value" in node) return node.value;
  return "childNodes" in node ? node.childNodes.map(textOf).join("") : "";
}

function attributeOf(element: Tree.Element, name: string): string | undefined {
  return element.attrs.find((one) => one.name === name)?.value;
}

async function render(messages: readonly Message[], more: Partial<TalkToExport> = {}) {
  const talk = { messages, calls: new Map(), turns: [], imageUrls: new Map(), ...more };
  const html = await renderTranscriptHtml(talk, HEAD);
  const document = parse(html);
  return { html, document, elements: elementsOf(document) };
}

Deno.test("words, answers, calls, changes and thoughts are there, folded where they are long", async () => {
  const messages: Message[] = [
    { role: "user", content: "fix it\n\n[file a.ts]", typed: "fix it @a.ts" },
    {
      role: "assistant",
      content: "",
      thinking: "Look first.",
      calls: [{ id: "c1", name: "edit", arguments: '{"file_path":"a.ts"}' }],
    },
    { role: "tool", call_id: "c1", name: "edit", content: "edited", success: true },
    { role: "assistant", content: "**Done**:\n\n```ts\nconst a = 1;\n```", calls: [] },
  ];
  const diff = "--- a.ts\n+++ a.ts\n@@ -1 +1 @@\n-const a = 0;\n+const a = 1;";
  const call = { call_id: "c1", description: "a.ts", duration_ms: 1200, preview: [] };
  const calls = new Map([["c1", { ...call, diffs: [{ path: "a.ts", diff }] }]]);
  const { elements } = await render(messages, { calls });
  const named = (name: string) => elements.filter(({ tagName }) => tagName === name);
  assert.deepEqual(named("h1").map(textOf), ["A talk"]);
  assert.deepEqual(named("summary").map((one) => textOf(one).trim()), [
    "What was sent with it",
    "Thinking",
    "edit a.ts · 1.2s · done",
  ]);
  assert.ok(named("details").every((one) => attributeOf(one, "open") === undefined));
  assert.deepEqual(named("strong").map(textOf), ["Done"]);
  const classes = elements.map((one) => attributeOf(one, "class"));
  for (const wanted of ["words", "added", "removed", "gap", "hljs-keyword"]) {
    assert.ok(classes.includes(wanted), wanted);
  }
  assert.equal(
    textOf(elements.find((one) => attributeOf(one, "class") === "added")!),
    "+const a = 1;",
  );
});

Deno.test("hostile text is shown and does nothing, wherever it stands", async () => {
  for (const text of HOSTILE) {
    const messages: Message[] = [
      { role: "user", content: text, typed: text },
      {
        role: "assistant",
        content: text,
        thinking: text,
        calls: [{ id: "c1", name: text, arguments: JSON.stringify({ text }) }],
      },
      { role: "tool", call_id: "c1", name: text, content: text, success: false },
    ];
    const shown = { call_id: "c1", description: text, duration_ms: 1, preview: [text] };
    const calls = new Map([["c1", {
      ...shown,
      diffs: [{ path: text, diff: `@@ -1 +1 @@\n+${text}` }],
    }]]);
    const { document, elements, html } = await render(messages, { calls });
    const inBody = elements.slice(elements.findIndex(({ tagName }) => tagName === "body"));
    for (const element of inBody) {
      assert.ok(!FORBIDDEN.has(element.tagName), `${element.tagName} from ${text}`);
      assert.ok(!["style", "meta", "title"].includes(element.tagName), text);
      for (const { name, value } of element.attrs) {
        assert.doesNotMatch(name, /^on|^style$|^src/, text);
        if (name === "href") assert.match(value, /^(https?|mailto):/i, text);
      }
    }
    assert.equal(elements.filter(({ tagName }) => tagName === "script").length, 0);
    assert.equal(elements.filter(({ tagName }) => tagName === "h1").length, 1, text);
    // deno-lint-ignore no-control-regex
    assert.doesNotMatch(html, /[\x1b\u202e]/);
    assert.match(textOf(document), /alert|script|x\.example/, text);
  }
});

Deno.test("nothing is loaded and no script may run, whatever else is in the file", async () => {
  const { elements, html } = await render([{ role: "user", content: "x" }]);
  const policy = elements.find((one) =>
    attributeOf(one, "http-equiv") === "Content-Security-Policy"
  );
  assert.equal(attributeOf(policy!, "content"), "default-src 'none'; style-src 'unsafe-inline'");
  assert.doesNotMatch(html, /url\(|@import|src=/);
  assert.match(html, /name="viewport"/);
  assert.ok(html.length < 8_000, `${html.length} characters for one word`);
});

Deno.test("a very long result is cut, and it is said by how much", async () => {
  const messages: Message[] = [
    { role: "assistant", content: "", calls: [{ id: "c1", name: "bash", arguments: "{}" }] },
    { role: "tool", call_id: "c1", name: "bash", content: "x".repeat(1_000_000), success: true },
  ];
  const { html, document } = await render(messages);
  assert.ok(html.length < 40_000);
  assert.match(textOf(document), /… 980,000 more characters/);
});
