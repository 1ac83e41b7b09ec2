/**
 * What is safe where no sandbox holds it: programs of the system that only read, each with the options that
 * are known to do nothing else. One such program with plain words is started by itself, without a shell. An
 * option that is not in its row, or a word whose meaning is not known, is asked about.
 */
import { parse, type Word } from "unbash";
import type { PlainArguments } from "../core/shell.ts";
import { judgeRead, type PathContext, resolve } from "./paths.ts";
import { type Effect, readArguments } from "./program.ts";
import { literalValue } from "./rendered_word.ts";
import { textHazard } from "./script_hazards.ts";
import { literalWord } from "./words.ts";

/** What one program may be told. */
interface PlainProgram {
  /** Letters that stand for options without a value, joined or not. */
  readonly flags?: string;
  /** Long options without a value. */
  readonly long?: string;
  /** Options with a value, and what it may be; `--color=` takes one behind the sign alone, `-#` is `-5`. */
  readonly values?: Readonly<Record<string, RegExp>>;
  /** Whether every word is text, whatever it looks like. */
  readonly onlyText?: true;
  /** Whether options are words behind one dash, which end the files: `find . -name x`. */
  readonly expression?: true;
  /** What the other words are: files, or text that must look so. @default files */
  readonly operands?: RegExp;
  /** How many words in front of the files are text, if no option in `pattern` gives it. @default 0 */
  readonly text?: number;
  /** Options that take the place of the text in front. */
  readonly pattern?: string;
  /** How many operands there may be. @default any number */
  readonly most?: number;
  /** Whether a file must be a file: of a directory the program would read what lies in it, over links. */
  readonly onlyFiles?: true;
}

const TEXT = /^/;
const NUMBER = /^[+-]?\d+[bkKMG]?$/;
const LIST = /^[\d,-]+$/;
const NONE = /^(?!)/;
const WHEN = /^(auto|always|never)$/;

