/**
 * Receipts that somebody forged, for `ally verify` and `ally undo --receipt`: their chain holds, and what they say is
 * made up.
 */
import { fillValues, type World } from "../support/attempts.ts";
import { type Place, runAlly } from "../support/program.ts";
import type { ProgramAttempt } from "../support/program_attempts.ts";
import { chainAnew, type ReceiptLine, receiptLines } from "../support/receipt.ts";

const BOTH = [["verify", "r.jsonl"], ["verify", "--json", "r.jsonl"], [
  "undo",
  "--receipt",
  "r.jsonl",
]];

const WRITE = { name: "write", arguments: { file_path: "new.txt", content: "new\n" } };

/** Lines of a receipt in place of others. */
type Forge = (lines: readonly ReceiptLine[], world: World) => readonly ReceiptLine[];

/** A receipt of a run that wrote a file, but for what is forged; nothing on this machine knows it. */
function forged(name: string, forge: Forge): ProgramAttempt {
  return {
    name,
    replies: () => [{ calls: [WRITE] }, { text: "done" }],
    args: BOTH,
    async prepare(place, world) {
      const args = ["-p", "--allow-write", "--receipt", "r.jsonl", "go"];
      await runAlly(place, { args });
      await leaveTraps(place);
      const lines = (await receiptLines(place)).map((line) =>
        line.type === "start" ? { ...line, id: crypto.randomUUID() } : line
      );
      await place.write("r.jsonl", chainAnew(forge(lines, world)));
    },
  };
}

async function leaveTraps({ dir }: Place): Promise<void> {
  await new Deno.Command("mkfifo", { args: ["fifo"], cwd: dir }).output();
  await Deno.writeTextFile(`${dir}/huge`, "");
  await Deno.truncate(`${dir}/huge`, 2 ** 40);
}

const inChange = (change: (line: ReceiptLine) => object): Forge => (lines) =>
  lines.map((line) => line.type === "change" ? { ...line, ...change(line) } : line);
const inStart = (more: object): Forge => (lines, { values }) =>
  lines.map((line) => line.type === "start" ? { ...line, ...fillValues(more, values) } : line);

const PATHS = [
  "@HOME@/notes.txt",
  "@HOME@/.ssh/id_rsa",
  "@HOME@/planted.txt",
  "../notes.txt",
  "@WORK@/../notes.txt",
  "@WORK@/link.txt",
  "@WORK@/dangling.txt",
  "@WORK@/linked/project.txt",
  "@WORK@/.git/config",
  "@WORK@/.GIT/config",
  "@WORK@/NEW.TXT",
  "@WORK@/new.txt/",
  "@WORK@/fifo",
  "@WORK@/huge",
  "@SOCKET@",
  "/proc/kmsg",
  "/proc/self/mem",
  "/proc/self/environ",
  "/sys/kernel/debug/tracing/trace_pipe",
  "/dev/zero",
  "/dev/stdin",
  "",
  "/",
  "//",
  ".",
  "@WORK@/a\u0000",
  "\u001b[2J",
  "x".repeat(10_000),
];

const FILE = { kind: "file" };
const FACTS: readonly (readonly [string, unknown, unknown])[] = [
  ["made", null, FILE],
  ["removed", FILE, null],
  ["changed", { ...FILE, size: 0 }, { ...FILE, size: 0, sha256: "0".repeat(64), mode: "777" }],
  ["a link", null, { kind: "link", target: "/etc/passwd" }],
];

const FORGED_PATHS: readonly ProgramAttempt[] = PATHS.flatMap((path, index) => {
  const [what, before, after] = FACTS[index % FACTS.length]!;
  return forged(
    `a receipt says that ${path.slice(0, 40)} was ${what}`,
    (lines, world) =>
      inChange(() => ({ paths: [{ path: fillValues(path, world.values), before, after }] }))(
        lines,
        world,
      ),
  );
});

const STARTS: readonly object[] = [
  { cwd: "@HOME@" },
  { cwd: "/" },
  { cwd: ".." },
  { cwd: "" },
  { cwd: "/nowhere" },
  { cwd: "@WORK@/link.txt" },
  { cwd: "x\u0000" },
  { cwd: "@HOME@", roots: ["@HOME@"] },
  { roots: ["/"] },
  { roots: ["@HOME@", "@WORK@"] },
  { roots: ["../.."] },
  { roots: Array.from({ length: 10_000 }, () => "/") },
  { id: "../../../notes.txt" },
  { id: "x".repeat(36) },
  { receipt: 2 },
  { session: "../../x" },
  { __proto__: { cwd: "/" } },
];

const CHANGES: readonly object[] = [
  { change: -1 },
  { change: 1e308 },
  { change: "1" },
  { made: "now" },
  { call_id: "../.." },
  { paths: [] },
  {
    paths: Array.from(
      { length: 20_000 },
      () => ({ path: "/etc/passwd", before: null, after: null }),
    ),
  },
  { paths: [{ path: 7, before: null, after: null }] },
  { paths: [{ path: "/", before: { kind: "socket" }, after: [] }] },
];

/** What the file itself is. */
const FILES: Readonly<Record<string, (file: string, world: World) => Promise<unknown>>> = {
  "is a FIFO": (file) => new Deno.Command("mkfifo", { args: [file] }).output(),
  "is a directory": (file) => Deno.mkdir(file),
  "is a link to notes": (file, { home }) => Deno.symlink(`${home}/notes.txt`, file),
  "is a link to /dev/zero": (file) => Deno.symlink("/dev/zero", file),
  "is a link to a socket": (file, { values }) => Deno.symlink(values.SOCKET ?? "", file),
  "has a terabyte": async (file) => {
    await Deno.writeTextFile(file, "{");
    await Deno.truncate(file, 2 ** 40);
  },
  "is empty": (file) => Deno.writeTextFile(file, ""),
  "is deep": (file) => Deno.writeTextFile(file, `${"[".repeat(200_000)}\n`),
  "has a million lines": (file) => Deno.writeTextFile(file, "{}\n".repeat(1_000_000)),
  "drives the terminal": (file) => Deno.writeTextFile(file, '{"type":"\u001b[2J\u202e"}\n'),
  "is no text": (file) => Deno.writeFile(file, crypto.getRandomValues(new Uint8Array(60_000))),
};

/** Every forged receipt. */
export const RECEIPT_ATTEMPTS: readonly ProgramAttempt[] = [
  ...FORGED_PATHS,
  ...STARTS.map((more) =>
    forged(`a receipt begins with ${JSON.stringify(more).slice(0, 60)}`, inStart(more))
  ),
  ...CHANGES.map((more) =>
    forged(`a change is ${JSON.stringify(more).slice(0, 60)}`, inChange(() => more))
  ),
  forged("a change is undone that was none", (lines) => [
    ...lines,
    { type: "undone", change: 99 },
    { type: "redone", change: 99 },
  ]),
  ...Object.entries(FILES).map(([name, make]): ProgramAttempt => ({
    name: `a receipt ${name}`,
    args: BOTH,
    prepare: (place, world) => make(`${place.dir}/r.jsonl`, world),
  })),
];
