/**
 * Which settings of a repository the words of a command name. They were judged with it, so what git then writes is no
 * surprise; anything else that comes to be in a configuration is somebody else's.
 */
import type { GitSetting, NamedSetting } from "../core/sandbox.ts";
import type { AnalyzedPart } from "../shell/analyze.ts";
import type { GitWord } from "../shell/command_analysis.ts";

/** What of a part counts here. */
type WordedPart = Pick<AnalyzedPart, "git" | "programs" | "risk" | "opaque" | "argv">;

/** A git with its words, behind those that are for all subcommands. */
interface GitCall {
  readonly subcommand: string | undefined;
  readonly words: readonly GitWord[];
}

/** Options of git itself whose value is a word of its own. */
const OWN_VALUED = /^(-[Cc]|--(git-dir|work-tree|namespace|exec-path|config-env|super-prefix))$/;
/** Subcommands of newer `git config`. */
const VERBS = /^(set|unset|rename-section|remove-section)$/;
/** Options whose value is a word of its own. */
const VALUED = /^(--type|--default|--value|--comment|--url|--file|--blob|-t|-m|-f)$/;
/** Options of `git config` behind which no word belongs to them; of others, shortened ones for one, it may. */
const UNVALUED =
  /^(?:-[zle]|-[ftm].+|--[\w-]+=.*|--|--(?:local|global|system|worktree|add|append|all|replace-all|get(?:-\w+)*|unset(?:-all)?|(?:rename|remove)-section|list|edit|bool|int|bool-or-int|bool-or-str|path|expiry-date|no-type|null|name-only|(?:no-)?includes|show-(?:origin|scope|names)|fixed-value|regexp))$/s;
