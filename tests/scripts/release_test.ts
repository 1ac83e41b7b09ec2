import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import manifest from "../../deno.json" with { type: "json" };
import { findSection } from "../../scripts/changelog.ts";
import { PINNED_DENO } from "../../scripts/pinned_deno.ts";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

async function release(...args: string[]) {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", join(ROOT, "scripts", "release.ts"), ...args],
    cwd: ROOT,
    env: { NO_COLOR: "1" },
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

Deno.test("findSection() finds what has changed in a version, and no other's", () => {
  const changelog = `# Changes

## 0.10.0 (unreleased)

### For people

- ten

## 0.1.0 (2026-11-01)

- one
`;
  assert.deepEqual(findSection(changelog, "0.10.0"), {
    date: "unreleased",
    text: "### For people\n\n- ten",
  });
  assert.deepEqual(findSection(changelog, "0.1.0"), { date: "2026-11-01", text: "- one" });
  assert.equal(findSection(changelog, "0.1"), undefined);
});

Deno.test("the changelog has a section for the version in deno.json", async () => {
  const changelog = await Deno.readTextFile(join(ROOT, ".github", "CHANGELOG.md"));
  assert.ok(findSection(changelog, manifest.version));
});

Deno.test("a release lists its files beforehand, and is refused for a tag of another version", async () => {
  const listed = await release("--dry-run");
  assert.equal(listed.code, 0, listed.stderr);
  assert.deepEqual(
    listed.stdout.trim().split("\n").slice(1).map((line) => line.trim()),
    [
      `ally-agent-${manifest.version}.tgz`,
      ...[
        "x86_64-unknown-linux-gnu",
        "aarch64-unknown-linux-gnu",
        "x86_64-apple-darwin",
        "aarch64-apple-darwin",
        "x86_64-pc-windows-msvc",
      ].map((target) => `ally-${manifest.version}-${target}.tar.gz`),
      "SHA256SUMS",
      "NOTES.md",
    ],
  );
  const refused = await release("--dry-run", "--tag", "v9.9.9");
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /the tag is v9\.9\.9, and deno\.json says/);
});

Deno.test("all that names Deno's version names the pinned one", async () => {
  const files = [
    "README.md",
    ".github/CONTRIBUTING.md",
    ".github/workflows/release.yml",
    ".ci/run",
  ];
  for (const file of files) {
    const text = await Deno.readTextFile(join(ROOT, file));
    const named = [...text.matchAll(/deno@(\d+\.\d+\.\d+)/g)].map(([, version]) => version);
    assert.ok(named.length > 0, file);
    assert.deepEqual(named.filter((version) => version !== PINNED_DENO), [], file);
  }
});

Deno.test("every action of a workflow is pinned to a commit", async () => {
  const workflows = join(ROOT, ".github", "workflows");
  for (const { name } of Deno.readDirSync(workflows)) {
    const text = await Deno.readTextFile(join(workflows, name));
    for (const [, action] of text.matchAll(/uses: (\S+)/g)) {
      assert.match(action!, /^\.\/|@[0-9a-f]{40}$/, `${name}: ${action}`);
    }
  }
});
