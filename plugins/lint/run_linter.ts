/**
 * Runs one linter and reads what it says. That a linter fails is told from its finding faults by what
 * it printed: an exit code alone means either.
 */
import { isAbsolute, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { cutSafely, type RunContext, ToolError } from "../../src/api.ts";
import type { Finding } from "./finding.ts";
import type { LinterRun } from "./runs.ts";

/** Characters read of a linter's output, and shown of a failed one's. */
const MAX_OUTPUT = 20_000_000;
const MAX_SHOWN = 2_000;
/** Characters of one finding's message. */
const MAX_MESSAGE = 500;

/** What a linter found, or why it could not. */
type LinterOutcome =
  | { readonly findings: readonly Finding[]; readonly failed?: undefined }
  | { readonly failed: string };

/** @throws {ToolError} interrupted: the user stopped it */
export async function runLinter(run: LinterRun, context: RunContext): Promise<LinterOutcome> {
  const { linter, command } = run;
  const { code, output, late } = await start(run, { context, merge: linter.onStderr ?? false });
  if (late) return { failed: `${linter.name} did not end within ${late} seconds` };
  const findings = read(run, output);
  if (findings && (findings.length > 0 || code === 0)) {
    return { findings: findings.map((one) => resolvePath(one, { run, cwd: context.files.cwd })) };
  }
  // What went wrong is on stderr as a rule, which had to be kept apart from what was to be read.
  const words = linter.onStderr ? output : (await start(run, { context, merge: true })).output;
  const said = cutSafely(words.trim(), MAX_SHOWN);
  return { failed: `${command} failed with code ${code}: ${said === "" ? "(no output)" : said}` };
}

async function start(
  { command }: LinterRun,
  { context, merge }: { context: RunContext; merge: boolean },
): Promise<{ code: number; output: string; late?: number }> {
  const timeout = context.limits.bashTimeout;
  let output = "";
  const { code, ended } = await context.shell.run({
    command,
    timeout,
    signal: context.signal,
    stderr: merge ? "merge" : "drop",
    maxOutput: 0,
    onOutput(chunk) {
      if (output.length < MAX_OUTPUT) output += chunk;
    },
  });
  if (ended === "interrupted") throw new ToolError("Lint interrupted.", { kind: "interrupted" });
  return { code, output, ...(ended === "timeout" && { late: timeout }) };
}

/** The findings, or undefined if the output is not what this linter prints. */
function read({ linter }: LinterRun, output: string): Finding[] | undefined {
  try {
    return linter.read(output);
  } catch {
    return undefined;
  }
}

/** Names the file as everywhere else, relative to the working directory; the message is one line. */
function resolvePath(finding: Finding, options: { run: LinterRun; cwd: string }): Finding {
  const { run, cwd } = options;
  const named = finding.file.startsWith("file://") ? fileURLToPath(finding.file) : finding.file;
  const absolute = isAbsolute(named) ? named : join(run.directory, named);
  const display = relative(cwd, absolute);
  return {
    ...finding,
    file: display.startsWith("..") ? absolute : display,
    message: cutSafely(finding.message.replace(/\s+/g, " ").trim(), MAX_MESSAGE),
  };
}
