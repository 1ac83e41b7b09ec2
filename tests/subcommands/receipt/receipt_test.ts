import assert from "node:assert/strict";
import { join } from "node:path";
import { runAlly, stage } from "../../support/program.ts";
import { chainAnew, receiptLines, runWithReceipt, verifyJson } from "../../support/receipt.ts";
import { describeTree } from "../../support/tree.ts";

const SECRET = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD";
const FILES = { "a.txt": "one\n", "b.txt": "bee\n" };

const bash = (command: string) => ({ calls: [{ name: "bash", arguments: { command } }] });
const read = { calls: [{ name: "read", arguments: { file_paths: ["a.txt"] } }] };
const edit = (from: string, to: string) => ({
  calls: [{ name: "edit", arguments: { file_path: "a.txt", old_string: from, new_string: to } }],
});

/** Reads, edits, runs a command that changes files and fails, and is denied one. */
const REPLIES = [
  read,
  edit("one", `two ${SECRET}`),
  bash("rm b.txt; mkdir -p d/e; echo hi > d/e/f; ln -s f d/e/link; exit 3"),
  bash("sudo ls"),
  { text: "Done." },
];

async function runOnce(...replies: Parameters<typeof stage>[0]) {
  const at = await stage(replies.length > 0 ? replies : REPLIES, FILES);
  const before = await describeTree(at.place.dir);
  const done = await runWithReceipt(at.place, "-A");
  return { ...at, before, done };
}

Deno.test("a receipt tells each call, who decided by which rule, commands with their codes, files with their hashes", async () => {
  await using at = await runOnce();
  assert.equal(at.done.code, 3);
  assert.match(
    at.done.stderr,
    /info: The receipt .*r\.jsonl has \d+ lines\. Its hash is [0-9a-f]{64}\./,
  );
  const text = await at.place.read("r.jsonl");
  assert.equal(text.includes(SECRET), false);
  assert.equal((await Deno.stat(join(at.place.dir, "r.jsonl"))).mode! & 0o777, 0o600);
  const lines = await receiptLines(at.place);
  assert.deepEqual([lines[0]?.type, lines.at(-1)?.type], ["start", "end"]);

  const decisions = (await receiptLines(at.place, "decision"))
    .map(({ tool, decision, by }) => [tool, decision, by]);
  assert.deepEqual(decisions, [
    ["read", "allow", "default"],
    ["edit", "allow", "--allow-all"],
    ["bash", "allow", "--allow-all"],
    ["bash", "deny", "ban list: sudo"],
  ]);
  const [command, ...others] = await receiptLines(at.place, "command");
  assert.deepEqual([command?.exit_code, others], [3, []]);
  const answers = await receiptLines(at.place, "answer");
  assert.deepEqual(answers.map(({ calls }) => (calls as unknown[]).length), [1, 1, 1, 1, 0]);
  for (const { sha256 } of answers) assert.match(sha256 as string, /^[0-9a-f]{64}$/);

  const paths = (await receiptLines(at.place, "change")).flatMap((line) => line.paths as Changed[]);
  assert.deepEqual(
    paths.map(({ path, before, after }) => [
      path.slice(at.place.dir.length + 1),
      before?.kind,
      after?.kind,
      before?.sha256?.length ?? 0,
      after?.sha256?.length ?? 0,
    ]),
    [
      ["a.txt", "file", "file", 64, 64],
      ["b.txt", "file", undefined, 64, 0],
      ["d", undefined, "directory", 0, 0],
      ["d/e", undefined, "directory", 0, 0],
      ["d/e/f", undefined, "file", 0, 64],
      ["d/e/link", undefined, "link", 0, 0],
    ],
  );
});

interface Changed {
  readonly path: string;
  readonly before: { readonly kind: string; readonly sha256?: string } | null;
  readonly after: { readonly kind: string; readonly sha256?: string } | null;
}

