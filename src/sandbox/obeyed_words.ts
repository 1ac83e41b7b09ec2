/**
 * Words by which a command that has the user's keys obeys somebody else: variables that programs read, and options that
 * name settings or programs. As text: what might be spelled so counts as spelled so.
 */
import { basename, isAbsolute, join } from "node:path";
import { strangeGitOptions, subcommandAt } from "./git_options.ts";
import {
  assignedName,
  isPlainWord,
  type KnownValues,
  knownValues,
  namesFilled,
  RUNS_BUILTIN,
} from "./known_values.ts";
import { dependsOnProcess, followPath, placesOnPath, realPath } from "./inspect.ts";
import { ASSIGNED, type ScriptWords, withHome, withoutFront, type Word } from "./script_words.ts";
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
const SETS = /^(?:.*\/)?(?:env|sudo|doas)$/;
const EXPORTS = /^(?:export|declare|typeset|readonly|local)$/;
const NAME = /^[A-Za-z_]\w*$/;
/** What only passes on the words behind it, with its own. */
const WRAPS =
  /^(?:timeout|nice|ionice|time|nohup|stdbuf|command|env|-\S*|\d[\d.]*[smhd]?|[A-Za-z_]\w*=.*)$/s;
/** An option of ssh by which it writes a file anew with what it learns. */
const KEEPS_HOSTS = /^UserKnownHostsFile[= ]+/i;
/** Options that name a file, as a letter with its value. */
const NAMES_FILE = /^(?:F|o *UserKnownHostsFile[= ]+)(?!none$)/i;
/** Programs of which options run or load what they name, and their letters that do not: without a value, and with one. */
const SSH_PROGRAMS: ReadonlyMap<string, { readonly flags: string; readonly valued: string }> =
  new Map([
    ["ssh", { flags: "46CGNTVafgknqstvx", valued: "BDFJLRWbcilmop" }],
    ["scp", { flags: "346BCORTpqrv", valued: "FJPXcilo" }],
    ["sftp", { flags: "46CNafpqrv", valued: "BFJPRXcilo" }],
    ["ssh-copy-id", { flags: "fns", valued: "iop" }],
  ]);
/** What options of other programs are called that name what they obey, or where that lies. */
export const OBEYED_OPTION =
  /^--?(?:[a-z]+-)*(?:config|conf|cfg|kubeconfig|settings|options|home|homedir|renderer|client|ssh|(?:config|defaults|defaults-extra|flags|plugins?|library|module)-(?:file|dir|directory|path))$/i;

