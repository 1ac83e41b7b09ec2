/**
 * Random scripts whose programs get keys, with the real bash as the judge: where ally finds no word by which a program
 * obeys others, that program gets none, neither as a variable nor as an option.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { writeProgram } from "../../scripts/program_file.ts";
import type { PartedScript, SandboxPolicy } from "../../src/core/sandbox.ts";
import { partScript } from "../../src/permission/parted_script.ts";
import { hasKeys, sandboxPolicyOf } from "../../src/permission/sandbox_policy.ts";
import { findObeyedWords } from "../../src/sandbox/obeyed_words.ts";
import { readWords } from "../../src/sandbox/script_words.ts";
import { analyzeCommand, type AnalyzedPart } from "../../src/shell/analyze.ts";
import { HAS_BASH } from "../support/parted.ts";
import { textPathFacts } from "../support/path_facts.ts";
import { randomNumbers, TEST_SEED, testCount } from "../support/random.ts";

/** Scripts that are tried; about a third has keys. */
const COUNT = testCount(6000);

const PROGRAMS = [
  ...["git fetch", "git push origin", "ssh", "ssh host", "scp a"],
  ...["kubectl get pods", "docker ps", "gh pr list"],
];
/** What may set a variable, or become an option, in one way or another. */
const PIECES = [
  ...[
    "X=1",
    "EXPORTED=2",
    "HOME=./h",
    "export X=1",
    "export X",
    "env X=1",
    "env",
    "declare -x X=1",
  ],
  ...["-F ./c", "-F", "./c", "{-F,./c}", "'-F' './c'", "$'-F'", '"-F"', '-"F"', "-vF./c", "-[F]"],
  ...["a=host; read a <<< '-F ./c'; ssh $a", "while read -r a; do ssh $a; done <<< '-F ./c'"],
  ...["$a", '"$a"', "${a}", "$b", "$(echo -F ./c)", '"$(echo -F)"', "${a:-F}", '"${a[@]}"'],
  ...["a=-F", "a='-F ./c'", "b=X=1", "a=host", "a[0]=-F", "a=(-F ./c)", "${X:=1}", "host", "./c*"],
  ...["--kubeconfig=./c", "--kubeconfig ./c", "--config ./c", "-oProxyCommand=./c", "--", "*", "~"],
  ...[
    "command",
    "builtin",
    "time",
    "time -p",
    "!",
    "exec",
    "set -a",
    "set -k",
    "timeout 5",
    "nice",
  ],
  ...["for X in 1", "for a in -F", "for EXPORTED in 3", "do", "done", "f()", "{", "}", "(", ")"],
  ...["read X <<< 1", "read EXPORTED <<< 3", "read HOME <<< x", "read a <<< '-F ./c'", "<<< x"],
  ...["printf -v X 1", "unset EXPORTED", "mapfile -t X <<< 1", "getopts x X", "let X=1", "((X=1))"],
  ...[
    "if",
    "then",
    "fi",
    "case x in x)",
    ";;",
    "esac",
    "eval",
    "sh -c",
    "'ssh -F ./c host'",
    "xargs",
  ],
  ...[
    "bash -c 'X=1 git fetch'",
    "X=1\\\n",
    "#",
    "'",
    '"',
    "`",
    "<<E\nX=1 git fetch\nE\n",
    "coproc",
  ],
  ...["> f", "2>&1", "&>f", "< /dev/null", "local X=1", "readonly X=1", "source ./c", ". ./c"],
  ...["trap 'X=1 git fetch' EXIT", "alias git='X=1 git'"],
];
const JOINTS = [" ", " ", " ", " ", "; ", " && ", " | ", "\n", " || ", ""];

/** A program that notes its words, and the variables that nobody is to set, at once: others may do so beside it. */
const NOTES = `#!/bin/sh
printf '%s\\037' "\${0##*/}" "X=\${X-}" "EXPORTED=$EXPORTED" "HOME=$HOME" "$@" end >> "$LOG"
`;

