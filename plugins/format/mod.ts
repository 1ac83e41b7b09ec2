/**
 * Formats files with the formatter their project uses. A formatter may run the project's own code, so its
 * command line is judged first; once it is allowed, planning pipes each text through it, and the difference
 * is shown, asked about and committed like any other change.
 */
import {
  type Change,
  choosePrograms,
  commandLine,
  defineTool,
  fileArgument,
  type Input,
  mapLimited,
  messageOf,
  plural,
  quoteName,
  type ReceiptFields,
  receiptFields,
  type ResolvedPath,
  type SkippedFile,
  type ToolContext,
  ToolError,
} from "../../src/api.ts";
import { definition } from "./definition.ts";
import { type Formatter, FORMATTERS } from "./formatters.ts";
import { runFormatter } from "./run_formatter.ts";

/** Files formatted at once, and how many formatters run at the same time. */
const MAX_FILES = 50;
const MAX_RUNNING = 4;

type FormatInput = Input<typeof definition>;

/** What only planning knows. */
interface FormatDetails extends Readonly<Record<string, unknown>> {
  /** Files that changed, or with `check` would change. */
  readonly formatted: readonly string[];
  readonly unchanged: readonly string[];
  readonly formatters: readonly string[];
  /** Files that no formatter took, with the reason. */
  readonly left_out?: readonly SkippedFile[];
}

/** Fields of a successful result. */
interface FormatData extends FormatDetails, Partial<ReceiptFields> {
  readonly check: boolean;
}

export default defineTool<FormatInput, FormatData>(definition, {
  effectsOf: ({ check }) => check ? ["read", "exec"] : definition.effects,

  describe: ({ file_paths, check }) => `${check ? "check " : ""}${file_paths.join(", ")}`,

  async commands(input, context) {
    return (await planRuns(input, context)).runs.map((run) => run.command);
  },

  async plan(input, context) {
    const { runs, left } = await planRuns(input, context);
    const outcomes = await mapLimited(runs, {
      limit: MAX_RUNNING,
      run: (one) => formatFile(one, context),
    });
    const changes = outcomes.flatMap((one) => "change" in one ? [one.change] : []);
    const unchanged = outcomes.flatMap((one) => "unchanged" in one ? [one.unchanged] : []);
    const failed = outcomes.flatMap((one) => "left" in one ? [one.left] : []);
    if (failed.length === runs.length) refuse([...failed, ...left]);
    const left_out = [...failed, ...left];
    const details: FormatDetails = {
      formatted: changes.map(({ path }) => path.display),
      unchanged,
      formatters: [...new Set(runs.map(({ formatter }) => formatter.name))],
      ...(left_out.length > 0 && { left_out }),
    };
    return { changes: input.check ? [] : changes, details };
  },

  async run({ check = false }, { files, plan, callId }) {
    const details = plan?.details as FormatDetails | undefined;
    if (!plan || !details) throw new Error("Cannot run format: it was not planned");
    if (plan.changes.length === 0) return success({ ...details, check });
    const by = { tool: definition.name, callId, unseen: true };
    const receipt = await files.commit(plan.changes, by);
    return success({ ...details, check, ...receiptFields(receipt, plan.changes) });
  },

  preview: (data, lines) => [summary(data), ...data.formatted].slice(0, lines),
});

/** One file with the command line that formats it. */
interface FormatterRun {
  readonly file: ResolvedPath;
  readonly formatter: Formatter;
  readonly command: string;
}

/** @throws {ToolError} user: there is no formatter for any of the files */
async function planRuns(
  input: FormatInput,
  { files, shell, signal }: ToolContext,
): Promise<{ runs: FormatterRun[]; left: SkippedFile[] }> {
  const { chosen, left } = await choosePrograms(input.file_paths, {
    table: FORMATTERS,
    noun: "formatter",
    files,
    shell,
    signal,
    limit: MAX_FILES,
  });
  if (chosen.length === 0) refuse(left);
  const runs = chosen.map(({ file, found }) => {
    const name = fileArgument(file.absolute, found.directory);
    const type = name.slice(name.lastIndexOf(".") + 1);
    const args = found.row.args.map((word) =>
      word.replace("{file}", () => name).replace("{type}", () => type)
    );
    const command = commandLine(found, { args, cwd: files.cwd });
    return { file, formatter: found.row, command };
  });
  return { runs, left };
}

function refuse(left: readonly SkippedFile[]): never {
  const reasons = left.map(({ file, why }) => `${file}: ${why}`).join("; ");
  throw new ToolError(`Cannot format ${reasons}.`, {
    kind: "user",
    suggestion: "Mend what is named, or install and configure a formatter.",
  });
}

type Outcome =
  | { readonly change: Change }
  | { readonly unchanged: string }
  | { readonly left: SkippedFile };

/** What the formatter makes of a file; one that cannot be formatted does not hold up the others. */
async function formatFile(
  { file, formatter, command }: FormatterRun,
  context: ToolContext,
): Promise<Outcome> {
  try {
    const { text: before } = await context.files.read(file, { unseen: true });
    const made = await runFormatter(before, { formatter, command, context });
    if ("why" in made) return { left: { file: file.display, why: made.why } };
    if (made.text === before) return { unchanged: file.display };
    return { change: { path: file, before, after: made.text } };
  } catch (error) {
    if (context.signal.aborted) throw error;
    return { left: { file: file.display, why: messageOf(error) } };
  }
}

function success(data: FormatData) {
  const list = (title: string, names: readonly string[]) =>
    names.length === 0 ? [] : [`${title}: ${names.map(quoteName).join(", ")}`];
  const text = [
    summary(data),
    ...list(data.check ? "Would change" : "Changed (read again before editing)", data.formatted),
    ...list("Unchanged", data.unchanged),
    ...(data.left_out ?? []).map(({ file, why }) => `[not formatted: ${quoteName(file)}: ${why}]`),
  ].join("\n");
  return { ok: true as const, data, text };
}

function summary({ formatted, unchanged, formatters, check }: FormatData): string {
  const all = formatted.length + unchanged.length;
  const what = check ? "would be" : "was";
  const count = formatted.length === 0
    ? "nothing"
    : `${formatted.length} of ${plural(all, "file")}`;
  return `${count} ${what} changed by ${formatters.join(", ")}`;
}