const PROGRAMS: ReadonlyMap<string, PlainProgram> = new Map<string, PlainProgram>([
  ["ls", {
    flags: "1aAcCdFgGhiklmnopqQrRsStuUx",
    long: `
      --all --almost-all --classify --directory --group-directories-first --human-readable --inode
      --recursive --reverse --size
    `,
    values: { "--color=": WHEN, "--sort": /^\w+$/, "--time-style": /^[\w-]+$/ },
  }],
  ["cat", { flags: "AbeEnstTuv", long: "--number --number-nonblank --show-all --squeeze-blank" }],
  ["head", { flags: "qv", values: { "-n --lines -c --bytes": NUMBER, "-#": NUMBER } }],
  ["tail", { flags: "qv", values: { "-n --lines -c --bytes": NUMBER, "-#": NUMBER } }],
  ["wc", { flags: "clmLw", long: "--bytes --chars --lines --words --max-line-length" }],
  ["nl", { values: { "-b --body-numbering": /^[atn]$/, "-w -s": TEXT } }],
  ["grep", {
    flags: "abcEFGhHiIlLnoPqrsvwx",
    long: `
      --count --extended-regexp --files-with-matches --files-without-match --fixed-strings
      --ignore-case --invert-match --line-number --line-regexp --no-filename --no-messages
      --only-matching --perl-regexp --quiet --recursive --with-filename --word-regexp
    `,
    values: {
      "-A --after-context -B --before-context -C --context -m --max-count": NUMBER,
      "-e --regexp --include --exclude --exclude-dir": TEXT,
      "--color=": WHEN,
    },
    text: 1,
    pattern: "-e --regexp",
  }],
  ["rg", {
    flags: "cFhHiIlnNoqsSUvwx",
    long: `
      --count --files --files-with-matches --fixed-strings --heading --hidden --ignore-case --json
      --line-number --multiline --no-heading --no-ignore --no-line-number --only-matching --stats
      --trim --word-regexp
    `,
    values: {
      "-A --after-context -B --before-context -C --context -m --max-count --max-depth": NUMBER,
      "-e --regexp -g --glob -t --type -T --type-not": TEXT,
      "--color=": WHEN,
    },
    text: 1,
    pattern: "-e --regexp --files",
  }],
  ["find", {
    expression: true,
    flags: "",
    long: "-a -and -empty -executable -ls -not -o -or -print -print0 -prune -readable ! ( )",
    values: {
      "-name -iname -path -ipath -wholename -regex -iregex -type -size -perm -user -group": TEXT,
      "-maxdepth -mindepth -mtime -mmin -atime -ctime -amin -cmin -links": NUMBER,
    },
  }],
  ["sort", {
    flags: "bcCdfghiMnRrsuV",
    long: `
      --check --dictionary-order --general-numeric-sort --human-numeric-sort --ignore-case
      --numeric-sort --reverse --stable --unique --version-sort
    `,
    values: { "-k --key": /^[\w.,]+$/, "-t --field-separator": TEXT },
  }],
  ["uniq", {
    flags: "cdiu",
    long: "--count --ignore-case --repeated --unique",
    values: { "-f --skip-fields -s --skip-chars -w --check-chars": NUMBER },
    most: 1,
  }],
  ["cut", {
    flags: "s",
    long: "--complement --only-delimited",
    values: {
      "-f --fields -b --bytes -c --characters": LIST,
      "-d --delimiter --output-delimiter": TEXT,
    },
  }],
  ["diff", {
    flags: "abBEiqstuwy",
    long: `
      --brief --ignore-all-space --ignore-blank-lines --ignore-case --ignore-space-change
      --report-identical-files --side-by-side --unified
    `,
    values: { "-U -C --context= --unified= -W --width": NUMBER, "--color=": WHEN },
    onlyFiles: true,
  }],
  ["cmp", { flags: "bls", long: "--print-bytes --quiet --silent --verbose", most: 2 }],
  ["stat", { flags: "t", long: "--terse", values: { "-c --format --printf": TEXT } }],
  ["file", { flags: "b", long: "--brief --mime --mime-encoding --mime-type" }],
  ["du", {
    flags: "achkms",
    long: "--all --apparent-size --human-readable --summarize --total",
    values: { "-d --max-depth": NUMBER, "--exclude": TEXT },
  }],
  ["df", { flags: "ahHikPT", long: "--human-readable --inodes --print-type", operands: NONE }],
  ["tree", { flags: "adDfFhinpst", values: { "-L": NUMBER, "-I -P": TEXT } }],
  ["pwd", { flags: "LP", operands: NONE }],
  ["echo", { onlyText: true }],
  ["printf", { onlyText: true }],
  ["true", { onlyText: true }],
  ["false", { onlyText: true }],
  ["test", { flags: "bcdefghkLprsSuwx", most: 1 }],
  ["basename", { flags: "a", values: { "-s --suffix": TEXT }, operands: TEXT }],
  ["dirname", { operands: TEXT }],
  ["realpath", { flags: "emqs", long: "--canonicalize-existing --canonicalize-missing" }],
  ["readlink", { flags: "efmn", long: "--canonicalize --no-newline" }],
  ["date", { flags: "uR", long: "--iso-8601 --utc", values: { "--date": TEXT }, operands: /^\+/ }],
  ["whoami", { operands: NONE }],
  ["uname", { flags: "amnoprsv", long: "--all", operands: NONE }],
  ["id", { flags: "gGnru", operands: NONE }],
  ["which", { flags: "a", operands: /^[\w.+-]+$/ }],
  ["sleep", { operands: /^\d+(\.\d+)?[smhd]?$/ }],
  ["seq", { flags: "w", values: { "-s --separator": TEXT }, operands: /^[+-]?\d+(\.\d+)?$/ }],
  ["md5sum", { flags: "bt", long: "--binary --tag --text" }],
  ["sha1sum", { flags: "bt", long: "--binary --tag --text" }],
  ["sha256sum", { flags: "bt", long: "--binary --tag --text" }],
  ["sha512sum", { flags: "bt", long: "--binary --tag --text" }],
]);

