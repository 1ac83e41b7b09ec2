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