Deno.test("ally verify, ally undo --receipt and verify again: the files are as before the run", async () => {
  await using at = await runOnce();
  const checked = await runAlly(at.place, { args: ["verify", "r.jsonl"] });
  assert.equal(checked.code, 0, checked.stdout);
  assert.match(checked.stdout, /^The chain holds: \d+ lines, .*\nAll 6 paths are as it says\.\n$/);

  const undone = await runAlly(at.place, { args: ["undo", "--receipt", "r.jsonl"] });
  assert.equal(undone.code, 0, undone.stderr);
  assert.match(undone.stdout, /^Took back 2 changes; [^]*- restored a\.txt\n/);
  assert.deepEqual(await describeTree(at.place.dir, { except: ["r.jsonl"] }), at.before);

  const { code, report } = await verifyJson(at.place);
  assert.deepEqual([code, report.ok, report.known, report.broken], [1, false, true, undefined]);
  assert.deepEqual(new Set(report.files.map(({ state }) => state)), new Set(["as_before"]));
  const again = await runAlly(at.place, { args: ["undo", "--receipt", "r.jsonl"] });
  assert.deepEqual([again.code, again.stdout.slice(0, 29)], [0, "There is nothing to take back"]);
});

Deno.test("of a run that changed one path, verify says so in the singular", async () => {
  await using at = await stage([bash("echo 1 > first.txt"), { text: "One." }], FILES);
  const ran = await runAlly(at.place, { args: ["-p", "-A", "--receipt", "r.jsonl", "go"] });
  assert.equal(ran.code, 0, ran.stderr);
  const verify = async () => (await runAlly(at.place, { args: ["verify", "r.jsonl"] })).stdout;
  assert.match(await verify(), /\nThe 1 path is as it says\.\n$/);
  await at.place.write("first.txt", "2\n");
  assert.match(await verify(), /\n1 of 1 path is not as it says:\n- first\.txt/);
});

Deno.test("a file that somebody changed since is named, and nothing is taken back", async () => {
  await using at = await runOnce();
  await at.place.write("a.txt", "three\n");
  await Deno.remove(join(at.place.dir, "d/e/f"));
  const before = await describeTree(at.place.dir);
  const checked = await runAlly(at.place, { args: ["verify", "r.jsonl"] });
  assert.equal(checked.code, 1);
  assert.match(
    checked.stdout,
    /2 of 6 paths are not as it says:\n- a\.txt \(line \d+\): its content is another one\n- d\/e\/f \(line \d+\): it is as it was before the run\nally undo --receipt would refuse/,
  );
  const undone = await runAlly(at.place, { args: ["undo", "--json", "--receipt", "r.jsonl"] });
  assert.equal(undone.code, 1);
  const report = JSON.parse(undone.stdout);
  assert.match(report.error, /a\.txt.* changed since; nothing was changed/);
  assert.deepEqual([report.ok, report.changes], [false, []]);
  assert.deepEqual(await describeTree(at.place.dir), before);
});

Deno.test("only what the run changed is taken back, whatever came between and after", async () => {
  await using at = await stage([
    bash("echo 1 > first.txt"),
    { text: "One." },
    bash("echo 2 > second.txt"),
    { text: "Two." },
    bash("echo 3 > third.txt"),
    { text: "Three." },
  ], FILES);
  await runAlly(at.place, { args: ["-p", "-A", "go"] });
  await runWithReceipt(at.place, "-A");
  await runAlly(at.place, { args: ["-p", "-A", "go"] });
  const undone = await runAlly(at.place, { args: ["undo", "--receipt", "r.jsonl"] });
  assert.equal(undone.code, 0, undone.stderr);
  const names = Array.from(Deno.readDirSync(at.place.dir), ({ name }) => name).sort();
  assert.deepEqual(names, ["a.txt", "b.txt", "first.txt", "r.jsonl", "third.txt"]);
});

