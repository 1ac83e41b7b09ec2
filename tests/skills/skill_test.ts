import assert from "node:assert/strict";
import { parseSkill } from "../../src/skills/skill.ts";

const PLACE = {
  hash: "",
  path: "tea/SKILL.md",
  folderName: "tea",
  folder: "/tea",
  source: "user",
} as const;

function parse(text: string) {
  return parseSkill({ ...PLACE, text }, { definitions: [] });
}

Deno.test("the head of a skill ends with three hyphens or, as YAML may, three dots", async () => {
  for (const end of ["---", "..."]) {
    const { skill, problems } = await parse(
      `---\nname: tea\ndescription: Makes tea.\n${end}\nBrew it.`,
    );
    assert.deepEqual(problems, []);
    assert.equal(skill?.body, "Brew it.");
  }
});

Deno.test("a head without an end, or with one far down, is refused and not read", async () => {
  for (const more of ["", `note: ${"x".repeat(20_000)}\n---\nBrew it.`]) {
    const { skill, problems } = await parse(`---\nname: tea\n${more}`);
    assert.equal(skill, undefined);
    assert.deepEqual(problems, [
      { line: 1, text: "its head has no end within 16.4 KB", isFatal: true },
    ]);
  }
});
