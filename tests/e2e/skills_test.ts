import assert from "node:assert/strict";
import { join } from "node:path";
import { startInTerminal } from "../support/ally_terminal.ts";
import { runAlly, stage } from "../support/program.ts";
import { SKILL_PLACES, skillText, writeFiles } from "../support/skill_place.ts";

const { agents, claude, own, project } = SKILL_PLACES;

const bash = (command: string) => ({ calls: [{ name: "bash", arguments: { command } }] });
const load = (name: string) => ({ calls: [{ name: "skill", arguments: { name } }] });
const read = (path: string) => ({ calls: [{ name: "read", arguments: { file_paths: [path] } }] });

interface Body {
  readonly messages: readonly { role: string; content: string }[];
  readonly tools: readonly { function: { name: string; description: string } }[];
}

const toolOf = (request: { body: Record<string, unknown> } | undefined) =>
  (request?.body as unknown as Body).tools.find((one) => one.function.name === "skill")?.function;
const messagesOf = (request: { body: Record<string, unknown> } | undefined) =>
  (request?.body as unknown as Body).messages;

const exists = (path: string) => Deno.stat(path).then(() => true, () => false);

Deno.test("without skills no tool of theirs is there, and the request is what it was", async () => {
  await using at = await stage([{ text: "One." }, { text: "Two." }]);
  await runAlly(at.place, { args: ["-p", "--no-session", "hello"] });
  assert.equal(toolOf(at.server.requests[0]), undefined);
  // An empty folder and one with nothing in it that could be a skill are no skills.
  await writeFiles(agents(at.place), { "notes.md": "x", "empty/other.md": "x" });
  await runAlly(at.place, { args: ["-p", "--no-session", "hello"] });
  assert.equal(at.server.requests[1]?.text, at.server.requests[0]?.text);
});

Deno.test("the model loads a skill once, and reads its files without a question", async () => {
  await using at = await stage([
    load("tea"),
    (request) => {
      const folder = /Its folder is (\S+):/.exec(messagesOf(request).at(-1)!.content)?.[1] ?? "";
      return read(join(folder, "references", "green.md"));
    },
    load("tea"),
    { text: "Done." },
  ]);
  await writeFiles(agents(at.place), {
    "tea/SKILL.md": skillText("tea", "Brew for three minutes."),
    "tea/references/green.md": "Green tea needs 70 degrees.",
  });
  const done = await runAlly(at.place, { args: ["-p", "make tea"] });
  assert.deepEqual([done.code, done.stdout], [0, "Done.\n"], done.stderr);
  const tool = toolOf(at.server.requests[0]);
  assert.match(tool?.description ?? "", /\n- tea: What tea is for\.$/);
  const [, , loaded, , file, , again] = messagesOf(at.server.requests[3]).slice(1);
  assert.match(messagesOf(at.server.requests[1]).at(-1)!.content, /Brew for three minutes/);
  assert.match(loaded?.content ?? "", /to be read when they are needed: references\/green\.md/);
  assert.match(file?.content ?? "", /needs 70 degrees/);
  assert.match(again?.content ?? "", /loaded already/);
  assert.doesNotMatch(again?.content ?? "", /three minutes/);
});

Deno.test("what was sent stays as it is to the byte, whatever is loaded", async () => {
  await using at = await stage([load("tea"), load("tea"), { text: "One." }, { text: "Two." }]);
  await writeFiles(agents(at.place), {
    "tea/SKILL.md": skillText("tea", "Brew."),
    "milk/SKILL.md": skillText("milk", "Pour."),
  });
  await runAlly(at.place, { args: ["-p", "make tea"] });
  const next = await runAlly(at.place, { args: ["-p", "-c", "/milk with @tea now"] });
  assert.equal(next.code, 0, next.stderr);
  const { requests } = at.server;
  assert.equal(requests.length, 4);
  for (const [index, { body }] of requests.entries()) {
    const before = requests[index - 1]?.body as unknown as Body | undefined;
    if (before === undefined) continue;
    const now = body as unknown as Body;
    assert.deepEqual(now.messages.slice(0, before.messages.length), before.messages);
    assert.deepEqual(now.tools, before.tools);
  }
});

