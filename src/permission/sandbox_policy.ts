/**
 * How the sandbox is to hold commands that are allowed: by what was found out about them, and by the flags
 * on the network.
 */
import type { Rule } from "../core/rule.ts";
import type { Need, PartedScript, Power, SandboxPolicy, ScriptPart } from "../core/sandbox.ts";
import type { AnalyzedPart } from "../shell/analyze.ts";
import { isGitAlone, settingsIn } from "./git_settings.ts";
import { allowsAnyCommand, namesProgram, type Rules } from "./rules.ts";

/** What of the rules counts here. */
type PolicyRules = readonly Pick<Rules, "allow" | "deny" | "allowAll">[];

/** Programs that make what they name, and run nothing. */
const INERT = /^(mkdir|rmdir|touch|cd)$/;
/** Programs that touch nothing at all: they run beside any other. */
const HARMLESS = /^(echo|printf|true|false|:|test|\[|pwd|sleep|basename|dirname|seq)$/;
const SHELL = /^(ba|da|z|k)?sh$/;
/** Others that show nothing of any file but its name. */
const SHOWS_NAMES =
  /^(\[\[|cd|ls|read|export|exit|return|break|continue|shift|which|type|uname|whoami|hostname|id|nproc)$/;
/** What git shows of a repository alone. */
const SHOWS_REPOSITORY =
  /^git (?:-C \S+ |-P |--no-pager )*(?:rev-parse|rev-list|branch|tag|remote|symbolic-ref|show-ref|for-each-ref|describe|status|log|show|merge-base|ls-files|cherry|config --get)(?: |$)/;
/** Programs that read no files but those that their words name. */
const READS_NAMED = /^(cat|head|tail|cut|tr|uniq|wc|grep|jq|date|stat)$/;
/** Command lines by which they read others. */
const READS_OTHERS =
  /^(?:grep .*(?<= )(?:-\w*[rRd]|--(?:rec|deref|dir))|jq .*(?:(?<= )-\w*L|--library|\b(?:include|import)\b))/s;
/** Programs that have the user's keys though nobody named them: they log in with these, and pass none of them on. */
const LOGS_IN = /^(git|ssh)$/;
/** What only passes on the words behind it. */
const WRAPS = /^(timeout|nice|ionice|nohup|stdbuf|time|command|env)$/;

/**
 * What commands that share one sandbox may do. Beside code that needs less a command gets no more than that: what
 * runs in the same sandbox can use it too. What only reads gets nothing but the sight of its repository. Keys go only
 * to what `isRendered`: all hangs on how its words are understood.
 */
export function sandboxPolicyOf(
  parts: readonly AnalyzedPart[],
  { rules, isRendered }: { readonly rules: PolicyRules; readonly isRendered: boolean },
): Omit<SandboxPolicy, "sandboxRequired"> {
  const acting = parts.filter((part) => part.risk !== "safe");
  const hidden = targetsDeniedByName("read", rules);
  const unwritable = targetsDeniedByName("write", rules);
  const shut = {
    ...(hidden.length > 0 && { hidden, history: isPlainGit(parts) }),
    ...(unwritable.length > 0 && { unwritable }),
  };
  // What nobody knows gets no more than what it was allowed, whatever runs beside it.
  if (acting.length === 0 || parts.some(isClosed)) {
    return {
      write: false,
      needs: readsRepository(parts) ? ["repository"] : [],
      ...(parts.some(isClosed) && { tentative: true as const }),
      ...(parts.some(showsWordsOfOthers) && { showsFiles: true as const }),
      ...shut,
    };
  }
  const wanted = new Set(acting.flatMap((part) => part.needs));
  const networkForAll = !parts.some(({ isOfProject }) => isOfProject) &&
    rules.some((one) => one.allowAll || one.allow.net === true);
  if (networkForAll) wanted.add("network");
  if (rules.some((one) => one.deny.net !== undefined)) {
    wanted.delete("network");
    wanted.delete("registries");
  }
  const running = acting.filter((part) => !isInert(part) && !isShell(part));
  const unnamed = wanted.has("keys") ? unnamedPrograms(acting, rules) : [];
  const readers = wanted.has("keys") ? parts.filter(readsFiles) : [];
  const mayHaveKeys = isRendered && unnamed.length === 0 && readers.every(readsOnlyNamed);
  const given = [...wanted].filter((need) =>
    (need === "network" && networkForAll) ||
    (mayHaveKeys || need !== "keys") && running.every((part) =>
        part.needs.includes(need) && !runsSeveral(part) && mayHave(need, part)
      )
  );
  const withheld = [...wanted].filter((need) => !given.includes(need));
  const settings = given.includes("repository_config") ? settingsIn(parts) : [];
  return {
    write: true,
    needs: given,
    ...shut,
    ...(given.includes("keys") && readers.length > 0 &&
      { reads: readers.flatMap(({ argv = [] }) => argv.slice(1)) }),
    ...(settings.length > 0 && { settings }),
    ...(isGitAlone(parts) && { gitAlone: true as const }),
    ...(withheld.length > 0 && { withheld }),
    ...(unnamed.length > 0 && { unnamed }),
  };
}

/**
 * What needs the keys and was not named, where any command is allowed. Of what wraps another program the other one
 * counts.
 */
function unnamedPrograms(parts: readonly AnalyzedPart[], rules: PolicyRules): string[] {
  if (!allowsAnyCommand(rules)) return [];
  const unnamed = parts.filter(({ isNamed, needs }) => !isNamed && needs.includes("keys"))
    .flatMap(({ programs }) => {
      const [program = "", ...wrappers] = programs.toReversed();
      return LOGS_IN.test(program) && wrappers.every((one) => WRAPS.test(one) || SHELL.test(one))
        ? []
        : [program];
    });
  return [...new Set(unnamed)].filter((program) =>
    !rules.some((one) => namesProgram(one, program))
  );
}

/** Whether a part that only reads may show what is in a file of the user's. */
function readsFiles(part: AnalyzedPart): boolean {
  return showsFiles(part) && !SHOWS_REPOSITORY.test(part.argv?.join(" ") ?? "");
}

/** Whether a part that only reads may show more than names. */
function showsFiles(part: AnalyzedPart): boolean {
  return part.risk === "safe" && !isShell(part) &&
    !part.programs.every((program) => HARMLESS.test(program) || SHOWS_NAMES.test(program));
}

/** Whether what a closed part prints may be none of its own words, nor of what writes to its pipe. */
function showsWordsOfOthers(part: AnalyzedPart): boolean {
  const shows = isClosed(part)
    ? part.programs.some((program) => SHOWS_FILES.test(program))
    : showsFiles(part);
  return shows && !filters(part);
}

/** Whether a part shows nothing but what comes through its pipe. */
function filters({ argv: [program = "", ...words] = [], stdin }: AnalyzedPart): boolean {
  if (stdin !== "pipe") return false;
  if (PASSES_ON.test([program, ...words].join(" "))) return true;
  const options = words.filter((word) => /^-./.test(word));
  return FILTERS.test(program) && words.length - options.length === 1 &&
    options.every((option) => /^-[^-frR]+$/.test(option));
}

/** Whether it is known which files a part reads that has the keys beside it. */
function readsOnlyNamed({ programs, argv = [] }: AnalyzedPart): boolean {
  return programs.length === 1 && READS_NAMED.test(argv[0] ?? "") &&
    !READS_OTHERS.test(argv.join(" "));
}

/** What only the shell will know may be anything: beside the network it gets no more than its own repository. */
function mayHave(need: Need, { opaque }: AnalyzedPart): boolean {
  return !opaque || need === "network" || need === "repository";
}

/** Whether it gives the user's keys. */
export function hasKeys({ needs }: Pick<SandboxPolicy, "needs">): boolean {
  return needs.includes("keys");
}

/** Whether nothing hangs on what these parts may do, as nothing they run acts on more than its output. */
export function fitsAnywhere(parts: readonly AnalyzedPart[]): boolean {
  return parts.every(({ risk, tentative, programs, opaque }) =>
    risk === "safe" && !tentative && !opaque && programs.every((program) => HARMLESS.test(program))
  );
}

/** What a policy gives. */
export function powersOf({ write, needs }: Pick<SandboxPolicy, "write" | "needs">): Power[] {
  return write ? ["write", ...needs] : [];
}

/**
 * Whether nothing runs but git and what only passes its words on. What git prints of hidden paths was judged; what it
 * runs, or copies into another repository, was not.
 */
function isPlainGit(parts: readonly AnalyzedPart[]): boolean {
  return parts.length > 0 && parts.every((part) => {
    const { programs, argv = [], plain, opaque, tentative, stdin } = part;
    if (!plain || opaque || tentative) return false;
    const line = argv.join(" ");
    return programs.length === 1 && argv[0] === "git"
      ? PLAIN_GIT.test(line) && !COPIES.test(line)
      : PASSES_ON.test(line) && !stdin?.startsWith("file:");
  });
}

/** A subcommand of git, with no setting before it. */
const PLAIN_GIT = /^git (?:-C \S+ |-P |--no-pager )*[a-z]/;

/** Subcommands of git that take what is in one repository to another, or run programs. */
const COPIES =
  /^git (?:-\S+ (?:\S+ )?)*(?:clone|fetch|pull|push|remote|submodule|subtree|bundle|worktree|replace|filter-branch|lfs|annex)(?: |$)/;
/** Programs that see nothing but their standard input, as a whole command. */
const PASSES_ON =
  /^(?:(?:head|tail)(?: -n ?\d+| -\d+)?|(?:wc|sort|uniq|cat)(?: -[a-zA-Z]+)?|true|(?:echo|cd)(?: .*)?)$/s;

/** Programs that show files, also where only running them shows which. */
const SHOWS_FILES =
  /^(?:cat|bat|nl|less|more|head|tail|cut|tr|uniq|sort|[efz]?grep|rg|ag|ack|sed|awk|diff|jq|strings|git)$/;
/** Programs of which only the words behind the first name files, but for those of options. */
const FILTERS = /^(?:[ef]?grep|sed|awk)$/;

/**
 * Whether git is among programs that are known to only read: it has to see all of the repository that the workspace
 * lies in.
 */
function readsRepository(parts: readonly AnalyzedPart[]): boolean {
  return parts.every(({ tentative }) => !tentative) &&
    parts.some(({ programs }) => programs.includes("git"));
}

/**
 * Whether the sandbox holds parts, whatever bash makes of their words, that are allowed by the rule for all that stays in
 * it. What is denied by the name of a program, and what git may read, hangs on the words.
 */
export function getsNoPower(
  parts: readonly AnalyzedPart[],
  { rules, used = [] }: {
    readonly rules: readonly Rules[];
    /** Rules of "Always" that allow them. */
    readonly used: readonly Rule[] | undefined;
  },
): boolean {
  const isOfSandbox = used.length > 0 && used.every(({ breadth }) => breadth === "kind");
  return isOfSandbox && rules.every(({ deny }) => deny.run === undefined) &&
    parts.every(({ needs, git }) => needs.length === 0 && git.length === 0);
}

/** How people call what a command gets: it only reads, writes the workspace, or reaches the network too. */
export type SandboxProfileName = "closed" | "workspace" | "network";

/** The name of what these policies give altogether. */
export function profileName(
  policies: readonly Pick<SandboxPolicy, "write" | "needs">[],
): SandboxProfileName {
  const needs = policies.flatMap((policy) => policy.write ? policy.needs : []);
  if (needs.includes("network") || needs.includes("registries")) return "network";
  return policies.some(({ write }) => write) ? "workspace" : "closed";
}

/** What the parts of a command line may do, in their order. */
export function policiesOf(parted: PartedScript): readonly SandboxPolicy[] {
  return scriptParts(parted).map(({ policy }) => policy);
}

/** The parts of a command line that run in sandboxes of their own, in their order. */
export function scriptParts(parted: PartedScript): readonly ScriptPart[] {
  switch (parted.kind) {
    case "script":
      return [parted];
    case "chain":
      return parted.items.flatMap(scriptParts);
    case "subshell":
    case "group":
      return scriptParts(parted.body);
    default:
      return [];
  }
}

/** The paths or hosts that rules deny by name. */
export function targetsDeniedByName(
  kind: "read" | "write" | "net",
  rules: readonly Pick<Rules, "deny">[],
): readonly string[] {
  return rules.flatMap(({ deny }) => Array.isArray(deny[kind]) ? deny[kind] : []);
}

/** Whether it runs unasked only because it runs closed: it may lack a power. */
export function isClosed({ risk, tentative }: AnalyzedPart): boolean {
  return risk === "safe" && tentative === true;
}

/** A redirection, or a command that runs no code of the workspace. */
function isInert({ programs, opaque }: AnalyzedPart): boolean {
  return !opaque && programs.every((program) => INERT.test(program));
}

/** A `find` that starts more than one program: what one of them needs the others would get too. */
function runsSeveral({ programs }: AnalyzedPart): boolean {
  const started = programs.slice(programs.indexOf("find") + 1);
  return programs.includes("find") && new Set(started).size > 1;
}

/** A shell with a text that is known: what it runs are parts of their own. */
function isShell({ programs, runsText, opaque }: AnalyzedPart): boolean {
  return runsText && !opaque && programs.some((program) => SHELL.test(program));
}
