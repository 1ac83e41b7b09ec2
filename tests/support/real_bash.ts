/**
 * Compares the reading of commands with the real bash: scripts that hide a program are run where every
 * program is a recorder, and each program that bash started must have been seen, or the script called
 * extreme. The canonical text of a script must start the same programs, with the same arguments.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { writeProgram } from "../../scripts/program_file.ts";
import { analyzeCommand, type ScriptAnalysis } from "../../src/shell/analyze.ts";
import {
  type Generated,
  generateRandomTexts,
  generateScripts,
  TARGETS,
} from "./generated_scripts.ts";
import { textPathFacts } from "./path_facts.ts";
import { hasBubblewrap } from "./sandbox.ts";
import { TEST_SEED } from "./random.ts";

/** What scripts need to hide a program behind; they are not recorded. */
const REAL = "bash sh env nohup timeout nice setsid stdbuf xargs find cat".split(" ");

/** Writes a record for each program: its arguments apart by U+001F, and U+001E at its end. */
const RECORDER = [
  `line=\${0##*/}`,
  `for one; do line="$line\x1f$one"; done`,
  `printf '%s\x1e' "$line" >> "$RECORD"\n`,
].join("; ");

interface Scratch extends AsyncDisposable {
  readonly dir: string;
  /** Runs a script and returns the programs that it started, each with its arguments. */
  run(script: string): Promise<string[][]>;
  /** The same of many scripts, with one start of a shell, in a sandbox where there is one. */
  runAll(scripts: readonly string[]): Promise<string[][][]>;
}

/** Runs the texts of a directory one after another, each in a directory of its own. */
const RUN_ALL = `
for text in *.txt; do
  IFS= read -r -d '' script < "$text"
  cd "\${text%.txt}" || exit
  RECORD="$PWD/record" timeout -k 1 5 bash --noprofile --norc -c "$script"
  cd ..
done
`;

async function scratch(): Promise<Scratch> {
  const dir = await Deno.makeTempDir({ prefix: "ally-bash-" });
  const bin = join(dir, "bin");
  await Deno.mkdir(bin);
  for (const name of TARGETS) {
    await writeProgram(join(bin, name), `#!/bin/sh\n${RECORDER}`);
  }
  // The keyword is a program after a redirection, and not every system has it.
  const time = '#!/bin/sh\n[ "$1" = -p ] && shift\nexec "$@"\n';
  await writeProgram(join(bin, "time"), time);
  for (const name of REAL) {
    const path = await which(name);
    if (path !== undefined) await Deno.symlink(path, join(bin, name));
  }
  let runs = 0;
  return {
    dir,
    async run(script) {
      const home = join(dir, `${runs++}`);
      await Deno.mkdir(home);
      const record = join(home, "record");
      const child = new Deno.Command("timeout", {
        args: ["-k", "1", "5", "bash", "--noprofile", "--norc", "-c", script],
        cwd: home,
        clearEnv: true,
        env: { PATH: bin, HOME: home, RECORD: record },
        stdin: "null",
        stdout: "null",
        stderr: "null",
      });
      await child.output().catch(() => undefined);
      return await readRecord(record);
    },
    async runAll(scripts) {
      const home = join(dir, `${runs++}`);
      const places = scripts.map((_, index) => join(home, `${index}`));
      for (const [index, place] of places.entries()) {
        await Deno.mkdir(place, { recursive: true });
        await Deno.writeTextFile(`${place}.txt`, scripts[index]!);
      }
      const run = ["bash", "--noprofile", "--norc", "-c", RUN_ALL];
      const [program = "", ...args] = hasBubblewrap()
        ? ["bwrap", "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev"]
          .concat("--proc", "/proc", "--bind", home, home, "--chdir", home, "--", ...run)
        : run;
      const child = new Deno.Command((await which(program)) ?? program, {
        args,
        cwd: home,
        clearEnv: true,
        env: { PATH: bin, HOME: home },
        stdin: "null",
        stdout: "null",
        stderr: "null",
      });
      await child.output();
      const records = await Promise.all(places.map((place) => readRecord(join(place, "record"))));
      await Deno.remove(home, { recursive: true });
      return records;
    },
    [Symbol.asyncDispose]: () => Deno.remove(dir, { recursive: true }),
  };
}

async function readRecord(path: string): Promise<string[][]> {
  const text = await Deno.readTextFile(path).catch(() => "");
  return text.split("\x1e").filter((line) => line !== "").map((line) => line.split("\x1f"));
}

async function which(name: string): Promise<string | undefined> {
  for (const folder of ["/usr/bin", "/bin", "/usr/local/bin", "/opt/homebrew/bin"]) {
    const path = join(folder, name);
    if (await Deno.stat(path).then(() => true, () => false)) return path;
  }
  return undefined;
}

/** Runs a script that is not called extreme, and compares what bash started with what was seen. */
async function compare(
  { script }: Generated,
  { run }: Scratch,
): Promise<{ started: string[]; unseen: string[] }> {
  const judged = analyzeCommand(script, { pathFacts: textPathFacts() });
  if (judged.risk === "extreme") return { started: [], unseen: [] };
  const seen = new Set(judged.parts.flatMap((part) => part.programs));
  const started = (await run(script)).map(([name = ""]) => name);
  return { started, unseen: started.filter((name) => !seen.has(name)) };
}

