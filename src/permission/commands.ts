/**
 * How grave a command line is. A command is sensitive, and extremely so if it names a program or a flag
 * that destroys much at once, gains privilege or stops the machine.
 */
import { basename } from "node:path";
import { plainWords } from "./rules.ts";

export interface CommandClass {
  readonly class: "sensitive" | "extreme";
  readonly why: string;
}

/** Programs that are extreme whatever follows them. */
const EXTREME_PROGRAMS: ReadonlyMap<string, string> = new Map([
  ...["sudo", "su", "doas", "pkexec"].map((name) => [name, "gains privilege"] as const),
  ...["shutdown", "reboot", "halt", "poweroff", "telinit", "systemctl", "service"]
    .map((name) => [name, "stops or changes the system"] as const),
  ...["fdisk", "parted", "wipefs", "mkswap", "mount", "umount", "dd", "shred"]
    .map((name) => [name, "can destroy whole disks or files"] as const),
  ...["killall", "pkill"].map((name) => [name, "ends processes by name"] as const),
  ...["crontab", "nft", "iptables", "useradd", "userdel", "passwd", "visudo"]
    .map((name) => [name, "changes how the system is set up"] as const),
  ["eval", "runs text as code"],
]);

/** Programs that are extreme with certain arguments. */
const EXTREME_USES: readonly { program: string; arguments: RegExp; why: string }[] = [
  {
    program: "rm",
    arguments: /^(-[a-zA-Z]*[rR]|--recursive$|--no-preserve-root$)/,
    why: "removes recursively",
  },
  { program: "rm", arguments: /[*?]/, why: "removes many files at once" },
  {
    program: "find",
    arguments: /^-(delete|exec|execdir|ok|okdir)$/,
    why: "acts on every file found",
  },
  { program: "chmod", arguments: /^(-[a-zA-Z]*R|--recursive$)/, why: "changes whole trees" },
  { program: "chown", arguments: /^(-[a-zA-Z]*R|--recursive$)/, why: "changes whole trees" },
  {
    program: "git",
    arguments: /^(--hard|clean|--force|--force-with-lease|filter-branch|-f)$/,
    why: "discards work or history",
  },
  { program: "kill", arguments: /^-1$/, why: "ends every process" },
];

/** Shells and interpreters that run whatever is piped into them. */
const INTERPRETERS =
  /\|\s*(?:\S*\/)?(?:env\s+)?(?:ba|da|z|k|fi)?sh\b|\|\s*(?:\S*\/)?(?:python3?|perl|ruby|node|deno)\b/;

/** Words after which the next word is a program again. */
const WRAPPERS = new Set(
  "env nohup timeout nice time command exec builtin xargs stdbuf setsid ionice then do else !"
    .split(" "),
);

/** Classifies one command line as it stands; no rule and no grant is looked at. */
export function classifyCommand(command: string): CommandClass {
  const parts = simpleCommands(command);
  const why = controlCharacters(command) ?? extremeProgram(parts) ?? extremeUse(parts) ??
    extremeSyntax(command);
  return why === undefined
    ? { class: "sensitive", why: "runs a command" }
    : { class: "extreme", why };
}

/**
 * The words of each piece of text that could be a simple command: whatever stands between separators,
 * quotes and brackets. Wider than the shell's own reading, so that nothing hides in a quoted script.
 */
function simpleCommands(command: string): string[][] {
  return command.replaceAll("\\", "").split(/[;|&(){}`"'\n]/)
    .map((part) => part.split(/\s+/).filter((word) => word !== ""))
    .filter((words) => words.length > 0);
}

/** The words in the place of a program: the first, and those after wrappers and their arguments. */
function programsOf(words: readonly string[]): string[] {
  const programs: string[] = [];
  let expected = true;
  for (const word of words) {
    const name = basename(word);
    const isArgument = /^[-\d]/.test(word) || /^\w+=/.test(word);
    if (expected && !isArgument) {
      programs.push(name);
      expected = WRAPPERS.has(name);
    }
  }
  return programs;
}

function controlCharacters(command: string): string | undefined {
  // deno-lint-ignore no-control-regex
  return /[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/.test(command)
    ? "holds invisible or control characters"
    : undefined;
}

function extremeProgram(parts: readonly string[][]): string | undefined {
  for (const name of parts.flatMap(programsOf)) {
    const why = EXTREME_PROGRAMS.get(name) ??
      (/^mkfs(\.|$)/.test(name) ? "can destroy whole disks or files" : undefined);
    if (why !== undefined) return `${name} ${why}`;
  }
  return undefined;
}

function extremeUse(parts: readonly string[][]): string | undefined {
  const all = parts.flat();
  const use = EXTREME_USES.find((one) =>
    parts.some((words) => programsOf(words).includes(one.program)) &&
    all.some((word) => one.arguments.test(word))
  );
  return use && `${use.program} ${use.why}`;
}

function extremeSyntax(command: string): string | undefined {
  if (INTERPRETERS.test(command)) return "pipes text into an interpreter";
  if (/>\s*["']?(\/|~|\$)(?!dev\/null\b)/.test(command)) return "writes outside the workspace";
  if (/:\s*\(\s*\)\s*\{/.test(command)) return "defines a function that may never end";
  return undefined;
}

/** What "Always" would store for a command: the very words, if it is plain. */
export function grantFor(command: string): string | undefined {
  return plainWords(command)?.join(" ");
}
