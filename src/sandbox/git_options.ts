/**
 * Options of git's subcommands that run nothing, and read no file, that words name. Beside keys others are not obeyed:
 * git takes them cut short and behind letters of others, too.
 */
import { basename } from "node:path";
import type { Word } from "./script_words.ts";

/** What of the options of one subcommand is ordinary. */
interface OrdinaryOptions {
  readonly options: RegExp;
  /** Those of them whose value is the next word, and what that may be. */
  readonly valued: readonly (readonly [option: RegExp, value: RegExp])[];
}

const STRATEGY = "ort|recursive|resolve|octopus|ours|subtree";
const NUMBER = /^\d+$/;
const NAME = /^[\w.@+-][\w.@+/-]*$/;
/** Of all that talk to another repository. */
const TALKING =
  "-[46vqftnk]+|-j\\d+|--(?:ipv[46]|verbose|quiet|(?:no-)?progress|(?:no-)?tags|dry-run|force|keep|(?:no-)?recurse-submodules(?:=[\\w-]+)?|depth=\\d+|jobs=\\d+|filter=[\\w:=.]+)";

const ORDINARY: ReadonlyMap<string, OrdinaryOptions> = new Map([
  ["pull", {
    options: new RegExp(
      `^(?:${TALKING}|-[46vqftnkapre]+|-S|-s(?:${STRATEGY})|-X[\\w=-]+|--(?:all|append|prune|unshallow|deepen=\\d+|shallow-since=[\\w:. -]+|(?:no-)?(?:rebase|ff|commit|edit|stat|squash|verify|verify-signatures|autostash|signoff|log|gpg-sign|show-forced-updates)|ff-only|rebase=(?:true|false|merges|interactive|i)|log=\\d+|gpg-sign=\\w+|allow-unrelated-histories|set-upstream|strategy=(?:${STRATEGY})|strategy-option=[\\w=-]+))$`,
    ),
    valued: [
      [/^(?:-s|--strategy)$/, new RegExp(`^(?:${STRATEGY})$`)],
      [/^(?:-X|--strategy-option)$/, /^[\w=-]+$/],
      [/^(?:-j|--jobs|--depth|--deepen)$/, NUMBER],
    ],
  }],
  ["clone", {
    options: new RegExp(
      `^(?:${TALKING}|-l|--(?:(?:no-)?(?:single-branch|shallow-submodules|remote-submodules|reject-shallow|checkout|hardlinks)|local|bare|mirror|sparse|recursive|branch=[\\w.@+/-]+|origin=[\\w.-]+|shallow-since=[\\w:. -]+|also-filter-submodules))$`,
    ),
    valued: [
      [/^(?:-b|--branch|-o|--origin)$/, NAME],
      [/^(?:-j|--jobs|--depth)$/, NUMBER],
      [/^--(?:filter|shallow-since)$/, /^[\w:=. -]+$/],
    ],
  }],
]);

/** Git's own options that take the next word. */
const OWN_VALUED =
  /^(?:-[Cc]|--(?:git-dir|work-tree|namespace|exec-path|config-env|super-prefix))$/;

/** The options of git in a command, whatever is wrapped round it, of which nobody knows that they are harmless. */
export function strangeGitOptions(words: readonly Word[]): string[] {
  const values = words.map(({ value }) => value);
  return values.flatMap((value, at) =>
    basename(value) === "git" && !value.includes("=") ? strangeBehind(values.slice(at + 1)) : []
  );
}

/** Which of the words behind git is its subcommand: the first after git's own options; their number if there is none. */
export function subcommandAt(values: readonly string[]): number {
  let at = 0;
  while (at < values.length && values[at]!.startsWith("-")) {
    at += OWN_VALUED.test(values[at]!) ? 2 : 1;
  }
  return Math.min(at, values.length);
}

/** The same of the words behind one that may be git itself. */
function strangeBehind(values: readonly string[]): string[] {
  const at = subcommandAt(values);
  const ordinary = ORDINARY.get(values[at] ?? "");
  if (ordinary === undefined) return [];
  const { options, valued } = ordinary;
  const rest = values.slice(at + 1);
  const end = rest.indexOf("--");
  return rest.slice(0, end < 0 ? undefined : end).flatMap((word, index, all) => {
    const [, value] = valued.find(([option]) => option.test(word)) ?? [];
    if (value) {
      return value.test(all[index + 1] ?? "") ? [] : [`git ${all[index + 1] ?? word}`];
    }
    const isOption = word.startsWith("-") && word !== "-" && !isValue(all, index, valued);
    return isOption && !options.test(word) ? [`git ${word}`] : [];
  });
}

function isValue(
  words: readonly string[],
  at: number,
  valued: OrdinaryOptions["valued"],
): boolean {
  return valued.some(([option]) => option.test(words[at - 1] ?? ""));
}
