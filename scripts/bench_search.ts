// deno-lint-ignore-file no-console
/**
 * Times of the tools that search and read, in this process, beside the bare ripgrep process on the same
 * tree, and `read` deep in a long file. Machines differ and are shared, so what counts are the ratios of
 * medians from one run. Run by `deno task bench:search [RUNS]`.
 */
import { rgPath } from "@vscode/ripgrep";
import { dirname, join } from "node:path";
import glob from "../plugins/glob/mod.ts";
import grep from "../plugins/grep/mod.ts";
import read from "../plugins/read/mod.ts";
import type { RunContext, Tool } from "../src/api.ts";
import { createShell } from "../src/workspace/shell.ts";
import { Workspace } from "../src/workspace/workspace.ts";
import { median } from "./median.ts";

const RUNS = Number(Deno.args[0] ?? 9);
const FILES = 20_000;
const LINES = 200_000;
const MAX_RATIO = 1.3;
const MAX_READ_MS = 100;

/** What makes ripgrep give the answer that ally's tools give: newest first, without these directories. */
const SAME = [
  "--sortr=modified",
  ...["node_modules", "vendor", "__pycache__"].map((name) => `--glob=!${name}/`),
];

const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "ally-bench-" }));
try {
  const tree = join(root, "tree");
  await makeTree(tree);
  await makeLongFile(join(tree, "long.txt"));
  await compare(tree, "grep, few matches", {
    tool: [grep, { pattern: "needle_\\d+" }],
    bare: ["needle_\\d+"],
  });
  await compare(tree, "grep, all files match", {
    tool: [grep, { pattern: "export function" }],
    bare: ["export function"],
  });
  await compare(tree, "grep, some files", {
    tool: [grep, { pattern: "needle", include: "*.md" }],
    bare: ["needle", "--type-add=wanted:*.md", "--type=wanted"],
  });
  await compare(tree, "glob, all files of a kind", {
    tool: [glob, { pattern: "**/*.ts" }],
    bare: ["--files", "--type-add=wanted:*.ts", "--type=wanted"],
  });
  await compare(tree, "glob, few files", {
    tool: [glob, { pattern: "**/file_1?.md" }],
    bare: ["--files", "--type-add=wanted:file_1?.md", "--type=wanted"],
  });
  await measureRead(tree);
} finally {
  await Deno.remove(root, { recursive: true });
}

async function makeTree(directory: string): Promise<void> {
  for (let i = 0; i < FILES; i++) {
    const folder = join(directory, `part_${i % 40}`, `unit_${i % 500}`);
    if (i < FILES / 2) await Deno.mkdir(folder, { recursive: true });
    const lines = Array.from({ length: 30 }, (_, n) => `  const value_${n} = compute(${i}, ${n});`);
    if (i % 400 === 0) lines.push(`  // needle_${i}`);
    const text = `export function unit_${i}() {\n${lines.join("\n")}\n}\n`;
    await Deno.writeTextFile(join(folder, `file_${i}.${i % 10 === 0 ? "md" : "ts"}`), text);
  }
}

async function makeLongFile(path: string): Promise<void> {
  const lines = Array.from({ length: LINES }, (_, n) => `line ${n} of a file that has many lines`);
  await Deno.mkdir(dirname(path), { recursive: true });
  await Deno.writeTextFile(path, `${lines.join("\n")}\n`);
}

function contextOf(cwd: string): RunContext {
  return {
    callId: "bench",
    agent: { id: "main", name: "ally", depth: 0 },
    signal: new AbortController().signal,
    files: new Workspace({ cwd, patchDir: join(root, "patches") }),
    shell: createShell({ cwd, env: Deno.env.toObject(), logDir: join(root, "logs") }),
    limits: {
      readTokens: 1_500,
      bashTimeout: 120,
      countTokens: (text) => Math.ceil(text.length / 4),
    },
    state: { get: () => undefined, set: () => Promise.resolve() },
    loadedSkills: () => [],
    results: { cleanUp: () => Promise.resolve([]) },
    learnSecrets: () => {},
    report: () => {},
    plan: undefined,
  };
}

/**
 * Times a tool beside the bare process twice: once so that it gives the same answer, once as it comes, in no
 * order. All take turns, so that noise meets them alike; the first round warms the caches.
 */
async function compare(
  cwd: string,
  name: string,
  contenders: { tool: readonly [tool: Tool, input: unknown]; bare: readonly string[] },
): Promise<void> {
  const [tool, input] = contenders.tool;
  const context = contextOf(cwd);
  const ripgrep = (extra: readonly string[]) =>
    timed(() =>
      new Deno.Command(rgPath, {
        args: [...contenders.bare, ...extra, "./"],
        cwd,
        stdin: "null",
        stdout: "piped",
        stderr: "null",
      }).output()
    );
  const times: { tool: number[]; same: number[]; plain: number[] } = {
    tool: [],
    same: [],
    plain: [],
  };
  for (let round = 0; round <= RUNS; round++) {
    const same = await ripgrep(SAME);
    const plain = await ripgrep([]);
    const own = await timed(() => tool.run(input as never, context));
    if (round === 0) continue;
    times.same.push(same);
    times.plain.push(plain);
    times.tool.push(own);
  }
  const own = median(times.tool);
  const [same, plain] = [median(times.same), median(times.plain)];
  const ms = (time: number) => `${time.toFixed(0)} ms`.padStart(7);
  const ratio = (time: number) => (own / time).toFixed(2);
  console.log(
    `${name.padEnd(26)}${ms(own)}   rg, same answer ${ms(same)}, ratio ${ratio(same)} ` +
      `(at most ${MAX_RATIO})   rg, unordered ${ms(plain)}, ratio ${ratio(plain)}`,
  );
}

async function measureRead(cwd: string): Promise<void> {
  const times: number[] = [];
  for (let round = 0; round <= RUNS; round++) {
    const context = contextOf(cwd);
    const input = { file_paths: ["long.txt"], offset: LINES - 500, limit: 20 };
    const time = await timed(() => read.run(input, context));
    if (round > 0) times.push(time);
  }
  const time = median(times).toFixed(0).padStart(5);
  console.log(
    `${`read, 20 of ${LINES} lines`.padEnd(30)}${time} ms   (at most ${MAX_READ_MS} ms)`,
  );
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
