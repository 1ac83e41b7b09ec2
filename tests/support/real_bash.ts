/**
 * Compares the reading of commands with the real bash: scripts that hide a program are run where every
 * program is a recorder, and each program that bash started must have been seen, or the script called
 * extreme.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { analyzeCommand } from "../../src/shell/analyze.ts";
import { type Generated, generateScripts, TARGETS } from "./generated_scripts.ts";
import { textPathFacts } from "./path_facts.ts";
import { TEST_SEED } from "./random.ts";

/** What scripts need to hide a program behind; they are not recorded. */
const REAL = "bash sh env nohup timeout nice setsid stdbuf xargs find cat".split(" ");

interface Scratch extends AsyncDisposable {
  readonly dir: string;
  /** Runs a script and returns the programs that it started. */
  run(script: string): Promise<string[]>;
}

async function scratch(): Promise<Scratch> {
  const dir = await Deno.makeTempDir({ prefix: "ally-bash-" });
  const bin = join(dir, "bin");
  await Deno.mkdir(bin);
  for (const name of TARGETS) {
    await Deno.writeTextFile(join(bin, name), `#!/bin/sh\necho ${name} >> "$RECORD"\n`, {
      mode: 0o755,
    });
  }
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
      const lines = await Deno.readTextFile(record).catch(() => "");
      return lines.split("\n").filter((line) => line !== "");
    },
    [Symbol.asyncDispose]: () => Deno.remove(dir, { recursive: true }),
  };
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
  const started = await run(script);
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
