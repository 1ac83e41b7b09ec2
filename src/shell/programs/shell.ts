/**
 * The builtins of bash.
 */
import {
  extreme,
  extremeRows,
  type Row,
  safeRows,
  sensitiveRows,
  tentativeRows,
} from "../program.ts";

/** Rows of the program table. */
export const SHELL: readonly Row[] = [
  ...safeRows(": true false exit return break continue shift wait times umask ulimit suspend"),
  ...safeRows("pwd type dirs bg fg disown caller help"),
  ...safeRows("hash", { options: { "-p": extreme("changes where programs are found") } }),
  ...safeRows("compgen", { options: { "-C -F -W": "code" } }),
  ...safeRows("cd pushd", { grammar: "cd" }),
  ...sensitiveRows("popd", "changes the directory", { grammar: "cd" }),
  ...safeRows("export declare typeset local readonly", { grammar: "assign" }),
  ...safeRows("unset", { grammar: "assign" }),
  ...safeRows("history", {
    options: { "-c -d -w -a -r -n -s -p": extreme("changes the history of commands") },
  }),
  ...safeRows("test [", { grammar: "read", longDash: true, options: { "-v -R": "text" } }),
  ...safeRows("getopts", { grammar: "read" }),
  ...safeRows("read printf", {
    grammar: "read",
    options: { "-v -a -d -n -N -p -t -u -i": "text" },
  }),
  ...safeRows("readarray mapfile", {
    grammar: "read",
    options: { "-C": "code", "-d -n -s -u -O -c": "text" },
  }),
  ...safeRows("let", { grammar: "assign" }),
  ...safeRows("set shopt", { grammar: "shell_options" }),
  ...safeRows("jobs", { options: { "-x": "code" } }),
  ...extremeRows("eval", "runs text as code", { operands: "code" }),
  ...extremeRows("alias unalias enable bind complete compopt", "changes what later words mean", {
    operands: "code",
  }),
  ...extremeRows("trap", "runs text as code", { operands: "code" }),
  ...extremeRows("fc", "runs commands of the history", { operands: "code" }),
  ...extremeRows("logout", "ends the session"),
  ...tentativeRows("source .", "runs a script", {
    interpreter: { code: "", language: "shell" },
  }),
];

const BUILTINS = new Set([...SHELL.map(([name]) => name), "echo"]);

/** Whether a name is that of a builtin, which no file stands for. */
export function isBuiltin(name: string): boolean {
  return BUILTINS.has(name);
}
