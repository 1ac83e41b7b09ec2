/**
 * Runs the tests of `deno task test`; arguments go to `deno test`. Deno gives every test file an isolate of its own,
 * and to load and compile ally in each, and to run it there while it is cold, costs more than most tests do. So all
 * files share a few isolates: a module is written for each that imports them. Tests of one isolate run one after the
 * other, in a fixed order; one file is run alone by `deno test --no-check -A FILE`.
 */
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { walkFiles } from "../tests/support/source_tree.ts";

const ROOT = join(fileURLToPath(import.meta.url), "..", "..");
const TESTS = join(ROOT, "tests");
/** Rooms with a task of their own. */
const APART: readonly string[] = ["slow", "faults", "server"];
/** Isolates, which run at the same time; more than two processors need, because tests also wait. */
const ISOLATES = 6;

/** What shares an isolate. */
interface Group {
  readonly name: string;
  readonly files: readonly string[];
}

/**
 * The groups of all test files, each with its part of every room: dealt, because neighbours are alike in what they
 * cost. Those of large rooms come last, when the bundle that many of them start has been built.
 */
function groupTests(): Group[] {
  const files = walkFiles(TESTS, [""]).filter((path) => path.endsWith("_test.ts"));
  const rooms = Map.groupBy(files, (path) => relative(TESTS, path).split(/[/\\]/)[0]!);
  const dealt = [...rooms].filter(([room]) => !APART.includes(room))
    .sort(([, a], [, b]) => a.length - b.length)
    .flatMap(([, files]) => files);
  return Array.from({ length: ISOLATES }, (_, part) => ({
    name: `part_${part + 1}`,
    files: dealt.filter((_, index) => index % ISOLATES === part),
  }));
}

/** Writes the module that imports a group's files. */
async function writeModule(directory: string, { name, files }: Group): Promise<string> {
  const path = join(directory, `${name}_test.ts`);
  const imports = files.map((file) => `import ${JSON.stringify(pathToFileURL(file).href)};\n`);
  await Deno.writeTextFile(path, imports.join(""));
  return path;
}

/** Runs all tests. Resolves to the exit code. */
async function runTests(args: readonly string[]): Promise<number> {
  const directory = await Deno.makeTempDir({ prefix: "ally-tests-" });
  // Ctrl+C reaches the tests too, and the directory goes when they have ended.
  Deno.addSignalListener("SIGINT", () => {});
  try {
    const modules = await Promise.all(groupTests().map((group) => writeModule(directory, group)));
    const fixed = [
      "--parallel",
      "--no-check",
      "--allow-all",
      `--config=${join(ROOT, "deno.json")}`,
    ];
    const { code } = await new Deno.Command(Deno.execPath(), {
      args: ["test", ...fixed, ...args, ...modules],
      cwd: ROOT,
      env: { DENO_JOBS: String(ISOLATES) },
    }).spawn().status;
    return code;
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

if (import.meta.main) Deno.exit(await runTests(Deno.args));
