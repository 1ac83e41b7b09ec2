/**
 * A conversation written to a file, at the prompt and by a script.
 */
import assert from "node:assert/strict";
import { startInTerminal } from "../support/ally_terminal.ts";
import { runAlly, stage } from "../support/program.ts";
import { until } from "../support/wait.ts";

const TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";

const SCRIPT = [
  { calls: [{ name: "read", arguments: { file_paths: ["a.txt"] } }] },
  {
    calls: [{
      name: "edit",
      arguments: { file_path: "a.txt", edits: [{ old_string: "old", new_string: "new" }] },
    }],
  },
  { text: "Changed **it**." },
];

Deno.test("/export talk.html and ally sessions export --format write the same file, secrets masked", async () => {
  await using at = await stage(SCRIPT, { "a.txt": "old\n" });
  {
    await using session = startInTerminal(at.place, { args: ["--allow-write"] });
    await session.shows(/›$/);
    await session.keys("-l", `use ${TOKEN}`);
    await session.keys("Enter");
    await session.shows(/Changed it\.[^]*›$/);
    await session.keys("-l", "/export talk.html");
    await session.keys("Enter");
    await session.shows(/Wrote talk\.html/);
    await session.shows(/\)\.\n+›$/);
    await session.keys("C-d");
    await session.shows("left 0");
  }
  const html = await at.place.read("talk.html");
  assert.match(html, /^<!doctype html>/);
  assert.match(html, /<span class="added">\+new<\/span>/);
  assert.match(html, /<strong>it<\/strong>/);
  assert.match(html, /\[secret:/);
  assert.doesNotMatch(html, new RegExp(TOKEN));
  const exported = async (...args: string[]) =>
    (await runAlly(at.place, { args: ["sessions", "export", "last", ...args] })).stdout;
  const body = (text: string) => text.slice(text.indexOf("</header>")).trimEnd();
  assert.equal(body(await exported("--format", "html")), body(html));
  assert.match(await exported("--format", "md"), /^# use \[secret:/);
  assert.equal(JSON.parse(await exported("--format", "json")).messages.length, 6);
  assert.match(await exported("other.html"), /Wrote .*other\.html/);
  assert.equal(body(await at.place.read("other.html")), body(html));
});

Deno.test("turns that end in the same words keep their own figures, exported and shown again", async () => {
  const said = (tokens: number) => ({
    text: "Done.",
    usage: { prompt_tokens: tokens, completion_tokens: 10 },
  });
  await using at = await stage([said(4_100), said(5_200)]);
  await runAlly(at.place, { args: ["-p", "one"] });
  await runAlly(at.place, { args: ["-p", "-c", "two"] });
  const { stdout } = await runAlly(at.place, {
    args: ["sessions", "export", "last", "--format", "html"],
  });
  assert.match(stdout, /4,100 tokens in[^]*5,200 tokens in/);
  await using session = startInTerminal(at.place, { args: ["-c"] });
  await session.shows(/one\s+Done\.\s+4\.1k in[^]*two\s+Done\.\s+5\.2k in/);
});

Deno.test("what a turn took is exported without the time that a person took to answer", async () => {
  await using at = await stage(SCRIPT, { "a.txt": "old\n" });
  await using session = startInTerminal(at.place);
  await session.shows(/›$/);
  const begun = performance.now();
  await session.keys("-l", "change it");
  await session.keys("Enter");
  await session.shows(/Allow edit\?/);
  const asked = performance.now();
  await until("the person to answer", () => performance.now() - asked > 400);
  const thought = performance.now() - asked;
  await session.keys("a");
  await session.shows(/Changed it\.[^]*›$/);
  const worked = performance.now() - begun - thought;
  const turn = await until(
    "the turn's entry",
    async () => (await at.place.session()).find(({ type }) => type === "turn"),
  );
  assert.ok(Number(turn.duration_ms) <= worked, `${turn.duration_ms} ms, not ${worked}`);
});
