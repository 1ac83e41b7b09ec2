/**
 * The words of a script's commands, as far as they can be told by its text: what might be spelled so counts as spelled so.
 */
import { basename } from "node:path";

/** What runs words as a script. */
const RUNS_TEXT = /^(?:(?:ba|da|z|k)?sh|eval)$/;
/** A word that gives a variable its value. */
export const ASSIGNED = /^([A-Za-z_]\w*)(?:\[[^\]]*\])?\+?=/;

/** What stands before a command and is no word of it. */
const IN_FRONT = /^(?:!|if|then|elif|else|while|until|do|time|coproc)$/;
/** Characters of a script that are looked through; more than anybody writes. */
const MAX_SCRIPT = 20_000;

/** A substitution of commands, or of their input or output, with others in it. */
const INNER = String.raw`[$<>]\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)`;
/** Pieces of a word. */
const PIECES = [
  String.raw`\\[^]`,
  String.raw`\$?'[^'\\]*'`,
  "'[^']*'",
  String.raw`"(?:[^"\\$\x60]|\\[^]|\$(?!\()|${INNER})*"`,
  INNER,
  String.raw`\$\{(?:[^{}]|\$\{[^{}]*\})*\}`,
  String.raw`[^\s;|&()<>'"\\\x60$]`,
  String.raw`\$(?![({'])`,
].join("|");
/** A comment, what begins a redirection, a word, what ends a command, or blanks. */
const TOKEN = new RegExp(
  String.raw`#[^\n]*|(?:\d*|&)[<>]{1,3}(?!\()[&|-]?|(?:${PIECES})+|[;|&()\n]|[^\S\n]+`,
  "gy",
);
/** What a shell replaces in a word: not between single quotes, nor behind a backslash. */
const REPLACED = /^(?:[^'\\$\x60*?[{]|'[^']*'|\\[^])*[$\x60*?[{]/;
/** What a shell makes no further words of: what stands between double quotes, and names of files. */
const NOT_SPLIT = new RegExp(String.raw`"(?:[^"\\$]|\\[^]|\$\{?\w+\}?|${INNER})*"|[*?[]`, "g");
/** Text that a command reads, in which a shell finds nothing to run. */
const READ_TEXT =
  /(<<-?[ \t]*(?:(['"])(\w+)\2|(\w+))[^\n]*)\n([^]{0,20000}?)\n[ \t]*(?:\3|\4)(?=[ \t]*(?:\n|$|\)))/g;

/** A word of a command. */
export interface Word {
  /** Without its quotes. */
  readonly value: string;
  /** Whether a shell finds nothing in it to replace. */
  readonly isLiteral: boolean;
  /** Whether all that it becomes begins as it does. */
  readonly keepsBegin: boolean;
}

/** The words of a script. */
export interface ScriptWords {
  /** Those of each simple command, also of those in substitutions, and in words that a shell runs. */
  readonly commands: readonly (readonly Word[])[];
  /** What a shell opens to be read. */
  readonly inputs: readonly Word[];
}

/** The words of a command line; undefined where they cannot be told apart. */
export function readWords(argv: readonly string[]): ScriptWords | undefined {
  const at = argv.indexOf("-c");
  if (at >= 0) return wordsIn(argv[at + 1] ?? "");
  const words = argv.map((value): Word => ({ value, isLiteral: true, keepsBegin: true }));
  return { commands: [words], inputs: [] };
}

/** What may stand right behind the letter of an option, or behind letters of others. */
export function behindLetters(word: string): string[] {
  const letters = /^-[A-Za-z]+/.exec(word)?.[0].length ?? 0;
  return Array.from({ length: Math.max(0, letters - 1) }, (_, at) => word.slice(at + 2))
    .filter((text) => text !== "");
}

/** A word with the path of the home in place of what a shell replaces by it. */
export function withHome(word: string, home: string): string {
  return word.replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/|$)/, home);
}

/** A command behind what is no word of it. */
export function withoutFront(line: readonly Word[]): readonly Word[] {
  const begins = line.findIndex(({ value }, at) =>
    !IN_FRONT.test(value) && !(at > 0 && value === "-p" && line[at - 1]!.value === "time")
  );
  return line.slice(begins);
}

function wordsIn(script: string): ScriptWords | undefined {
  if (script.length > MAX_SCRIPT) return undefined;
  const text = script.replace(
    READ_TEXT,
    (whole, line: string, quote?: string, ...rest: string[]) =>
      quote || !/\$\(|`/.test(rest[2]!) ? line : whole,
  );
  const commands: Word[][] = [[]];
  const scripts: string[] = [];
  const words: string[] = [];
  let end = 0;
  const inputs: Word[] = [];
  let redirection = "";
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    end = index + token.length;
    if (/^[;|&(){}\n]$/.test(token)) commands.push([]);
    else if (/^(?:\d*|&)[<>]+[&|-]?$/.test(token)) redirection = token;
    else if (!/^[\s#]/.test(token)) {
      scripts.push(...[...token.matchAll(new RegExp(INNER, "g"))].map(([one]) => one.slice(2, -1)));
      const value = unquote(token);
      const word = {
        value,
        isLiteral: !REPLACED.test(token),
        keepsBegin: !REPLACED.test(token.replace(NOT_SPLIT, "")),
      };
      words.push(value);
      if (redirection === "") commands.at(-1)!.push(word);
      else if (/^\d*<>?$/.test(redirection)) inputs.push(word);
      redirection = "";
    }
  }
  if (end < text.length) return undefined;
  if (words.some((word) => RUNS_TEXT.test(basename(word)))) {
    scripts.push(...words.filter((word) => /\s/.test(word) && word.length < script.length));
  }
  const inner = scripts.map(wordsIn);
  return inner.includes(undefined) ? undefined : {
    commands: [...commands, ...inner.flatMap((one) => one?.commands ?? [])],
    inputs: [...inputs, ...inner.flatMap((one) => one?.inputs ?? [])],
  };
}

/** A word without its quotes, and what they keep. */
function unquote(word: string): string {
  return word.replace(
    /\$?'([^']*)'|\$?"((?:[^"\\]|\\[^])*)"|\\([^])|['"]/g,
    (_, kept: string | undefined, quoted: string | undefined, escaped = "") =>
      kept ?? quoted?.replace(/\\(["\\$`])/g, "$1") ?? escaped,
  );
}
