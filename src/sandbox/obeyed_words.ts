/**
 * Words by which a command that has the user's keys obeys somebody else: variables that programs read, and options that
 * name settings or programs. As text: what might be spelled so counts as spelled so.
 */
import { basename, resolve } from "node:path";
import { isPlainSshOption, SSH_LETTERS } from "./ssh_options.ts";

/** Where commands may write. */
interface WritablePlaces {
  /** Whether commands may write what is at a path, absolute. */
  readonly isWritable: (path: string) => boolean;
  /** Where the command may begin, for relative names. */
  readonly cwds: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly home: string;
}

/**
 * Variables by which no program runs another one, or tells anybody else what it knows. What else PAGER and the like may
 * say was judged before.
 */
const HARMLESS =
  /^(?:LANG|LANGUAGE|LC_\w+|TZ|TERM|COLUMNS|LINES|CI|NO_COLOR|FORCE_COLOR|CLICOLOR(?:_FORCE)?|DEBIAN_FRONTEND|NODE_ENV|(?:GIT_|GH_)?PAGER|EDITOR|VISUAL|HUSKY(?:_SKIP_HOOKS)?|SKIP|LEFTHOOK(?:_EXCLUDE)?|PYTHONUNBUFFERED|DOCKER_BUILDKIT|TF_VAR_\w+|TF_IN_AUTOMATION|TF_INPUT|GH_(?:REPO|TOKEN|PROMPT_DISABLED|NO_UPDATE_NOTIFIER)|GITHUB_TOKEN|GLAB_CHECK_UPDATE|GCM_INTERACTIVE|GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)|GIT_(?:EDITOR|SEQUENCE_EDITOR|TERMINAL_PROMPT|OPTIONAL_LOCKS|MERGE_AUTOEDIT|LFS_SKIP_SMUDGE|LFS_SKIP_PUSH))$/;
