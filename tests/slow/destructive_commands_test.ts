import assert from "node:assert/strict";
import { join } from "node:path";
import { DESTRUCTIVE_COMMANDS, PREPARE } from "../support/destructive_commands.ts";
import { has } from "../support/faults.ts";
import { runAlly, stage } from "../support/program.ts";
import { receiptLines, runWithReceipt, verifyJson } from "../support/receipt.ts";
import { describeTree } from "../support/tree.ts";

/** Calls in one reply. */
const AT_ONCE = 10;

const ROWS = DESTRUCTIVE_COMMANDS
  .map((row) => typeof row === "string" ? [row, "sh"] as const : row)
  .filter(([, needs]) => has("sh", "-c", `command -v ${needs}`))
  .map(([command], index) => ({ command, directory: `row${String(index).padStart(3, "0")}` }));

/** A directory with the same files for each row, half of them known to git. */
async function prepare(root: string): Promise<void> {
  for (const { directory } of ROWS) await Deno.mkdir(join(root, directory));
  await Deno.writeTextFile(join(root, ".prepare"), PREPARE);
  const script = `set -e; umask 022
    cd row000; sh ../.prepare; cd ..; rm .prepare
    for row in row*; do test $row = row000 || cp -a row000/. $row; done
    git init -q; git add row*/a.txt row*/dir row*/crlf.txt
    git -c user.name=t -c user.email=t@t commit -qm first`;
  const { success, stderr } = await new Deno.Command("bash", { args: ["-c", script], cwd: root })
    .output();
  assert.ok(success, new TextDecoder().decode(stderr));
}

async function describeRows(root: string): Promise<Map<string, string[]>> {
  const rows = new Map<string, string[]>();
  for (const { directory } of ROWS) {
    // An ordinary user cannot read what a command has closed.
    rows.set(directory, await describeTree(join(root, directory)).catch(() => ["closed"]));
  }
  return rows;
}

Deno.test("a hundred destructive commands are taken back byte for byte by the receipt of their run", async () => {
  assert.ok(ROWS.length >= 100, `${ROWS.length} commands`);
  const calls = ROWS.map(({ command, directory }) => ({
    name: "bash",
    arguments: { command, working_dir: directory },
  }));
  const replies = Array.from(
    { length: Math.ceil(calls.length / AT_ONCE) },
    (_, at) => ({ calls: calls.slice(at * AT_ONCE, (at + 1) * AT_ONCE) }),
  );
  await using at = await stage([...replies, { text: "Done." }]);
  const { place } = at;
  // An ordinary user cannot remove what lies in a directory that is closed.
  using _opened = {
    [Symbol.dispose]: () =>
      void new Deno.Command("chmod", { args: ["-R", "u+rwx", place.dir] }).outputSync(),
  };
  await prepare(place.dir);
  const before = await describeRows(place.dir);
  const done = await runWithReceipt(place, "-A");
  assert.equal(done.code, 0, done.stderr);

  // Each command ran, and changed its directory: nothing is undone that was not done.
  const ran = await receiptLines(place, "command");
  assert.deepEqual(ran.map(({ command }) => command), ROWS.map(({ command }) => command));
  const after = await describeRows(place.dir);
  const idle = ROWS.filter(({ directory }) =>
    after.get(directory)!.join("\n") === before.get(directory)!.join("\n")
  );
  assert.deepEqual(idle, []);
  const { code, report } = await verifyJson(place);
  assert.deepEqual([code, report.files.filter(({ state }) => state !== "as_recorded")], [0, []]);

  const undone = await runAlly(place, { args: ["undo", "--receipt", "r.jsonl"] });
  assert.equal(undone.code, 0, undone.stderr);
  const left = await describeRows(place.dir);
  for (const { command, directory } of ROWS) {
    assert.deepEqual(left.get(directory), before.get(directory), command);
  }
});
