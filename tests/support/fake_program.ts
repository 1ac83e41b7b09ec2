/**
 * Programs for tests: small scripts that stand in the place of a linter or formatter on PATH, and a
 * shell that finds nothing but them and the system's own.
 */
import { join } from "node:path";
import { writeProgram } from "../../scripts/program_file.ts";
import { createShell, type ProcessShell } from "../../src/workspace/shell.ts";

/** What a fake program does when it is run. */
export interface FakeProgram {
  readonly stdout?: string;
  readonly stderr?: string;
  readonly code?: number;
  /** Lines of sh that run first; `$@` are its arguments. */
  readonly script?: string;
}

/** Puts a fake program into a directory. */
export async function putProgram(path: string, program: FakeProgram): Promise<void> {
  const { stdout = "", stderr = "", code = 0, script = "" } = program;
  const print = (text: string, to: string) =>
    text === "" ? "" : `cat <<'END_OF_TEXT'${to}\n${text}\nEND_OF_TEXT\n`;
  const body = `#!/bin/sh\n${script}\n${print(stdout, "")}${print(stderr, " >&2")}exit ${code}\n`;
  await Deno.mkdir(join(path, ".."), { recursive: true });
  await writeProgram(path, body);
}

/** A shell whose PATH is one directory and the system's. */
export function shellWith(bin: string, cwd: string): ProcessShell {
  const env = { PATH: `${bin}:/usr/bin:/bin` };
  return createShell({ cwd, env, logDir: join(bin, "..", "logs") });
}