/** Commands behind which words give variables to programs, and builtins to which a name is enough. */
const SETS = /^(?:env|sudo|doas)$/;
const RUNS_BUILTIN = /^(?:command|builtin)$/;
const EXPORTS = /^(?:export|declare|typeset|readonly|local)$/;
/** What runs words as a script. */
const RUNS_TEXT = /^(?:(?:ba|da|z|k)?sh|eval)$/;
const NAME = /^[A-Za-z_]\w*$/;
const ASSIGNED = /^([A-Za-z_]\w*)(?:\[[^\]]*\])?\+?=/;

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
/** Text that a command reads, in which a shell finds nothing to run. */
const READ_TEXT =
  /(<<-?[ \t]*(?:(['"])(\w+)\2|(\w+))[^\n]*)\n([^]{0,20000}?)\n[ \t]*(?:\3|\4)(?=[ \t]*(?:\n|$|\)))/g;

/** Programs of which options run or load what they name, and their letters that do not: without a value, and with one. */
const SSH_PROGRAMS: ReadonlyMap<string, { readonly flags: string; readonly valued: string }> =
  new Map([
    ["ssh", { flags: "46CGNTVafgknqstvx", valued: "BDFJLRWbcilmop" }],
    ["scp", { flags: "346BCORTpqrv", valued: "FJPXcilo" }],
    ["sftp", { flags: "46CNafpqrv", valued: "BFJPRXcilo" }],
    ["ssh-copy-id", { flags: "fns", valued: "iop" }],
  ]);
/** What options of other programs are called that name what they obey, or where that lies. */
const OBEYED_OPTION =
  /^--?(?:[a-z]+-)*(?:config|conf|cfg|kubeconfig|settings|options|home|homedir|renderer|client|ssh|(?:config|defaults|defaults-extra|flags|plugins?|library|module)-(?:file|dir|directory|path))$/i;

/** What words of a command line make its programs obey, as it is shown. */
export function findObeyedWords(argv: readonly string[], places: WritablePlaces): string[] {
  const at = argv.indexOf("-c");
  const commands = at < 0 ? [[...argv]] : commandsIn(argv[at + 1] ?? "");
  if (commands === undefined) return ["words that cannot be told apart"];
  const variables = variablesSet(commands, places.env).filter((name) => !HARMLESS.test(name));
  const options = commands.flatMap((words) => strangeOptions(words, { ...places, commands }));
  return [...new Set([...variables.map((name) => `the variable ${name}`), ...options])];
}

/** Names of the variables that programs may get from these commands. */
function variablesSet(
  commands: readonly (readonly string[])[],
  env: WritablePlaces["env"],
): string[] {
  const exportsAll = commands.some((words) =>
    words.includes("allexport") ||
    words.some((word, at) =>
      /^(?:set|(?:ba|da|z|k)?sh)$/.test(word) && /^-\w*a/.test(words[at + 1] ?? "")
    )
  );
  return commands.flatMap((line) => {
    const words = line.slice(line.findIndex((word) => !IN_FRONT.test(word)));
    const first = words.findIndex((word) => !ASSIGNED.test(word));
    const alone = first < 0;
    const given = (alone ? words : words.slice(0, first)).flatMap(assignedName)
      .filter((name) => !alone || exportsAll || name in env);
    const [program = "", ...rest] = words.slice(first).filter((word) => !RUNS_BUILTIN.test(word));
    const exported = !alone && EXPORTS.test(program)
      ? rest.flatMap((word) => NAME.test(word) ? [word] : assignedName(word))
      : [];
    const from = words.findIndex((word) => SETS.test(word));
    const passed = from < 0 ? [] : words.slice(from + 1).flatMap(assignedName);
    return [...given, ...exported, ...passed];
  });
}

function assignedName(word: string): string[] {
  const name = ASSIGNED.exec(word)?.[1];
  return name === undefined ? [] : [name];
}

/**
 * The words of each simple command, also of those in substitutions, and in words that a shell runs; undefined where that
 * cannot be told.
 */
function commandsIn(script: string): string[][] | undefined {
  if (script.length > MAX_SCRIPT) return undefined;
  const text = script.replace(
    READ_TEXT,
    (whole, line: string, quote?: string, ...rest: string[]) =>
      quote || !/\$\(|`/.test(rest[2]!) ? line : whole,
  );
  const commands: string[][] = [[]];
  const scripts: string[] = [];
  const words: string[] = [];
  let end = 0;
  let isTarget = false;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    end = index + token.length;
    if (/^[;|&(){}\n]$/.test(token)) commands.push([]);
    else if (/^(?:\d*|&)[<>]+[&|-]?$/.test(token)) isTarget = true;
    else if (!/^[\s#]/.test(token)) {
      scripts.push(...[...token.matchAll(new RegExp(INNER, "g"))].map(([one]) => one.slice(2, -1)));
      const word = token.replace(/\\([^])|\$(?=['"])|['"]/g, "$1");
      words.push(word);
      if (!isTarget) commands.at(-1)!.push(word);
      isTarget = false;
    }
  }
  if (end < text.length) return undefined;
  if (words.some((word) => RUNS_TEXT.test(basename(word)))) {
    scripts.push(...words.filter((word) => /\s/.test(word) && word.length < script.length));
  }
  const inner = scripts.map(commandsIn);
  return inner.includes(undefined)
    ? undefined
    : [...commands, ...inner.flatMap((one) => one ?? [])];
}

function strangeOptions(
  words: readonly string[],
  places: WritablePlaces & { readonly commands: readonly (readonly string[])[] },
): string[] {
  const at = words.findIndex((word) => SSH_PROGRAMS.has(basename(word)));
  if (at >= 0) {
    const isHost = (word: string) => isKnownHost(word, places.commands);
    const isPlain = (letter: string, value: string) =>
      isPlainValue(letter, value) && !(letter === "F" && mayBeWritten(value, places));
    return strangeSshOptions(basename(words[at]!), { words: words.slice(at + 1), isHost, isPlain });
  }
  return words.flatMap((word, index) => {
    const [, name = "", value = words[index + 1] ?? ""] = /^(-[^=]*)(?:=(.*))?$/s.exec(word) ?? [];
    return OBEYED_OPTION.test(name) && mayBeWritten(value, places) ? [`${name} ${value}`] : [];
  });
}

/** Whether a value is a path where commands may write, or only running it shows where that is. */
function mayBeWritten(value: string, { isWritable, cwds, home }: WritablePlaces): boolean {
  if (value === "" || /^(?:-|(?!file:)[a-z][a-z0-9+.-]*:\/\/)/i.test(value)) return false;
  if (/[$`*?]/.test(value.replace(/^\$(?:HOME\b|\{HOME\})/, ""))) return true;
  const path = value.replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/|$)/, home);
  return cwds.some((cwd) => isWritable(resolve(cwd, path)));
}

/** Of ssh all words count up to the second that is no option: a host, and what runs there. */
function strangeSshOptions(
  program: string,
  { words, isHost, isPlain }: {
    readonly words: readonly string[];
    readonly isHost: (word: string) => boolean;
    readonly isPlain: (letter: string, value: string) => boolean;
  },
): string[] {
  const { flags, valued } = SSH_PROGRAMS.get(program)!;
  let operands = 0;
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (!word.startsWith("-") || word === "-") {
      if (!isHost(word)) return [`${program} ${word}`];
      operands++;
      if (program === "ssh" && operands === 2) return [];
      continue;
    }
    if (word === "--") return [];
    const [known, letter, behind] =
      new RegExp(`^-[${flags}]*(?:([${valued}])(.*))?$`, "s").exec(word) ?? [];
    const value = behind || words[at + 1] || "";
    if (known === undefined || (letter !== undefined && !isPlain(letter, value))) {
      return [[program, ...words.slice(at, at + 2)].join(" ")];
    }
    if (letter !== undefined && behind === "") at++;
  }
  return [];
}

/** Whether a word is no option, whatever the variable holds by which it begins. */
function isKnownHost(word: string, commands: readonly (readonly string[])[]): boolean {
  if (!/^[$`*?]/.test(word)) return true;
  const name = /^\$\{?([A-Za-z_]\w*)\}?(?:[:@][\w./~-]*)?$/.exec(word)?.[1];
  const values = commands.flatMap((words) => [
    ...words.filter((one) => name !== undefined && assignedName(one)[0] === name)
      .map((one) => one.replace(ASSIGNED, "")),
    ...(words[0] === "for" && words[1] === name ? words.slice(3) : []),
  ]);
  return values.length > 0 && values.every((value) => /^\w[\w.@:-]*$/.test(value));
}

function isPlainValue(letter: string, value: string): boolean {
  if (letter === "o") return isPlainSshOption(value);
  return (SSH_LETTERS[letter] ?? /^[\w.@:/,[\]+^-]+$/).test(value);
}
