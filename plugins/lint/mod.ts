/**
 * Runs the linters that a project uses on its files and brings what they find to one shape. A linter runs
 * the project's own code and configuration, so its command line is named beforehand, judged and asked about
 * like any command.
 */
import {
  defineTool,
  type Input,
  plural,
  quoteName,
  type SkippedFile,
  ToolError,
} from "../../src/api.ts";
import { definition } from "./definition.ts";
import type { Finding } from "./finding.ts";
import { runLinter } from "./run_linter.ts";
import { planRuns } from "./runs.ts";

/** Findings returned; the rest is only counted. */
const MAX_FINDINGS = 100;

type LintInput = Input<typeof definition>;

/** One linter as it was run. */
interface UsedLinter {
  readonly name: string;
  readonly command: string;
  readonly files: number;
  /** Why it found nothing, if it failed while another did not. */
  readonly failed?: string;
}

/** Fields of a successful result. */
interface LintData extends Readonly<Record<string, unknown>> {
  readonly findings: readonly Finding[];
  /** Findings, shown or not. */
  readonly total_findings: number;
  readonly errors: number;
  readonly warnings: number;
  readonly limited_results: boolean;
  readonly linters: readonly UsedLinter[];
  /** Files that no linter looked at, with the reason. */
  readonly left_out?: readonly SkippedFile[];
}

export default defineTool<LintInput, LintData>(definition, {
  describe: ({ file_paths, tool }) =>
    [file_paths.join(", "), tool && `with ${tool}`].filter(Boolean).join(" "),

  async commands(input, context) {
    return (await planRuns(input, context)).runs.map((run) => run.command);
  },

  async run(input, context) {
    const { runs, left } = await planRuns(input, context);
    const found: Finding[] = [];
    const linters: UsedLinter[] = [];
    for (const run of runs) {
      const outcome = await runLinter(run, context);
      const used = { name: run.linter.name, command: run.command, files: run.files };
      if (outcome.failed === undefined) found.push(...outcome.findings);
      linters.push(outcome.failed === undefined ? used : { ...used, failed: outcome.failed });
    }
    const failed = linters.find((one) => one.failed !== undefined);
    if (failed && found.length === 0) {
      throw new ToolError(`Cannot lint: ${failed.failed}`, {
        kind: "system",
        suggestion: `Mend what stops ${failed.name}; its command was: ${failed.command}`,
      });
    }
    found.sort(compareLocation);
    const count = (severity: string) => found.filter((one) => one.severity === severity).length;
    const data: LintData = {
      findings: found.slice(0, MAX_FINDINGS),
      total_findings: found.length,
      errors: count("error"),
      warnings: count("warning"),
      limited_results: found.length > MAX_FINDINGS,
      linters,
      ...(left.length > 0 && { left_out: left }),
    };
    return { ok: true, data, text: toText(data) };
  },

  preview: (data, lines) => [summary(data), ...data.findings.map(toLine)].slice(0, lines),
});

function compareLocation(a: Finding, b: Finding): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}

/** The summary, one line a finding, and what was not looked at. */
function toText(data: LintData): string {
  const { findings, total_findings, linters, left_out = [] } = data;
  const rest = total_findings - findings.length;
  return [
    summary(data),
    ...findings.map(toLine),
    ...(rest > 0 ? [`[${plural(rest, "more finding")} not shown]`] : []),
    ...linters.flatMap(({ failed }) => failed === undefined ? [] : [`[${failed}]`]),
    ...left_out.map(({ file, why }) => `[not linted: ${quoteName(file)}: ${why}]`),
  ].join("\n");
}

function summary({ total_findings, errors, warnings, linters }: LintData): string {
  const files = linters.reduce((sum, one) => sum + one.files, 0);
  const names = [...new Set(linters.map((one) => one.name))].join(", ");
  const grades = total_findings === 0
    ? ""
    : ` (${plural(errors, "error")}, ${plural(warnings, "warning")})`;
  return `${plural(total_findings, "finding")}${grades} in ${plural(files, "file")}, by ${names}`;
}

function toLine({ file, line, column, rule, message, severity }: Finding): string {
  const place = [quoteName(file), line, column].filter((part) => part !== 0).join(":");
  return [place, severity, rule, message].filter((part) => part !== "").join(" ");
}
