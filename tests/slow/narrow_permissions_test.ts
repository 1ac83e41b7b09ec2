import assert from "node:assert/strict";
import { userInfo } from "node:os";
import { dirname } from "node:path";
import type { ScriptedReply } from "../../src/modes/demo/scripted_server.ts";
import { bundledMain } from "../support/bundle.ts";
import { allyUnder, type Finished, type Place, runAllyProcess, stage } from "../support/program.ts";
import { hasBubblewrap } from "../support/sandbox.ts";

const WORK: readonly ScriptedReply[] = [
  { calls: [{ name: "read", arguments: { file_paths: ["a.txt"] } }] },
  { calls: [{ name: "grep", arguments: { pattern: "hel+o" } }] },
  { calls: [{ name: "write", arguments: { file_path: "new.txt", content: "new\n" } }] },
  { calls: [{ name: "bash", arguments: { command: "echo ran" } }] },
  { text: "Done." },
];

/** What Deno may grant; `{cwd}`, `{root}`, the directory above it and ally's home, and `{ally}`, its own files, are filled in. */
const ALL = ["read", "write", "run", "net", "env", "sys"].map((kind) => `--allow-${kind}`);

interface Row {
  readonly name: string;
  readonly flags: readonly string[];
  /** Which of the four calls succeed. */
  readonly works: { read: boolean; write: boolean; run: boolean };
  /** What standard error says. */
  readonly says?: RegExp;
  /** Variables of the environment taken away; true takes all that is not for Deno. */
  readonly without?: readonly string[] | true;
  readonly saved?: boolean;
  readonly ignore?: boolean;
}

/** What keeps a run without a home of its own from the one of whoever runs the tests. */
const SPARE_ONLY = [...without("write"), "--allow-write={root},/tmp"];
/** Then it does not: their home is where temporary files are. */
const homeIsSpare = userInfo().homedir.startsWith("/tmp/");

const everything = { read: true, write: true, run: true };

const ROWS: readonly Row[] = [
  { name: "everything", flags: ALL, works: everything, saved: true },
  {
    name: "no write",
    flags: without("write"),
    works: { ...everything, write: false },
    says: /stays in memory, and no file can be changed/,
  },
  {
    name: "write only in the working directory",
    flags: [...without("write"), "--allow-write={cwd}"],
    works: { ...everything, write: false },
    says: /Cannot keep anything in .*no change could be undone/,
  },
  {
    name: "write in the working directory and in ally's home",
    flags: [...without("write"), "--allow-write={root}"],
    works: everything,
    saved: true,
  },
  {
    name: "no run",
    flags: without("run"),
    works: { ...everything, run: false },
    says: /commands cannot be run\. Add --allow-run\./,
    saved: true,
  },
  {
    name: "one program only, which does not suffice to end what it starts",
    flags: [...without("run"), "--allow-run=bash"],
    works: { ...everything, run: false },
    says: /commands cannot be run/,
    saved: true,
  },
  {
    name: "net for one host only",
    flags: [...without("net"), "--allow-net=127.0.0.1"],
    works: everything,
    saved: true,
  },
  {
    name: "no env",
    flags: without("env"),
    works: everything,
    says: /the environment is seen in part at most/,
  },
  {
    name: "some env",
    flags: [...without("env"), "--allow-env=PATH,HOME,ALLY_HOME"],
    works: everything,
    says: /the environment is seen in part at most/,
    saved: true,
  },
  { name: "no sys", flags: without("sys"), works: everything, saved: true },
  {
    name: "read only in the working directory and in ally's home",
    flags: [...without("read"), "--allow-read={root}"],
    works: everything,
    says: /Commands run without a sandbox/,
    saved: true,
  },
  {
    name: "read everywhere but where ally itself is",
    flags: [...ALL, "--deny-read={ally}"],
    works: everything,
    saved: true,
  },
  {
    name: "read only in the working directory",
    flags: [...without("read"), "--allow-read={cwd}"],
    works: { ...everything, write: false },
    says: /stays in memory/,
  },
  {
    name: "nothing but reading the working directory and the model server",
    flags: ["--allow-read={cwd}", "--allow-net=127.0.0.1"],
    works: { read: true, write: false, run: false },
    says: /files cannot be changed, commands cannot be run/,
  },
  {
    name: "HOME and ALLY_HOME unset, and no right to write in the home that the system names",
    flags: SPARE_ONLY,
    works: everything,
    without: ["HOME", "ALLY_HOME"],
    says: /Cannot keep anything in .*can be undone until it ends/,
    ignore: homeIsSpare,
  },
  {
    name: "HOME and ALLY_HOME unset, and the system may not be asked for one",
    flags: without("sys"),
    works: everything,
    without: ["HOME", "ALLY_HOME"],
    says: /Neither ALLY_HOME nor HOME is known\..*can be undone until it ends/,
  },
  {
    name: "an empty environment",
    flags: SPARE_ONLY,
    works: everything,
    without: true,
    says: /Cannot keep anything in/,
    ignore: homeIsSpare,
  },
];

