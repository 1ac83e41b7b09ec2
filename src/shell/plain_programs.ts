/**
 * What is safe where no sandbox holds it: programs of the system that only read, each with the options that
 * are known to do nothing else. One such program with plain words is started by itself, without a shell. An
 * option that is not in its row, or a word whose meaning is not known, is asked about.
 */
import type { PlainArguments } from "../core/shell.ts";
import { judgeRead, type PathContext, resolve } from "./paths.ts";
import {
  type Effect,
  type Finding,
  type Program,
  readArguments,
  sensitive,
  textsInFront,
} from "./program.ts";
import { parseRows } from "./program_rows.ts";
import { isBuiltin } from "./programs/table.ts";
import type { Rendering } from "./script/render.ts";
import { quoteLiteral } from "./script/rendered_word.ts";
import { literalWord } from "./words.ts";

/**
 * The rows, each with all that its programs may be told. Operands are files, behind as many texts as `=reads` says, or
 * must look like `checks`; `lists` says how many there may be at most. What is `=runs_text` takes all words for text.
 */
const PROGRAMS: ReadonlyMap<string, Program> = new Map(parseRows(`
safe ls: only reads
  letters 1aAcCdFgGhiklmnopqQrRsStuUx --all --almost-all --classify --directory
      --group-directories-first --human-readable --inode --recursive --reverse --size
  --sort --time-style: list
  --color: attached
safe cat: only reads
  letters AbeEnstTuv --number --number-nonblank --show-all --squeeze-blank
safe head tail: only reads
  letters qv -#
  -n --lines -c --bytes: number
safe wc: only reads
  letters clmLw --bytes --chars --lines --words --max-line-length
safe nl: only reads
  -b --body-numbering: list
  -w -s: text
safe =reads-1 grep: only reads
  letters abcEFGhHiIlLnoPqrsvwx --count --extended-regexp --files-with-matches --files-without-match
      --fixed-strings --ignore-case --invert-match --line-number --line-regexp --no-filename
      --no-messages --only-matching --perl-regexp --quiet --recursive --with-filename --word-regexp
  -A --after-context -B --before-context -C --context -m --max-count: number
  -e --regexp --include --exclude --exclude-dir: text
  --color: attached
safe =reads-1 rg: only reads
  letters cFhHiIlnNoqsSUvwx --count --files --files-with-matches --fixed-strings --heading --hidden
      --ignore-case --json --line-number --multiline --no-heading --no-ignore --no-line-number
      --only-matching --stats --trim --word-regexp
  -A --after-context -B --before-context -C --context -m --max-count --max-depth: number
  -e --regexp -g --glob -t --type -T --type-not: text
  --color: attached
safe find: only reads
  longdash
  -a -and -empty -executable -ls -not -o -or -print -print0 -prune -readable ! ( ): flag
  -name -iname -path -ipath -wholename -regex -iregex -type -size -perm -user -group: text
  -maxdepth -mindepth -mtime -mmin -atime -ctime -amin -cmin -links: number
safe sort: only reads
  letters bcCdfghiMnRrsuV --check --dictionary-order --general-numeric-sort --human-numeric-sort
      --ignore-case --numeric-sort --reverse --stable --unique --version-sort
  -k --key: list
  -t --field-separator: text
safe uniq: only reads
  lists 1
  letters cdiu --count --ignore-case --repeated --unique
  -f --skip-fields -s --skip-chars -w --check-chars: number
safe cut: only reads
  letters s --complement --only-delimited
  -f --fields -b --bytes -c --characters: list
  -d --delimiter --output-delimiter: text
safe diff: only reads
  special files
  letters abBEiqstuwy --brief --ignore-all-space --ignore-blank-lines --ignore-case
      --ignore-space-change --report-identical-files --side-by-side
  -U -C -W --width: number
  --context --unified --color: attached
safe cmp: only reads
  lists 2
  letters bls --print-bytes --quiet --silent --verbose
safe stat: only reads
  letters t --terse
  -c --format --printf: text
safe file: only reads
  letters b --brief --mime --mime-encoding --mime-type
safe du: only reads
  letters achkms --all --apparent-size --human-readable --summarize --total
  -d --max-depth: number
  --exclude: text
safe df: only reads
  checks ^(?!)
  letters ahHikPT --human-readable --inodes --print-type
safe tree: only reads
  letters adDfFhinpst
  -L -I -P: next
safe pwd: only reads
  checks ^(?!)
  letters LP
safe =runs_text echo printf true false: only reads
safe test: only reads
  lists 1
  letters bcdefghkLprsSuwx
safe basename: only reads
  checks ^
  letters a
  -s --suffix: text
safe dirname: only reads
  checks ^
safe realpath: only reads
  letters emqs --canonicalize-existing --canonicalize-missing
safe readlink: only reads
  letters efmn --canonicalize --no-newline
safe date: only reads
  checks ^\\+
  letters uR --iso-8601 --utc
  --date: text
safe whoami: only reads
  checks ^(?!)
safe uname: only reads
  checks ^(?!)
  letters amnoprsv --all
safe id: only reads
  checks ^(?!)
  letters gGnru
safe which: only reads
  checks ^[\\w.+-]+$
  letters a
safe sleep: only reads
  checks ^\\d+(\\.\\d+)?[smhd]?$
safe seq: only reads
  checks ^[+-]?\\d+(\\.\\d+)?$
  letters w
  -s --separator: text
safe md5sum sha1sum sha256sum sha512sum: only reads
  letters bt --binary --tag --text
`));

/** Programs that read all files below a directory. */
const SEARCHES: ReadonlySet<string> = new Set(["grep", "rg"]);

