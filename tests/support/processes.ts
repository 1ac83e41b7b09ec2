/**
 * Looks at processes from outside, as the tests of whatever starts them must. On Linux they are read from /proc: a
 * bare machine has no `ps`.
 */

interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  /** The command line, its words joined by blanks. */
  readonly command: string;
}

/** Whether a process is there and more than a dead entry that nobody has collected yet. */
export function isRunning(pid: number): boolean {
  if (Deno.build.os === "linux") return readEntry(String(pid)) !== undefined;
  return listWithPs().some((entry) => entry.pid === pid);
}

/**
 * The command lines of all running processes that hold a text: what runs in a sandbox does not know the
 * id by which it is known outside.
 */
export function runningWith(text: string): string[] {
  return listProcesses(text).map(({ command }) => command);
}

/** The ids of all running processes whose command line holds a text. */
export function idsWith(text: string): number[] {
  return listProcesses(text).map(({ pid }) => pid);
}

/** A duration for `sleep` that no other process has. */
export function uniqueDuration(): string {
  return `1000.${crypto.getRandomValues(new Uint32Array(1))[0]}1`;
}

/** Id of the process that started what holds a text in its command line, which may run in a sandbox. */
export function starterOf(text: string): number {
  const found = listProcesses(text);
  const ids = found.map(({ pid }) => pid);
  const all = new Map(listProcesses("").map((entry) => [entry.pid, entry]));
  let starter = found.find(({ parent }) => !ids.includes(parent))?.parent ?? -1;
  // bubblewrap, and the first shell in the sandbox, know the text by other means.
  const knowsLater = /_ally_script|\. \/dev\/fd\/8/;
  while (knowsLater.test(all.get(starter)?.command ?? "")) starter = all.get(starter)!.parent;
  return starter;
}

/** The processes whose command line holds a text, but for those that are dead already. */
function listProcesses(text: string): ProcessEntry[] {
  if (Deno.build.os !== "linux") {
    return listWithPs().filter(({ command }) => command.includes(text));
  }
  return Array.from(Deno.readDirSync("/proc"), ({ name }) => name)
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readEntry(name, text) ?? []);
}

/** Undefined if it is dead, or its command line does not hold the text: tests ask again and again, of every process. */
function readEntry(pid: string, text = ""): ProcessEntry | undefined {
  try {
    const command = Deno.readTextFileSync(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim();
    if (!command.includes(text)) return undefined;
    // The name of the program stands in parentheses and may itself hold some.
    const status = Deno.readTextFileSync(`/proc/${pid}/stat`).replace(/^.*\) /s, "");
    const [state, parent] = status.split(" ");
    if (state === "Z" || state === "X") return undefined;
    return { pid: Number(pid), parent: Number(parent), command };
  } catch {
    // It has ended meanwhile.
    return undefined;
  }
}

function listWithPs(): ProcessEntry[] {
  const args = ["-axo", "stat=,pid=,ppid=,args="];
  const { stdout } = new Deno.Command("ps", { args }).outputSync();
  return new TextDecoder().decode(stdout).split("\n").flatMap((line) => {
    const [, state, pid, parent, command] = /^(\S+)\s+(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    if (state === undefined || state.startsWith("Z")) return [];
    return { pid: Number(pid), parent: Number(parent), command: command ?? "" };
  });
}
