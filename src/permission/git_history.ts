/**
 * What a command of git may show of a repository's history, which holds also what no file does any more. Nothing is
 * known to show none of it but what stands here: a subcommand with the options that it is listed with, and formats
 * made of fields that hold no content. To write files of another revision, or to name an object so that a later command
 * shows it, counts as showing it.
 */

/** Programs that show the history of a repository. */
const SHOWS_REPOSITORY = /^(git|tig|gitk|gitui|lazygit|jj|hg|sl|svn|git-.*)$/;

/** Programs that give others words which no argument shows. */
export const ADDS_WORDS = /^(xargs|parallel|find|fd|fdfind)$/;

/** Options before the subcommand. */
const GLOBAL = /^(--no-pager|-P|--no-optional-locks|--literal-pathspecs|--no-replace-objects)$/;
/** What may be set: it names no program, which would see the history, and nothing says by it what else is shown. */
const SETTINGS =
  /^(user\.(name|email)|color\.\w+|core\.(quotepath|autocrlf|eol|filemode|ignorecase)|(commit|tag)\.gpgsign|(advice|push|pull|rerere|init)\.\w+|safe\.directory|branch\..+\.(remote|merge|rebase)|remote\..+\.(url|fetch))$/i;

/** The commit that is there. */
const HEAD = /^(HEAD|@)$/;
/** Words without braces and marks of git's that name one object. */
const REVISION = /^[\w./~^@-]+$/;
/** Those that git reads as commits, or not at all: what leads back from a name, be that a tree's. */
const COMMIT = /^(HEAD|@)$|.[~^]\d*$/;

/** The words behind a subcommand, sorted. */
export interface Words {
  /** Those that stand before `--`. */
  readonly before: readonly string[];
  /** Of those that stand before `--`, what looks like an option. */
  readonly options: readonly string[];
  /** Of those, all others: names, and values of options. */
  readonly names: readonly string[];
  /** What stands behind `--`; undefined if that does not occur. */
  readonly paths: readonly string[] | undefined;
  /** All of them as they stand, without `--`. */
  readonly all: readonly string[];
}

/** A subcommand that shows none of the history with these options. */
interface Row {
  /** Letters of options, also several in one word. */
  readonly letters?: string;
  /** Names of long options, with or without a value. */
  readonly long?: string;
  /** What must hold of its other words. @default anything */
  readonly fits?: (words: Words) => boolean;
  /** Whether its other words are paths: then it shows what they hold. @default false */
  readonly moves?: true;
}

const isOption = (word: string) => /^-./.test(word);
const isNone = ({ all }: Words) => all.length === 0;
/** Makes a branch where HEAD is. */
const makesBranch = ({ options, names, paths }: Words) =>
  paths === undefined && options.some((one) => /^(-[bc]|--create)$/.test(one)) &&
  (names.length === 1 || (names.length === 2 && HEAD.test(names[1]!)));
/** Takes files back from the index, which holds what HEAD holds and what was added. */
const takesBack = ({ names, paths = [] }: Words) => names.length === 0 && paths.length > 0;
/** Reads settings, or sets one that starts nothing. */
const isPlainSetting = ({ options, all }: Words) => {
  const [first = "", ...others] = all.filter((word) => !isOption(word));
  const reads = /^(get|list|unset)$/.test(first) ||
    options.some((one) => /^(-l|--(get.*|list|unset.*|remove-section))$/.test(one));
  const [key = "", ...values] = /^(set)$/.test(first) ? others : [first, ...others];
  return reads || values.length === 0 || SETTINGS.test(key);
};
/** Makes no tag of an object other than HEAD: that would show it to whoever reads the tag. */
const tagsNoObject = ({ all, paths }: Words) => {
  if (paths) return false;
  // What follows the option of a message is its text, whatever it looks like.
  const isText = (word: string) => /^(-[a-z]*m|--message)$/.test(word);
  const words: string[] = [];
  for (let at = 0; at < all.length; at++) {
    if (isText(all[at]!)) at++;
    else words.push(all[at]!);
  }
  const lists =
    /^(-[asfi]*[ld][asfi]*|--(list|delete|contains|no-contains|merged|no-merged|points-at)(=.*)?)$/;
  const [, object, ...others] = words.filter((word) => !isOption(word));
  return words.some((word) => lists.test(word)) ||
    (others.length === 0 && (object === undefined || HEAD.test(object)));
};

const REFERENCE_LIST =
  "list format sort merged no-merged contains no-contains points-at ignore-case color no-color column no-column omit-empty abbrev no-abbrev";