/** Compares so many scripts; the test's name has the seed. */
export function testScripts(count: number): void {
  Deno.test({
    name: `no program that bash starts in ${count} scripts (seed ${TEST_SEED}) is unseen`,
    ignore: Deno.build.os === "windows",
    async fn() {
      await using place = await scratch();
      const wrong: string[] = [];
      let ran = 0;
      const scripts = generateScripts(TEST_SEED, count);
      const worker = async () => {
        for (const one of scripts) {
          const { started, unseen } = await compare(one, place);
          if (started.length > 0) ran++;
          if (unseen.length > 0) wrong.push(`${unseen.join(" ")} started by: ${one.script}`);
        }
      };
      await Promise.all([worker(), worker(), worker(), worker()]);
      assert.deepEqual(wrong, []);
      assert.ok(ran > count / 10, `only ${ran} of ${count} scripts started a program`);
    },
  });
}

/** Whether bash takes a text for a script; what it does not take has nothing to be compared with. */
async function isValid(script: string): Promise<boolean> {
  const args = ["--noprofile", "--norc", "-n", "-c", script];
  const { success } = await new Deno.Command("bash", { args, stderr: "null" }).output();
  return success;
}

/** Whether a program with its arguments, where these are known, is one that was judged. */
function isSeen(argv: readonly string[], parts: ScriptAnalysis["parts"]): boolean {
  return parts.some(({ programs, argv: judged }) =>
    programs.includes(argv[0] ?? "") &&
    (judged === undefined || /^(find|echo)$/.test(programs[0] ?? "") ||
      programs.includes("xargs") ||
      isDeepStrictEqual(judged.slice(-argv.length), argv))
  );
}

/** Runs a script and its canonical text, and says how they differ; undefined if it has none, or they do not. */
async function compareRendered(
  { script }: Generated,
  { run }: Scratch,
): Promise<{ ran: boolean; difference?: string }> {
  // bash waits neither for process substitutions nor for the background: their record may come too late.
  if (/[<>]\(|(?<![&<>|])&(?![&>])/.test(script)) return { ran: false };
  const { risk, rendering, parts } = analyzeCommand(script, { pathFacts: textPathFacts() });
  if (!("text" in rendering)) return { ran: false };
  const [original, canonical] = [await run(script), await run(rendering.text)];
  // Commands of a pipe start in any order.
  const lines = (runs: string[][]) => runs.map((argv) => argv.join("|")).sort();
  const unseen = risk !== "extreme" && canonical.some((argv) => !isSeen(argv, parts));
  const same = isDeepStrictEqual(lines(original), lines(canonical)) || !await isValid(script);
  return {
    ran: canonical.length > 0,
    ...((unseen || !same) && {
      difference: `${script}\n  started ${
        lines(original)
      }\n  as      ${rendering.text}\n  started ${lines(canonical)}`,
    }),
  };
}

/** Compares so many scripts with their canonical texts; the test's name has the seed. */
export function testCanonicalScripts(count: number): void {
  Deno.test({
    name:
      `the canonical texts of ${count} scripts (seed ${TEST_SEED}) start what the scripts start`,
    ignore: Deno.build.os === "windows",
    async fn() {
      await using place = await scratch();
      const different: string[] = [];
      let ran = 0;
      const scripts = generateScripts(TEST_SEED, count);
      const worker = async () => {
        for (const one of scripts) {
          const compared = await compareRendered(one, place);
          if (compared.ran) ran++;
          if (compared.difference !== undefined) different.push(compared.difference);
        }
      };
      await Promise.all([worker(), worker(), worker(), worker()]);
      assert.deepEqual(different, []);
      assert.ok(
        ran > count / 20,
        `only ${ran} of ${count} scripts have a canonical text that runs`,
      );
    },
  });
}

/** Texts that one shell runs. */
const BATCH = 500;

/** Runs the canonical text of random texts: whatever bash starts for it must have been seen. */
export function testRandomTexts(count: number): void {
  Deno.test({
    name: `the canonical texts of ${count} random texts (seed ${TEST_SEED}) start nothing unseen`,
    ignore: Deno.build.os === "windows",
    async fn() {
      await using place = await scratch();
      const wrong: string[] = [];
      let started = 0;
      let batch: { script: string; text: string; seen: ReadonlySet<string> }[] = [];
      const runBatch = async () => {
        const records = await place.runAll(batch.map(({ text }) => text));
        for (const [index, { script, seen }] of batch.entries()) {
          const names = (records[index] ?? []).map(([name = ""]) => name);
          const unseen = names.filter((name) => !seen.has(name));
          if (unseen.length > 0) wrong.push(`${unseen.join(" ")} started by: ${script}`);
          if (names.length > 0) started++;
        }
        batch = [];
      };
      for (const { script } of generateRandomTexts(TEST_SEED, count)) {
        const { rendering, parts } = analyzeCommand(script, { pathFacts: textPathFacts() });
        if (!("text" in rendering)) continue;
        const seen = new Set(parts.flatMap(({ programs }) => programs));
        batch.push({ script, text: rendering.text, seen });
        if (batch.length === BATCH) await runBatch();
      }
      await runBatch();
      assert.deepEqual(wrong, []);
      assert.ok(started > count / 1000, `only ${started} of ${count} texts started a program`);
    },
  });
}