/** Verbs of `git remote` by which no hook runs: the others change branches. */
const SETS_REMOTES = /^(add|set-url|set-branches|get-url)$/;
/** What runs beside git, or around it, and runs no code of the workspace by itself. */
const PASSES_ON =
  /^(git|(ba|da|z|k)?sh|time|timeout|nice|ionice|nohup|env|command|builtin|exec|xargs|find|stdbuf|setsid|chronic|cd|mkdir|rmdir|touch|echo|printf|true|false|:|test|\[|pwd|sleep|export)$/;
/** Programs that are git, or write no content of files: they make and remove what has a name. */
const WRITES_NO_CONTENT =
  /^(git|time|timeout|nice|ionice|env|command|builtin|stdbuf|cd|mkdir|rmdir|rm|touch|echo|printf|true|false|:|test|\[|pwd|sleep|export)$/;
/** Subcommands of git that write contents of files nowhere but in the working tree and in the repository. */
const WRITES_TREE =
  /^(add|branch|checkout|cherry-pick|clean|clone|commit|config|describe|diff|fetch|gc|init|log|ls-files|ls-remote|ls-tree|merge|merge-base|mv|pull|push|rebase|remote|reset|restore|rev-list|rev-parse|revert|rm|show|sparse-checkout|stash|status|submodule|switch|symbolic-ref|tag|update-index|update-ref|worktree)$/;
/** Words by which they write files of their choice all the same, or take more than contents from elsewhere. */
const PLACES =
  /(?:^| )(?:-c ?\S+=|-x|--(?:out|temp|conf|exec|upload|receive|edit|unsafe|prefix|sep|se[ =]|git-dir|work-tree)|clone .*-u|submodule .*foreach)/;
/** Programs by which there comes to be an empty directory for content, or which begin in one. */
const MAKES_ROOM = /^(mkdir|rmdir|rm|cd)$/;
/** A directory that git takes for a repository's own, as a word. */
const OWN_DIRECTORY = /(?:^|[\s/:=])\.git(?![\w-])/i;
/** What such a directory is never without; where it is removed, there is room for other content. */
const IN_OWN_DIRECTORY = /(?:^|[\s/])HEAD(?!\S)/i;
/** Where subcommands make settings that are not the words'. */
const MADE: ReadonlyMap<string, readonly string[]> = new Map([
  ["submodule", ["submodule.", "remote.", "core."]],
  ["worktree", ["core."]],
  ["sparse-checkout", ["core."]],
]);
/** The same for what runs git by itself. */
const CODE_HOST = /^(?:gh|glab|hub|tea)$/;
const MADE_BY_GIT = ["remote.", "branch.", "submodule.", "core."];
/** Where husky has git look for hooks. */
const HUSKY: GitSetting = {
  kind: "named",
  name: "core.hooksPath",
  values: [".husky", ".husky/_"],
};

/** The settings that these parts name or make, which share a sandbox. */
export function settingsIn(parts: readonly WordedPart[]): GitSetting[] {
  if (parts.every(setsByWordsAlone)) return [{ kind: "all" }, ...namedIn(parts)];
  return namedIn(parts);
}

function namedIn(parts: readonly WordedPart[]): GitSetting[] {
  return parts.filter(({ risk, opaque }) => risk !== "safe" && !opaque)
    .flatMap(({ git, programs }) => [
      ...git.map(readCall).flatMap(settingsOf),
      ...(programs.some((program) => CODE_HOST.test(program)) ? MADE_BY_GIT : []).map((name) =>
        ({ kind: "made", name }) as const
      ),
      ...(programs.includes("husky") ? [HUSKY] : []),
    ]);
}

/** Whether nothing in these parts writes contents of files but git, none of it where its words say. */
export function isGitAlone(parts: readonly WordedPart[]): boolean {
  return parts.every(({ git, programs, risk, opaque, argv }) => {
    if (programs.some((program) => MAKES_ROOM.test(program))) {
      const line = argv?.join(" ");
      if (line === undefined || OWN_DIRECTORY.test(line) || IN_OWN_DIRECTORY.test(line)) {
        return false;
      }
    }
    if (risk === "safe") return true;
    const named = programs.filter((program) => program === "git").length;
    return !opaque && programs.length > 0 && git.length >= named &&
      programs.every((program) => WRITES_NO_CONTENT.test(program)) &&
      git.every((words) =>
        words.every(({ value }) => value !== undefined) &&
        WRITES_TREE.test(readCall(words).subcommand ?? "") &&
        !isPlaced(words.map(({ value }) => value).join(" "))
      );
  });
}

function isPlaced(line: string): boolean {
  return PLACES.test(line) || OWN_DIRECTORY.test(line);
}

/** Whether no program of it changes settings otherwise than by its words, or runs what could. */
function setsByWordsAlone({ git, programs, risk, opaque }: WordedPart): boolean {
  const named = programs.filter((program) => program === "git").length;
  if (opaque) return false;
  if (named === 0) return risk === "safe" || programs.every((program) => PASSES_ON.test(program));
  return programs.every((program) => PASSES_ON.test(program)) && git.length >= named &&
    git.every((words) => {
      const { subcommand, words: rest } = readCall(words);
      if (subcommand === "config") return !rest.some(({ value }) => isEdit(value));
      return subcommand === "remote" && SETS_REMOTES.test(rest[0]?.value ?? "") &&
        rest.every(({ value }) => value !== undefined && !/^-\w*f|^--f/.test(value));
    });
}

function isEdit(word: string | undefined): boolean {
  return word !== undefined && /^(-\w*e|--ed|edit$)/.test(word);
}

function readCall(words: readonly GitWord[]): GitCall {
  let at = 0;
  for (let option = words[0]?.value; option?.startsWith("-"); option = words[at]?.value) {
    at += OWN_VALUED.test(option) ? 2 : 1;
  }
  return { subcommand: words[at]?.value, words: words.slice(at + 1) };
}

function settingsOf({ subcommand = "", words }: GitCall): GitSetting[] {
  const made = (MADE.get(subcommand) ?? []).map((name) => ({ kind: "made", name }) as const);
  switch (subcommand) {
    case "config":
      return configured(words);
    case "remote":
      return changedRemotes(words);
    case "push":
      return followed(words);
    case "branch":
      return renamedBranches(words);
    case "submodule":
      return [...made, ...changedSubmodule(words)];
    default:
      return made;
  }
}

/** Where a submodule is fetched from, as `git submodule set-url` names it: its own repository calls that `origin`. */
function changedSubmodule([verb, ...words]: readonly GitWord[]): GitSetting[] {
  if (verb?.value !== "set-url") return [];
  const values = words.flatMap(({ value }) => value ?? []);
  return [{ kind: "named", name: "remote.origin.", values }];
}

function configured(words: readonly GitWord[]): GitSetting[] {
  const plain = words.filter(({ value }, at) =>
    !value?.startsWith("-") && !(at > 0 && VALUED.test(words[at - 1]!.value ?? ""))
  );
  const isKnown = ({ value }: GitWord) =>
    !value?.startsWith("-") || VALUED.test(value) || UNVALUED.test(value);
  if (!words.every(isKnown)) return [{ kind: "unknown" }];
  const has = (pattern: RegExp) => words.some(({ value }) => value && pattern.test(value));
  const [first, second] = VERBS.test(plain[0]?.value ?? "") ? plain.slice(1) : plain;
  const name = first?.value;
  if (name === undefined) return first === undefined ? [] : [{ kind: "unknown" }];
  if (has(/^(--)?(rename|remove)-section$/)) return changedSections(name, second?.value);
  if (!name.includes(".")) return [];
  if (has(/^(--)?unset(-all)?$/)) return [{ kind: "named", name, values: [] }];
  // With a key that is not as it is written here nothing is said of its value.
  if (second !== undefined && !second.exact) return [{ kind: "named", name }];
  return [{ kind: "named", name, values: second?.value === undefined ? [] : [second.value] }];
}

function changedSections(from: string, to: string | undefined): NamedSetting[] {
  return [
    { kind: "named", name: `${from}.`, values: [] },
    ...(to === undefined
      ? []
      : [{ kind: "named", name: `${to}.`, values: [], from: `${from}.` } as const]),
  ];
}

/** All of a remote that a command of `git remote` names. */
function changedRemotes(words: readonly GitWord[]): GitSetting[] {
  const rest = words.slice(1);
  const known = rest.flatMap(({ value, exact }) => exact && value !== undefined ? [value] : []);
  const values = words.flatMap(({ value }) => value ?? []);
  return [
    ...known.filter((word) => /^[\w.-]+$/.test(word) && !word.startsWith("-"))
      .map((word) => ({ kind: "named", name: `remote.${word}.`, values }) as const),
    ...(!/^(add|rename)$/.test(words[0]?.value ?? "")
      ? []
      : rest.every(({ exact }) => exact)
      ? known.map((word) => ({ kind: "made", name: `remote.${word}.` }) as const)
      : [{ kind: "made", name: "remote." } as const]),
  ];
}

/** Where a branch goes to from now on. */
function followed(words: readonly GitWord[]): GitSetting[] {
  if (words.some(({ exact }) => !exact)) return [{ kind: "made", name: "branch." }];
  const values = words.flatMap(({ value }) =>
    value !== undefined && !value.startsWith("-") ? [value] : []
  );
  return values.length === 0 ? [] : [{ kind: "named", name: "branch.*.remote", values }];
}

/** A branch that gets another name, or is copied, keeps its settings. */
function renamedBranches(words: readonly GitWord[]): GitSetting[] {
  if (!words.some(({ value }) => value && /^(-\w*[mMcC]|--(move|copy))$/.test(value))) return [];
  const name = words.at(-1)?.value;
  return name === undefined ? [] : [{ kind: "named", name: `branch.${name}.`, values: [] }];
}
