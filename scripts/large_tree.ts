/**
 * A repository as large as they come, for the benchmarks: many small files, all committed.
 */
import { join } from "node:path";

const FILES_IN_DIRECTORY = 25;
const DIRECTORIES_IN_DIRECTORY = 20;

/** Makes a repository with a number of files; git holds them as it does after a clone, in one pack. */
export async function makeLargeRepository(directory: string, files: number): Promise<void> {
  const stream: string[] = ["commit refs/heads/main\ncommitter b <b@b.c> 0 +0000\ndata 0\n"];
  for (let at = 0; at < files; at++) {
    const inner = Math.floor(at / FILES_IN_DIRECTORY);
    const path = `d${Math.floor(inner / DIRECTORIES_IN_DIRECTORY)}/e${inner}/f${at}.ts`;
    const text = `export const value${at} = ${at};\n`.repeat(20);
    stream.push(`M 100644 inline ${path}\ndata ${text.length}\n${text}\n`);
  }
  await Deno.mkdir(directory, { recursive: true });
  await git(directory, ["init", "--quiet", "--initial-branch=main"]);
  const list = join(directory, ".git", "stream");
  await Deno.writeTextFile(list, stream.join(""));
  await git(directory, ["fast-import", "--quiet"], list);
  await Deno.remove(list);
  await git(directory, ["checkout", "--quiet", "--force", "main"]);
}

async function git(cwd: string, args: readonly string[], input?: string): Promise<void> {
  const child = new Deno.Command("git", {
    args: [...args],
    cwd,
    stdin: input === undefined ? "null" : "piped",
    stdout: "null",
    stderr: "inherit",
  }).spawn();
  if (input !== undefined) await (await Deno.open(input)).readable.pipeTo(child.stdin);
  const { success } = await child.status;
  if (!success) throw new Error(`git ${args.join(" ")} failed`);
}
