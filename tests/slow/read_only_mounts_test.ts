/** ally as a process for which a directory is mounted read-only: its home, its sessions, the workspace. */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import type { ScriptedReply } from "../../src/modes/demo/scripted_server.ts";
import { allyCommand, runAlly, runAllyProcess, stage } from "../support/program.ts";

const WORK: readonly ScriptedReply[] = [
  { calls: [{ name: "read", arguments: { file_paths: ["a.txt"] } }] },
  { calls: [{ name: "write", arguments: { file_path: "new.txt", content: "new\n" } }] },
  { calls: [{ name: "bash", arguments: { command: "echo ran" } }] },
  { text: "Done." },
];

/** ally where some directories are mounted read-only, which binds even root. */
function mounted(readOnly: readonly string[]): readonly string[] {
  const binds = readOnly.flatMap((directory) => ["--ro-bind", directory, directory]);
  return ["bwrap", "--dev-bind", "/", "/", ...binds, "--", ...allyCommand()];
}

async function canMount(): Promise<boolean> {
  try {
    const args = ["--dev-bind", "/", "/", "--ro-bind", "/tmp", "/tmp", "true"];
    return (await new Deno.Command("bwrap", { args, stderr: "null" }).output()).success;
  } catch {
    return false;
  }
}

const ignore = !await canMount();

Deno.test({
  name:
    "with a read-only home ally works, says that the session stays in memory, and undo works until its end",
  ignore,
  async fn() {
    await using at = await stage(WORK, { "a.txt": "a\n" });
    const { home, dir } = at.place;
    await Deno.mkdir(home);
    const own = join(dirname(dir), "tmp");
    await Deno.mkdir(own);
    const done = await runAllyProcess(at.place, {
      program: mounted([home]),
      args: ["-p", "-A", "go"],
      env: { TMPDIR: own },
    });
    assert.equal(done.stdout, "Done.\n");
    assert.match(done.stderr, /Cannot keep anything in .*read-only.*can be undone until it ends/is);
    assert.match(done.stderr, /ok: write new\.txt/);
    assert.match(done.stderr, /ok: bash echo ran/);
    assert.equal(await at.place.read("new.txt"), "new\n");
    assert.deepEqual(await Array.fromAsync(Deno.readDir(home)), []);
    assert.deepEqual(await Array.fromAsync(Deno.readDir(own)), [], "nothing stays behind");
  },
});

Deno.test({
  name: "with a read-only session directory an older session is still read, and goes on in memory",
  ignore,
  async fn() {
    await using at = await stage([{ text: "First." }, { text: "Second." }]);
    await runAlly(at.place, { args: ["-p", "one"] });
    const before = await at.place.session();
    const done = await runAllyProcess(at.place, {
      program: mounted([join(at.place.home, "projects")]),
      args: ["-p", "--continue", "two"],
    });
    assert.equal(done.stdout, "Second.\n");
    assert.match(done.stderr, /stays in memory/);
    const messages = at.server.requests.at(-1)!.body.messages as { content: string }[];
    assert.deepEqual(messages.slice(1).map(({ content }) => content), ["one", "First.", "two"]);
    assert.deepEqual(await at.place.session(), before);
  },
});

Deno.test({
  name: "with a read-only workspace a change fails with the reason, and the rest works",
  ignore,
  async fn() {
    await using at = await stage(WORK, { "a.txt": "a\n" });
    const done = await runAllyProcess(at.place, {
      program: mounted([at.place.dir]),
      args: ["-p", "-A", "go"],
    });
    assert.equal(done.stdout, "Done.\n");
    assert.match(done.stderr, /failed: write new\.txt.*\n.*the file system is read-only/);
    assert.match(done.stderr, /ok: bash echo ran/);
    assert.equal((await at.place.messages()).length, 8);
  },
});