/** What the values of options must look like. */
const VALUES: Readonly<Partial<Record<string, RegExp>>> = {
  number: /^[+-]?\d+[bkKMG]?$/,
  list: /^[\w.,-]+$/,
  attached: /^[\w.,-]+$/,
  // A date may name its time zone, which is any file.
  text: /^(?!\s*TZ=")/,
  next: /^/,
};

/** Why what only reads is asked about where no sandbox holds it. */
const UNHELD = sensitive("only reads as far as ally can tell, and no sandbox holds it");

/** What was found of a part of a script. */
interface JudgedPart extends Finding {
  readonly programs: readonly string[];
  /** The arguments, if they are known. */
  readonly argv?: readonly string[];
  /** Directories in which it may run. */
  readonly cwds: readonly string[];
  readonly command: string;
  readonly unheld?: "reads" | "uncertain";
}

/** What was found of a script. */
interface JudgedScript<Part extends JudgedPart> extends Finding {
  readonly parts: readonly Part[];
  readonly rendering: Rendering;
  /** What it is as a program with its arguments, where it may run so. */
  readonly argv?: PlainArguments;
}

/** Without a sandbox one plain program is safe; beside others, those parts are that need no question. */
export function judgeUnheld<Part extends JudgedPart, Script extends JudgedScript<Part>>(
  script: Script & { readonly parts: readonly Part[] },
  context: PathContext,
): Script {
  if (script.parts.length === 0) return script;
  const safe = script.risk === "safe";
  const argv = wordsAlone(script);
  if (safe && argv && isPlain(argv, context)) return { ...script, argv };
  const isSafe = (part: Part) => part.risk === "safe" && isHarmless(part, context);
  // Of parts that are all harmless, something has to be asked.
  const asks = script.parts.every(isSafe) ? UNHELD : undefined;
  const parts = script.parts.map((part) =>
    isSafe(part)
      ? { ...part, ...asks, unheld: "reads" as const }
      : { ...part, ...(part.risk === "safe" && UNHELD) }
  );
  return { ...script, ...(safe && UNHELD), parts };
}

/** The words of a script that is one command with plain words and nothing else. */
function wordsAlone(
  { parts, rendering }: Pick<JudgedScript<JudgedPart>, "parts" | "rendering">,
): PlainArguments | undefined {
  const [program, ...args] = parts[0]?.argv ?? [];
  if (program === undefined || !("text" in rendering)) return undefined;
  return rendering.text === [program, ...args].map(quoteLiteral).join(" ")
    ? [program, ...args]
    : undefined;
}

/** A builtin that was found to be safe and is told no names of files, an assignment, or a plain program. */
function isHarmless(
  { programs, argv, cwds, command }: JudgedPart,
  { pathFacts }: PathContext,
): boolean {
  const [name, ...others] = programs;
  if (name === undefined) return true;
  if (others.length === 0 && isBuiltin(name)) return argv !== undefined || !hasPattern(command);
  return argv !== undefined && isPlain(argv, { pathFacts, cwds });
}

/** Whether the shell may put names of files in the place of a word: to print them would list what there is. */
function hasPattern(command: string): boolean {
  const bare = /['\\`]/.test(command) ? command : command.replace(/"[^"]*"/g, "");
  return /(?<!\$\{?)[*?]|[~[]/.test(bare);
}

/** Whether a program with these arguments is one of the table, told nothing but what its row knows. */
function isPlain(argv: readonly string[], context: PathContext): boolean {
  const [name = ""] = argv;
  const program = PROGRAMS.get(name);
  if (!program || !context.cwds) return false;
  if (context.cwds.some((cwd) => !context.pathFacts.locate(cwd).inside)) return false;
  const named = filesNamed(argv);
  if (named === undefined || (SEARCHES.has(name) && searchSecrets(named, context))) return false;
  return named.every((value) => isReadable(value, { program, context }));
}

/** The files that a program of the table is told to read; undefined if its row does not know all of its words. */
export function filesNamed([name = "", ...args]: readonly string[]): string[] | undefined {
  const program = PROGRAMS.get(name);
  if (program === undefined) return undefined;
  if (program.operands === "code") return [];
  const sorted = readArguments(program, args.map(literalWord), { exact: true });
  const { operands, effects, unknownOptions } = sorted;
  const isKnown = ({ effect, value }: { effect: Effect; value: { value: string } | undefined }) =>
    effect === "flag" || (value && VALUES[String(effect)]?.test(value.value));
  if (unknownOptions.length > 0 || !effects.every(isKnown)) return undefined;
  const texts = textsInFront(program, sorted);
  const { checks, lists = Infinity } = program;
  if (operands.length < texts || operands.length > lists) return undefined;
  const named = operands.slice(texts).map(({ value }) => value);
  if (!checks) return named;
  return named.every((value) => checks.test(value)) ? [] : undefined;
}

/** Whether a search reads secrets of the user's below what it names, or where it starts. */
function searchSecrets(named: readonly string[], context: PathContext): boolean {
  return (named.length === 0 ? ["."] : named).some((directory) =>
    resolve(directory, context)?.some(({ absolute }) => context.pathFacts.hasSecretsBelow(absolute))
  );
}

function isReadable(
  path: string,
  { program, context }: { program: Program; context: PathContext },
): boolean {
  // `tail +1f` is an option that was, and follows.
  if (/^(?:-?|\+.*)$/.test(path) || judgeRead(literalWord(path), context)) return false;
  // Of a directory it would read what lies in it, over links.
  return program.special !== "files" ||
    (resolve(path, context) ?? []).every(({ absolute }) =>
      context.pathFacts.fingerprint(absolute) !== undefined
    );
}