const ROWS: ReadonlyMap<string, Row> = new Map<string, Row>([
  ["add", {
    letters: "AuvnfN",
    long: "all update verbose dry-run force intent-to-add ignore-errors refresh renormalize chmod",
  }],
  ["branch", {
    letters: "arvdDmMcCflqut",
    long: `all remotes verbose delete move copy force quiet show-current set-upstream-to
      unset-upstream track no-track ${REFERENCE_LIST}`,
  }],
  ["checkout", {
    letters: "bq",
    long: "quiet",
    fits: (words) => makesBranch(words) || takesBack(words) || isNone(words),
  }],
  ["clean", { letters: "ndfxXqe", long: "dry-run force quiet exclude" }],
  ["commit", {
    letters: "amqsnSFoiu",
    long: `all message quiet signoff no-verify gpg-sign no-gpg-sign file only include amend no-edit
      allow-empty allow-empty-message author date fixup squash trailer dry-run short porcelain branch
      reset-author no-status untracked-files cleanup`,
  }],
  ["config", {
    letters: "lz",
    long: `list get get-all get-regexp local global system worktree unset unset-all add replace-all
      show-origin show-scope name-only type bool int path null remove-section
      rename-section all regexp append`,
    fits: isPlainSetting,
  }],
  ["count-objects", { letters: "vH", long: "verbose human-readable" }],
  ["describe", {
    long: `tags all always long dirty broken abbrev match exclude candidates first-parent contains
      exact-match`,
  }],
  ["fetch", {
    letters: "apqvtnu",
    long: "all prune quiet verbose tags no-tags depth dry-run force multiple jobs progress",
    fits: ({ all }) => all.every((name) => !name.includes(":") || /^[\w+.-]+:\/\//.test(name)),
  }],
  ["for-each-ref", { long: `count include-root-refs exclude ${REFERENCE_LIST}` }],
  ["fsck", {
    letters: "v",
    long: `full strict unreachable dangling no-dangling connectivity-only root tags cache no-reflogs
      verbose progress no-progress name-objects`,
  }],
  ["gc", { letters: "q", long: "auto quiet aggressive prune no-prune force" }],
  ["help", { letters: "ag", long: "all guides" }],
  ["init", { letters: "qb", long: "quiet bare initial-branch object-format" }],
  ["ls-files", {
    letters: "cdmoistvzkuf",
    long: `cached deleted modified others ignored stage unmerged killed eol full-name error-unmatch
      exclude exclude-standard directory no-empty-directory recurse-submodules abbrev deduplicate`,
  }],
  ["ls-remote", {
    letters: "htq",
    long: "heads branches tags refs quiet exit-code symref get-url",
  }],
  ["ls-tree", {
    letters: "drtlz",
    long: "name-only name-status object-only full-name full-tree long abbrev",
  }],
  ["merge-base", { letters: "a", long: "all is-ancestor octopus independent fork-point" }],
  ["mv", { letters: "fknv", long: "force dry-run verbose", moves: true }],
  ["name-rev", { long: "tags name-only always refs exclude all" }],
  ["push", {
    letters: "ufqnvd",
    long: `set-upstream force force-with-lease force-if-includes quiet dry-run verbose delete all
      tags follow-tags atomic porcelain progress no-verify push-option`,
    fits: ({ all }) => all.every((name) => /^\+?((HEAD)?:.*|[^:]*|[\w+.-]+:\/\/.*)$/.test(name)),
  }],
  ["remote", { letters: "vqftm", long: "verbose all push add delete" }],
  ["reset", {
    letters: "qN",
    long: "soft mixed hard quiet no-refresh refresh intent-to-add",
    fits: ({ names: [revision = "HEAD"] }) => HEAD.test(revision),
  }],
  ["restore", {
    letters: "SWq",
    long: "staged worktree quiet progress no-progress ignore-unmerged",
  }],
  ["rm", { letters: "rfnq", long: "cached force dry-run quiet ignore-unmatch" }],
  ["show-ref", {
    letters: "dsqh",
    long: "heads branches tags verify dereference hash abbrev quiet exists head",
  }],
  ["status", {
    letters: "sbuz",
    long: `short branch porcelain long untracked-files ignored show-stash ahead-behind
      no-ahead-behind renames no-renames find-renames column no-column ignore-submodules`,
  }],
  ["switch", { letters: "cq", long: "create quiet", fits: makesBranch }],
  ["symbolic-ref", {
    letters: "q",
    long: "quiet short recurse no-recurse",
    fits: ({ all }) => all.filter((word) => !isOption(word)).length <= 1,
  }],
  ["tag", {
    letters: "almsfdi",
    long: `annotate message sign no-sign force delete ${REFERENCE_LIST}`,
    fits: tagsNoObject,
  }],
  ["var", { letters: "l" }],
  ["version", { long: "build-options" }],
]);

const LISTS_COMMITS = /^(log|shortlog|reflog|rev-list)$/;
const LISTS_WITHOUT_CONTENT =
  /^(-\d+|-n\d*|-s|-i|-e|-sn?e?|-z|--(oneline|graph|all|decorate|stat|shortstat|numstat|summary|name-only|name-status|format|pretty|author|committer|since|until|after|before|grep|abbrev-commit|abbrev|date|no-merges|merges|reverse|first-parent|follow|no-patch|no-color|color|max-count|skip|count|branches|tags|remotes|topo-order|date-order|left-right|cherry-pick|not|no-notes|numbered|summary|email)(=.*)?)$/;
const listsNoContent = (option: string) => LISTS_WITHOUT_CONTENT.test(option);
/** What else the changes of named paths may be shown with. */
const SHOWS_CHANGES =
  /^(-[puwbM]|-U\d+|-M\d*%?|--(patch|cached|staged|unified|word-diff|color-words|minimal|patience|histogram|ignore-all-space|ignore-space-change|ignore-blank-lines|find-renames|no-renames|patch-with-stat|relative|exit-code|quiet|merge-base|text|no-prefix|no-ext-diff|no-textconv)(=.*)?)$/;

/** What a command of git prints of the history: files at these paths. */
export interface ShownHistory extends NamedPaths {
  /** The directories of `-C`, each relative to the one before it. */
  readonly directories: readonly string[];
}

/** Paths to which a command keeps what it prints. */
interface NamedPaths {
  /** As they are written. */
  readonly paths: readonly string[];
  /** Words that must name commits: in another tree a path leads to other files. */
  readonly revisions: readonly string[];
}

/** What a command of git prints of the history; true if it may print any of it, undefined if it prints none. */
export function historyShown(
  { programs, argv }: { readonly programs: readonly string[]; readonly argv?: readonly string[] },
): ShownHistory | true | undefined {
  if (!programs.some((program) => SHOWS_REPOSITORY.test(program))) return undefined;
  const at = argv?.findIndex((word) => /(^|\/)git$/.test(word)) ?? -1;
  if (argv === undefined || at < 0 || programs.some((one) => ADDS_WORDS.test(one))) return true;
  const rest = readGitWords(argv.slice(at + 1));
  if (rest === undefined) return true;
  const { directories } = rest;
  const [sub = "help", ...more] = rest.words;
  const words = sortWords(more);
  if (!words.options.every(hasPlainFormat)) return true;
  const row = ROWS.get(sub);
  if (LISTS_COMMITS.test(sub) && words.options.every(listsNoContent)) return undefined;
  if (sub === "rev-parse" || /^--(version|help)$/.test(sub)) return undefined;
  const named = row ? shownByRow(row, words) : namedPaths(sub, words);
  return named === true || named === undefined ? named : { ...named, directories };
}

/** Words of git from the subcommand on, and where it runs. */
interface GitWords {
  readonly words: readonly string[];
  /** The directories of `-C`, each relative to the one before it. */
  readonly directories: readonly string[];
}

/** Reads the words behind `git`; undefined if an option may lead to any repository or setting. */
export function readGitWords(words: readonly string[]): GitWords | undefined {
  let begin = 0;
  const directories: string[] = [];
  for (; /^-/.test(words[begin] ?? ""); begin++) {
    const word = words[begin]!;
    if (/^--(version|help)$/.test(word)) break;
    if (GLOBAL.test(word)) continue;
    if (word === "-C") directories.push(words[begin + 1] ?? "");
    else if (word !== "-c" || !SETTINGS.test(words[begin + 1]?.split("=")[0] ?? "")) {
      return undefined;
    }
    begin++;
  }
  return { words: words.slice(begin), directories };
}

/** Sorts the words behind a subcommand. */
export function sortWords(words: readonly string[]): Words {
  const end = words.indexOf("--");
  const before = end < 0 ? words : words.slice(0, end);
  return {
    before,
    options: before.filter(isOption),
    names: before.filter((word) => !isOption(word)),
    paths: end < 0 ? undefined : words.slice(end + 1),
    all: words.filter((_, index) => index !== end),
  };
}

function shownByRow(
  { letters = "", long = "", fits = () => true, moves }: Row,
  words: Words,
): NamedPaths | true | undefined {
  const names = new Set(long.split(/\s+/));
  const isListed = (option: string) => {
    const name = /^--([^=]+)/.exec(option)?.[1];
    if (name !== undefined) return names.has(name);
    if (/^-u(no|normal|all)$/.test(option)) return letters.includes("u");
    // Behind the letter of a text its value may follow.
    const text = /^-[a-z]*?m/.exec(option)?.[0] ?? option;
    return [...text.slice(1)].every((letter) => letters.includes(letter) || /\d/.test(letter));
  };
  if (!words.options.every(isListed) || !fits(words)) return true;
  return moves ? { paths: [...words.names, ...words.paths ?? []], revisions: [] } : undefined;
}

/** The paths that `git log -p -- PATHS` and `git show REVISION:PATH` are kept to. */
function namedPaths(sub: string, words: Words): NamedPaths | true {
  const named = words.paths ? limitedPaths(sub, words) : filesOfRevisions(sub, words);
  if (!named?.paths.every(isPlainPath) || !named.revisions.every((one) => REVISION.test(one))) {
    return true;
  }
  return { ...named, revisions: named.revisions.filter((one) => !COMMIT.test(one)) };
}

/** What stands behind `--`; undefined if more may be shown. */
function limitedPaths(sub: string, { options, names, paths = [] }: Words): NamedPaths | undefined {
  const isLimited = /^(log|diff|show)$/.test(sub) && paths.length > 0 &&
    options.every((one) =>
      SHOWS_CHANGES.test(one) || (listsNoContent(one) && !one.startsWith("--follow"))
    );
  if (!isLimited) return undefined;
  // A log goes through commits alone; `git show ID -- PATH` shows what the id names, whatever the path.
  if (sub === "log") {
    return names.some((one) => one.includes(":")) ? undefined : { paths, revisions: [] };
  }
  // One side of a range may be left out: then it is HEAD.
  const revisions = names.flatMap((name) => {
    const [first = "", ...others] = name.split(/\.{2,3}/);
    return others.length > 0 ? [first, ...others].map((one) => one || "HEAD") : [first];
  });
  return { paths, revisions };
}

/** What stands behind the colons of revisions; undefined if more may be shown. */
function filesOfRevisions(sub: string, { options, names }: Words): NamedPaths | undefined {
  const isPlain = /^(show|cat-file)$/.test(sub) && names.length > 0 &&
    options.every((one) => /^(-[pste]|--(no-color|no-textconv|no-ext-diff))$/.test(one));
  // What stands between braces may hold the same mark.
  const files = names.map((name) => /^([^:]+):(.+)$/.exec(name) ?? []);
  return isPlain
    ? { paths: files.map(([, , path = "*"]) => path), revisions: files.map(([, one = ""]) => one) }
    : undefined;
}

/** Words for whole formats of commits. */
const FORMAT_NAMES = /^(oneline|short|medium|full|fuller|reference)$/;
/** Fields of a commit; its message is none of the contents of files, and notes may be. */
const COMMIT_FIELDS =
  /^(?:[^%]|%(?:[%nHhTtPpdDSsfebBmu]|[ac][nNeElLdDrtiIsh]|g[dDnNeEs]|x[0-9A-Fa-f]{2}|C(?:[a-z]+|\([\w, ]+\))|w\([\d,]*\)|>{1,2}<?\|?\([\w,]+\)|<\|?\([\w,]+\)|[0-9a-fA-F]{2}))*$/s;
/** Fields of references: of what they name its kind, its id, its dates, its first line. */
const REFERENCE_FIELD =
  /^-?\*?(refname|objecttype|objectsize|objectname|deltabase|tree|parent|numparent|object|type|tag|author\w*|committer\w*|tagger\w*|creator\w*|upstream|push|HEAD|symref|worktreepath|ahead-behind|subject|version|v|if|then|else|end|align|color)(:[^()]*)?$/;

/** False of an option that sorts or formats by what may be content. */
function hasPlainFormat(option: string): boolean {
  const [, name, value = ""] = /^--(format|pretty|sort)(?:=(.*))?$/s.exec(option) ?? [];
  if (name === undefined) return true;
  if (name === "sort") return REFERENCE_FIELD.test(value);
  if (FORMAT_NAMES.test(value)) return true;
  const text = value.replace(/^t?format:/, "");
  const fields = [...text.matchAll(/%\(([^()]*)\)/g)];
  if (fields.length > 0) {
    const others = text.replace(/%\([^()]*\)/g, "");
    return fields.every(([, field = ""]) => REFERENCE_FIELD.test(field)) &&
      COMMIT_FIELDS.test(others);
  }
  // A word without fields is the name of a format that the configuration may hold.
  return text.includes("%") && COMMIT_FIELDS.test(text);
}

/** A path without patterns, magic words of git, or steps upwards. */
function isPlainPath(path: string): boolean {
  return /^[^:*?[\]\\]+$/.test(path) && !path.split("/").includes("..");
}
