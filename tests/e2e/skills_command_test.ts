import assert from "node:assert/strict";
import { join } from "node:path";
import { packTar } from "modern-tar";
import { runAlly, stage } from "../support/program.ts";
import { SKILL_PLACES, skillText, writeFiles } from "../support/skill_place.ts";

Deno.test("a new skill is in order, is found, and works", async () => {
  await using at = await stage([{ text: "Done." }]);
  const made = await runAlly(at.place, { args: ["skills", "new", "tea"] });
  assert.match(made.stdout, /^Made the skill tea: .*skills\/tea\/SKILL\.md\n/);
  const again = await runAlly(at.place, { args: ["skills", "new", "tea"] });
  assert.deepEqual([again.code, /Cannot make/.test(again.stderr)], [2, true]);
  const bad = await runAlly(at.place, { args: ["skills", "new", "Tea Time"] });
  assert.match(bad.stderr, /lower-case letters and digits/);
  const checked = await runAlly(at.place, { args: ["skills", "check", "tea"] });
  assert.deepEqual([checked.code, checked.stdout], [0, "tea is in order.\n"]);
  const listed = await runAlly(at.place, { args: ["skills", "list"] });
  assert.match(listed.stdout, /^tea {2}What it does.*\n {2}yours: .*skills\/tea\/SKILL\.md$/m);
  assert.equal((await runAlly(at.place, { args: ["-p", "/tea"] })).code, 0);
  assert.match(at.server.requests[0]!.text, /Say step by step what to do/);
});

Deno.test("check tells what is against the standard, with its line", async () => {
  await using at = await stage([]);
  await writeFiles(at.place.dir, {
    "all/tea/SKILL.md": skillText("coffee", "Brew.", ["color: red", "allowed-tools: frob(x)"]),
    "all/milk/SKILL.md": skillText("milk", "Pour."),
  });
  const text = await runAlly(at.place, { args: ["skills", "check", "all"] });
  assert.equal(text.code, 1);
  assert.match(text.stdout, /milk is in order\./);
  assert.match(text.stdout, /tea\/SKILL\.md:2: the name 'coffee' is not that of its folder, 'tea'/);
  assert.match(text.stdout, /tea\/SKILL\.md:4: 'color' has no meaning here/);
  assert.match(text.stdout, /tea\/SKILL\.md:5: allowed-tools: 'frob\(x\)' is left out/);
  const json = await runAlly(at.place, { args: ["skills", "check", "--json", "all/tea"] });
  const { ok, skills: [one] } = JSON.parse(json.stdout);
  assert.deepEqual([ok, one.usable, one.problems.length], [false, true, 3]);
  assert.equal((await runAlly(at.place, { args: ["skills", "check", "none"] })).code, 2);
});

Deno.test("install takes the skills of a folder or an archive, and replaces them as a whole", async () => {
  await using at = await stage([]);
  const head = ["allowed-tools: Bash(kettle:*)"];
  await writeFiles(at.place.dir, {
    "repo/README.md": "x",
    "repo/skills/tea/SKILL.md": skillText("tea", "Brew.", head),
    "repo/skills/tea/scripts/boil.sh": "kettle",
    "repo/skills/milk/SKILL.md": skillText("milk", "Pour."),
  });
  const first = await runAlly(at.place, { args: ["skills", "install", "--yes", "repo"] });
  assert.equal(first.code, 0, first.stderr);
  assert.match(first.stdout, /WITHOUT ASKING, once loaded: run=kettle/);
  const tea = join(at.place.home, "skills", "tea");
  assert.equal(await Deno.readTextFile(join(tea, "scripts", "boil.sh")), "kettle");
  const body = skillText("tea", "Steep.");
  const header = { name: "package/SKILL.md", size: body.length, type: "file" } as const;
  await Deno.writeFile(join(at.place.dir, "tea.tar"), await packTar([{ header, body }]));
  const second = await runAlly(at.place, { args: ["skills", "install", "--yes", "tea.tar"] });
  assert.match(second.stdout, /1 file; REPLACES the one you have/);
  assert.match(await Deno.readTextFile(join(tea, "SKILL.md")), /Steep\./);
  await assert.rejects(Deno.stat(join(tea, "scripts")));
});

Deno.test("list says of a project's skills whether they act", async () => {
  await using at = await stage([]);
  await writeFiles(SKILL_PLACES.project(at.place), { "tea/SKILL.md": skillText("tea", "Brew.") });
  const untrusted = await runAlly(at.place, { args: ["skills", "list", "--json"] });
  const { skills: [one] } = JSON.parse(untrusted.stdout);
  assert.deepEqual([one.source, one.active, /not trusted/.test(one.why)], ["project", false, true]);
  const trusted = await runAlly(at.place, { args: ["--trust-project", "skills", "list"] });
  assert.doesNotMatch(trusted.stdout, /does not act/);
});
