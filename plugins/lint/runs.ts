/**
 * Which linters a call will run, each with the files it is to look at: files of one linter and one
 * directory go into one command line. Worked out twice, before the call is judged and when it runs; the
 * shell of the context lets pass only what was judged.
 */
import { dirname } from "node:path";
import {
  choosePrograms,
  type ChosenFile,
  commandLine,
  fileArgument,
  type Input,
  type SkippedFile,
  type ToolContext,
  ToolError,
} from "../../src/api.ts";
import type { definition } from "./definition.ts";
import { type Linter, LINTERS } from "./linters.ts";

/** Files linted at once. */
const MAX_FILES = 200;

/** One command line. */
export interface LinterRun {
  readonly linter: Linter;
  readonly command: string;
  /** Where it runs, absolute. */
  readonly directory: string;
  readonly files: number;
}

/**
 * Works out the command lines of a call.
 * @throws {ToolError} user: there is no linter for any of the files
 */
export async function planRuns(
  input: Input<typeof definition>,
  { files, shell, signal }: ToolContext,
): Promise<{ runs: LinterRun[]; left: SkippedFile[] }> {
  const { chosen, left } = await choosePrograms(input.file_paths, {
    table: LINTERS,
    noun: "linter",
    name: input.tool,
    files,
    shell,
    signal,
    limit: MAX_FILES,
  });
  if (chosen.length === 0) {
    const reasons = left.map(({ file, why }) => `${file}: ${why}`).join("; ");
    throw new ToolError(`Cannot lint ${reasons}.`, {
      kind: "user",
      suggestion: "Install or configure a linter, name one in tool, or run the project's own " +
        "check with bash.",
    });
  }
  return { runs: groupByProgram(chosen).flatMap((group) => toRuns(group, files.cwd)), left };
}

type Chosen = ChosenFile<Linter>;

/** The files of each linter and directory, in the order of their first file. */
function groupByProgram(chosen: readonly Chosen[]): Chosen[][] {
  const groups = Map.groupBy(chosen, ({ found }) => `${found.directory}\0${found.program}`);
  return [...groups.values()];
}

function toRuns(group: readonly Chosen[], cwd: string): LinterRun[] {
  const [first] = group;
  if (first === undefined) return [];
  const { row: linter, directory } = first.found;
  const run = (args: readonly string[], files: number): LinterRun => ({
    linter,
    command: commandLine(first.found, { args: [...linter.args, ...args], cwd }),
    directory,
    files,
  });
  const paths = group.map(({ file }) => file.absolute);
  switch (linter.takes) {
    case "one file":
      return paths.map((path) => run([fileArgument(path, directory)], 1));
    case "directories": {
      // Such linters take a bare name for a package of the standard library.
      const packages = new Set(paths.map((path) => fileArgument(dirname(path), directory)));
      return [run([...packages].map((path) => path === "" ? "." : `./${path}`), paths.length)];
    }
    default:
      return [run(paths.map((path) => fileArgument(path, directory)), paths.length)];
  }
}
