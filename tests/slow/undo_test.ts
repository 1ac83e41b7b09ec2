import assert from "node:assert/strict";
import { startInTerminal } from "../support/ally_terminal.ts";
import { delimiter, dirname, join } from "node:path";
import { MANIFEST } from "../../plugins/manifest.ts";
import type { CommandContext } from "../../src/slash/command.ts";
import { undo } from "../../src/slash/undo.ts";
import { type Call, type Harness, harness } from "../support/agent_harness.ts";
import { commandContext } from "../support/command_context.ts";
import { runAlly, stage } from "../support/program.ts";
import { describeTree } from "../support/tree.ts";

const FILES = {
  "a.ts": "export const a = 1;\n",
  "b.ts": "export const b = 1;\r\n",
  "c.txt": "one\ntwo\nthree",
  "run.sh": "#!/bin/sh\necho hi\n",
  "messy.ts": "export const  messy   =  [1,2]\n",
  "deno.json": "{}\n",
  "empty": "",
  ".gitignore": "ignored/\n",
};

const bash = (command: string): Call => ["bash", { command }];

/** Calls over all tools; just one ends in an error. */
const CALLS: readonly Call[] = [
  ["ls", { file_path: "." }],
  ["glob", { pattern: "**/*.ts" }],
  ["grep", { pattern: "export" }],
  ["read", { file_paths: ["a.ts", "b.ts", "c.txt"] }],
  ["edit", { file_path: "a.ts", edits: [{ old_string: "1", new_string: "2" }] }],
  ["edit", { file_path: "b.ts", edits: [{ old_string: "b = 1", new_string: "b = 3" }] }],
  ["line_edit", { file_path: "c.txt", edits: [{ start_line: 2, end_line: 2, new_content: "" }] }],
  ["grep", { pattern: "th(re)e", replace: "$1", path: "c.txt", preview_replace: true }],
  ["grep", { pattern: "th(re)e", replace: "$1" }],
  ["lint", { file_paths: ["a.ts"] }],
  ["format", { file_paths: ["messy.ts"] }],
  ["todo_add", { tasks: ["one", "two"] }],
  ["todo_complete", { index: 0 }],
  ["todo_update", { index: 1, status: "in_progress" }],
  ["todo_clear", {}],
  ["ally_write", { section: "Tests", content: "Run them all." }],
  ["cleanup_tool_call", { tool_call_ids: ["call_0_0"], summary: "a listing", reason: "seen" }],
  ["write", { file_path: "deep/er/new.txt", content: "new\n" }],
  bash("sed -i s/export/import/ *.ts"),
  bash("chmod 600 c.txt && chmod 700 run.sh"),
  bash("ln -s ../a.ts deep/link && ln -s nowhere dangling"),
  bash("mv c.txt deep/er/d.txt"),
  bash("git status --short"),
  ["read", { file_paths: ["a.ts"] }],
  ["edit", { file_path: "a.ts", edits: [{ old_string: "a = 2", new_string: "a = 4" }] }],
  bash("git checkout -q -- a.ts"),
  bash("rm b.ts empty"),
  bash("mkdir -p hollow/inner && rmdir bare"),
  bash("head -c 3000 /dev/urandom > noise.bin"),
  bash("printf x >> noise.bin; exit 3"),
  ["read", { file_paths: ["deep/er/d.txt"] }],
  ["write", { file_path: "deep/er/d.txt", content: "rewritten\n" }],
  bash("rm -r sub && echo file > sub"),
  bash("rm linked && mkdir linked && echo in > linked/in"),
  bash("chmod 750 deep && chmod 4755 run.sh"),
  bash("cp run.sh 'two words' && touch \"$(printf 'line\\nbreak')\""),
  bash("echo secret > ignored/cache"),
  bash("truncate -s 0 noise.bin"),
  bash("git mv -f run.sh moved.sh"),
  bash("cat deep/er/d.txt"),
  bash("rm -rf deep"),
];

