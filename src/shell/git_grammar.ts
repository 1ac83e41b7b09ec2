/**
 * git, where the arguments decide more than its rows can say: refspecs, addresses, configuration keys.
 */
import type { CommandAnalysis, SortedInvocation } from "./command_analysis.ts";
import { extreme, type Finding, sensitive } from "./program.ts";
import type { ShellWord } from "./words.ts";

/** Settings that name programs, files outside, or where commits go. */
const RUNNING_KEYS =
  /^(alias|filter|diff|merge|credential|url|include|includeif|pager|sequence|gpg|ssh|http|https|protocol|submodule|uploadpack|receive|interactive|mergetool|difftool|browser|web|man|instaweb|guitool|sendemail|tar|safe|fetch|transfer|remote|trailer|uploadarchive|imap|lfs|hook)\.|^core\.(hookspath|fsmonitor|sshcommand|pager|editor|askpass|gitproxy|attributesfile|excludesfile|worktree|alternaterefscommand|symlinks|protecthfs|protectntfs)|^init\.templatedir|\.(cmd|path|command|textconv|driver|program|helper)$/i;
const ADDRESS = /^[a-z][a-z+.-]*:\/\/|^[^/]*@[^/]*:|^[\w.-]+:(?!\/\/)[^:]*\//i;
const TRANSPORT = /^(ext|fd|[a-z]+)::/i;
const EVERYTHING = /^(\.{1,2}\/?|:\/|:|\*|(\.\.\/)+)$/;
/** What takes the address of another repository. */
const FETCHES = /^(clone|fetch|pull|ls-remote|push|remote|submodule|archive|subtree)$/;

/** Judges what the row cannot; git's rows are applied after it. */
export function judgeGit(use: SortedInvocation): boolean {
  const { program, name, rest, args, analysis } = use;
  if (name === "git config") {
    judgeConfig(rest, analysis);
    return true;
  }
  analysis.addOptions(program, args);
  const [word] = args.operands;
  const sub = program.subcommands?.get(word?.value ?? "");
  if (name === "git" && word?.kind === "literal" && !sub) {
    analysis.opaque = true;
    analysis.needs.push("repository");
    analysis.add(extreme(`git ${word.text} is an alias, or runs a program named git-${word.text}`));
    return true;
  }
  const judged = judgeSubcommand(use);
  if (judged === "changes" && sub) analysis.needs.push(...sub.needs);
  if (judged === "reads" || (!judged && sub?.safeSandboxed)) return judged !== undefined;
  for (const { option, value } of args.effects) {
    if (value && option === "-C") analysis.addWord("write", value);
  }
  return judged !== undefined;
}

/** Judges the subcommand if it can; says whether it only reads. */
function judgeSubcommand({ args, analysis }: SortedInvocation): "reads" | "changes" | undefined {
  const [sub, ...words] = args.operands;
  if (!sub || sub.kind !== "literal") return undefined;
  const operands = words.filter((word) => !word.prefix.startsWith("-"));
  const has = (pattern: RegExp) => words.some(({ value }) => pattern.test(value));
  if (FETCHES.test(sub.value)) judgeAddresses(operands, analysis);
  switch (sub.value) {
    case "push":
      judgePush(operands, analysis);
      return undefined;
    case "clean":
      if (!has(/^(-[a-zA-Z]*n[a-zA-Z]*|--dry-run)$/)) return undefined;
      analysis.add(readFinding("git clean lists what it would remove", analysis));
      return "reads";
    case "rm":
      if (!has(/^--cached$/)) return undefined;
      analysis.add(sensitive("git rm stops following files"));
      return "changes";
    case "branch":
    case "tag":
    case "remote":
    case "worktree":
    case "stash":
      if (!onlyLists(sub.value, words)) return undefined;
      analysis.add(readFinding(`git ${sub.value} lists what there is`, analysis));
      return "reads";
    case "reflog":
      if (!words.every(({ kind, value }) => kind === "literal" && SHOWS_LOG.test(value))) {
        return undefined;
      }
      analysis.add(readFinding("git reflog shows where branches were", analysis));
      return "reads";
    case "symbolic-ref":
      if (operands.length !== 1 || has(/^-[^q-]|^--(?!short$|quiet$)/)) return undefined;
      analysis.add(readFinding("git symbolic-ref names the branch", analysis));
      return "reads";
    case "hash-object":
    case "notes":
    case "bisect":
    case "sparse-checkout":
    case "apply":
    case "lfs":
      if (!words.every(({ kind }) => kind === "literal") || !isReadOnly(sub.value, words)) {
        return undefined;
      }
      analysis.add(readFinding(`git ${sub.value} only reads`, analysis));
      return "reads";
    case "checkout":
    case "restore":
    case "switch":
      if (discards(operands) && !(has(/^(--staged|-S)$/) && !has(/^(--worktree|-[A-Za-z]*W)/))) {
        analysis.add(extreme("discards work that is not committed"));
      }
      return undefined;
    default:
      return undefined;
  }
}

