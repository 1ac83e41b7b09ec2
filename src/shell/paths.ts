/**
 * How risky it is to read or write what a word names: by where it finally leads, by what is known to be
 * secret, and by how much of it is known before it runs.
 */
import { join } from "node:path";
import type { PathFacts, PathLocation } from "../core/path_facts.ts";
import { hasSecretName, secretAt, secretMatching, secretNamedIn } from "../core/secret_places.ts";
import { extreme, type Finding, held, sensitive, tentative } from "./program.ts";
import { expandBraces, type ShellWord } from "./words.ts";

/** Where paths are judged from. */
export interface PathContext {
  readonly pathFacts: PathFacts;
  /** Every directory in which the command may run; undefined if only running shows it. */
  readonly cwds: readonly string[] | undefined;
  /** Whether a sandbox holds what it does. @default false */
  readonly sandboxed?: boolean;
}

/** Streams and sinks that hold nothing. */
const NOTHING =
  /^(-|\/dev\/(null|zero|full|u?random|stdin|stdout|stderr|tty|fd\/\d+)|\/proc\/self\/fd\/[0-2])$/;
/** What stands before the path in the address of a file. */
const FILE_ADDRESS = /^file:(\/\/(localhost|127\.0\.0\.1)?)?(?=\/)/i;
const RAW_DEVICES = /^\/dev\/(?!(null|zero|u?random|full|std(in|out|err)|tty|fd\/\d+)$)/;

/** The finding for reading what a word names; undefined if that is safe. */
export function judgeRead(word: ShellWord, context: PathContext): Finding | undefined {
  if (NOTHING.test(word.value)) return undefined;
  if (word.kind === "dynamic") {
    const holds = secretNamedIn(word.value);
    return holds !== undefined
      ? secretFinding(word, holds)
      : tentative(sensitive(`reads what is only known at run time: ${word.text}`));
  }
  const path = fixedPart(word);
  const locations = resolve(path, context);
  if (!locations) {
    return tentative(sensitive(`reads what depends on an unknown directory: ${word.text}`));
  }
  for (const location of locations) {
    if (RAW_DEVICES.test(location.absolute)) return extreme(`reads a device: ${word.text}`);
    const { pathFacts, pathFacts: { home } } = context;
    const holds = secretsMatching(word, { ...location, home }) ?? secretsAt(location, pathFacts);
    if (holds !== undefined) return secretFinding(word, holds);
  }
  if (locations.some(({ inside }) => !inside)) {
    return sensitive(`reads outside the workspace: ${word.text}`);
  }
  const isSecret = locations.some((one) => one.isNamedSecret || hasSecretName(one.absolute));
  return isSecret || hasSecretName(word.value)
    ? sensitive(`reads a file that may hold secrets: ${word.text}`)
    : undefined;
}

function secretFinding({ text }: ShellWord, holds: string): Finding {
  return extreme(`reads secrets (${holds}): ${text}`);
}

/** What secrets a path holds; undefined if none are known. */
export function secretsAt(
  { absolute, inside }: PathLocation,
  pathFacts: PathFacts,
): string | undefined {
  if (pathFacts.isSkillFile?.(absolute)) return hasSecretName(absolute) ? "by its name" : undefined;
  return secretAt(absolute, { inside, home: pathFacts.home }) ?? pathFacts.secretAt(absolute);
}

/** What secrets a pattern may match below the place that its fixed beginning names. */
function secretsMatching(
  { kind, value, prefix }: ShellWord,
  { absolute, inside, home }: PathLocation & Pick<PathFacts, "home">,
): string | undefined {
  const values = kind === "pattern" ? expandBraces(value) ?? [value] : [];
  return values.map((one) => join(absolute, one.slice(prefix.lastIndexOf("/") + 1)))
    .map((whole) => secretAt(whole, { inside, home }) ?? secretMatching(whole, home))
    .find((holds) => holds !== undefined);
}

/** The finding for writing what a word names; undefined if nothing is written. */
export function judgeWrite(word: ShellWord, context: PathContext): Finding | undefined {
  if (NOTHING.test(word.value)) return undefined;
  const { pathFacts, sandboxed = false } = context;
  const locations = resolve(fixedPart(word), context);
  const outside = locations?.find(({ absolute, inside }) =>
    !inside && !(sandboxed && pathFacts.isTemporary?.(absolute))
  )?.absolute;
  const unknown = outside === undefined ? held : extreme;
  if (word.kind === "dynamic") {
    return unknown(`writes to a place only known at run time: ${word.text}`);
  }
  if (!locations) return unknown(`writes to what depends on an unknown directory: ${word.text}`);
  if (outside !== undefined) {
    return { ...extreme(`writes outside the workspace: ${word.text}`), outside };
  }
  return isProtected(word.value) || locations.some(({ absolute }) => isProtected(absolute))
    ? extreme(`writes a protected place: ${word.text}`)
    : sensitive(`changes ${word.text}`);
}

/**
 * `.git` and `.ally` and their insides, whatever their case, and by the names that file systems of Windows
 * take for them.
 */
export function isProtected(path: string): boolean {
  return /(^|[\\/])(\.(git|ally)[ .]*(:[^\\/]*)?|git~\d+|ally~\d+)([\\/]|$)/i.test(path);
}

/** Whether a path, as it is protected, is git's own. */
export function isGitPath(path: string): boolean {
  return isProtected(path) && /(^|[\\/])(\.git|git~\d+)(?![^\\/ .:])/i.test(path);
}

/** Everything that a path may name; undefined if it depends on a directory that is unknown. */
export function resolve(path: string, { pathFacts, cwds }: PathContext) {
  if (path.startsWith("/")) return [pathFacts.locate(path)];
  return cwds?.map((cwd) => pathFacts.locate(`${cwd}/${path}`));
}

/** The files of the workspace that a path may name. */
export function filesInside(path: string, context: PathContext): string[] {
  return (resolve(path, context) ?? []).flatMap(({ inside, absolute }) => inside ? [absolute] : []);
}

/** The directory below which all matches of a pattern lie; of a literal word, itself, also as an address. */
function fixedPart(word: ShellWord): string {
  const { kind, value, prefix } = word;
  const path = (kind === "literal" ? value : prefix).replace(FILE_ADDRESS, "");
  if (kind === "literal") return path;
  const slash = path.lastIndexOf("/");
  return slash < 0 ? "." : path.slice(0, slash + 1);
}
