/**
 * `ally plugin test`: runs a plugin's own tests, in TypeScript with the Deno that runs ally, so that nobody needs one
 * on PATH, and in Python with `python3`.
 */
import { EXIT } from "../../app/exit_codes.ts";
import type { Io } from "../../app/io.ts";
import { watchSignals } from "../../app/signals.ts";
import { openStandardStreams } from "../../app/standard_streams.ts";
import { UsageError } from "../../core/errors.ts";
import { reasonOf } from "../../lib/fs.ts";
import { findProgram } from "../../lib/find_program.ts";
import { runProcess } from "../../lib/process.ts";
import { pluginFiles } from "../../plugin_host/folder_hash.ts";
import { childEnvironment, searchPath } from "../../workspace/shell_environment.ts";

/** What Deno takes for a file of tests. */
const DENO_TESTS = /(^|[/._])test\.[mc]?[jt]sx?$/;
/** What Python's unittest takes for one. */
const PYTHON_TESTS = /^test[^/]*\.py$/;

/** A program and its arguments. */
type CommandLine = readonly [program: string, ...args: string[]];

/**
 * Runs all tests in a plugin's folder (absolute); the exit code is 0 if they pass.
 * @throws {UsageError} there are none, or what runs them is missing
 */
export async function testPlugin(folder: string, io: Io): Promise<number> {
  const real = await canonicalFolder(folder);
  // The tests of others learn no more of it than a command does.
  const env = childEnvironment(io.env.toObject());
  const commands = await testCommands(real, searchPath(env));
  const stop = new AbortController();
  using signals = watchSignals(io, { onSignal: () => stop.abort(), onForced: () => {} });
  const { out } = openStandardStreams(io);
  let line = "";
  const onOutput = (text: string) => {
    const lines = (line + text).split("\n");
    line = lines.pop() ?? "";
    for (const whole of lines) out(whole);
  };
  let failed = false;
  for (const command of commands) {
    const { code } = await runProcess(command, {
      cwd: real,
      env: { ...env, DENO_NO_UPDATE_CHECK: "1" },
      signal: stop.signal,
      onOutput,
    });
    if (line !== "") onOutput("\n");
    failed ||= code !== 0;
  }
  return signals.exitCode ?? (failed ? EXIT.failed : EXIT.done);
}

async function canonicalFolder(folder: string): Promise<string> {
  try {
    return await Deno.realPath(folder);
  } catch (error) {
    throw new UsageError(`Cannot test ${folder}: ${reasonOf(error)}.`, { cause: error });
  }
}

/** What runs the tests that are there, in each language. */
async function testCommands(folder: string, path: string): Promise<CommandLine[]> {
  const files = (await pluginFiles(folder)).map((file) => file.path);
  const commands: CommandLine[] = [];
  if (files.some((file) => DENO_TESTS.test(file))) {
    const deno = Deno.build.standalone
      ? await findProgram("deno", { path, cwd: folder })
      : Deno.execPath();
    if (deno === undefined) {
      throw new UsageError(
        "Cannot run the tests: deno is not on PATH. Install Deno, or run in the plugin's folder: " +
          `npx -y deno@${Deno.version.deno} test`,
      );
    }
    const flags = ["--no-config", "--no-lock", "--no-prompt", `--allow-read=${commaSafe(folder)}`];
    commands.push([deno, "test", ...flags]);
  }
  if (files.some((file) => PYTHON_TESTS.test(file))) {
    const python = await findProgram("python3", { path, cwd: folder });
    if (python === undefined) {
      throw new UsageError("Cannot run the tests: python3 is not on PATH. Install Python 3.");
    }
    // Python's own cache would be a new file of the plugin, and each change is a new question.
    commands.push([python, "-B", "-m", "unittest"]);
  }
  if (commands.length > 0) return commands;
  throw new UsageError(
    `There is no test in ${folder}. Name a file of tests count_test.ts or, in Python, test_count.py.`,
  );
}

/** A path as Deno's flags take it, where a comma separates paths. */
function commaSafe(path: string): string {
  return path.replaceAll(",", ",,");
}