async function prepare(dir: string): Promise<void> {
  await Deno.chmod(join(dir, "c.txt"), 0o640);
  await Deno.chmod(join(dir, "run.sh"), 0o755);
  for (const name of ["bare", "sub", "ignored"]) await Deno.mkdir(join(dir, name));
  await Deno.writeFile(join(dir, "sub", "bin"), new Uint8Array([0, 1, 2, 255]));
  await Deno.symlink("a.ts", join(dir, "linked"));
  const git = "git init -q && git add . && git -c user.name=t -c user.email=t@t commit -qm first";
  const { success } = await new Deno.Command("sh", { args: ["-c", git], cwd: dir }).output();
  assert.ok(success);
}

function contextFor(test: Harness, said: string[]): CommandContext {
  return commandContext(test, {
    say: (text) => said.push(text),
    show() {},
    confirm: () => Promise.resolve(true),
  });
}

Deno.test("after forty calls over all tools, /undo back to the beginning leaves the first tree, and /redo the last", async () => {
  await using test = await harness({
    files: FILES,
    rules: { allowAll: true },
    replies: CALLS.map((call) => ({ calls: [call] })),
  });
  await prepare(test.dir);
  const tree = () => describeTree(test.dir, { except: [".git", "ignored"] });
  const first = await tree();
  await test.agent.run("go");
  const last = await tree();
  const ended = test.facts.filter((fact) => fact.type === "tool_end");
  assert.equal(ended.length, CALLS.length);
  const called = new Set(ended.map((fact) => fact.name));
  // What other agents change they change with these tools; a page of the web changes nothing here.
  const own = MANIFEST.filter(({ definition: { effects } }) =>
    !effects.includes("delegate") && !effects.includes("net")
  );
  assert.deepEqual(
    own.map(({ definition }) => definition.name).filter((name) => !called.has(name)),
    [],
  );
  const failed = ended.filter((fact) => !fact.result.success);
  assert.deepEqual(failed.map((fact) => fact.result.return_code), [3]);
  assert.deepEqual(test.facts.filter((fact) => fact.type === "notice"), []);
  assert.notDeepEqual(last, first);

  const said: string[] = [];
  const patches = await test.workspace.listPatches();
  await undo.run("list", contextFor(test, said));
  assert.match(said[0] ?? "", /bash `rm -rf deep`: `deep\/er\/d.txt`, .* \+0 -2/);
  await undo.run(`last ${patches.length}`, contextFor(test, said));
  assert.deepEqual(await tree(), first);
  assert.deepEqual(await test.workspace.listPatches(), []);

  for (let left = patches.length; left > 0; left--) await test.workspace.redo();
  assert.deepEqual(await tree(), last);
  for (let left = patches.length; left > 0; left--) await test.workspace.undo();
  assert.deepEqual(await tree(), first);
});

Deno.test("the same calls by the real program, then /undo at its prompt, leave the first tree", async () => {
  const replies = CALLS.map(([name, input], index) => ({
    calls: [{ name, arguments: input as Record<string, unknown>, id: `call_${index}_0` }],
  }));
  await using at = await stage([...replies, { text: "Done." }], FILES);
  const { place } = at;
  await prepare(place.dir);
  const tree = () => describeTree(place.dir, { except: [".git", "ignored"] });
  const first = await tree();
  const env = { PATH: [dirname(Deno.execPath()), place.env.PATH].join(delimiter) };
  const done = await runAlly(place, { args: ["-p", "-A", "go"], env });
  assert.equal(done.stdout, "Done.\n");
  assert.notDeepEqual(await tree(), first);

  const [project] = await Array.fromAsync(Deno.readDir(join(place.home, "projects")));
  const patches = join(place.home, "projects", project!.name, "patches");
  const count = (await Array.fromAsync(Deno.readDir(patches))).length;
  await using session = startInTerminal(place, { columns: 100, rows: 50 });
  // The calls have made notes, which nobody has trusted yet.
  await session.shows(/❯ Not now/);
  await session.keys("n");
  await session.shows(/^›/m);
  await session.keys(`/undo last ${count}`, "Enter");
  await session.shows(/❯ No \(n, 2\)/);
  await session.keys("y");
  await session.shows(/Took back change 1 [^]*\n›$/);
  assert.deepEqual(await tree(), first);
});
