/**
 * Looks at processes from outside, as the tests of whatever starts them must.
 */

/** Whether a process is there and more than a dead entry that nobody has collected yet. */
export function isRunning(pid: number): boolean {
  const args = ["-o", "stat=", "-p", String(pid)];
  const { stdout } = new Deno.Command("ps", { args, stderr: "null" }).outputSync();
  const state = new TextDecoder().decode(stdout).trim();
  return state !== "" && !state.startsWith("Z");
}

/**
 * The command lines of all running processes that hold a text: what runs in a sandbox does not know the
 * id by which it is known outside.
 */
export function runningWith(text: string): string[] {
  const { stdout } = new Deno.Command("ps", { args: ["-eo", "stat=,args="] }).outputSync();
  return new TextDecoder().decode(stdout).split("\n")
    .filter((line) => line.includes(text) && !line.startsWith("Z"));
}

/** A duration for `sleep` that no other process has. */
export function uniqueDuration(): string {
  return `1000.${crypto.getRandomValues(new Uint32Array(1))[0]}1`;
}

/** Id of the process that started what holds a text in its command line. */
export function starterOf(text: string): number {
  const args = ["-eo", "pid=,ppid=,args="];
  const { stdout } = new Deno.Command("ps", { args }).outputSync();
  const found = new TextDecoder().decode(stdout).split("\n").filter((line) => line.includes(text))
    .map((line) => line.trim().split(/\s+/).map(Number));
  const ids = found.map(([pid]) => pid);
  return found.find(([, parent]) => !ids.includes(parent))?.[1] ?? -1;
}
