/**
 * Command lines cut into parts and run without a sandbox, to be compared with the bash that runs them whole.
 */
import { join } from "node:path";
import type { PartedScript, SandboxPolicy } from "../../src/core/sandbox.ts";
import { partScript } from "../../src/permission/parted_script.ts";
import { analyzeCommand } from "../../src/shell/analyze.ts";
import { joinParts } from "../../src/workspace/parted_command.ts";
import { textPathFacts } from "./path_facts.ts";

const BASH = "/bin/bash";
/** Whether there is a bash to compare with. */
export const HAS_BASH = (() => {
  try {
    return Deno.statSync(BASH).isFile;
  } catch {
    return false;
  }
})();
const CLOSED: SandboxPolicy = { write: false, needs: [], sandboxRequired: true };
const POLICIES: readonly SandboxPolicy[] = [
  CLOSED,
  { ...CLOSED, write: true },
  { ...CLOSED, write: true, needs: ["network"] },
];
const interpret = (text: string) =>
  [BASH, "--noprofile", "--norc", "-o", "physical", "-c", text] as const;

/** What of the output counts. */
interface How {
  /** @default true */
  readonly stderr?: boolean;
}

/** The script in parts; `cut` says which powers the part has that begins at a place. */
export function partedBy(
  source: string,
  { form, cut, cwd = "/work" }: {
    form: "written" | "canonical";
    cut: (at: number) => number;
    cwd?: string;
  },
): PartedScript | undefined {
  const facts = {
    ...textPathFacts(),
    cwd,
    locate: (path: string) => ({ absolute: path, inside: true }),
  };
  const analysis = analyzeCommand(source, { pathFacts: facts, sandboxed: true });
  return partScript(analysis, {
    source: form === "written" ? source : undefined,
    pathFacts: facts,
    closed: CLOSED,
    policyOf: ([first]) => POLICIES[cut(first?.at ?? 0) % POLICIES.length],
  });
}

/** What the first process of a sandbox does, which says nothing of the signal that ended a command. */
const INIT = 'cd "$1" && shift; exec 3>&2 2>/dev/null; (exec "$@" 2>&3 3>&-); exit $?';

/** Runs the parts, without a sandbox. */
export async function runParted(parted: PartedScript, cwd: string, how: How = {}) {
  const directory = await Deno.makeTempDir();
  let files = 0;
  const { argv, finish } = await joinParts(parted, {
    bash: BASH,
    privatePath: () => join(directory, String(++files)),
    cwd,
    interpret,
    env: {},
    roots: [],
    confine: (argv, { cwd: directory }) =>
      Promise.resolve({
        argv: ["/bin/sh", "-c", INIT, "sh", directory, ...argv],
        inputs: {},
        merges: false,
        finish: () =>
          Promise.resolve({
            policies: [],
            leftBehind: false,
            setAside: [],
            skippedHooks: [],
            keysWithheldFor: [],
          }),
      }),
  });
  const ended = await run(argv, cwd, how);
  await finish();
  await Deno.remove(directory, { recursive: true });
  return ended;
}

/** Runs the script as a whole. */
export async function runWhole(source: string, cwd: string, how: How = {}) {
  return await run(interpret(source), cwd, how);
}

async function run(argv: readonly string[], cwd: string, { stderr = true }: How) {
  const { code, stdout } = await new Deno.Command("/bin/sh", {
    args: ["-c", `exec "$@" 2>${stderr ? "&1" : "/dev/null"}`, "sh", ...argv],
    cwd,
    stdin: "null",
    clearEnv: true,
    env: { PATH: Deno.env.get("PATH") ?? "", HOME: cwd, LC_ALL: "C" },
  }).output();
  const output = new TextDecoder().decode(stdout);
  // Bash names its line, which is another one in a part, and tells of signals.
  return { code, output: output.replace(/line \d+: |^.*: +\d+ Killed .*\n/gm, "") };
}

/** A directory with files to work on. */
export async function makeDirectory() {
  const root = await Deno.realPath(await Deno.makeTempDir());
  // What lies above, which scripts may list, is its own too.
  const path = join(root, ...Array.from({ length: 20 }, () => "u"));
  await Deno.mkdir(join(path, "d"), { recursive: true });
  await Deno.writeTextFile(join(path, "d", "in"), "deep\n");
  await Deno.writeTextFile(join(path, "f"), "b\na\nc\n");
  return { path, [Symbol.asyncDispose]: () => Deno.remove(root, { recursive: true }) };
}
