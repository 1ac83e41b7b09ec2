/**
 * Reads what linters print as JSON. Each reader knows one program's documented shape and takes nothing
 * in it for granted: what is missing reads as empty.
 */
import { type Finding, severityOf } from "./finding.ts";

/** Turns a linter's output into findings; @throws {SyntaxError} it is not JSON */
export type Reader = (output: string) => Finding[];

type Item = Readonly<Record<string, unknown>>;

/** ESLint: a list of files, each with its messages. */
export const readEslint: Reader = (output) =>
  items(parse(output)).flatMap((file) =>
    items(file.messages).map((one) => ({
      ...locationOf(file.filePath, one.line, one.column),
      rule: textOf(one.ruleId),
      message: textOf(one.message),
      severity: severityOf(one.severity),
    }))
  );

/** Deno: diagnostics with columns from 0, and files that could not be parsed. */
export const readDeno: Reader = (output) => {
  const root = object(parse(output));
  const diagnostics = items(root.diagnostics).map((one): Finding => {
    const start = object(object(one.range).start);
    const hint = textOf(one.hint);
    return {
      ...locationOf(one.filename, start.line, count(start.col) + 1),
      rule: textOf(one.code),
      message: hint === "" ? textOf(one.message) : `${textOf(one.message)} (${hint})`,
      severity: "warning",
    };
  });
  const unreadable = items(root.errors).map((one): Finding => {
    const text = textOf(one.message);
    const [, line, column] = /:(\d+):(\d+)\s*$/.exec(text) ?? [];
    return {
      ...locationOf(one.file_path, Number(line ?? 0), Number(column ?? 0)),
      rule: "syntax",
      message: text.split("\n")[0] ?? "",
      severity: "error",
    };
  });
  return [...unreadable, ...diagnostics];
};

/** Ruff: one list; a syntax error has no code, or one that says so. */
export const readRuff: Reader = (output) =>
  items(parse(output)).map((one) => {
    const { row, column } = object(one.location);
    const rule = textOf(one.code) || "invalid-syntax";
    return {
      ...locationOf(one.filename, row, column),
      rule,
      message: textOf(one.message),
      severity: /^(invalid-syntax|E9\d\d|F82\d)$/.test(rule) ? "error" : "warning",
    };
  });

/** Pylint: one list with columns from 0. */
export const readPylint: Reader = (output) =>
  items(parse(output)).map((one) => ({
    ...locationOf(one.path, one.line, count(one.column) + 1),
    rule: textOf(one.symbol) || textOf(one["message-id"]),
    message: textOf(one.message),
    severity: severityOf(one.type),
  }));

/** ShellCheck's `json1`. */
export const readShellcheck: Reader = (output) =>
  items(object(parse(output)).comments).map((one) => ({
    ...locationOf(one.file, one.line, one.column),
    rule: typeof one.code === "number" ? `SC${one.code}` : textOf(one.code),
    message: textOf(one.message),
    severity: severityOf(one.level),
  }));

/** RuboCop: files with offenses. */
export const readRubocop: Reader = (output) =>
  items(object(parse(output)).files).flatMap((file) =>
    items(file.offenses).map((one) => {
      const at = object(one.location);
      return {
        ...locationOf(file.path, at.start_line ?? at.line, at.start_column ?? at.column),
        rule: textOf(one.cop_name),
        message: textOf(one.message),
        severity: severityOf(one.severity),
      };
    })
  );

/** Hadolint and others with one flat list of `file line column code level message`. */
export const readFlat: Reader = (output) =>
  items(parse(output)).map((one) => ({
    ...locationOf(one.file, one.line, one.column ?? one.character),
    rule: textOf(one.code ?? one.rule_id),
    message: textOf(one.message ?? one.reason),
    severity: severityOf(one.level ?? one.severity),
  }));

/** SQLFluff: files with violations. */
export const readSqlfluff: Reader = (output) =>
  items(parse(output)).flatMap((file) =>
    items(file.violations).map((one) => ({
      ...locationOf(
        file.filepath,
        one.start_line_no ?? one.line_no,
        one.start_line_pos ?? one.line_pos,
      ),
      rule: textOf(one.code),
      message: textOf(one.description),
      severity: one.code === "PRS" ? "error" : "warning",
    }))
  );

/** What a program says before its JSON is passed over. */
function parse(output: string): unknown {
  if (output.trim() === "") return [];
  const start = /^[[{]/m.exec(output)?.index ?? 0;
  return JSON.parse(output.slice(start));
}

function locationOf(file: unknown, line: unknown, column: unknown) {
  return { file: textOf(file), line: count(line), column: count(column) };
}

function items(value: unknown): Item[] {
  return Array.isArray(value) ? value.map(object) : [];
}

function object(value: unknown): Item {
  return typeof value === "object" && value !== null ? value as Item : {};
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value.trim() : "";
}

function count(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}