/** The program that a text starts, if it is that of the table with plain words and nothing else. */
export function findPlainCommand(text: string, context: PathContext): PlainArguments | undefined {
  if (textHazard(text) !== undefined) return undefined;
  const { commands: [only, ...others], errors = [] } = parse(text);
  if (!only || others.length > 0 || errors.length > 0 || only.background) return undefined;
  const { command } = only;
  if (command.type !== "Command" || !command.name || command.prefix.length > 0) return undefined;
  if (command.redirects.length > 0) return undefined;
  const words = [command.name, ...command.args]
    .map((word) => word.type === "Word" ? plainValue(word) : undefined);
  if (!words.every((word) => word !== undefined)) return undefined;
  const [program = "", ...args] = words;
  return isPlain([program, ...args], context) ? [program, ...args] : undefined;
}

/** The text of a word that no shell would make another of. */
function plainValue(word: Word): string | undefined {
  const value = literalValue(word);
  return value === undefined || /\0/.test(value) ? undefined : value;
}

/** Whether a program with these arguments is one of the table, told nothing but what its row knows. */
export function isPlain([name = "", ...args]: readonly string[], context: PathContext): boolean {
  const program = PROGRAMS.get(name);
  if (!program || !context.cwds) return false;
  if (context.cwds.some((cwd) => !context.pathFacts.locate(cwd).inside)) return false;
  if (program.onlyText) return true;
  const operands = readOperands(program, args);
  if (!operands || operands.length > (program.most ?? Infinity)) return false;
  const pattern = program.operands;
  if (pattern) return operands.every((word) => pattern.test(word));
  return operands.every((word) => isReadable(word, { program, context }));
}

function isReadable(
  path: string,
  { program, context }: { program: PlainProgram; context: PathContext },
): boolean {
  if (path === "" || path === "-" || judgeRead(literalWord(path), context)) return false;
  const { pathFacts } = context;
  return !program.onlyFiles ||
    (resolve(path, context) ?? []).every(({ absolute }) =>
      pathFacts.fingerprint(absolute) !== undefined
    );
}

/** The words that belong to no option; undefined if one is not known. */
function readOperands(program: PlainProgram, args: readonly string[]): string[] | undefined {
  const { flags = "", long, values = {}, pattern, text = 0, expression = false } = program;
  const patterns = new Map(
    Object.entries(values).flatMap(([names, pattern]) =>
      splitNames(names).map((name) => [name, pattern] as const)
    ),
  );
  const options = new Map<string, Effect>([
    ...[...flags].map((letter) => [`-${letter}`, "flag"] as const),
    ...splitNames(long).map((name) => [name, "flag"] as const),
    ...[...patterns.keys()].map((name) =>
      name.endsWith("=")
        ? [name.slice(0, -1), "attached"] as const
        : [name, name === "-#" ? "flag" : "text"] as const
    ),
  ]);
  const read = readArguments({ options, longDash: expression }, args.map(literalWord), {
    exact: true,
  });
  const isKnown = read.effects.every(({ effect, option, value }) =>
    effect === "flag" ||
    (value !== undefined && (patterns.get(option) ?? patterns.get(`${option}=`))?.test(value.value))
  );
  if (read.unknownOptions.length > 0 || !isKnown) return undefined;
  const given = read.effects.some(({ option }) => splitNames(pattern).includes(option));
  const texts = given ? 0 : text;
  return read.operands.length < texts
    ? undefined
    : read.operands.slice(texts).map(({ value }) => value);
}

function splitNames(text = ""): string[] {
  return text.split(/\s+/).filter((name) => name !== "");
}
