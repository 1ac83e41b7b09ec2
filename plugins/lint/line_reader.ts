/**
 * Reads findings that stand one a line: `file:line:column: message`, with whatever most linters put
 * around it, and the two other ways that are common: GitHub's annotations and PHP's sentences.
 */
import { type Finding, severityOf } from "./finding.ts";

const LOCATION = /^\s*(.+?):(\d+)(?::(\d+))?:? +(.+)$/;
const SEVERITIES =
  "fatal error|error|warning|info|information|note|style|convention|refactor|hint|fatal|performance|portability";
/** `[error] ` or `error: `; a bare word may begin the message itself. */
const SEVERITY = new RegExp(`^(?:\\[(${SEVERITIES})\\]|(${SEVERITIES}):) +`, "i");
const CODE = /^\(?([A-Z]{1,5}\d{1,5})\)?:? +/;
/** Codes with which Flake8 and luacheck say that a program cannot work. */
const SYNTAX = /^(?:E[09]\d\d|F82\d)$/;
/** `[error]`, `[Error/rule]`, `(rule)`, `[rule]` at the end. */
const TAIL = /\s+[[(]([\w@][\w./@:,()+-]*)[\])]$/;

/** Reads `file:line:column: message`; other lines are passed over. */
export function readLines(output: string): Finding[] {
  return output.split(/\r?\n/).flatMap((line) => {
    const [, file, row, column, rest] = LOCATION.exec(line) ?? [];
    if (file === undefined || rest === undefined) return [];
    return [{
      file: file.replace(/^vet: /, ""),
      line: Number(row),
      column: Number(column ?? 0),
      ...readMessage(rest),
    }];
  });
}

function readMessage(text: string): Pick<Finding, "rule" | "message" | "severity"> {
  let message = text.trim();
  let severity: Finding["severity"] = "warning";
  let rule = "";
  const grade = SEVERITY.exec(message);
  if (grade) {
    severity = severityOf((grade[1] ?? grade[2])?.split(" ")[0]);
    message = message.slice(grade[0].length);
  }
  const code = CODE.exec(message);
  if (code) {
    rule = code[1] ?? "";
    if (SYNTAX.test(rule)) severity = "error";
    message = message.slice(code[0].length);
  }
  // At most two, as in "message (rule) [error]".
  for (let tail = TAIL.exec(message); tail && rule === ""; tail = TAIL.exec(message)) {
    const word = tail[1] ?? "";
    const [first = "", ...others] = word.split("/");
    const graded = /^(error|warning)$/i.test(first);
    if (graded) severity = severityOf(first);
    rule = graded ? others.join("/") : word;
    message = message.slice(0, tail.index);
  }
  return { rule, message, severity };
}

const ANNOTATION = /^::(error|warning|notice) ([^]*?)::(.*)$/;

/** Reads GitHub's annotations: `::error file=a.ts,line=1,col=2,title=rule::message`. */
export function readAnnotations(output: string): Finding[] {
  return output.split(/\r?\n/).flatMap((text) => {
    const [, grade, properties = "", message = ""] = ANNOTATION.exec(text) ?? [];
    if (grade === undefined) return [];
    const named = new Map(
      properties.split(",").map((one): [string, string] => {
        const [key = "", ...value] = one.split("=");
        return [key.trim(), decode(value.join("="))];
      }),
    );
    return [{
      file: named.get("file") ?? "",
      line: Number(named.get("line") ?? 0),
      column: Number(named.get("col") ?? 0),
      rule: named.get("title") ?? "",
      message: decode(message),
      severity: severityOf(grade),
    }];
  });
}

/** Line ends, commas and colons are written by their numbers. */
function decode(text: string): string {
  return text.replace(/%(25|0D|0A|3A|2C)/gi, (_, code) => String.fromCharCode(parseInt(code, 16)));
}

/** Reads `PHP Parse error:  message in file on line 3`, which PHP may say twice. */
export function readPhp(output: string): Finding[] {
  const found = output.split(/\r?\n/).flatMap((text): Finding[] => {
    const [, rule = "", message = "", file, line] =
      /^(?:PHP )?([A-Z]\w+(?: \w+)?):\s+(.+) in (.+) on line (\d+)$/.exec(text) ?? [];
    if (file === undefined) return [];
    const severity = /error/i.test(rule) ? "error" : "warning";
    return [{ file, line: Number(line), column: 0, rule, message, severity }];
  });
  return [...new Map(found.map((one) => [`${one.line} ${one.message}`, one])).values()];
}