Deno.test("what was done to a receipt after its run is found, and the line named", async () => {
  await using at = await runOnce();
  const path = join(at.place.dir, "r.jsonl");
  const whole = await Deno.readTextFile(path);
  const lines = await receiptLines(at.place);
  const texts = whole.trimEnd().split("\n");
  const command = lines.findIndex(({ type }) => type === "command");
  const forged = lines.map((line) => line.type === "command" ? { ...line, exit_code: 0 } : line);
  const rows: readonly [what: string, text: string, line: number, why: RegExp][] = [
    [
      "a field changed",
      whole.replace('"exit_code":3', '"exit_code":0'),
      command + 1,
      /hash does not fit/,
    ],
    [
      "a line removed",
      [...texts.slice(0, 2), ...texts.slice(3), ""].join("\n"),
      3,
      /does not follow/,
    ],
    ["a chain made anew", chainAnew(forged), command + 1, /the chain was made anew/],
    [
      "lines added",
      chainAnew([...lines, { type: "call" }, { type: "end" }]),
      lines.length + 1,
      /lines were added/,
    ],
    ["the end cut off", [...texts.slice(0, 4), ""].join("\n"), 5, /the end is missing/],
  ];
  for (const [what, text, line, why] of rows) {
    await Deno.writeTextFile(path, text);
    const { code, report } = await verifyJson(at.place);
    assert.deepEqual([code, report.broken?.line], [1, line], what);
    assert.match(report.broken?.why ?? "", why, what);
    const told = await runAlly(at.place, { args: ["verify", "r.jsonl"] });
    assert.match(told.stdout, new RegExp(`^Broken at line ${line}: `), what);
    const undone = await runAlly(at.place, { args: ["undo", "--receipt", "r.jsonl"] });
    assert.equal(undone.code, 1, what);
    assert.match(undone.stderr, new RegExp(`broken at line ${line}`), what);
  }
  await Deno.writeTextFile(path, whole);
  assert.equal((await verifyJson(at.place)).code, 0);
});

Deno.test("the last line of a run that was killed may be half; what stands before it holds, and is taken back", async () => {
  await using at = await runOnce();
  const path = join(at.place.dir, "r.jsonl");
  const texts = (await Deno.readTextFile(path)).trimEnd().split("\n");
  const cut = [...texts.slice(0, -1), texts.at(-1)?.slice(0, 50)].join("\n");
  await Deno.writeTextFile(path, cut);
  const { code, report } = await verifyJson(at.place);
  assert.deepEqual([code, report.torn, report.complete], [0, texts.length, false]);
  const told = await runAlly(at.place, { args: ["verify", "r.jsonl"] });
  assert.match(told.stdout, /is not whole: ally was stopped while it wrote it\.\n/);
  const undone = await runAlly(at.place, { args: ["undo", "--receipt", "r.jsonl"] });
  assert.equal(undone.code, 0, undone.stderr);
  assert.deepEqual(await describeTree(at.place.dir, { except: ["r.jsonl"] }), at.before);
});

Deno.test("an agent cannot write to the receipt unnoticed", async () => {
  for (
    const [command, what] of [
      ["echo '{}' >> r.jsonl", "changed"],
      ["sed -i s/go/stop/ r.jsonl", "replaced"],
      ["rm r.jsonl", "removed"],
      ["mv r.jsonl elsewhere", "removed"],
      ["mkdir x; mv r.jsonl x; ln -s x/r.jsonl r.jsonl", "replaced"],
      ["chmod 666 r.jsonl; : > r.jsonl; git clean -fdxq .", "changed|replaced|removed"],
    ] as const
  ) {
    await using at = await runOnce(bash(command), { text: "Done." });
    assert.equal(at.done.code, 0, at.done.stderr);
    const told = new RegExp(`warning: The receipt .* was (${what}) while the run went on`);
    assert.match(at.done.stderr, told, command);
    const { code, report } = await verifyJson(at.place);
    const tampered = (await receiptLines(at.place, "tampered")).map(({ line }) => line);
    assert.deepEqual([report.complete, report.tampered], [true, tampered], command);
    assert.equal(tampered.length, 1, command);
    assert.equal(code, 0, command);
    const undone = await runAlly(at.place, { args: ["undo", "--receipt", "r.jsonl"] });
    assert.equal(undone.code, 0, `${command}: ${undone.stderr}`);
    const left = await describeTree(at.place.dir, { except: ["r.jsonl"] });
    assert.deepEqual(left, at.before, command);
  }
});