Deno.test("a person loads a skill by /name and by @name; its instructions stand before their words", async () => {
  await using at = await stage([{ text: "One." }, { text: "Two." }, { text: "Three." }]);
  await writeFiles(agents(at.place), { "tea/SKILL.md": skillText("tea", "Brew.") });
  await at.place.write("cup.txt", "blue cup");
  await runAlly(at.place, { args: ["-p", "/tea into @cup.txt"] });
  // Messages of the user's that follow one another are sent as one.
  const first = messagesOf(at.server.requests[0]).at(-1)?.content ?? "";
  assert.match(first, /^\[The skill tea\.[^]*Brew\.[^]*\[End of the skill tea\]\n/);
  assert.match(first, /\nUse the skill tea: into @cup\.txt\n\n\[Attached: cup\.txt\][^]*blue cup/);
  await runAlly(at.place, { args: ["-p", "boil water for @tea, then wait"] });
  const second = messagesOf(at.server.requests[1]).at(-1)?.content ?? "";
  assert.match(second, /Brew\.[^]*\nboil water for @tea, then wait$/);
  await runAlly(at.place, { args: ["-p", "write to me@tea or @tea/x or @teapot"] });
  assert.doesNotMatch(JSON.stringify(messagesOf(at.server.requests[2])), /Brew\./);
});

Deno.test("what a skill approves is told, and holds for its turn and within the rules alone", async () => {
  const head = ["allowed-tools: Bash(mkdir:*) Bash(rm:*) Read"];
  const refused = [bash("mkdir a && sudo true"), bash("touch made"), bash("rm -rf kept")];
  await using at = await stage([
    load("dirs"),
    bash("mkdir made-one"),
    { text: "Done." },
    bash("mkdir made-two"),
    { text: "Not done." },
    ...refused.flatMap((call) => [load("dirs"), call, { text: "No." }]),
    load("dirs"),
    bash("mkdir made-three"),
    { text: "Forbidden." },
  ]);
  await writeFiles(agents(at.place), { "dirs/SKILL.md": skillText("dirs", "Make them.", head) });
  await Deno.mkdir(join(at.place.dir, "kept"));
  const first = await runAlly(at.place, { args: ["-p", "go"] });
  assert.equal(first.code, 0, first.stderr);
  assert.match(first.stderr, /The skill dirs may run=mkdir, run=rm, read without asking/);
  assert.equal((await runAlly(at.place, { args: ["-p", "-c", "again"] })).code, 3);
  for (const call of refused) {
    const { code } = await runAlly(at.place, { args: ["-p", "go"] });
    assert.equal(code, 3, JSON.stringify(call));
  }
  assert.equal((await runAlly(at.place, { args: ["-p", "--deny-run=mkdir", "go"] })).code, 3);
  const names = ["made-one", "made-two", "made-three", "a", "made", "kept"];
  const there = await Promise.all(names.map((name) => exists(join(at.place.dir, name))));
  assert.deepEqual(there, [true, false, false, false, false, true]);
});

Deno.test("an approval that a person's own call gives is the same", async () => {
  await using at = await stage([bash("git add x"), { text: "Done." }]);
  const head = ["allowed-tools: run=git add"];
  await writeFiles(agents(at.place), { "stage/SKILL.md": skillText("stage", "Add.", head) });
  const done = await runAlly(at.place, { args: ["-p", "/stage"] });
  assert.match(done.stderr, /The skill stage may run=git add without asking/);
  assert.doesNotMatch(done.stderr, /denied/);
});

Deno.test("a skill for people alone is not told to the model, nor loaded by it", async () => {
  await using at = await stage([load("secret"), { text: "No." }, { text: "Yes." }]);
  await writeFiles(agents(at.place), {
    "secret/SKILL.md": skillText("secret", "Hush.", ["disable-model-invocation: true"]),
    "tea/SKILL.md": skillText("tea", "Brew."),
  });
  await runAlly(at.place, { args: ["-p", "go"] });
  assert.doesNotMatch(toolOf(at.server.requests[0])?.description ?? "", /secret/);
  assert.match(messagesOf(at.server.requests[1]).at(-1)!.content, /no skill 'secret'/);
  await runAlly(at.place, { args: ["-p", "/secret"] });
  assert.match(messagesOf(at.server.requests[2]).at(-1)!.content, /Hush\./);
});

Deno.test("a project's skills act only if it is trusted, up to the repository's root", async () => {
  await using at = await stage([{ text: "One." }, { text: "Two." }, { text: "Three." }]);
  await Deno.mkdir(join(at.place.dir, ".git"));
  await writeFiles(project(at.place), { "tea/SKILL.md": skillText("tea", "Brew.") });
  const below = join(at.place.dir, "sub");
  await writeFiles(join(below, ".ally", "skills"), {
    "milk/SKILL.md": skillText("milk", "Pour."),
  });
  const left = await runAlly(at.place, { args: ["-C", below, "-p", "go"] });
  assert.match(
    left.stderr,
    /Left out.*\.ally\/skills\/milk\/SKILL\.md, \.\.\/\.agents\/skills\/tea/,
  );
  assert.equal(toolOf(at.server.requests[0]), undefined);
  await runAlly(at.place, { args: ["-C", below, "-p", "--trust-project", "go"] });
  assert.match(toolOf(at.server.requests[1])?.description ?? "", /- milk: .*\n- tea: /);
});

Deno.test("of two skills with one name the user's counts; .claude/skills counts where it is set", async () => {
  await using at = await stage([{ text: "One." }, { text: "Two." }]);
  await writeFiles(own(at.place), { "tea/SKILL.md": skillText("tea", "Mine.") });
  await writeFiles(agents(at.place), { "tea/SKILL.md": skillText("tea", "Shared.") });
  await writeFiles(project(at.place), { "tea/SKILL.md": skillText("tea", "Theirs.") });
  await writeFiles(claude(at.place), { "milk/SKILL.md": skillText("milk", "Pour.") });
  const one = await runAlly(at.place, { args: ["-p", "--trust-project", "/tea"] });
  assert.match(one.stderr, /A skill is left out: .*SKILL\.md has the name tea already/);
  assert.match(messagesOf(at.server.requests[0]).at(-1)!.content, /Mine\./);
  assert.doesNotMatch(toolOf(at.server.requests[0])?.description ?? "", /milk/);
  await writeFiles(at.place.home, { "config.json": '{"skills_compat": true}' });
  await runAlly(at.place, { args: ["-p", "go"] });
  assert.match(toolOf(at.server.requests[1])?.description ?? "", /- milk: /);
});

Deno.test("the catalogue takes 2 % of the window; the rest is found by words", async () => {
  const find = { calls: [{ name: "skill", arguments: { query: "pancakes" } }] };
  await using at = await stage([find, load("kitchen-77"), { text: "Done." }]);
  const many = Array.from({ length: 80 }, (_, index) => {
    const fields = index === 77 ? ["metadata:", "  a: b"] : [];
    const text = skillText(`kitchen-${index}`, `Step ${index}.`, fields);
    const about = index === 77 ? "Bakes pancakes on Sundays." : "Cooks. ".repeat(60);
    return [`kitchen-${index}/SKILL.md`, text.replace(/What .* for\./, about)] as const;
  });
  await writeFiles(agents(at.place), Object.fromEntries(many));
  await runAlly(at.place, { args: ["-p", "--context-size", "16384", "cook"] });
  const { description = "" } = toolOf(at.server.requests[0]) ?? {};
  const lines = description.split("\n").filter((line) => line.startsWith("- "));
  // Four characters a token, at least.
  assert.ok(lines.join("\n").length <= 16_384 * 0.02 * 5, description);
  assert.match(description, /\n\d+ more skills: find them with query\.$/);
  assert.match(messagesOf(at.server.requests[1]).at(-1)!.content, /^- kitchen-77: Bakes pancakes/);
  assert.match(messagesOf(at.server.requests[2]).at(-1)!.content, /Step 77\./);
});

Deno.test("the instructions survive a compaction, and are not loaded twice after it", async () => {
  const filler = "word ".repeat(900);
  await using at = await stage([
    load("tea"),
    { text: filler },
    { text: "The summary: tea is to be made, as the user wants it. ".repeat(2) },
    load("tea"),
    { text: "Done." },
  ]);
  await writeFiles(agents(at.place), {
    "tea/SKILL.md": skillText("tea", "Brew for three minutes."),
  });
  await using screen = startInTerminal(at.place, { args: ["--context-size", "16384"] });
  await screen.shows("Ctrl+C stops");
  await screen.keys("make tea", "Enter");
  await screen.shows(/word word[^]*›$/);
  await screen.keys("/compact", "Enter");
  await screen.shows(/Compacted[^]*›$/);
  await screen.keys("go on", "Enter");
  await screen.shows(/Done\.[^]*›$/);
  const after = messagesOf(at.server.requests[3]);
  assert.match(after[1]?.content ?? "", /## Skills in use\n\[The skill tea[^]*three minutes/);
  assert.match(messagesOf(at.server.requests[4]).at(-1)!.content, /loaded already/);
});

Deno.test("at the prompt skills are offered by / and @, listed by /skills, and asked about in a project", async () => {
  await using at = await stage([{ text: "Brewed." }]);
  const head = ["allowed-tools: Bash(kettle:*)"];
  await writeFiles(project(at.place), { "tea/SKILL.md": skillText("tea", "Brew.", head) });
  await using screen = startInTerminal(at.place, { columns: 110 });
  const trust = await screen.shows("❯ Not now");
  assert.match(trust, /the skill tea, which the model may load: What tea is for\./);
  assert.match(trust, /WITHOUT ASKING, while it runs: Bash\(kettle:\*\)/);
  await screen.keys("t");
  await screen.shows("Ctrl+C stops");
  await screen.keys("/te", "Tab");
  await screen.shows(/› \/tea$/m);
  await screen.keys("now", "Enter");
  const done = await screen.shows(/Brewed\.[^]*›$/);
  assert.match(
    done,
    /The skill tea may run=kettle without asking, in this turn \(commands as far as/,
  );
  await screen.keys("/skills", "Enter");
  await screen.shows(/\/tea.*of this project.*loaded.*run=kettle.*What tea is for/);
  await screen.keys("look at @te");
  await screen.shows(/tea +skill: What tea is for/);
});
