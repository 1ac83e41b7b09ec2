import assert from "node:assert/strict";
import { join } from "node:path";
import { renderAnimation, type Scene } from "../../scripts/terminal_svg.ts";
import { DEMO_PROMPT } from "../../src/modes/demo/story.ts";

const PICTURE = join(import.meta.dirname!, "../../.github/demo.svg");

/** The words of a picture, and a throw where its tags do not match. */
function textOf(svg: string): string {
  const open: string[] = [];
  const body = svg.replace(/<style>[^]*?<\/style>/, "");
  for (const [, end, name, rest] of body.matchAll(/<(\/?)([\w]+)([^<>]*)>/g)) {
    if (end === "/") assert.equal(open.pop(), name);
    else if (!rest?.endsWith("/")) open.push(name!);
  }
  assert.deepEqual(open, []);
  return body.replace(/<\/text>/g, "\n").replace(/<[^>]+>/g, "")
    .replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

function scene(...lines: string[]): Scene {
  const runs = lines.map((text) => text === "" ? [] : [{ column: 0, style: "", text }]);
  return { lines: runs, holdSeconds: 1 };
}

Deno.test("the picture of the README shows the demo from the prompt to the mended test, and is small", async () => {
  const svg = await Deno.readTextFile(PICTURE);
  assert.ok(svg.length < 150_000, `${svg.length} characters`);
  const text = textOf(svg);
  for (
    const shown of [
      DEMO_PROMPT,
      "FAILED: Hello World: got 'hello_world', wanted 'hello-world'",
      "Allow edit?",
      "❯ Deny (d",
      "All three tests pass now.",
      "ok: Two  Spaces",
    ]
  ) assert.ok(text.includes(shown), `${shown} in\n${text}`);
  assert.doesNotMatch(text, /ally-e2e|\/root|\/home/);
});

Deno.test("the picture needs nothing else, and follows the reader's wishes for colours and motion", async () => {
  const svg = await Deno.readTextFile(PICTURE);
  assert.deepEqual([...svg.matchAll(/https?:[^"]*/g)].map(String), ["http://www.w3.org/2000/svg"]);
  assert.doesNotMatch(svg, /<script|<image|url\(/);
  assert.match(svg, /@media \(prefers-color-scheme:light\)/);
  assert.match(svg, /@media \(prefers-reduced-motion:reduce\)/);
});

Deno.test("README shows the picture", async () => {
  const readme = await Deno.readTextFile(join(import.meta.dirname!, "../../README.md"));
  assert.match(readme, /!\[[^\]]{40,}\]\(\.github\/demo\.svg\)/);
});

Deno.test("renderAnimation() keeps the lines that two scenes begin with, and takes the others away", () => {
  const svg = renderAnimation(
    [scene("one", "", "ask?"), scene("one", "", "<done> & gone", "four")],
    {
      columns: 20,
      rows: 3,
      title: "a & b",
    },
  );
  assert.deepEqual(textOf(svg).split("\n").filter((line) => line !== "" && line !== "a & b"), [
    "one",
    "<done> & gone",
    "four",
    "ask?",
  ]);
  assert.match(svg, /class="gone"[^>]*><tspan x="0">ask\?/);
  // The fourth line does not fit: everything moves up by one.
  assert.match(svg, /transform:translateY\(-18px\)\}\n/);
});
