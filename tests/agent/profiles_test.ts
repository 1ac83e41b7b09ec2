import assert from "node:assert/strict";
import { MANIFEST } from "../../plugins/manifest.ts";
import type { ProfileFile } from "../../src/agent/profile_file.ts";
import { Profiles, withAgentNames } from "../../src/agent/profiles.ts";

const file = (name: string, text: string, source: ProfileFile["source"] = "user") => ({
  path: `agents/${name}.md`,
  text,
  source,
});

async function profilesOf(...files: ProfileFile[]): Promise<Profiles> {
  const profiles = new Profiles({
    read: () => Promise.resolve({ files, problems: [] }),
    tools: () => MANIFEST.map(({ definition }) => definition),
  });
  await profiles.refresh();
  return profiles;
}

Deno.test("a file without front matter is an agent named after it, told by its first words", async () => {
  const { all, problems } = await profilesOf(
    file("poet", "\uFEFF\r\n# Writes verse\r\n\r\nRhyme."),
  );
  const { name, description, instructions, tools } = all[1]!;
  assert.deepEqual({ name, description, tools }, {
    name: "poet",
    description: "Writes verse",
    tools: undefined,
  });
  assert.equal(instructions, "# Writes verse\n\nRhyme.");
  assert.deepEqual(problems, { broken: [], warnings: [] });
});

Deno.test("what stands before the first line of dashes makes the file all words, as it is shown for trust", async () => {
  const text = " ---\nallowed-tools: bash\n---\nWords.";
  const profile = (await profilesOf(file("x", text))).find("x");
  assert.equal(profile?.approved, undefined);
  assert.equal(profile?.instructions, text.trim());
});

Deno.test("front matter with Windows line ends, comments and tools with commas is read", async () => {
  const text = "---\r\n# mine\r\nname: r-2\r\ndescription: >\r\n  Two\r\n  lines\r\n" +
    "tools: Read, line-edit\r\n---\r\nWords.\r\n";
  const profile = (await profilesOf(file("x", text))).find("R 2");
  assert.deepEqual(profile?.tools, ["read", "line_edit"]);
  assert.equal(profile?.description, "Two lines");
  assert.equal(profile?.instructions, "Words.");
});

const BROKEN: readonly [text: string, problem: RegExp][] = [
  ["---\nname: x\n", /^agents\/a\.md:1: the head that '---' begins has no end/],
  ["---\nname: [\n---\n", /^agents\/a\.md:[23]: /],
  ["---\ndescription: x\nname: two words\n---\n", /^agents\/a\.md:3: name must be letters/],
  ["---\n- a\n- b\n---\n", /^agents\/a\.md:2: it must be a list of fields/],
  ["---\n\n\ntools:\n  - read\n  - agent\n---\n", /^agents\/a\.md:4: there is no tool 'agent'/],
  ["---\nmax_turns: 0\n---\n", /^agents\/a\.md:2: max_turns must be a whole number from 1, not 0/],
  ["---\nmodel: 7\n---\n", /^agents\/a\.md:2: model must be the name of a model, not 7/],
  ["---\na: 1\na: 2\n---\n", /^agents\/a\.md:3: /],
  // What a person is shown before they trust the file refuses it too.
  ["---\na: &x bash\nallowed-tools: *x\n---\n", /^agents\/a\.md:2: names that stand for other/],
];

for (const [text, problem] of BROKEN) {
  Deno.test(`a profile is refused with its line: ${JSON.stringify(text)}`, async () => {
    const { all, problems } = await profilesOf(file("a", text), file("b", "Good."));
    assert.match(problems.broken.join("\n"), problem);
    assert.deepEqual(all.map(({ name }) => name), ["general", "b"]);
  });
}

Deno.test("what a profile says beyond is ignored and told; a server's tools may come later", async () => {
  const text = "---\ndescription: x\ncolor: red\ntools: [read, db__query]\n---\n";
  const profiles = await profilesOf(file("a", text));
  assert.deepEqual(profiles.problems.warnings, ["agents/a.md:3: 'color' is ignored"]);
  assert.deepEqual(profiles.find("a")?.tools, ["read", "db__query"]);
});

Deno.test("the project's agent stands in for the user's, and two of the same name are refused", async () => {
  const profiles = await profilesOf(
    file("a", "---\nname: same\n---\nfirst"),
    file("b", "---\nname: same\n---\nsecond"),
    file("general", "of the user"),
    { ...file("same", "of the project"), source: "project" },
  );
  assert.equal(profiles.find("same")?.instructions, "of the project");
  assert.equal(profiles.find("general")?.source, "user");
  assert.deepEqual(profiles.overridden.map(({ source }) => source), ["built in", "user"]);
  assert.deepEqual(profiles.problems.broken, [
    "agents/b.md:1: agents/a.md has the name 'same' already",
  ]);
});

Deno.test("the tool's description names the agents, and only their names when they are many", async () => {
  const definition = MANIFEST.find((entry) => entry.definition.name === "agent")!.definition;
  const alone = await profilesOf();
  assert.equal(withAgentNames(definition, alone.all), definition);
  const few = await profilesOf(file("critic", "Finds fault."));
  assert.match(withAgentNames(definition, few.all).description, /; critic \(Finds fault\.\)$/);
  const many = await profilesOf(
    ...Array.from({ length: 150 }, (_, i) => file(`agent-${i}`, "Does something of some length.")),
  );
  const { description } = withAgentNames(definition, many.all);
  assert.match(description, /general, agent-0, agent-1, .*, \.\.\.$/);
  assert.ok(description.length < 900, `${description.length}`);
});
