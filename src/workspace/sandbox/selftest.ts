/**
 * The proof that a sandbox holds: a script is run in it that tries what must fail, and what it says is
 * compared with what is true outside.
 */
import { quoteWord } from "../../lib/text.ts";

/** What the script is told: its own directory is where it runs. */
interface SelfTestOptions {
  /** Files outside of the workspace that it tries to make. */
  readonly outside: readonly string[];
}

/** The script, for `sh`; it prints one fact a line. */
export function selfTestScript({ outside }: SelfTestOptions): string {
  const attempts = outside.map((path, index) =>
    `if { echo x >${quoteWord(path)}; } 2>/dev/null; then echo wrote ${index}; fi`
  );
  return [
    "if { echo x >selftest; } 2>/dev/null; then echo inside; fi",
    ...attempts,
    "for name in net pid; do echo $name $(readlink /proc/self/ns/$name); done",
    "if { echo x >/proc/sys/kernel/hostname; } 2>/dev/null; then echo wrote kernel; fi",
    "/usr/bin/env --default-signal=TERM true 2>/dev/null && echo signals",
    "echo end",
  ].join("\n");
}

/** What the namespaces are called outside; undefined where they cannot be read. */
export interface Namespaces {
  readonly net: string | undefined;
  readonly pid: string | undefined;
}

/** Why the sandbox does not hold, or undefined if it does. */
export function evaluateSelfTest(
  output: string,
  { outside, namespaces, escaped }: {
    outside: readonly string[];
    /** Absent where there are none. */
    namespaces?: Namespaces;
    /** Files that are there although the script must not be able to make them. */
    escaped: readonly string[];
  },
): string | undefined {
  const facts = new Set(output.split("\n"));
  if (!facts.has("end")) return `a trial run failed: ${output.trim().split("\n").at(-1) ?? ""}`;
  if (!facts.has("inside")) return "a trial run could not write to its own directory";
  const written = outside.filter((path, index) =>
    escaped.includes(path) || facts.has(`wrote ${index}`)
  );
  if (written.length > 0) return `a trial run in it could write to ${written[0]}`;
  if (facts.has("wrote kernel")) return "a trial run in it could change the kernel's settings";
  if (namespaces === undefined) return undefined;
  const same = (name: "net" | "pid") =>
    namespaces[name] === undefined || facts.has(`${name} ${namespaces[name]}`) ||
    ![...facts].some((fact) => fact.startsWith(`${name} ${name}:[`));
  if (same("net")) return "a trial run in it had the machine's network";
  if (same("pid")) return "a trial run in it could see the machine's processes";
  return undefined;
}
