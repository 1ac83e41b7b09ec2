/**
 * All rows as one table, and how a name is looked up in it.
 */
import { basename } from "node:path";
import { addNeeds, extreme, type Program, rows } from "../program.ts";
import { CONTAINERS } from "./containers.ts";
import { DEVELOPMENT } from "./development.ts";
import { FILES } from "./files.ts";
import { GIT } from "./git.ts";
import { INTERPRETERS } from "./interpreters.ts";
import { NETWORK } from "./network.ts";
import { SHELL } from "./shell.ts";
import { SYSTEM_PROGRAMS } from "./system.ts";
import { TEXT } from "./text.ts";
import { WRAPPERS } from "./wrappers.ts";

/** A later row replaces an earlier one of the same name. */
const TABLE: ReadonlyMap<string, Program> = new Map([
  ...TEXT,
  ...FILES,
  ...SHELL,
  ...DEVELOPMENT,
  ...GIT,
  ...SYSTEM_PROGRAMS,
  ...addNeeds(["network", "keys"], NETWORK),
  ...addNeeds(["network", "services", "keys"], CONTAINERS),
  ...INTERPRETERS,
  ...WRAPPERS,
]);

const FORMATS_DISK: Program = rows("mkfs", extreme("can destroy whole disks or files"))[0]![1];

/** The row for a program's name or path; `python3.12` and `gcc-13` are python3 and gcc. */
export function findProgram(command: string): Program | undefined {
  const name = basename(command);
  const found = TABLE.get(name) ?? TABLE.get(stripVersion(name));
  if (found) return found;
  if (/^mkfs(\.|$)/.test(name)) return FORMATS_DISK;
  // Where the file system does not tell RM from rm, neither may the table.
  return TABLE.get(stripVersion(name.toLowerCase()).replace(/\.(exe|cmd|bat)$/, ""));
}

function stripVersion(name: string): string {
  return name.replace(/(?<=[a-z+])-?\d+(\.\d+)*$/, "") || name;
}
