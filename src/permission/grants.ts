/**
 * What "Always" could store for a command. Exactly: for each of its parts that asked, the arguments, its input, the
 * directory, the script's assignments, and a hash of each workspace file that decides what it does; a change of any
 * of them is another command. Wider, if the person chooses so: the program with any arguments over the same files,
 * git's everyday work, or every command that stays in the sandbox.
 */
import { relative } from "node:path";
import { ABSENT, type PathFacts } from "../core/path_facts.ts";
import type { BoundFiles, Risk } from "../core/permission.ts";
import type { Grant, GrantedPart, GrantOffers } from "../core/rule.ts";
import type { Need } from "../core/sandbox.ts";
import { sha256 } from "../lib/fs.ts";
import type { AnalyzedPart, ScriptAnalysis } from "../shell/analyze.ts";
import type { Closure, followExecuted } from "./bound_files/closure.ts";
import type { isDecidedByWords } from "./bound_files/decided_by_words.ts";
import type { repositoryMarks } from "./bound_files/repositories.ts";
import { isGrave } from "./powers.ts";
import type { RepositoryCommand } from "./program_prefix.ts";

/** What a program that is allowed with any arguments may get: with more it could send or change anything. */
const NEEDS_OF_ANY: readonly (readonly Need[])[] = [[], ["repository"], ["network"]];

/** Programs that write wherever a file tells them. */
const WRITES_AS_TOLD = /^(?:patch|tar|bsdtar|unzip|7z|cpio|rsync|git (?:apply|am))\b/;

/** What offers are made of. */
interface OfferOptions {
  readonly pathFacts: PathFacts;
  /** Files of the workspace that decide what git runs beside its own work, absolute. */
  readonly gitHooks: readonly string[];
  /** Whether commands run in a sandbox that holds. */
  readonly sandboxed: boolean;
  /** The risk of the command in the sandbox, where its code can do no more than the workspace allows. */
  readonly heldRisk: Risk;
  /** All files that decide what a command does, of those that it executes. */
  readonly follow: typeof followExecuted;
  /** What must not come to be so that a command works in the workspace's own repository. */
  readonly repositoryMarks: typeof repositoryMarks;
  /** Whether its words decide all that a part does. */
  readonly isDecidedByWords: typeof isDecidedByWords;
  /** The words that name the program of a part; undefined if it has none to be allowed by. */
  readonly prefixOf: (
    part: { argv: readonly string[]; cwd: string; executes: readonly string[] },
  ) => readonly string[] | undefined;
  /** The commands of everyday work in a repository. */
  readonly repositoryWork: () => readonly RepositoryCommand[];
}

/** What would silence the question about a command; nothing if nothing may. */
export function offersOf(analysis: ScriptAnalysis, options: OfferOptions): GrantOffers {
  const isHeld = options.sandboxed && options.heldRisk !== "extreme";
  const asking = askingParts(analysis);
  const leaving = asking.filter(({ needs }) => needs.length > 0);
  const kind = isHeld && leaving.length === 0 && { kind: SANDBOXED };
  if (analysis.risk !== "sensitive") return { ...kind };
  const granted = new Map(asking.map((part) => [part, grantPart(part, { analysis, options })]));
  const exact = grantExactly(asking, granted);
  const isMixed = isHeld && leaving.length > 0 && leaving.length < asking.length;
  const beyond = isMixed && grantExactly(leaving, granted);
  const program = exact && grantProgram(exact, { analysis, options });
  const repository = exact && grantRepository(exact, { analysis, options });
  return {
    ...(exact && { exact }),
    ...(program && { program }),
    ...(repository && { repository }),
    ...(beyond && { beyond }),
    ...kind,
  };
}

const SANDBOXED: Grant = {
  kind: "run",
  breadth: "kind",
  text: "all commands that stay in the sandbox (no network, no keys, .git closed; " +
    "/undo brings files back, but not all that git ignores)",
};

