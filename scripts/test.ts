/**
 * Runs the tests of `deno task test`, of one of the rooms with a task of their own, or of the files that are named;
 * other arguments go to `deno test`. They all run in the same environment, whatever the machine's is.
 *
 * Deno gives every test file an isolate of its own, and to load and compile ally in each, and to run it there while it
 * is cold, costs more than most tests do. So all files of `deno task test` share a few isolates: a module is written for
 * each that imports them. Tests of one isolate run one after the other, in a fixed order.
 */
import { join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { exists } from "../src/lib/fs.ts";
import { denoDir } from "../tests/support/deno_dir.ts";
import { walkFiles } from "../tests/support/source_tree.ts";
import { until } from "../tests/support/wait.ts";
import { createTestEnvironment, personalHome } from "./test_environment.ts";

const ROOT = join(fileURLToPath(import.meta.url), "..", "..");
const TESTS = join(ROOT, "tests");
/** Rooms with a task of their own. */
const APART: readonly string[] = ["slow", "faults", "server"];
/**
 * Isolates, which run at the same time: more than two processors need, because tests also wait, and no more, because
 * each compiles ally anew and runs it cold.
 */
const ISOLATES = 5;

/** Megabytes for new objects before any of them is collected: to collect often costs more than the tests that do. */
const V8_FLAGS = "--min-semi-space-size=16";

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

/** What `deno test` is given for the arguments of the task: its flags, then the modules. */
async function planTests(args: readonly string[], directory: string): Promise<readonly string[]> {
  const room = APART.find((room) => room === args[0]);
  const rest = room === undefined ? args : args.slice(1);
  // Faults and servers are one at a time what the machine can bear.
  const flags = room === "slow" ? ["--parallel"] : [];
  if (rest.some((arg) => arg.endsWith("_test.ts"))) return [...flags, ...rest.map(resolveFile)];
  if (room !== undefined) return [...flags, ...rest, join(TESTS, room)];
  const modules = await Promise.all(groupTests().map((group) => writeModule(directory, group)));
  return ["--parallel", `--v8-flags=${V8_FLAGS}`, ...args, ...modules];
}

/** A path is meant from where the task was called. */
function resolveFile(arg: string): string {
  return arg.endsWith("_test.ts") ? resolve(Deno.env.get("INIT_CWD") ?? ".", arg) : arg;
}

/** Makes the home of the tests: empty, but for what says where packages come from. */
async function makeHome(directory: string, personal: string): Promise<string> {
  const home = join(directory, "home");
  await Deno.mkdir(home);
  const registries = join(personal, ".npmrc");
  if (await exists(registries)) await Deno.symlink(registries, join(home, ".npmrc"));
  return home;
}

/** Runs the tests. Resolves to the exit code. */
async function runTests(args: readonly string[]): Promise<number> {
  // A file of a test is made as most systems make it.
  Deno.umask(0o022);
  const directory = await Deno.makeTempDir({ prefix: "ally-tests-" });
  // Ctrl+C reaches the tests too, and the directory goes when they have ended.
  Deno.addSignalListener("SIGINT", () => {});
  try {
    const plan = await planTests(args, directory);
    const given = Deno.env.toObject();
    const home = await makeHome(directory, personalHome(given));
    const temporary = join(directory, "tmp");
    await Deno.mkdir(temporary);
    const { code } = await new Deno.Command(Deno.execPath(), {
      args: ["test", "--no-check", "--allow-all", `--config=${join(ROOT, "deno.json")}`, ...plan],
      cwd: ROOT,
      clearEnv: true,
      env: {
        ...createTestEnvironment(given, { home, temporary, denoDir: resolve(denoDir()) }),
        DENO_JOBS: String(ISOLATES),
      },
    }).spawn().status;
    return code;
  } finally {
    // What a test left running may still be writing.
    await until(`the removal of ${directory}`, async () => {
      await Deno.remove(directory, { recursive: true });
      return true;
    });
  }
}

if (import.meta.main) Deno.exit(await runTests(Deno.args));
