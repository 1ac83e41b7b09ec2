/**
 * What a command of git may show of a repository's history, which holds also what no file does any more.
 */

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
