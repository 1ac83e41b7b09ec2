/**
 * How grave it is to read or write what a word names: by where it finally leads, by what is known to be
 * secret, and by how much of it is known before it runs.
 */
import type { PathFacts } from "../core/path_facts.ts";
import { extreme, type Finding, sensitive } from "./program.ts";
import { literalWord, type ShellWord } from "./words.ts";

/** Where paths are judged from. */
export interface PathContext {
  readonly pathFacts: PathFacts;
  /** Every directory in which the command may run; undefined if only running shows it. */
  readonly cwds: readonly string[] | undefined;
}

/** Streams and sinks that hold nothing. */
const NOTHING = /^(-|\/dev\/(null|stdin|stdout|stderr|tty|fd\/\d+)|\/proc\/self\/fd\/[0-2])$/;
const HARMLESS_SOURCES = /^\/dev\/(zero|urandom|random|full)$/;

/** Places outside the workspace that hold keys and passwords. */
const SECRET_PLACES =
  /\/\.(ssh|gnupg|aws|azure|kube|docker|config\/gcloud|config\/gh|config\/op|password-store|ally|mozilla|netrc|pgpass|npmrc|pypirc|git-credentials|my\.cnf|bash_history|zsh_history|python_history|node_repl_history|psql_history|mysql_history|local\/share\/keyrings)(\/|$|\*)|\/etc\/(g?shadow|sudoers|ssh|ssl\/private|security|krb5\.keytab)|\/proc\/[^/]+\/(environ|mem|maps|fd|root|cwd|cmdline)|\/var\/run\/secrets|\/run\/secrets|\/Library\/Keychains|\/(Login Data|Cookies|cookies\.sqlite|key4\.db|logins\.json)$|\/root(\/|$)(?=.*\.(ssh|gnupg|aws))/i;
const RAW_DEVICES = /^\/dev\/(?!(null|zero|u?random|full|std(in|out|err)|tty|fd\/\d+)$)/;

/** Names that hold secrets wherever they lie. */
const SECRET_NAMES =
  /(^|\/)(\.env(\.(?!example$|sample$|template$|dist$)[\w.-]+)?|\.envrc|\.netrc|\.npmrc|\.pypirc|\.pgpass|\.git-credentials|id_(rsa|dsa|ecdsa|ed25519)|[^/]*\.(pem|key|p12|pfx|kdbx|keystore|jks|asc|gpg|ovpn)|credentials(\.json)?|secrets?\.(json|ya?ml|toml)|service-account[^/]*\.json)$/i;

/** Of reading; undefined if it is safe. */
export function judgeRead(word: ShellWord, context: PathContext): Finding | undefined {
  if (NOTHING.test(word.value)) return undefined;
  if (word.kind === "dynamic") {
    return SECRET_PLACES.test(word.value)
      ? extreme(`reads secrets: ${word.text}`)
      : sensitive(`reads what is known only when it runs: ${word.text}`);
  }
  const path = fixedPart(word);
  if (HARMLESS_SOURCES.test(path)) return undefined;
  const places = resolve(path, context);
  if (!places) return sensitive(`reads what depends on an unknown directory: ${word.text}`);
  for (const { absolute, inside } of places) {
    const whole = word.kind === "pattern"
      ? `${absolute}/${word.value.slice(path.length)}`
      : absolute;
    if (RAW_DEVICES.test(absolute)) return extreme(`reads a device: ${word.text}`);
    const ofHome = context.pathFacts.home !== "" && whole.startsWith(`${context.pathFacts.home}/.`);
    if (
      (!inside && (SECRET_PLACES.test(whole) || SECRET_NAMES.test(whole))) ||
      (ofHome && SECRET_PLACES.test(whole.slice(context.pathFacts.home.length)))
    ) {
      return extreme(`reads secrets: ${word.text}`);
    }
  }
  if (places.some((place) => !place.inside)) {
    return sensitive(`reads outside the workspace: ${word.text}`);
  }
  return places.some(({ absolute }) => SECRET_NAMES.test(absolute)) || SECRET_NAMES.test(word.value)
    ? sensitive(`reads a file that may hold secrets: ${word.text}`)
    : undefined;
}

/** Of writing; undefined if nothing is written. */
export function judgeWrite(word: ShellWord, context: PathContext): Finding | undefined {
  if (NOTHING.test(word.value)) return undefined;
  if (word.kind === "dynamic" || word.from !== undefined) {
    return extreme(`writes to a place that is known only when it runs: ${word.text}`);
  }
  const path = fixedPart(word);
  const places = resolve(path, context);
  if (!places) return extreme(`writes to what depends on an unknown directory: ${word.text}`);
  for (const { absolute, inside } of places) {
    if (!inside) return extreme(`writes outside the workspace: ${word.text}`);
    if (isProtected(absolute) || isProtected(word.value)) {
      return extreme(`writes a protected place: ${word.text}`);
    }
  }
  return sensitive(`changes ${word.text}`);
}

/**
 * `.git` and `.ally` and their insides, whatever their case, and by the names that file systems of Windows
 * take for them.
 */
export function isProtected(path: string): boolean {
  return /(^|[\\/])(\.(git|ally)[ .]*(:[^\\/]*)?|git~\d+|ally~\d+)([\\/]|$)/i.test(path);
}

/** All places that a path may name; undefined if it depends on a directory that is not known. */
export function resolve(path: string, { pathFacts, cwds }: PathContext) {
  if (path.startsWith("/")) return [pathFacts.locate(path)];
  return cwds?.map((cwd) => pathFacts.locate(`${cwd}/${path}`));
}

/** The directory below which all matches of a pattern lie; of a literal word, itself. */
function fixedPart(word: ShellWord): string {
  if (word.kind === "literal") return word.value;
  const slash = word.prefix.lastIndexOf("/");
  return slash < 0 ? "." : word.prefix.slice(0, slash + 1);
}

/** A word for every file below a directory. */
export function everythingBelow(directory: string): ShellWord {
  return { ...literalWord(`${directory}/*`), kind: "pattern", prefix: `${directory}/` };
}
