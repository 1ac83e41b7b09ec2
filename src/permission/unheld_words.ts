/**
 * What the words of commands do not say, where no sandbox holds these: a list of programs, a stored rule and what a file
 * approves cover a part of a script only if its words say all that it may do.
 */
import { basename, dirname, join, resolve } from "node:path";
import type { PathFacts } from "../core/path_facts.ts";
import { isRiskier } from "../core/permission.ts";
import { isPipe } from "../core/sandbox.ts";
import { directoriesAbove } from "../lib/contains.ts";
import type { AnalyzedPart, ScriptAnalysis } from "../shell/analyze.ts";
import { isProtected, secretsAt } from "../shell/paths.ts";
import { filesNamed } from "../shell/plain_programs.ts";
import { readArguments, textsInFront } from "../shell/program.ts";
import { findProgram, isBuiltin } from "../shell/programs/table.ts";
import { within } from "../shell/script/segments.ts";
import { literalWord } from "../shell/words.ts";
import { isKnownAwk, isKnownSed } from "./filter_scripts.ts";

/** Programs that take words from what they read, or from what they find. */
const SUPPLIES = /^(?:xargs|parallel)$/;
const FINDS = /^-(?:exec|ok)(?:dir)?$/;
/** Long options that name a file which names others to read; programs take beginnings of them, too. */
const LISTS = ["--files0-from", "--files-from"];
/** Of programs with letters of their own for it, those words. */
const LISTED: ReadonlyMap<string, RegExp> = new Map([
  ...["tar", "bsdtar", "gtar"].map((name) => [name, /^-[a-zA-Z]*T/] as const),
  ["date", /^-[a-zA-Z]*f|^--fi/],
  ["file", /^-[a-zA-Z]*f/],
  ...["zip", "7z", "7za", "7zr"].map((name) => [name, /^(?:-[a-zA-Z!]*)?@/] as const),
]);
/** Compilers and their like, and words by which these load a plugin, run a program or take options from a file. */
const BUILDS =
  /^(?:[\w.]+-)*(?:g?cc|[gc]\+\+|clang(?:\+\+)?|gfortran|l?ld|as|ar|nm|ranlib|readelf|size|strings|strip|obj(?:copy|dump)|javac|kotlinc|swiftc)(?:-[\d.]+)?$/;
const OBEYS =
  /^(?:@|-B|-load|-wrapper|-X(?:clang|plugin)|--?(?:specs|plugin|processor|config|ld-path|gcc-toolchain)|-f(?:pass-)?plugin|-fuse-ld=.*\/|-fmodule-mapper|-W[lp],.*plugin)/;
/** What a script of jq or yq reads that it names itself. */
const JQ_MODULES = /^-\w*L|^--lib|\b(?:import|include|load)/;
/** Programs that are told by a script, and whether all that it does is known. */
const SCRIPTS = [
  [/^g?sed$/, isKnownSed],
  [/^[gmn]?awk$/, isKnownAwk],
  [/^[jy]q$/, (words: readonly string[]) => !words.some((word) => JQ_MODULES.test(word))],
] as const;

/** Programs that change files, and make no links. */
const MAKES_NO_LINKS =
  /^(?:g?sed|[gmn]?awk|mkdir|rmdir|touch|rm|tee|truncate|chmod|curl|gzip|gunzip|kill)$/;
/** Commands of git that follow no links in the working tree, whatever their operands are: they make none ... */
const GIT_MAKES_NO_LINKS =
  /^(?:add|stage|commit|branch|tag|push|fetch|remote|reflog|rm|config|status|log|show|shortlog|describe|blame|rev-parse|rev-list|ls-files|ls-tree|ls-remote|merge-base|for-each-ref|show-ref|check-ignore)$/;
/** ... or may bring them with the files of another revision. */
const GIT_BRINGS_FILES =
  /^(?:stash|checkout|switch|restore|merge|rebase|cherry-pick|revert|reset|pull|mv|bisect)$/;
/** What builtins follow that is no text to them. */
const FOLLOWS = /^(?:cd|pushd|popd|source|\.|mapfile|readarray)$/;
/** Options of git with a value in the same word that is no file. */
const GIT_TEXT =
  /^--(?:abbrev|after|author|before|cleanup|color|committer|conflict|contains|date|decorate|depth|diff-filter|ff|format|grep|ignore-submodules|max-count|merged|no-contains|no-merged|points-at|porcelain|pretty|rebase|recurse-submodules|since|skip|sort|stat|strategy-option|track|unified|until|untracked-files|word-diff)=/;
