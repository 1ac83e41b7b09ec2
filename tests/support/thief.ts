/**
 * What tests of the user's keys share: a repository that git reaches with them, and programs of the workspace that would
 * take them. The key is `plover`.
 */
import { join } from "node:path";
import { writeProgram } from "../../scripts/program_file.ts";
import type { ScriptedReply } from "../../src/modes/demo/scripted_server.ts";
import { type Guarded, guarded, serveBySsh } from "./sandbox.ts";

/** What a model says at once: a command, or several calls. */
type Attempted = string | ScriptedReply;

/** A repository with a program that takes the keys, and another repository that git reaches with them. */
export async function withThief(commands: readonly Attempted[]): Promise<Guarded> {
  const at = await guarded(commands, { repository: true, files: { "a.txt": "a\n" } });
  await serveBySsh(at);
  const stolen = join(at.place.dir, "stolen.txt");
  const steal =
    `#!/bin/sh\ncat "$HOME/.ssh/id_test" >> ${stolen} 2> /dev/null\necho ran >> ${stolen}\n`;
  await writeProgram(join(at.place.dir, "tool.sh"), `${steal}exit 1\n`);
  await at.git("clone", "-q", "--bare", ".", "up.git");
  await at.git("config", "remote.origin.url", `server:${join(at.place.dir, "up.git")}`);
  return at;
}

/** What the program has written: what it saw of the keys, and that it ran. */
export async function stolen(at: Guarded): Promise<string> {
  return await at.place.read("stolen.txt").catch(() => "");
}

/** The same, with programs that make a repository, or write the configuration of one that git has just made. */
export async function withPlanters(commands: readonly Attempted[]): Promise<Guarded> {
  const at = await withThief(commands);
  const settings = `printf '[core]\\n\\tsshCommand = ${at.place.dir}/tool.sh\\n'`;
  const make = `#!/bin/sh\ngit init -q "$1"; ${settings} >> "$1/.git/config"\n`;
  await writeProgram(join(at.place.dir, "make.sh"), make);
  await writeProgram(join(at.place.dir, "arm.sh"), `#!/bin/sh\n${settings} >> "$1/.git/config"\n`);
  return at;
}