/** What "Always" could store for a change of a file of the workspace, beside that file. */
export const ALL_EDITS: Grant = {
  kind: "write",
  breadth: "kind",
  text: "all edits of files in the workspace",
};

/** Whether a grant is the one for all edits. */
export function isAllEdits({ kind, breadth }: Grant): boolean {
  return kind === ALL_EDITS.kind && breadth === ALL_EDITS.breadth;
}

/** The parts of a command that ask. */
function askingParts({ parts }: ScriptAnalysis): AnalyzedPart[] {
  return parts.filter(({ risk }) => risk !== "safe");
}

function grantExactly(
  asking: readonly AnalyzedPart[],
  granted: ReadonlyMap<AnalyzedPart, GrantedPart | undefined>,
): Grant | undefined {
  const parts = asking.flatMap((part) => granted.get(part) ?? []);
  if (parts.length < asking.length) return undefined;
  const commands = new Set(asking.map(({ command }) => command));
  return { kind: "run", text: `run=${[...commands].join(", ")}`, parts };
}

function grantPart(
  part: AnalyzedPart,
  { analysis: { assignments }, options }: { analysis: ScriptAnalysis; options: OfferOptions },
): GrantedPart | undefined {
  const [cwd, ...others] = part.cwds;
  if (!part.argv || cwd === undefined || others.length > 0) return undefined;
  if (part.unheld === "uncertain") return undefined;
  // What it writes is said by files that no rule is bound to, and nothing holds it there.
  const isTold = WRITES_AS_TOLD.test(part.argv.join(" ")) && !part.stdin?.startsWith("text:");
  if (isTold && !options.sandboxed) return undefined;
  // Code that came as text is seen once, and nobody reads it in a list of rules.
  if (part.risk === "extreme" || part.runsText) return undefined;
  if (assignments.some((text) => /[$`*?[{]/.test(text))) return undefined;
  const deciding = decidingFiles({ ...part, argv: part.argv, assignments }, options);
  const files = hashFiles(deciding?.files, options.pathFacts);
  if (deciding === undefined || files === undefined) return undefined;
  const isBound = Object.values(files).some((hash) => hash !== ABSENT);
  return {
    does: part.programs.length > 0 ? "run" : "redirect",
    argv: part.argv,
    ...(part.needs.length > 0 && { needs: part.needs }),
    ...(part.readsOutside && { readsOutside: true }),
    ...(part.stdin !== undefined && { stdin: shortenInput(part.stdin) }),
    cwd,
    assignments,
    files,
    ...((!deciding.complete || (deciding.obeysMore && !(options.sandboxed && isBound))) && {
      runsUnknown: true,
    }),
    ...(!options.sandboxed && { unconfined: true }),
  };
}

/**
 * The files that decide what a part does; undefined if only running it shows them, and no sandbox keeps what it runs
 * to the workspace: then nothing would void the rule when one of them changes.
 */
function decidingFiles(
  part: AnalyzedPart & Required<Pick<AnalyzedPart, "argv">> & Pick<ScriptAnalysis, "assignments">,
  {
    gitHooks,
    pathFacts,
    sandboxed,
    follow,
    isDecidedByWords,
    repositoryMarks,
    repositoryWork,
  }: OfferOptions,
): Closure | undefined {
  const has = (need: Need) => part.needs.includes(need);
  const isGit = part.git.length > 0 || has("repository");
  const marks = isGit ? repositoryMarks(part, pathFacts) : [];
  if (marks === undefined) return undefined;
  const hooks = has("repository") ? [...gitHooks, ...marks] : marks;
  const isHeld = sandboxed && !part.needs.some((need) => isGrave(need) || need === "registries");
  // What is installed runs code of anybody, found by files of any names, which could send the logins anywhere.
  if (has("registries") && has("network")) return undefined;
  // What is not the workspace's could be sent anywhere, or change anything; git's own files are held by the sandbox.
  const isLent = part.argv[0] !== "git" && (has("keys") || has("services"));
  if (isLent && !isDecidedByWords(part, pathFacts)) return undefined;
  const looksAtOptions = !isHeld && !isLent && !isRepositoryWork(part, repositoryWork());
  const closure = follow({ ...part, hooks, looksAtOptions, skipsBuilt: isHeld }, pathFacts);
  return closure.complete || isHeld ? closure : undefined;
}

/** Everyday work of git runs nothing that its operands name. */
function isRepositoryWork(
  { argv }: Pick<GrantedPart, "argv">,
  work: readonly RepositoryCommand[],
): boolean {
  return work.some((command) => command.argv.every((word, index) => argv[index] === word));
}

/** The same programs with any arguments; undefined if one of them may not be allowed so. */
function grantProgram(
  exact: Grant,
  { analysis, options }: { analysis: ScriptAnalysis; options: OfferOptions },
): Grant | undefined {
  // Options may name any files, and without a sandbox nothing keeps what these do to the workspace.
  if (!options.sandboxed) return undefined;
  const asking = askingParts(analysis);
  const parts: GrantedPart[] = [];
  for (const [index, granted] of (exact.parts ?? []).entries()) {
    const part = asking[index];
    const { argv, cwd, needs = [] } = granted;
    if (granted.does === "redirect") {
      parts.push(granted);
      continue;
    }
    const executes = part?.executes ?? [];
    const prefix = part?.plain ? options.prefixOf({ argv, cwd, executes }) : undefined;
    const mayGet = NEEDS_OF_ANY.some((some) => isSubset(needs, some));
    if (prefix === undefined || !mayGet) return undefined;
    parts.push({ ...granted, argv: prefix, anyArguments: true });
  }
  const texts = new Set(
    parts.map(({ argv, anyArguments }) => [...argv, ...(anyArguments ? ["*"] : [])].join(" ")),
  );
  return { kind: "run", breadth: "program", text: `run=${[...texts].join(", ")}`, parts };
}

/** Git's everyday work over the same hooks and configuration; undefined if something else asks too. */
function grantRepository(
  { parts = [] }: Grant,
  { analysis, options }: { analysis: ScriptAnalysis; options: OfferOptions },
): Grant | undefined {
  const [first] = parts;
  if (!first || !options.sandboxed) return undefined;
  const { cwd, assignments, files, runsUnknown } = first;
  const granted = options.repositoryWork().map((command): GrantedPart => ({
    does: "run",
    ...command,
    anyArguments: true,
    cwd,
    assignments,
    files,
    ...(runsUnknown && { runsUnknown }),
  }));
  const isWork = askingParts(analysis).every(({ plain }) => plain) &&
    parts.every((part) => granted.some((one) => coversPart(one, part)));
  return isWork
    ? { kind: "run", breadth: "repository", text: GIT_WORK, parts: granted }
    : undefined;
}

const GIT_WORK =
  "all work of git in this repository (no network, no keys, no history discarded, hooks unchanged)";

/** The hash of each file, or undefined if one of them is no file, or not known. */
function hashFiles(
  paths: readonly string[] | undefined,
  pathFacts: PathFacts,
): Record<string, string> | undefined {
  if (paths === undefined) return undefined;
  const files: Record<string, string> = {};
  for (const path of [...paths].sort()) {
    const hash = pathFacts.fingerprint(path);
    if (hash === undefined) return undefined;
    files[path] = hash;
  }
  return files;
}

/** A text on standard input may be long, and need not be readable in the rule. */
function shortenInput(stdin: string): string {
  if (!stdin.startsWith("text:")) return stdin;
  return `text:${sha256(new TextEncoder().encode(stdin))}`;
}

/** Equal for parts that are the same command over the same files. */
export function partKey(part: GrantedPart): string {
  return JSON.stringify([commandKey(part), Object.entries(part.files).sort()]);
}

/** Equal for parts that are the same command, whatever its files hold. */
function commandKey({ does, argv, stdin, cwd, assignments }: GrantedPart): string {
  return JSON.stringify([does, argv, stdin ?? null, cwd, assignments]);
}

/** Whether a part that is granted with any arguments covers one with arguments of its own. */
export function coversPart(granted: GrantedPart, part: GrantedPart): boolean {
  return granted.anyArguments === true && part.does === "run" && !part.unconfined &&
    granted.cwd === part.cwd && granted.stdin === part.stdin &&
    granted.argv.every((word, index) => part.argv[index] === word) &&
    JSON.stringify(granted.assignments) === JSON.stringify(part.assignments) &&
    givesNeeds(granted, part) &&
    (granted.readsOutside || !part.readsOutside) &&
    Object.entries(part.files).every(([path, hash]) => granted.files[path] === hash);
}

/** Whether what a part needs beyond the workspace was granted too. */
export function givesNeeds(granted: GrantedPart, { needs = [] }: GrantedPart): boolean {
  return isSubset(needs, granted.needs ?? []);
}

function isSubset(some: readonly Need[], all: readonly Need[]): boolean {
  return some.every((need) => all.includes(need));
}

/** Why a rule no longer holds: the files (absolute) that changed since it was made; empty if it holds. */
export function changedFiles({ parts = [] }: Grant, pathFacts: PathFacts): string[] {
  return parts.flatMap(({ files }) => findChanged(Object.entries(files), pathFacts));
}

/** Those of some files that hold something else than what has these hashes. */
export function findChanged(
  files: readonly (readonly [path: string, hash: string | undefined])[],
  pathFacts: PathFacts,
): string[] {
  return files.flatMap(([path, hash]) => pathFacts.fingerprint(path) === hash ? [] : [path]);
}

/** The files, with their fingerprints, that these rules bind parts of a command to; undefined if there are none. */
export function filesBinding(
  parts: readonly AnalyzedPart[],
  rules: readonly Grant[],
): Readonly<Record<string, string>> | undefined {
  const acting = parts.filter(({ risk }) => risk !== "safe");
  const files = rules.flatMap((rule) => rule.parts ?? [])
    .filter((granted) => acting.some((part) => isFor(granted, part)))
    .flatMap((granted) => Object.entries(granted.files));
  return files.length > 0 ? Object.fromEntries(files) : undefined;
}

/** Whether one rule allows all these parts by their exact words. */
export function isForAll(parts: readonly AnalyzedPart[], rules: readonly Grant[]): boolean {
  const [rule, ...others] = rules;
  return others.length === 0 &&
    parts.every((part) =>
      rule?.parts?.some((granted) => !granted.anyArguments && isFor(granted, part))
    );
}

function isFor(
  { argv, anyArguments, cwd }: GrantedPart,
  part: Pick<AnalyzedPart, "argv" | "cwds">,
): boolean {
  const { argv: words = [], cwds } = part;
  return cwds.includes(cwd) && (anyArguments || argv.length === words.length) &&
    argv.every((word, index) => words[index] === word);
}

/** What a rule of these parts is bound to, as its question shows it; undefined if to nothing. */
export function boundFiles(parts: readonly GrantedPart[] = []): BoundFiles | undefined {
  const files = parts.flatMap(({ cwd, files }) =>
    Object.entries(files).filter(([, hash]) => hash !== ABSENT).map(([path]) => nameIn(cwd, path))
  );
  const runsUnknown = parts.some((part) => part.runsUnknown === true);
  return files.length > 0 || runsUnknown ? { files: [...new Set(files)], runsUnknown } : undefined;
}

/** The name of a file from a directory, if it lies below that. */
export function nameIn(directory: string, path: string): string {
  const name = relative(directory, path);
  return name.startsWith("..") ? path : name;
}