/** The same by letters. */
const OBEYED_LETTERS: ReadonlyMap<string, RegExp> = new Map([
  ["s3cmd", /^-c/],
  ["lftp", /^-f/],
]);
/** Programs whose options may be cut short, with those of them that name what they obey. */
const CUTS_OPTIONS = /^gpg/;
const GPG_OPTIONS = [
  "--homedir",
  "--options",
  "--agent-program",
  "--dirmngr-program",
  "--load-extension",
];
/** Programs of which no word that only running shows is an option by which they obey something; some set variables. */
const TAKES_ANY_WORD =
  /^(?:git|gh|glab|hub|tea|echo|printf|test|\[|cd|true|cat|head|tail|cut|tr|uniq|wc|ls|grep|basename|dirname|seq|for|case|:|exit|return|break|continue|shift|sleep|env|export|declare|typeset|readonly|local)$/;
/** What stands in no host's name, and what a shell may run that the user's settings of ssh give it to. */
const STRANGE_HOST = /[;|&`$'"\\\s]/;
/** An address by which logins go without a cipher, or a host that is none. */
const STRANGE_ADDRESS =
  /^(?:http|ftp):\/\/|^(?:\w+:\/\/)?[^/]*[;|&`<>(){}'"\\\s][^/]*(?::(?!\/\/)|\/)/i;
/** Words by which git is told where its own directory, or its working tree, is. */
const NAMES_TREE = /^--(?:git-dir|work-tree)/;
/** Comparisons between brackets that run what stands in a word as an index. */
const RUNS_INDEX = /^-(?:eq|ne|lt|le|gt|ge|v)$/;

/** Subcommands of git that have keys, and of which an option may run what it names. */
const RUNS_OPTIONS = /^(?:pull|clone|submodule|lfs|annex)$/;

/** What words of a command line make its programs obey, as it is shown. */
export function findObeyedWords(
  words: ScriptWords | undefined,
  places: WritablePlaces,
): string[] {
  if (words === undefined) return ["words that cannot be told apart"];
  const { commands } = words;
  const variables = variablesSet(commands, places.env).filter((name) => !HARMLESS.test(name));
  const values = knownValues(commands, { cwd: places.cwds[0] });
  const options = commands.flatMap((words) => strangeOptions(words, { ...places, values }));
  return [
    ...new Set([
      ...variables.map((name) => `the variable ${name}`),
      ...options,
      ...options.length > 0 ? [] : strangeTrees(commands, places),
    ]),
  ];
}

/** Programs that commands may write, by their paths, whatever they are called, as they are shown. */
export function findWorkspacePrograms(
  { commands }: ScriptWords,
  places: WritablePlaces,
): string[] {
  return commands.flatMap((line) => {
    const program = withoutFront(line).map(({ value }) => value)
      .find((value) => !WRAPS.test(value) && !WRAPS.test(basename(value)));
    return program !== undefined && isOfWorkspace(program, places) ? [program] : [];
  });
}

/** Whether a program lies where commands may write; one without a path, as PATH finds it, projects last. */
function isOfWorkspace(program: string, places: WritablePlaces): boolean {
  if (program.includes("/")) return mayBeWritten(program, places);
  const { isWritable, env: { PATH = "" } } = places;
  const directories = PATH.split(":").filter((directory) => isAbsolute(directory));
  const [found] = directories.toSorted((one, other) =>
    Number(isWritable(one)) - Number(isWritable(other))
  ).flatMap((directory) => realPath(join(directory, program)) ?? []);
  return found !== undefined && isWritable(found);
}

/** Names of the variables that programs may get from these commands. */
function variablesSet(
  commands: readonly (readonly Word[])[],
  env: WritablePlaces["env"],
): string[] {
  const exportsAll = commands.some((words) =>
    words.some(({ value }, at) =>
      value === "allexport" ||
      (/^(?:set|(?:ba|da|z|k)?sh)$/.test(value) && /^-\w*a/.test(words[at + 1]?.value ?? ""))
    )
  );
  return commands.flatMap((line) => {
    const words = withoutFront(line);
    const first = words.findIndex(({ value }) => !ASSIGNED.test(value));
    const alone = first < 0;
    const given = (alone ? words : words.slice(0, first)).flatMap(assignedName)
      .filter((name) => !alone || exportsAll || name in env);
    const [program, ...rest] = alone
      ? []
      : words.slice(first).filter(({ value }) => !RUNS_BUILTIN.test(value));
    const exported = program && EXPORTS.test(program.value)
      ? rest.flatMap((word) => NAME.test(word.value) ? [word.value] : namesIn(word))
      : [];
    const filled = alone ? [] : namesFilled(words.slice(first))
      .filter((name) => exportsAll || name in env || name.startsWith("BASH"));
    const from = words.findIndex(({ value }) => SETS.test(value));
    const passed = from < 0 ? [] : words.slice(from + 1).flatMap(namesIn);
    return [...given, ...exported, ...filled, ...passed];
  });
}

/** The variables that a word sets as an argument; of one that only running shows, all that it may set. */
function namesIn(word: Word): string[] {
  const names = assignedName(word);
  return names.length > 0 || word.isLiteral ? names : [word.value];
}

function strangeOptions(
  line: readonly Word[],
  places: WritablePlaces & { readonly values: KnownValues },
): string[] {
  const command = withoutFront(line);
  const words = command.slice(command.findIndex(({ value }) => !ASSIGNED.test(value)));
  const at = words.findIndex(({ value }) => SSH_PROGRAMS.has(basename(value)));
  const ofSsh = at < 0 ? [] : strangeSshOptions(basename(words[at]!.value), {
    words: words.slice(at + 1),
    isPlainWord: (word) => isPlainWord(word, places.values),
    isPlain: (letter, value) =>
      isPlainValue(letter, value) &&
      !(NAMES_FILE.test(letter + value) && mayBeWritten(value.replace(KEEPS_HOSTS, ""), places)),
  });
  // Behind a host stands what another machine runs.
  if (at === 0 || ofSsh.length > 0) return ofSsh;
  const ofGit = strangeGitOptions(words);
  if (ofGit.length > 0) return ofGit;
  // What is wrapped round a program only passes its words on.
  const inner = words.findIndex(({ value }) => !WRAPS.test(value) && !WRAPS.test(basename(value)));
  const found = obeyedOptions(words, places);
  return found.length > 0 || inner < 1 ? found : obeyedOptions(words.slice(inner), places);
}

/** Options of a program that is not ssh, and words of which only running shows whether they are such. */
function obeyedOptions(
  words: readonly Word[],
  places: WritablePlaces & { readonly values: KnownValues },
): string[] {
  const program = basename(words[0]?.value ?? "");
  const behind = words.slice(1).map(({ value }) => value);
  const subcommand = program === "git" ? subcommandAt(behind) + 2 : 1;
  const runsOptions = RUNS_OPTIONS.test(words[subcommand - 1]?.value ?? "");
  const comparesTexts = program === "[[" && !words.some(({ value }) => RUNS_INDEX.test(value));
  const takesAny = comparesTexts || (TAKES_ANY_WORD.test(program) && !runsOptions);
  const looked = words.slice(1, takesAny ? subcommand : undefined);
  const unknown = looked.filter((word) => !isPlainWord(word, places.values))
    .map(({ value }) => `${program} ${value}`);
  const named = words.flatMap(({ value: word }, index) => {
    const [, name = "", value = words[index + 1]?.value ?? ""] =
      /^(-[^=]*)(?:=(.*))?$/s.exec(word) ?? [];
    const letter = OBEYED_LETTERS.get(program)?.exec(word)?.[0] ?? "";
    const given = letter !== "" && word !== letter ? word.slice(letter.length) : value;
    const isObeyed = OBEYED_OPTION.test(name) || letter !== "" || isCutShort(name, program);
    return isObeyed && mayBeWritten(given, places) ? [`${name} ${value}`.trim()] : [];
  });
  const addresses = program === "git"
    ? words.slice(subcommand).filter(({ value, isLiteral }) =>
      isLiteral && STRANGE_ADDRESS.test(value)
    ).map(({ value }) => `git ${value}`)
    : [];
  return [named, addresses, unknown].find((found) => found.length > 0) ?? [];
}

/**
 * Where git whose directory words name has its working tree by them, or by where it begins, if commands may not write
 * that: it would read there what is none of a project.
 */
function strangeTrees(commands: readonly (readonly Word[])[], places: WritablePlaces): string[] {
  const lines = commands.map((line) => withoutFront(line).map(({ value }) => value));
  if (!lines.flat().some((word) => NAMES_TREE.test(word))) return [];
  return lines.flatMap((words) => {
    const given = words.flatMap((word, at) => {
      const tree = /^--work-tree=(.*)/s.exec(word)?.[1];
      const isNext = word === "--work-tree" || word === "-C" || /^(?:cd|pushd)$/.test(word);
      return tree ?? (isNext ? words[at + 1] ?? [] : []);
    });
    return given.filter((path) => !isInside(path, places)).map((path) =>
      `a working tree in ${path}`
    );
  });
}

function isCutShort(name: string, program: string): boolean {
  return CUTS_OPTIONS.test(program) && name.length > 3 &&
    GPG_OPTIONS.some((option) => option.startsWith(name));
}

/** Whether a value is a path where commands may write, or only running it shows where that is. */
export function mayBeWritten(value: string, { isWritable, cwds, home }: WritablePlaces): boolean {
  if (value === "" || /^(?:-|(?!file:)[a-z][a-z0-9+.-]*:\/\/)/i.test(value)) return false;
  if (/[$`*?]/.test(value.replace(/^\$(?:HOME\b|\{HOME\})/, ""))) return true;
  return cwds.flatMap((cwd) => placesOnPath(cwd, withHome(value, home)))
    .some((one) => dependsOnProcess(one) || isWritable(one));
}

/** Whether a path is one where commands may write, wherever they begin. */
function isInside(value: string, { isWritable, cwds, home }: WritablePlaces): boolean {
  const path = withHome(value, home).replace(/^(?:\$PWD|\$\{PWD\})(?=\/|$)/, ".");
  return !/[$`*?[]/.test(path) && cwds.map((cwd) => followPath(cwd, path))
    .every((one) => !dependsOnProcess(one) && isWritable(one));
}

/** Of ssh all words count up to the second that is no option: a host, and what runs there. */
function strangeSshOptions(
  program: string,
  { words, isPlainWord, isPlain }: {
    readonly words: readonly Word[];
    readonly isPlainWord: (word: Word) => boolean;
    readonly isPlain: (letter: string, value: string) => boolean;
  },
): string[] {
  const { flags, valued } = SSH_PROGRAMS.get(program)!;
  let operands = 0;
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!.value;
    if (!isPlainWord(words[at]!)) return [`${program} ${word}`];
    if (!word.startsWith("-") || word === "-") {
      operands++;
      const isHost = program === "ssh" && operands === 1;
      if (isHost && words[at]!.isLiteral && STRANGE_HOST.test(word)) return [`ssh ${word}`];
      if (program === "ssh" && operands === 2) return [];
      continue;
    }
    if (word === "--") return [];
    const [known, letter, behind] =
      new RegExp(`^-[${flags}]*(?:([${valued}])(.*))?$`, "s").exec(word) ?? [];
    const value = behind || words[at + 1]?.value || "";
    if (known === undefined || (letter !== undefined && !isPlain(letter, value))) {
      return [[program, word, words[at + 1]?.value].join(" ").trim()];
    }
    if (letter !== undefined && behind === "") at++;
  }
  return [];
}

function isPlainValue(letter: string, value: string): boolean {
  if (letter === "o") return isPlainSshOption(value);
  return (SSH_LETTERS[letter] ?? /^[\w.@:/,[\]+^-]+$/).test(value);
}
