/**
 * JSON, JSONC, YAML and TOML, judged by parsers made for them. Each library is loaded when a file of its kind
 * is first changed.
 */
import type { ParseError } from "jsonc-parser";
import type { FindProblems, Problem } from "./problem.ts";
import { SourceLines } from "./source_lines.ts";

/** JSON; with `comments` also comments and trailing commas, as configuration files of editors have. */
export async function loadJson(options: { comments: boolean }): Promise<FindProblems> {
  const { parse, printParseErrorCode } = await import("jsonc-parser");
  const { comments } = options;
  return (text) => {
    const errors: ParseError[] = [];
    parse(text, errors, { disallowComments: !comments, allowTrailingComma: comments });
    return errors.map(({ error, offset }) =>
      jsonProblem(printParseErrorCode(error), { text, offset })
    );
  };
}

/** An error of the JSON parser, at the place where a person would correct it. */
function jsonProblem(code: string, { text, offset }: { text: string; offset: number }): Problem {
  const end = text.slice(0, offset).trimEnd().length;
  switch (code) {
    case "CommaExpected":
      return { offset: end, message: "missing ','" };
    case "ColonExpected":
      return { offset: end, message: "missing ':'" };
    case "CloseBracketExpected":
      return { offset: end, message: "missing ']'" };
    case "CloseBraceExpected":
      return { offset: end, message: "missing '}'" };
    case "InvalidCommentToken":
      return { offset, message: "comments are not allowed in JSON" };
  }
  if (text[end - 1] === "," && /[\]}]/.test(text[offset] ?? "")) {
    return { offset: end - 1, message: "trailing ',' is not allowed in JSON" };
  }
  // "PropertyNameExpected" as "property name expected".
  const words = code.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
  return { offset, message: words };
}

/** YAML of one or more documents; templates that only become YAML later are not judged. */
export async function loadYaml(): Promise<FindProblems> {
  const { default: yaml } = await import("yaml");
  return (text) => {
    if (/^\s*(?:\{\{|\{%)/m.test(text)) throw new Error("Cannot judge YAML that is a template");
    const documents = yaml.parseAllDocuments(text, { prettyErrors: false, logLevel: "silent" });
    const errors = Array.isArray(documents) ? documents.flatMap((one) => one.errors) : [];
    return errors.map(({ pos, message }): Problem => ({ offset: pos[0], message }));
  };
}

/** TOML; its parser stops at the first error. */
export async function loadToml(): Promise<FindProblems> {
  const { parse, TomlError } = await import("smol-toml");
  return (text) => {
    try {
      parse(text);
      return [];
    } catch (error) {
      if (!(error instanceof TomlError)) throw error;
      const [words = ""] = error.message.split("\n");
      const offset = new SourceLines(text).startOf(error.line - 1) + error.column - 1;
      return [{ offset, message: words.replace(/^Invalid TOML document: /, "") }];
    }
  };
}