/** Names many files at once, or files that only running it shows. */
function discards(operands: readonly ShellWord[]): boolean {
  return operands.some(({ value, kind, from }) =>
    EVERYTHING.test(value) || kind === "pattern" || from === "substitution" || /^:|\*/.test(value)
  );
}

function onlyLists(sub: string, words: readonly ShellWord[]): boolean {
  const [verb, ...more] = words;
  const named = /^(list|show)$/.test(verb?.value ?? "") ? more : words;
  if (/^(stash|worktree)$/.test(sub) && named === words) return false;
  if (!words.every(({ kind }) => kind === "literal")) return false;
  if (named.every(({ value }) => LISTS.test(value))) return true;
  // With one of these, what else stands there are patterns and commits.
  return /^(branch|tag)$/.test(sub) &&
    words.some(({ value }) => LISTS_SOME.test(value)) &&
    words.every(({ value }) => /^[^-]/.test(value) || LISTS.test(value) || LISTS_SOME.test(value));
}

/** Forms of commands of git that change nothing, though others of the same name do. */
function isReadOnly(sub: string, words: readonly ShellWord[]): boolean {
  const given = words.map(({ value }) => value);
  switch (sub) {
    case "hash-object":
      return given.every((word) => /^([^-].*|--stdin|--no-filters)$/.test(word));
    case "apply":
      return given.some((word) => /^--(check|stat|numstat|summary)$/.test(word)) &&
        given.every((word) => /^([^-].*|-p\d|--(check|stat|numstat|summary|verbose))$/.test(word));
    case "lfs":
      return /^(ls-files|status|env|version)$/.test(given[0] ?? "") && given.length === 1;
    case "notes":
      return given.length === 0 || /^(list|show)$/.test(given[0]!);
    case "bisect":
      return given.length === 1 && /^(log|terms)$/.test(given[0]!);
    default:
      return given.length === 1 && given[0] === "list";
  }
}

/** What runs nothing but what the sandbox holds is safe in it. */
function readFinding(why: string, { context }: CommandAnalysis): Finding {
  return { risk: context.sandboxed ? "safe" : "sensitive", why };
}

/** Options with which a command that could change something lists what there is. */
const LISTS =
  /^(-[arvl]+|-n\d*|-i|--(all|remotes|list|verbose|show-current|no-color|no-column|ignore-case|merged|no-merged|(sort|format|color|column|abbrev)(=\S+)?))$/;
const LISTS_SOME = /^(-l|--(list|contains|no-contains|points-at|merged|no-merged)(=\S+)?)$/;
const SHOWS_LOG = /^(-n|-?\d+|-n\d+|--(oneline|all|date=\S+|format=\S+|pretty=\S+|no-abbrev))$/;

function judgeAddresses(operands: readonly ShellWord[], analysis: CommandAnalysis): void {
  for (const word of operands) {
    if (TRANSPORT.test(word.value)) {
      analysis.add(extreme(`runs a program as transport: ${word.text}`));
    }
  }
}

function judgePush(operands: readonly ShellWord[], analysis: CommandAnalysis): void {
  const [remote, ...refs] = operands;
  if (
    remote &&
    (remote.kind !== "literal" || ADDRESS.test(remote.value) || /^[./~]/.test(remote.value))
  ) {
    analysis.add(extreme(`network: sends commits to an address: ${remote.text}`));
  }
  for (const ref of refs) {
    if (/^[+:]/.test(ref.value)) {
      analysis.add(extreme(`discards history of the remote repository: ${ref.text}`));
    } else if (
      ref.kind === "dynamic" && analysis.mayBecomeOption(ref) && ref.from !== "substitution"
    ) {
      analysis.add(extreme(`sends what is only known at run time: ${ref.text}`));
    }
  }
}

