import assert from "node:assert/strict";
import { join } from "node:path";
import { sha256 } from "../../src/lib/fs.ts";
import { startScriptedServer } from "../../src/modes/demo/scripted_server.ts";
import { Workspace } from "../../src/workspace/workspace.ts";
import { figure, peakMemory } from "../support/faults.ts";
import { finish, makePlace, type Place, spawnAlly } from "../support/program.ts";
import { makeToolContext } from "../support/tool_context.ts";

const FILES = figure({ small: 1_000, full: 10_000 });
const MB = 1_000_000;
const BIG = figure({ small: 20 * MB, full: 100 * MB });
const LINES = figure({ small: 200_000, full: 1_000_000 });

Deno.test(`a change of ${FILES} files is made and undone as one`, async () => {
  await using test = await makeToolContext();
  const names = Array.from({ length: FILES }, (_, at) => `d${at % 100}/f${at}.txt`);
  for (let at = 0; at < 100; at++) await Deno.mkdir(join(test.cwd, `d${at}`));
  for (const name of names) await Deno.writeTextFile(join(test.cwd, name), `old ${name}\r\n`);
  const options = { cwd: test.cwd, patchDir: test.patchDir, fileChecks: false };
  const workspace = new Workspace(options);
  const changes = [];
  for (const name of names) {
    const path = await workspace.resolve(name);
    const { text } = await workspace.read(path);
    changes.push({ path, before: text, after: text.replace("old", "new") });
  }
  await workspace.commit(changes, { tool: "edit", callId: "call_1" });
  for (const name of names) {
    assert.equal(await Deno.readTextFile(join(test.cwd, name)), `new ${name}\r\n`);
  }
  const { files } = await new Workspace(options).undo();
  assert.equal(files.length, FILES);
  for (const name of names) {
    assert.equal(await Deno.readTextFile(join(test.cwd, name)), `old ${name}\r\n`);
  }
  for await (const { name } of Deno.readDir(join(test.cwd, "d0"))) assert.match(name, /\.txt$/);
});

/** Edits a file by the program, then undoes it; gives the content between, and the most memory taken. */
async function editAndUndo(place: Place) {
  let memory = 0;
  const pid = { value: 0 };
  const edit = { file_path: "a", old_string: "TARGET", new_string: "changed" };
  await using server = await startScriptedServer({
    replies: [
      { calls: [{ name: "read", arguments: { file_paths: ["a"], offset: 1, limit: 1 } }] },
      { calls: [{ name: "edit", arguments: edit }] },
      () => {
        memory = peakMemory(pid.value);
        return { text: "Done." };
      },
    ],
  });
  const env = { OPENAI_BASE_URL: server.url };
  const child = spawnAlly(place, { args: ["-p", "-A", "go"], env });
  pid.value = child.pid;
  const { code, stderr } = await finish(child);
  assert.equal(code, 0, stderr);
  const messages = server.requests.at(-1)!.body.messages as { role: string; content: string }[];
  const told = messages.filter(({ role }) => role === "tool").at(-1)!.content;
  const changed = await Deno.readFile(join(place.dir, "a"));
  const projects = join(place.home, "projects");
  const [project = ""] = await Array.fromAsync(Deno.readDir(projects), ({ name }) => name);
  const patchDir = join(projects, project, "patches");
  await new Workspace({ cwd: place.dir, patchDir }).undo();
  return { told, changed, memory };
}

const encoder = new TextEncoder();

function concatenate(...parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(parts.flatMap((part) => [...part]));
}

/** Content before and after the word that is edited. */
const AROUND: Readonly<Record<string, readonly [Uint8Array, Uint8Array]>> = {
  "Windows line ends": [encoder.encode("a\r\nb\r\n"), encoder.encode("\r\nc\r\n")],
  "mixed line ends": [encoder.encode("a\r\nb\n"), encoder.encode("\nc\r\rd\r\n")],
  "a byte order mark": [encoder.encode("\ufeffa\n"), encoder.encode("\nb\n")],
  "no final newline": [encoder.encode("a\n"), encoder.encode("\nb")],
  "bytes that are no text": [
    concatenate(encoder.encode("a\n"), new Uint8Array([0xff, 0xfe, 0xc3, 0x28, 10])),
    concatenate(encoder.encode("\n"), new Uint8Array([0x80, 0x81, 10])),
  ],
};

for (const [what, [before, after]] of Object.entries(AROUND)) {
  Deno.test(`an edit of a file with ${what} leaves all other bytes, and undo restores every one`, async () => {
    await using place = await makePlace();
    const path = join(place.dir, "a");
    const old = concatenate(before, encoder.encode("TARGET"), after);
    await Deno.writeFile(path, old);
    const { changed, told } = await editAndUndo(place);
    const expected = concatenate(before, encoder.encode("changed"), after);
    assert.deepEqual([...changed], [...expected], told);
    assert.deepEqual([...await Deno.readFile(path)], [...old]);
  });
}

const LARGE: Readonly<Record<string, () => string>> = {
  [`${BIG / MB} MB`]: () => `${"x".repeat(99)}\n`.repeat(BIG / 100),
  [`${LINES} lines`]: () => Array.from({ length: LINES }, (_, at) => `line ${at}\n`).join(""),
};

for (const [what, make] of Object.entries(LARGE)) {
  Deno.test({
    name: `an edit of a file of ${what} takes bounded memory, and undo restores every byte`,
    ignore: Deno.build.os !== "linux",
    async fn() {
      await using place = await makePlace();
      const path = join(place.dir, "a");
      const content = make();
      await Deno.writeTextFile(path, `${content}TARGET\n`);
      const old = sha256(await Deno.readFile(path));
      const { changed, told, memory } = await editAndUndo(place);
      assert.equal(changed.length, content.length + "changed\n".length, told);
      assert.equal(sha256(await Deno.readFile(path)), old);
      const bound = 700 * MB + 15 * changed.length;
      assert.ok(memory < bound, `${memory / MB} MB, more than ${bound / MB}`);
    },
  });
}
