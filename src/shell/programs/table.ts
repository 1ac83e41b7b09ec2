/**
 * The table of programs: every command is looked up in it.
 */
import { basename } from "node:path";
import type { Need } from "../../core/sandbox.ts";
import type { Program, Row } from "../program.ts";
import { parseRows } from "../program_rows.ts";
import { DEVELOPMENT } from "./development.ts";
import { FILES } from "./files.ts";
import { GIT } from "./git.ts";
import { INTERPRETERS } from "./interpreters.ts";
import { CONTAINERS, KEYS, LOCAL, NETWORK } from "./network.ts";
import { SHELL } from "./shell.ts";
import { SYSTEM_PROGRAMS } from "./system.ts";
import { TEXT } from "./text.ts";

const BUILTINS: ReadonlyMap<string, Program> = new Map(parseRows(SHELL));

/** A later row replaces an earlier one of the same name. */
const TABLE: ReadonlyMap<string, Program> = new Map([
  ...[TEXT, FILES].flatMap(parseRows),
  ...BUILTINS,
  ...[DEVELOPMENT, GIT, SYSTEM_PROGRAMS, LOCAL].flatMap(parseRows),
  ...withNeeds(["network"], NETWORK),
  ...withNeeds(["network", "keys"], KEYS),
  ...withNeeds(["network", "services", "keys"], CONTAINERS),
  ...parseRows(INTERPRETERS),
]);

/** The rows of a table of programs that all get the same. */
function withNeeds(needs: readonly Need[], table: string): Row[] {
  return parseRows(table).map(([name, program]) => [name, { ...program, needs }]);
}

/** Whether a name is that of a builtin, which no file stands for. */
export function isBuiltin(name: string): boolean {
  return BUILTINS.has(name);
}

/** The row for a program's name or path; `python3.12`, `gcc-13` and `mkfs.ext4` are python3, gcc and mkfs. */
export function findProgram(command: string): Program | undefined {
  const name = basename(command);
  const plain = stripVersion(name);
  // Where the file system does not tell RM from rm, neither may the table.
  const lower = stripVersion(name.toLowerCase()).replace(/\.(exe|cmd|bat)$/, "");
  return TABLE.get(name) ?? TABLE.get(plain) ?? TABLE.get(lower) ??
    (name.startsWith("mkfs.") ? TABLE.get("mkfs") : undefined);
}

function stripVersion(name: string): string {
  return name.replace(/(?<=[a-z+])-?\d+(\.\d+)*$/, "") || name;
}
