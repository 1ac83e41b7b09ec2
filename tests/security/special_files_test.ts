/**
 * Pipes, devices and files without an end, where a project has what ally reads by itself: a start and an ordinary
 * session wait for none of them. In a process of its own, as a read that waits holds all of it.
 */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import type { ScriptedReply } from "../../src/modes/demo/scripted_server.ts";
import { finish, spawnAlly, type Stage, stage } from "../support/program.ts";

/** Milliseconds within which a session of a few calls ends, on a busy machine too. */
const PATIENCE = 60_000;
/** More than can be held in memory. */
const HUGE = 60e9;

const KINDS: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
  "a pipe": async (path) => {
    const { success } = await new Deno.Command("mkfifo", { args: [path] }).output();
    assert.ok(success);
  },
  "without an end": async (path) => {
    await Deno.writeTextFile(path, "");
    await Deno.truncate(path, HUGE);
  },
  "a device": (path) => Deno.symlink("/dev/zero", path),
};

/** Each in a project of its own. */
const REPOSITORY = [".git", ".git/HEAD", ".git/config", ".git/index", ".git/commondir"];
/** All in one project. */
const PROJECT = [
  "sub/.git",
  "ALLY.md",
  "AGENTS.md",
  "CLAUDE.md",
  ".ally/config.json",
  ".ally/mcp.json",
  ".mcp.json",
  ".ally/agents/x.md",
  ".ally/commands/x.md",
  ".ally/skills/x/SKILL.md",
  ".agents/skills/x/SKILL.md",
  "package.json",
  "Makefile",
  "deno.json",
  "pyproject.toml",
  "tsconfig.json",
  ".npmrc",
];

const CALLS: readonly ScriptedReply[] = [
  { name: "read", arguments: { file_paths: ["a.txt", "Makefile"] } },
  { name: "bash", arguments: { command: "make" } },
  { name: "write", arguments: { file_path: "b.txt", content: "b\n" } },
].map((call) => ({ calls: [call] }));

/** A project in which these are so. */
async function planted(at: Stage, paths: readonly string[], kind: string): Promise<void> {
  const { dir } = at.place;
  await new Deno.Command("git", { args: ["init", "-q"], cwd: dir }).output();
  for (const path of paths.map((one) => join(dir, one))) {
    await Deno.remove(path, { recursive: true }).catch(() => {});
    await Deno.mkdir(dirname(path), { recursive: true });
    await KINDS[kind]!(path);
  }
}

for (const kind of Object.keys(KINDS)) {
  Deno.test(`a project whose files are ${kind} is worked in`, async () => {
    for (const paths of [...REPOSITORY.map((path) => [path]), PROJECT]) {
      await using at = await stage([...CALLS, { text: "done" }], {
        "a.txt": "a\n",
        "a.js": "a;\n",
      });
      await planted(at, paths, kind);
      const child = spawnAlly(at.place, {
        args: ["-p", "--trust-project", "--allow-write", "--output-format", "json", "go"],
      });
      const timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE);
      const { code, stdout, stderr } = await finish(child);
      clearTimeout(timer);
      assert.ok(code === 0 || code === 3, `${paths[0]}: code ${code}, ${stdout}${stderr}`);
    }
  });
}
