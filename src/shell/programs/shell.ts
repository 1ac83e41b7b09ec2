/**
 * What bash has built in, and what the shell's own state is made of.
 */
import { asks, extreme, grave, type Row, safe } from "../program.ts";

/** Rows of the program table. */
export const SHELL: readonly Row[] = [
  ...safe(": true false exit return break continue shift wait times umask ulimit suspend"),
  ...safe("pwd type which whereis dirs bg fg disown caller help sleep usleep"),
  ...safe("hash", { options: { "-p": extreme("changes where programs are found") } }),
  ...safe("compgen", { options: { "-C -F -W": "code" } }),
  ...safe("cd pushd", { grammar: "cd" }),
  ...asks("popd", "changes the directory", { grammar: "cd" }),
  ...safe("export declare typeset local readonly", { grammar: "assign" }),
  ...safe("unset", { grammar: "assign" }),
  ...safe("history", {
    options: { "-c -d -w -a -r -n -s -p": extreme("changes the history of commands") },
  }),
  ...safe("test [", { grammar: "read", longDash: true, options: { "-v -R": "text" } }),
  ...safe("getopts", { grammar: "read" }),
  ...safe("read printf", { grammar: "read", options: { "-v -a -d -n -N -p -t -u -i": "text" } }),
  ...safe("readarray mapfile", {
    grammar: "read",
    options: { "-C": "code", "-d -n -s -u -O -c": "text" },
  }),
  ...safe("let", { grammar: "assign" }),
  ...safe("set", {
    options: { "-k keyword": extreme("changes what words are assignments") },
  }),
  ...safe("shopt"),
  ...safe("jobs", { options: { "-x": "code" } }),
  ...grave("eval", "runs text as code", { operands: "code" }),
  ...grave("alias unalias enable bind complete compopt", "changes what later words mean", {
    operands: "code",
  }),
  ...grave("trap", "runs text as code", { operands: "code" }),
  ...grave("fc", "runs commands of the history", { operands: "code" }),
  ...grave("logout", "ends the session"),
  ...asks("source .", "runs a script", {
    interpreter: { code: "", language: "shell" },
  }),
];