function without(kind: string): string[] {
  return ALL.filter((flag) => flag !== `--allow-${kind}`);
}

async function start(
  place: Place,
  row: Pick<Row, "flags" | "without">,
  args: readonly string[],
): Promise<Finished> {
  const flags = row.flags.map((flag) =>
    flag.replace("{cwd}", place.dir)
      .replace("{root}", dirname(place.dir))
      .replace("{ally}", dirname(bundledMain()))
  );
  const gone = row.without ?? [];
  const env = Object.fromEntries(
    Object.entries(place.env).filter(([name]) =>
      // By it Deno finds its packages; without it they would be fetched again.
      name === "DENO_DIR" || (gone !== true && !gone.includes(name))
    ),
  );
  return await runAllyProcess(place, { program: allyUnder(flags), bare: true, env, args });
}

for (const row of ROWS) {
  const name =
    `started by Deno with ${row.name}, ally works with what it has and says what is missing`;
  Deno.test({ name, ignore: row.ignore ?? false }, async () => {
    await using at = await stage(WORK, { "a.txt": "hello\n" });
    const endpoint = `--endpoint=${at.server.url}`;
    // The sandbox would need what is being taken away here.
    const args = ["-p", "-A", endpoint, "--model=scripted", "go"];
    const done = await start(at.place, row, args);
    assert.equal(done.stdout, "Done.\n", done.stderr);
    const { works } = row;
    assert.equal(/ok: read a\.txt/.test(done.stderr), works.read, done.stderr);
    assert.equal(/ok: grep/.test(done.stderr), works.read, done.stderr);
    assert.equal(/ok: write new\.txt/.test(done.stderr), works.write, done.stderr);
    assert.equal(/ok: bash echo ran/.test(done.stderr), works.run, done.stderr);
    if (row.says) assert.match(done.stderr, row.says);
    else assert.doesNotMatch(withoutSandboxWarning(done.stderr), /warning/);
    if (row.saved) assert.equal((await at.place.messages()).length, 10);
    const names = (await Array.fromAsync(Deno.readDir(at.place.dir))).map(({ name }) => name);
    assert.deepEqual(names.sort(), works.write ? ["a.txt", "new.txt"] : ["a.txt"]);
  });
}

/** A machine without bubblewrap is warned of that, whatever the permissions. */
function withoutSandboxWarning(text: string): string {
  return hasBubblewrap() ? text : text.replace(/^.*Commands run without a sandbox: .*\n/m, "");
}

for (
  const { name, flags, code, says } of [
    { name: "nothing at all", flags: [], code: 2, says: /read access/ },
    {
      name: "no read",
      flags: without("read"),
      code: 2,
      says: /Cannot use the directory .*read access/,
    },
    {
      name: "no net",
      flags: without("net"),
      code: 75,
      says: /model cannot be asked\. Add --allow-net/,
    },
    {
      name: "net for another host",
      flags: [...without("net"), "--allow-net=example.com"],
      code: 75,
      says: /model cannot be asked/,
    },
  ]
) {
  Deno.test(`started by Deno with ${name}, ally ends with ${code} and says why`, async () => {
    await using at = await stage(WORK, { "a.txt": "hello\n" });
    const args = ["-p", "-A", `--endpoint=${at.server.url}`, "--model=scripted", "go"];
    const done = await start(at.place, { flags }, args);
    assert.equal(done.code, code);
    assert.match(done.stderr, says);
    assert.doesNotMatch(done.stderr, /Uncaught|\n\s+at /);
  });
}