function judgeConfig(rest: readonly ShellWord[], analysis: CommandAnalysis): void {
  const words = rest.map(({ value }) => value);
  const asks = words.some((word) => /^(--get(-\w+)*|--list|-l|list|get)$/.test(word));
  const file = words.findIndex((word) => /^(-f|--file|--blob)$/.test(word));
  const outside = words.some((word) => /^--(global|system|worktree)$/.test(word)) || file >= 0 ||
    words.some((word) => /^--file=|^-f./.test(word));
  const [key, ...values] = words.filter((word) => !word.startsWith("-") && word !== "set");
  const plain = rest.every(({ kind }) => kind === "literal");
  const edits = words.some((word) => /^(-e|--edit|edit)$/.test(word));
  const changes = !asks &&
    (values.length > 0 ||
      words.some((word) => /^--(unset|add|replace|rename|remove)|^unset$/.test(word)));
  if (edits || (changes && (outside || !plain || RUNNING_KEYS.test(key ?? "")))) {
    analysis.add(
      extreme(`sets configuration of git that may run programs or lies outside: ${key ?? ""}`),
    );
  } else {
    analysis.add(
      changes
        ? sensitive("git config changes the repository")
        : readFinding("git config reads the repository", analysis),
    );
  }
}

/** Programs that show the history of a repository. */
const SHOWS_REPOSITORY = /^(git|tig|gitk|gitui|lazygit|jj|hg|sl|svn|git-.*)$/;
/** Subcommands that print no content of files unless an option asks for it. */
const PRINTS_NO_CONTENT =
  /^(add|branch|checkout|cherry-pick|clean|commit|config|count-objects|describe|fetch|for-each-ref|fsck|gc|help|init|ls-files|ls-remote|ls-tree|merge|merge-base|mv|name-rev|notes|pull|push|rebase|remote|reset|restore|rev-parse|revert|rm|show-ref|status|switch|symbolic-ref|tag|var|version)$/;
const ASKS_FOR_CONTENT = /^(-[a-zA-Z]*p[a-zA-Z]*|-i|-v+|--patch(-.*)?|--interactive|--verbose)$/;
const LISTS_COMMITS = /^(log|shortlog|reflog|rev-list)$/;
const LISTS_WITHOUT_CONTENT =
  /^(-\d+|-n\d*|-s|-i|-e|-sn?e?|-z|--(oneline|graph|all|decorate|stat|shortstat|numstat|summary|name-only|name-status|format|pretty|author|committer|since|until|after|before|grep|abbrev-commit|abbrev|date|no-merges|merges|reverse|first-parent|follow|no-patch|no-color|color|max-count|skip|count|branches|tags|remotes|topo-order|date-order)(=.*)?)$/;

/**
 * Paths to which a command of git keeps what it prints of the history, as they are written; true if it may print any,
 * none if it prints none.
 */
export function historyShown(
  { programs, argv }: { readonly programs: readonly string[]; readonly argv?: readonly string[] },
): readonly string[] | true {
  if (!programs.some((program) => SHOWS_REPOSITORY.test(program))) return [];
  const at = argv?.findIndex((word) => /(^|\/)git$/.test(word)) ?? -1;
  if (argv === undefined || at < 0) return true;
  const words = argv.slice(at + 1);
  let begin = 0;
  while (/^-/.test(words[begin] ?? "")) {
    if (/^--(git-dir|work-tree)/.test(words[begin]!)) return true;
    begin += /^-[cC]$/.test(words[begin]!) ? 2 : 1;
  }
  const [sub = "help", ...rest] = words.slice(begin);
  const end = rest.indexOf("--");
  const before = end < 0 ? rest : rest.slice(0, end);
  const options = before.filter((word) => /^-./.test(word));
  if (PRINTS_NO_CONTENT.test(sub) && !options.some((one) => ASKS_FOR_CONTENT.test(one))) return [];
  if (LISTS_COMMITS.test(sub) && options.every((one) => LISTS_WITHOUT_CONTENT.test(one))) return [];
  // Paths count from the directory in which git runs, if no option names another.
  if (end >= 0) {
    const names = rest.slice(end + 1);
    const isLimited = /^(log|diff|show)$/.test(sub) && begin === 0 && names.length > 0 &&
      before.every((word) => !word.includes(":")) && names.every(isPlainPath);
    return isLimited ? names : true;
  }
  const names = before.filter((word) => !word.startsWith("-"))
    .map((word) => /^[^:]+:(.+)$/.exec(word)?.[1] ?? "*");
  return /^(show|cat-file)$/.test(sub) && names.length > 0 && names.every(isPlainPath)
    ? names
    : true;
}

/** A path without patterns, magic words of git, or steps upwards. */
function isPlainPath(path: string): boolean {
  return /^[^:*?[\]\\]+$/.test(path) && !path.split("/").includes("..");
}