Deno.test("a tool that edits files leaves the receipt alone", async () => {
  await using at = await runOnce(
    { calls: [{ name: "read", arguments: { file_paths: ["r.jsonl"] } }] },
    {
      calls: [{
        name: "line_edit",
        arguments: {
          file_path: "r.jsonl",
          edits: [{ start_line: 1, end_line: 1, new_content: "{}" }],
        },
      }],
    },
    { text: "Done." },
  );
  const results = await receiptLines(at.place, "result");
  assert.deepEqual(results.map(({ success }) => success), [true, false]);
  assert.match(results[1]?.error as string, /Cannot change r\.jsonl/);
  const { code, report } = await verifyJson(at.place);
  assert.deepEqual([code, report.tampered], [0, []]);
});

Deno.test("--receipt wants a new file, or an empty one; the result in JSON names it", async () => {
  await using at = await stage([{ text: "One." }], FILES);
  for (
    const [file, why] of [["a.txt", /it is there already/], ["no/dir/r", /there is no directory/], [
      ".",
      /it is a directory\. Name a file in it/,
    ]] as const
  ) {
    const refused = await runAlly(at.place, { args: ["-p", "--receipt", file, "go"] });
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, why);
  }
  await at.place.write("r.jsonl", "");
  const done = await runWithReceipt(at.place, "--output-format", "json");
  const { receipt } = JSON.parse(done.stdout);
  const lines = await receiptLines(at.place);
  assert.deepEqual(receipt, {
    file: join(at.place.dir, "r.jsonl"),
    lines: lines.length,
    sha256: lines.at(-1)?.hash,
  });
});

Deno.test("a file that is no receipt, or none at all, is a usage error that says so", async () => {
  await using at = await stage([], FILES);
  for (
    const args of [["verify", "a.txt"], ["verify", "nothing"], ["undo", "--receipt", "a.txt"], [
      "undo",
    ]]
  ) {
    const done = await runAlly(at.place, { args });
    assert.equal(done.code, 2, args.join(" "));
    assert.match(done.stderr, /is no receipt|there is no such file|Name the receipt/);
  }
});

Deno.test("what a sub-agent does stands in the receipt, under its own name, and is taken back", async () => {
  await using at = await runOnce(
    {
      calls: [{
        name: "agent",
        arguments: { agents: [{ agent_name: "general", task_prompt: "remove b.txt" }] },
      }],
    },
    bash("rm b.txt"),
    { text: "Removed." },
    { text: "Done." },
  );
  const [command] = await receiptLines(at.place, "command");
  assert.notEqual(command?.agent, "main");
  assert.equal((await runAlly(at.place, { args: ["undo", "--receipt", "r.jsonl"] })).code, 0);
  assert.deepEqual(await describeTree(at.place.dir, { except: ["r.jsonl"] }), at.before);
});

Deno.test("where nothing is masked, a receipt is", async () => {
  await using at = await stage([read, edit("one", SECRET), { text: SECRET }], FILES);
  await Deno.mkdir(at.place.home, { recursive: true });
  await Deno.writeTextFile(join(at.place.home, "config.json"), '{"mask_secrets": false}');
  await runWithReceipt(at.place, "-A");
  assert.match(await at.place.read("a.txt"), /sk-proj-/);
  assert.equal((await at.place.read("r.jsonl")).includes("sk-proj-"), false);
});