/** The texts of a script that would run with keys. */
function textsWithKeys(source: string, cwd: string): string[] {
  const facts = {
    ...textPathFacts(),
    cwd,
    locate: (path: string) => ({ absolute: path, inside: true }),
  };
  const analysis = analyzeCommand(source, { pathFacts: facts, sandboxed: true });
  const { rendering } = analysis;
  const run = ["scp", "kubectl", "docker", "gh"];
  const rules = [{ allowAll: true, allow: { run }, deny: {} }];
  const policyOf = (parts: readonly AnalyzedPart[]): SandboxPolicy => ({
    ...sandboxPolicyOf(parts, { rules, isRendered: "text" in rendering }),
    sandboxRequired: true,
  });
  const parted = partScript(analysis, { source, pathFacts: facts, policyOf, closed: policyOf([]) });
  if (parted) return keyedTexts(parted);
  return "text" in rendering && hasKeys(policyOf(analysis.parts)) ? [rendering.text] : [];
}

function keyedTexts(parted: PartedScript): string[] {
  switch (parted.kind) {
    case "script":
      return hasKeys(parted.policy) ? [parted.setup + parted.text] : [];
    case "chain":
      return parted.items.flatMap(keyedTexts);
    case "subshell":
    case "group":
      return keyedTexts(parted.body);
    default:
      return [];
  }
}

/** Whether a program got what it would obey; of ssh only words up to what runs on the other machine count, and none behind `--`. */
function obeys([program = "", x, exported, home, ...all]: readonly string[]): boolean {
  if (x !== "X=" || exported !== "EXPORTED=1" || home !== "HOME=/home") return true;
  const words = all.includes("--") ? all.slice(0, all.indexOf("--")) : all;
  const operands = words.flatMap((word, at) => word.startsWith("-") ? [] : [at]);
  const own = program === "ssh" ? words.slice(0, operands[1] ?? words.length) : words;
  const isValue = (at: number) => own[at - 1] === "-c";
  if (/^(?:ssh|scp)$/.test(program)) {
    return own.some((word, at) => /^-v?F|^-oProxy/.test(word) && !isValue(at));
  }
  const named = (at: number) => words.slice(at, at + 2).join(" ").includes("./c");
  return /^(?:kubectl|docker)$/.test(program) &&
    words.some((word, at) => /^--(?:kube)?config(?:=|$)/.test(word) && named(at));
}

/** A directory with the programs. */
async function makeDirectory() {
  const path = await Deno.realPath(await Deno.makeTempDir());
  await Deno.mkdir(join(path, "bin"));
  for (const name of new Set(PROGRAMS.map((line) => line.split(" ")[0]!))) {
    await writeProgram(join(path, "bin", name), NOTES);
  }
  await Deno.writeTextFile(join(path, "c"), "");
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

/** What each program got that a script runs. */
async function runNoted(text: string, cwd: string): Promise<string[][]> {
  const log = join(cwd, "log");
  await new Deno.Command("timeout", {
    args: ["5", "/bin/bash", "--noprofile", "--norc", "-c", text],
    cwd,
    clearEnv: true,
    env: { PATH: `${cwd}/bin:/usr/bin:/bin`, EXPORTED: "1", HOME: "/home", LOG: log },
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).output();
  const notes = await Deno.readTextFile(log).catch(() => "");
  await Deno.remove(log).catch(() => {});
  return notes.split("end\x1f").slice(0, -1).map((line) => line.split("\x1f").slice(0, -1));
}

Deno.test({
  name: `no program gets keys and a word by which it obeys others (seed ${TEST_SEED})`,
  ignore: !HAS_BASH,
  async fn() {
    await using directory = await makeDirectory();
    const cwd = directory.path;
    const random = randomNumbers(TEST_SEED);
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
    const places = {
      isWritable: (path: string) => path.startsWith(cwd),
      cwds: [cwd],
      env: { PATH: "/bin", EXPORTED: "1", HOME: "/home" },
      home: "/home",
    };
    let runs = 0;
    for (let count = 0; count < COUNT; count++) {
      const length = 2 + Math.floor(random() * 5);
      const at = Math.floor(random() * length);
      const pieces = Array.from({ length }, (_, index) => {
        const piece = pick(index === at || random() < 0.1 ? PROGRAMS : PIECES);
        return index === 0 ? piece : pick(JOINTS) + piece;
      });
      const source = pieces.join("");
      for (const text of textsWithKeys(source, cwd)) {
        const words = readWords(["bash", "-c", text]);
        if (!words || findObeyedWords(words, places).length > 0) continue;
        runs++;
        const got = await runNoted(text, cwd);
        assert.ok(!got.some(obeys), `${source}\n=> ${text}\n${JSON.stringify(got)}`);
      }
    }
    assert.ok(runs > COUNT / 10, `${runs} runs`);
  },
});
