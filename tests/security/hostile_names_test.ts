/**
 * Names that others chose and that control a terminal or are markup: of the directory, the branch, agents, skills,
 * commands, hooks, MCP servers with their tools, prompts and resources. They are shown, sent, saved and exported as
 * text.
 */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { STARTED, startInTerminal } from "../support/ally_terminal.ts";
import { writeServers } from "../support/mcp_place.ts";
import { type Place, runAlly, type Stage, stage } from "../support/program.ts";

/** Sets a title, clears the screen, turns what follows around, hides, and is markup; a file can be called so. */
const NAME = "n\x1b]0;owned\x07\x9b2J\u202e\u200b\u2066<img src=x onerror=canary()>";
// deno-lint-ignore no-control-regex
const CONTROLS = /\x1b\]0;owned|\x07(?!$)|\x9b|[\u202a-\u202e\u2066-\u2069\u200b]/;

const SERVER = fileURLToPath(new URL("../support/obedient_mcp_server.ts", import.meta.url));

async function write(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await Deno.mkdir(dirname(join(root, name)), { recursive: true });
    await Deno.writeTextFile(join(root, name), text);
  }
}

/** A place whose directory, and all that it and its user have, is called so. */
async function named(at: Stage): Promise<Place> {
  const dir = join(at.place.dir, NAME);
  const head = (name: string) =>
    `---\nname: ${JSON.stringify(name)}\ndescription: ${JSON.stringify(NAME)}\n---\n\n`;
  await write(dir, {
    "a.txt": "x\n",
    [`${NAME}.txt`]: "x\n",
    ".git/HEAD": `ref: refs/heads/${NAME}\n`,
    [`.ally/agents/${NAME}.md`]: `${head("good")}Be one.`,
    ".ally/agents/bad.md": `${head(NAME)}Be one.`,
    ".ally/agents/odd.md": `---\n${JSON.stringify(NAME)}: 1\nmodel: ${
      JSON.stringify(NAME)
    }\ntools: [${JSON.stringify(NAME)}]\n---\n\nBe one.`,
    [`.ally/commands/${NAME}.md`]: `${head("x")}Say it.`,
    ".ally/commands/fine.md": `---\ndescription: ${JSON.stringify(NAME)}\nargument-hint: ${
      JSON.stringify(NAME)
    }\nallowed-tools: [${JSON.stringify(NAME)}, ${JSON.stringify(`run=${NAME}`)}]\n---\n\nSay it.`,
    [`.ally/skills/${NAME}/SKILL.md`]: `${head(NAME)}Do it.`,
    ".ally/skills/fine/SKILL.md": `---\nname: fine\ndescription: ${
      JSON.stringify(NAME)
    }\nallowed-tools: [${JSON.stringify(`run=${NAME}`)}]\n${
      JSON.stringify(NAME)
    }: 1\n---\n\nDo it.`,
    ".ally/config.json": JSON.stringify({
      hooks: { session_start: [{ command: `echo 'n'; # ${NAME}` }] },
      [NAME]: 1,
    }),
    ".mcp.json": JSON.stringify({
      mcpServers: { [NAME]: { command: NAME }, p: { command: NAME } },
    }),
  });
  await writeServers(at.place.home, {
    s: { command: Deno.execPath(), args: ["run", "-A", "--no-config", SERVER, NAME] },
    [NAME]: { command: Deno.execPath(), args: ["run", "-A", "--no-config", SERVER, NAME] },
  });
  return { ...at.place, dir };
}

/** What shows each of them at the prompt. */
const COMMANDS = [
  ...["/agents", "/skills", "/mcp", "/status", "/context", "/help fine", "/fine", "@good hello"],
  ...["/export x.html", "/export x.md"],
];

const LISTS = [
  ["skills", "list"],
  ["mcp", "list"],
  ["agents", "list"],
  ["sessions", "list"],
  ["sessions", "list", "--all"],
  ["hooks", "list"],
  ["trust", "list"],
  ["permissions", "list"],
  ["config", "list"],
  ["doctor"],
  ["replay", "t.jsonl"],
  ["sessions", "export", "last", "--format", "md"],
  ["sessions", "export", "last", "--format", "html"],
  ["-p", "--trust-project", "go"],
];

Deno.test("names reach the terminal, the model, lists and exports as text", async () => {
  await using at = await stage(Array.from({ length: 20 }, () => ({ text: "Said." })));
  const place = await named(at);
  {
    await using session = startInTerminal(place, {
      args: ["--trust-project", "--record", "t.jsonl"],
      env: { TERM: "xterm-ghostty", TERM_PROGRAM: "ghostty" },
    });
    await session.shows(STARTED);
    for (const typed of COMMANDS) {
      await session.keys("-l", typed);
      await session.keys("Enter");
      const answered = new RegExp(`› ${typed}\\n[^›]+\\n›$`);
      await session.shows(answered);
    }
    const output = new TextDecoder().decode(await session.output());
    assert.ok(output.includes("\x1b]2;ally: n"));
    assert.doesNotMatch(output, CONTROLS);
  }
  for (const args of LISTS) {
    const { stdout, stderr } = await runAlly(place, { args });
    assert.doesNotMatch(stdout + stderr, CONTROLS, args.join(" "));
  }
  for (const { body } of at.server.requests) {
    assert.doesNotMatch(textsOf(body).join("\n"), CONTROLS);
  }
  const [html, markdown] = await Promise.all(
    ["x.html", "x.md"].map((name) => Deno.readTextFile(join(place.dir, name))),
  );
  assert.match(html!, /&lt;img/);
  assert.doesNotMatch(html!, /<img/);
  assert.doesNotMatch(markdown!.replace(/(`+)[^`]+?\1/g, ""), /(?<!\\)<img/);
});

/** Every text in a value, as whoever gets the value reads it. */
function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => [key, ...textsOf(part)]);
}
