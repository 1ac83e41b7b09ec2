/**
 * The proof that a sandbox holds: a script is run in it that tries what must fail, and what it says is
 * compared with what is true outside.
 */
import { quoteWord } from "../lib/text.ts";

/** What the script is told: its own directory is where it runs, and a repository. */
interface SelfTestOptions {
  /** Files outside of the workspace that it tries to make. */
  readonly outside: readonly string[];
  /** What it must not find. */
  readonly unseen: readonly string[];
  /** Lines that say more of the machine. @default none */
  readonly questions?: readonly string[];
}

/** The script, for `sh`; it prints one fact a line. */
export function selfTestScript(
  { outside, unseen, questions = [] }: SelfTestOptions,
): string {
  const writes = (path: string, fact: string) =>
    `if { echo x >${path}; } 2>/dev/null; then echo ${fact}; fi`;
  return [
    writes("selftest", "inside"),
    writes(".git/selftest", "wrote repository"),
    ...outside.map((path, index) => writes(quoteWord(path), `wrote ${index}`)),
    ...unseen.map((path, index) => {
      const place = quoteWord(path);
      return `if [ -d ${place} ] || [ -S ${place} ]; then echo sees ${index}; fi`;
    }),
    "readlink /proc/self/ns/net /proc/self/ns/pid",
    'while read -r key value; do [ "$key" = Seccomp: ] && echo seccomp $value; done' +
    " </proc/self/status 2>/dev/null",
    writes("/proc/sys/kernel/hostname", "wrote kernel"),
    ...questions,
    "echo end",
  ].join("\n");
}

/** What the namespaces are called outside; undefined where they cannot be read. */
export interface Namespaces {
  readonly net: string | undefined;
  readonly pid: string | undefined;
}

/** What is true outside. */
interface Outside extends SelfTestOptions {
  /** Absent where there are none. */
  readonly namespaces?: Namespaces;
  /** Files that are there although the script must not be able to make them. */
  readonly escaped: readonly string[];
  /** Whether system calls are to be filtered. */
  readonly filtered: boolean;
}

/** Why the sandbox does not hold, or undefined if it does. */
export function evaluateSelfTest(
  output: string,
  { shape, outside, unseen, namespaces, escaped, filtered }: Outside & {
    shape: "closed" | "workspace";
  },
): string | undefined {
  const facts = new Set(output.split("\n"));
  const trial = shape === "closed" ? "a closed trial run" : "a trial run";
  if (!facts.has("end")) return `${trial} failed: ${output.trim().split("\n").at(-1) ?? ""}`;
  if (facts.has("inside") === (shape === "closed")) {
    return `${trial} could ${shape === "closed" ? "" : "not "}write to its own directory`;
  }
  const written = outside.filter((path, index) =>
    escaped.includes(path) || facts.has(`wrote ${index}`)
  );
  if (written.length > 0) return `${trial} in it could write to ${written[0]}`;
  if (facts.has("wrote repository")) return `${trial} in it could change .git`;
  if (facts.has("wrote kernel")) return `${trial} in it could change the kernel's settings`;
  const seen = unseen.filter((_, index) => facts.has(`sees ${index}`));
  if (shape === "closed" && seen.length > 0) return `${trial} in it could see ${seen[0]}`;
  if (filtered && !facts.has("seccomp 2")) return `${trial} in it had every system call`;
  if (namespaces === undefined) return undefined;
  const same = (name: "net" | "pid") =>
    namespaces[name] === undefined || facts.has(namespaces[name]) ||
    ![...facts].some((fact) => fact.startsWith(`${name}:[`));
  if (same("net")) return `${trial} in it had the machine's network`;
  if (same("pid")) return `${trial} in it could see the machine's processes`;
  return undefined;
}