/** A word of `[[ ]]` that looks at what is elsewhere. */
const TESTS_ELSEWHERE = /\[\[(?:(?!\]\])[^])*?[\s'"](?:~|\/|\.\.|\$\{?HOME\b)/;
/** How many letters of a word may be options before a value. */
const MAX_LETTERS = 8;

/** The same script; parts whose words do not say all that they may do are marked, and say why. */
export function withUnheldWords(analysis: ScriptAnalysis, pathFacts: PathFacts): ScriptAnalysis {
  const { parts, argv, risk, rendering } = analysis;
  if (argv !== undefined) return analysis;
  const tests = "text" in rendering && TESTS_ELSEWHERE.test(rendering.text)
    ? "no sandbox holds it, and a test in the same command looks at what is elsewhere"
    : undefined;
  const marked = parts.map((part): AnalyzedPart => {
    const why = tests ?? findUncertain(part, { analysis, pathFacts });
    if (why === undefined) return part;
    const isKnown = isRiskier(part.risk, "sensitive");
    return { ...part, unheld: "uncertain", ...(!isKnown && { risk: "sensitive", why }) };
  });
  const first = marked.find(({ unheld }) => unheld === "uncertain");
  if (first === undefined) return analysis;
  return { ...analysis, ...(risk !== "extreme" && { why: first.why }), parts: marked };
}

/** Why the words of a part do not say all that it may do; undefined if they do. */
function findUncertain(
  part: AnalyzedPart,
  { analysis, pathFacts }: { analysis: ScriptAnalysis; pathFacts: PathFacts },
): string | undefined {
  const { argv: [name = "", ...words] = [], programs, unheld } = part;
  // What runs code of the project may do anything: its words change nothing about that.
  if (name === "" || programs.length === 0 || runsProject(part)) return undefined;
  if (unheld !== "reads") {
    const other = findOther([name, ...words], programs);
    if (other !== undefined) return other;
    const led = words.find((word) => leadsElsewhere(word, { name, part, pathFacts }));
    if (led !== undefined) {
      return `no sandbox holds it, and what it is told leads elsewhere: ${led}`;
    }
  }
  if (programs.includes("git") && beginsInBare(part, pathFacts)) {
    return "no sandbox holds it, and git may take a directory of the workspace for a repository";
  }
  const maker = partsBefore(part, analysis).find(mayLink);
  return maker && followsPaths(part)
    ? `no sandbox holds it, and ${
      maker.programs[0]
    } in the same command may change what its words lead to`
    : undefined;
}

/** Code of the workspace; of git, what settings name is not its words. */
function runsProject({ executes, programs }: AnalyzedPart): boolean {
  return executes.length > 0 && !programs.includes("git");
}

/** What words name by way of a file, of what they are given, or in a language of their own. */
function findOther(argv: readonly string[], programs: readonly string[]): string | undefined {
  const words = argv.slice(1);
  if (programs.some((one) => SUPPLIES.test(one)) || words.some((word) => FINDS.test(word))) {
    return "no sandbox holds it, and only running it shows what it is told";
  }
  const isList = (word: string) => {
    const [option = ""] = word.split("=");
    return programs.some((one) => LISTED.get(one)?.test(word)) ||
      (option.length > 2 && LISTS.some((list) => list.startsWith(option)));
  };
  const bundle = programs.some((one) => LISTED.get(one)?.test(`-${words[0]}`));
  const list = bundle ? words[0] : words.find(isList);
  if (list !== undefined) return `no sandbox holds it, and a file names what it works on: ${list}`;
  const obeyed = programs.some((one) => BUILDS.test(one)) && words.find((one) => OBEYS.test(one));
  if (obeyed) return `no sandbox holds it, and files that it is told may be code: ${obeyed}`;
  const isKnown = SCRIPTS.every(([names, isKnown]) => {
    const at = argv.findIndex((word) => names.test(basename(word)));
    return !programs.some((one) => names.test(one)) || isKnown(argv.slice(at + 1));
  });
  return isKnown
    ? undefined
    : "no sandbox holds it, and its script may do more than transform text";
}

/**
 * Whether a value in a word, or a word of a program that nobody knows, leads elsewhere than it looks; a word of git's, to
 * secrets, as many of its options open what they name.
 */
function leadsElsewhere(
  word: string,
  { name, part, pathFacts }: { name: string; part: AnalyzedPart; pathFacts: PathFacts },
): boolean {
  const isOption = word.startsWith("-");
  const isOfGit = !isOption && part.programs.includes("git");
  const isElsewhere = (absolute: string, inside: boolean) =>
    (!isOfGit && (!inside || isProtected(absolute))) ||
    secretsAt({ absolute, inside }, pathFacts) !== undefined;
  const isOther = (value: string) => {
    if (value === "" || /^[/~]/.test(value)) return false;
    return placesOf(part).some((cwd) => {
      const { absolute, inside } = pathFacts.locate(`${cwd}/${value}`);
      if (!isElsewhere(absolute, inside)) return false;
      const spelled = resolve(cwd, value);
      // What is spelled so was judged, if it begins so.
      return spelled !== absolute || (!/^\./.test(value) && value.includes("/../"));
    });
  };
  const equals = word.indexOf("=");
  const values = [
    ...equals > 0 ? [word.slice(equals + 1)] : [],
    ...isOption && !word.startsWith("--")
      ? Array.from({ length: MAX_LETTERS }, (_, at) => word.slice(at + 2))
      : [],
    ...isOfGit || (!isOption && findProgram(name) === undefined) ? [word] : [],
  ];
  return values.some(isOther);
}

/**
 * Whether git begins in what only looks like a repository, or below it: before 2.38 it obeys that, whatever it is told. It
 * always obeys what a file or a link `.git` leads to: in the workspace that is what a clone may have brought.
 */
function beginsInBare(part: AnalyzedPart, pathFacts: PathFacts): boolean {
  const { cwd: root, exists } = pathFacts;
  const isBare = (directory: string) =>
    ["HEAD", "objects", "refs"].every((name) => exists(join(directory, name))) ||
    leadsInside(join(directory, ".git"), pathFacts);
  return !isBare(root) && placesOf(part).flatMap((place) => [place, ...directoriesAbove(place)])
    .some((place) => !isProtected(place) && isBare(place));
}

/** Where a part may run, and where it is told to by `-C`. */
function placesOf({ argv = [], cwds }: AnalyzedPart): readonly string[] {
  const told = argv.flatMap((word, at) => word === "-C" ? argv[at + 1] ?? [] : []);
  return cwds.flatMap((cwd) => [cwd, resolve(cwd, ...told)]);
}

/** Whether an entry `.git` leads to a place of the workspace that is not protected. */
function leadsInside(entry: string, { locate, read }: PathFacts): boolean {
  const [, named] = /^gitdir: *(.+)/.exec(read(entry)?.text ?? "") ?? [];
  const { absolute, inside } = locate(
    named === undefined ? entry : resolve(dirname(entry), named),
  );
  return inside && !isProtected(absolute);
}

/** The other parts of a script that may have begun when a part begins, or run beside it. */
function partsBefore(
  part: AnalyzedPart,
  { segments, parts }: ScriptAnalysis,
): readonly AnalyzedPart[] {
  const others = parts.filter((one) => one !== part);
  if (segments?.kind !== "chain") return others;
  const { items, operators } = segments;
  const own = items.findIndex((item) => within(item, [part]).length > 0);
  let last = own;
  while (last >= 0 && isPipe(operators[last])) last++;
  return last < 0 ? others : items.slice(0, last + 1).flatMap((item) => within(item, others));
}

/** Whether a part may put a link in the place of what a path names. */
function mayLink(part: AnalyzedPart): boolean {
  const { programs, argv, unheld } = part;
  if (unheld === "reads" || programs.length === 0 || runsProject(part)) return false;
  if (programs[0] === "git") {
    const [command = ""] = gitCommand(argv) ?? [];
    const row = findProgram("git")?.subcommands.get(command);
    return !GIT_MAKES_NO_LINKS.test(command) && row?.risk !== "safe";
  }
  return programs.some((name) =>
    !MAKES_NO_LINKS.test(name) && !isBuiltin(name) && findProgram(name)?.risk !== "safe"
  );
}

/** The command of git among its words, and the words behind it. */
function gitCommand(argv: readonly string[] = []): readonly string[] | undefined {
  const git = findProgram("git");
  if (!git || argv[0] !== "git") return undefined;
  const words = argv.slice(1).map(literalWord);
  return readArguments(git, words, { first: true }).operands.map(({ value }) => value);
}

/** Whether a part reads or writes what its words name, over links. */
function followsPaths({ argv = [], stdin, programs: [program = ""] }: AnalyzedPart): boolean {
  if (stdin?.startsWith("file:")) return true;
  const [name = "", ...words] = argv;
  if (isBuiltin(program)) return FOLLOWS.test(program);
  const files = filesNamed(argv);
  if (files !== undefined) return files.length > 0;
  const git = gitCommand(argv);
  const sub = findProgram("git")?.subcommands.get(git?.[0] ?? "");
  const isWork = [GIT_MAKES_NO_LINKS, GIT_BRINGS_FILES].some((work) => work.test(git?.[0] ?? ""));
  const table = git === undefined ? findProgram(name) : sub;
  if (git !== undefined && (argv[1] !== git[0] || table === undefined)) return true;
  const rest = (git?.slice(1) ?? words).map(literalWord);
  if (table === undefined) return rest.length > 0;
  const sorted = readArguments(table, rest);
  const named = sorted.effects.some(({ effect, value }) =>
    value !== undefined && /^(?:path|read|write|volume|code|loads|script)$/.test(String(effect))
  );
  const isGiven = sorted.unknownOptions.some(({ value }) =>
    value.includes("=") && !(isWork && GIT_TEXT.test(value))
  );
  const operands = sorted.operands.length + sorted.numbers.length;
  return named || isGiven || (!isWork && operands > textsInFront(table, sorted));
}
