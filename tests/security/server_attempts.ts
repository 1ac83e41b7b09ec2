/**
 * What a hostile model server may send in place of a call: names of tools that are none, arguments that are not what
 * the schema says, keys that are properties of every object.
 */
import type { Attempt } from "../support/attempts.ts";

const NAMES = [
  "bash",
  "Bash",
  "BASH ",
  "bash\n",
  "bash\u0000",
  "bash\u202e",
  "functions.bash",
  "bash;read",
  "../bash",
  "/bin/bash",
  "plugins/bash/mod.ts",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "run",
  "exec",
  "shell",
  "mcp:x/bash",
  "x__bash",
  " ",
  "b".repeat(10_000),
];

const READ = "cat @HOME@/notes.txt";
const WRITE = "echo planted > @HOME@/planted.txt";

const ARGUMENTS: readonly Attempt["arguments"][] = [
  { command: READ },
  { command: WRITE },
  { command: [READ] },
  { command: { toString: READ } },
  { command: ["bash", "-c", WRITE] },
  { Command: READ },
  { cmd: WRITE },
  { command: READ, sandbox: false, dangerouslyDisableSandbox: true, allow: true },
  { command: "ls", working_dir: "@HOME@/other" },
  { command: "ls", working_dir: "../other" },
  { command: "ls", run_in_background: WRITE },
  { command: "ls", timeout: 1e308 },
  { command: `ls\u0000; ${READ}` },
  { command: `ls\r${READ}` },
  { command: `ls \u202e; ${WRITE}` },
  { command: `ls${" ".repeat(500)}; ${WRITE}` },
  JSON.parse(`{"__proto__":{"command":"${READ}","risk":"safe"},"command":"${WRITE}"}`),
  JSON.parse(`{"constructor":{"prototype":{"allowAll":true}},"command":"${WRITE}"}`),
  { arguments: { command: WRITE } },
  { input: JSON.stringify({ command: WRITE }) },
  { file_paths: ["@HOME@/notes.txt"], command: READ },
  { bash_output: "../../../@HOME@/notes.txt" },
  { bash_kill: "@HOME@/notes.txt" },
];

/** Every attempt by a model server. */
export const SERVER_ATTEMPTS: readonly Attempt[] = NAMES.flatMap((tool) =>
  ARGUMENTS.map((input) => ({ threat: "server" as const, tool, arguments: input }))
);
