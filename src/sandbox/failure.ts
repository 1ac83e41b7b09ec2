/**
 * Whether a command, or something in it, failed because of the sandbox, told by what it printed at its end, and which
 * power it lacked. Only advice and a question follow from it, never a permission.
 */
import { resolve } from "node:path";
import type {
  EndedPart,
  Need,
  Power,
  SandboxBlock,
  SandboxPolicy,
  ScriptPart,
} from "../core/sandbox.ts";
import { contains } from "../lib/contains.ts";
import { splitLines, stripControls } from "../lib/text.ts";
import { EXCHANGED } from "./mount_check.ts";
import { hasPower } from "./powers.ts";
import { findRepositories, repositoryDirectories } from "./repository.ts";
import { TEMPORARY_PLACES } from "./system_places.ts";

/** Characters at the end of the output that are searched: who fails says so last. */
const SEARCHED = 8000;

/** A command that has ended. */
interface Ended {
  readonly code: number;
  readonly output: string;
  /** What only the sandbox itself can have written. */
  readonly ownErrors: string;
  /** What it might do; more than one if its parts had sandboxes of their own. */
  readonly policies: readonly SandboxPolicy[];
  /** Of a command in parts: the parts that were started. @default not known */
  readonly parts?: readonly EndedPart[] | undefined;
  /** Whether it is told beside this why it had no keys. @default false */
  readonly tellsKeys?: boolean;
  /** The workspace as it is now, absolute and canonical. */
  readonly roots: readonly string[];
  /** Where it ran, absolute. */
  readonly cwd: string;
}

/** Why a command was probably stopped that failed, or in which something failed though it ended well. */
export function explainFailure(ended: Ended): SandboxBlock | undefined {
  const printed = stripControls(ended.output.slice(-SEARCHED));
  const { code, parts = [] } = ended;
  const codes = [code, ...parts.map((part) => part.code)];
  // Nobody prints it where no shell waits for the program.
  const text = codes.includes(FILE_TOO_LARGE) ? `${printed}\nFile size limit exceeded` : printed;
  if (codes.every((one) => one === 0)) return findSwallowed(text, ended);
  const own = findOwnBlock(ended);
  if (own) return own;
  const block = findHistoryBlock(text, ended) ?? findWriteBlock(text, ended) ??
    findSign(text, ended);
  return block && withAdvice(block, ended);
}

/** What shells tell of a program that the kernel ended because a file grew too large: by SIGXFSZ. */
const FILE_TOO_LARGE = 128 + 25;
/** What git says of a file, named from the top of its working tree, without which it goes on. */
const TREE_FILE =
  /^(?:error|warning|fatal): (?:unable to (?:unlink(?: old)?|create file)|cannot create directory at|could not create leading directories of) '?((?!\.\.\/)[^']+?)'?(?::|$)/;
const HALF_DONE = "Git went on without it: look with `git status` before anything is committed.";
/** What a program that ended well says of a cache, without which nothing is lost, or of a test that passed. */
const NOTHING_LOST = /cach|^\s*(?:ok|pass|[✓✔√]) /i;
/** How git begins a line on what it could not do, and how sanitizers and shells do. */
const GIT_FAILED = /^(?:error|fatal): /;
const RUNTIME_FAILED = /^(?:==\d+==|(?:\S*\/)?(?:ba|da)?sh: )/;
/** How programs and languages say that they could not write, not how others speak of it. */
const WRITE_FAILED =
  /(?:^\s*|: "?|\()(?:\[Errno 30\] |EROFS: )*Read-only file system(?:$|[:,)"]| \(os error| @ )|^npm error code EROFS$|could not (?:lock|write) config file|attempt to write a readonly database|unable to open database|\bENOENT\b.*\bmkdir '\//i;

/**
 * What failed in a command that ended well, because a program goes on without it (npm without the hooks of git), or
 * because the last command of a script decides. What only reads may have printed words of others, and what installs
 * packages is not to have .git beside that: about these nobody is asked.
 */
function findSwallowed(text: string, ended: Ended): SandboxBlock | undefined {
  const linesWith = (form: RegExp, but = /^\0/) =>
    splitLines(text).filter((line) => form.test(line) && !but.test(line)).join("\n");
  const unwritten = ended.policies.some(({ tentative }) => tentative)
    ? findWriteBlock(linesWith(WRITE_FAILED, NOTHING_LOST), ended)
    : undefined;
  if (unwritten?.missing?.includes("write")) {
    const advised = withAdvice(unwritten, ended);
    return ended.policies.some(({ showsFiles }) => showsFiles)
      ? toldOnly({ instead: `${ALONE}: it can be asked for then.`, ...advised })
      : advised;
  }
  const ofTree = ended.policies.some(({ write, needs }) => write && needs.includes("repository"))
    ? findWriteBlock(linesWith(TREE_FILE).replace(/^warning/gm, "error"), ended)
    : undefined;
  if (ofTree) return { why: ofTree.why, instead: HALF_DONE, doubtful: true };
  const limits = SIGNS.filter(({ isLimit }) => isLimit);
  const ofGit = findWriteBlock(linesWith(GIT_FAILED), ended);
  const block = ofGit?.missing?.includes("repository")
    ? ofGit
    : findSign(linesWith(RUNTIME_FAILED), ended, limits);
  if (!block) return undefined;
  const advised = withAdvice(block, ended);
  const mayAsk = advised.missing &&
    ended.policies.every(({ write, needs }) => write && !needs.includes("registries"));
  return mayAsk ? advised : toldOnly(advised);
}

/** The same as what nobody is asked about. */
function toldOnly(
  { why, instead = "Do without it, or tell the user, who can run it outside with `!`." }:
    SandboxBlock,
): SandboxBlock {
  return { why, instead, doubtful: true };
}

/** What kept the sandbox itself from being made, or from being what was decided; no command can say that. */
function findOwnBlock({ ownErrors, policies }: Ended): SandboxBlock | undefined {
  const text = stripControls(ownErrors);
  const [, problem] = /^bwrap: (.*)$/m.exec(text) ?? [];
  if (problem === undefined) return undefined;
  const [, gone] = GONE.exec(problem) ?? [];
  const hasParts = policies.length > 1;
  const why = `the sandbox${hasParts ? " of a part" : ""} could not be made: ${
    gone === undefined ? problem : `${gone} was removed meanwhile`
  }`;
  if (gone === undefined && problem !== EXCHANGED) return { why };
  return { why, instead: "Run it again.", doubtful: true, ...(!hasParts && { isUnmade: true }) };
}

/** What bubblewrap says of a place that it was to show or hide, and that is not there any more, or is something else. */
const GONE =
  /^Can't (?!chdir)[a-z ]+ (?:\/newroot)?(\/.*): (?:No such file or directory|(?:Is|Not) a directory|Read-only file system)$/;

/** What programs and languages print where a place cannot be written. */
const READ_ONLY =
  /Read-only file system|\bEROFS\b|\[Errno 30\]|os error 30\b|\.git\/\S*?(?:\.lock)?'?:? .*Device or resource busy|could not (?:lock|write) config file|insufficient permission for adding an object/i;
/** What a database says there, and not only there. */
const DATABASE = /attempt to write a readonly database|unable to open database/i;
/** What Node.js says where it cannot make a directory with those above it. */
const NO_PARENT = /\bENOENT\b.*\bmkdir '\//;
/** Said of what goes on without: a cache that cannot be kept is not why a test fails. */
const GOES_ON = /warning/i;
/** Hooks of git: no power changes them. */
const HOOKS = /\/\.git\/(?:.+\/)?hooks(?:\/|$)/;

/** Why git shows no history that it would have shown without settings that name programs. */
function findHistoryBlock(text: string, { policies }: Ended): SandboxBlock | undefined {
  const named = policies.flatMap(({ historyKeptFrom = [] }) => historyKeptFrom);
  if (named.length === 0 || !NO_HISTORY.test(text)) return undefined;
  const why = "the sandbox hides the history of git, of which some paths may not be read, from " +
    `programs that these settings name: ${[...new Set(named)].join(", ")}`;
  return { why, instead: "Without these settings git has it; tell the user." };
}

/** The last line that says of a place that it cannot be written. */
function findWriteBlock(text: string, ended: Ended): SandboxBlock | undefined {
  const closed = failedPolicies(ended).some(({ write }) => !write);
  const isInside = (path: string) => ended.roots.some((root) => contains(root, path));
  const pathIn = (line: string) => placeOf(line, ended.cwd);
  const isKept = (path: string) =>
    isInside(path) ? closed : !TEMPORARY_PLACES.some((one) => contains(one, path));
  const tells = (line: string) =>
    READ_ONLY.test(line) || (closed && DATABASE.test(line)) ||
    (NO_PARENT.test(line) && isKept(pathIn(line)));
  const line = splitLines(text).findLast((one) => tells(one) && !GOES_ON.test(one));
  if (line === undefined) return undefined;
  const path = pathIn(line);
  const inside = isInside(path);
  const isConfig = /config file/.test(line);
  const isGits = inside
    ? /adding an object/.test(line) || /\/\.git(\/|$)/.test(path)
    : ended.roots.flatMap(repositoryDirectories).some((one) => contains(one, path));
  if (isGits && HOOKS.test(path)) return { why: "the sandbox keeps the hooks of git as they are" };
  if (isGits) {
    return {
      why: "the sandbox keeps .git as it is",
      missing: ["write", "repository", ...(isConfig ? ["repository_config" as const] : [])],
    };
  }
  if (closed && inside) {
    return { why: "it ran where it could change no file", missing: ["write"] };
  }
  const what = path === ended.cwd ? "a place that it wrote to" : path;
  return { why: `the sandbox keeps ${what} as it is` };
}

/** The place that a line is about, absolute; where it names none, the one where the command began. */
function placeOf(line: string, cwd: string): string {
  const [, file] = TREE_FILE.exec(line) ?? [];
  const [top = cwd] = file === undefined ? [] : findRepositories([cwd]).map(({ tree }) => tree);
  return resolve(top, file ?? placeIn(line) ?? ".");
}

/** What a line names: what it quotes, else an absolute path that is not the program that speaks, else a word of its own. */
function placeIn(line: string): string | undefined {
  const said = line.replace(/^\s*(?:\/\S+|\w+): /, "");
  const quoted = [...said.matchAll(/(?:'([^']+)'|"([^"]+)"|‘([^’]+)’|`([^'`]+)['`])/g)]
    .map(([, ...found]) => found.find((one) => one !== undefined)!);
  const absolute = said.match(/(?<![\w.:/])\/[^\s'"`:,()]+/g) ?? [];
  const [, setting, file] = NAMED_FILE.exec(said) ?? [];
  return quoted.at(-1) ?? absolute.at(-1) ?? setting ?? file;
}

/** How git and shells name a file without quotes. */
const NAMED_FILE = /config file ([^\s:]+)|(?:^|: |cannot create )([^\s:]+): Read-only file system/i;

/** Something that is printed where a power is missing. */
interface Sign {
  readonly pattern: RegExp;
  readonly why: string | ((match: RegExpExecArray) => string);
  /** @default nothing short of running outside would help */
  readonly missing?: Need;
  readonly instead?: string;
  /** Whether it can be the sandbox's doing, beside what is missing. @default always */
  readonly when?: (policy: SandboxPolicy) => boolean;
  readonly doubtful?: true;
  /** Whether it is a limit of every sandbox. @default it is something that a command lacks */
  readonly isLimit?: true;
}

/** Names that are nowhere, with a network or without: tests ask for them. */
const NOWHERE = String.raw`(?!\S*\.(?:invalid|test|example|local)\b)`;

const UNNAMED = "nobody named its program, so that it had none of the user's keys";
const isUnnamed = ({ unnamed }: SandboxPolicy) => unnamed !== undefined;

/** What git says where objects of its history are not there. */
const NO_HISTORY =
  /bad object|bad tree object|but not in 'HEAD'|not a valid object|unable to read (?:tree|sha1|[0-9a-f]{40})|missing blob|could not parse (?:HEAD|commit|object)|failed to insert into database|Unable to write new index file/;

/** The first that fits decides. */
const SIGNS: readonly Sign[] = [
  {
    pattern:
      /\blog(?:ged)?[- ]?in\b|credential|unauthori[sz]ed|authenti|access (?:is )?denied|denied: |permission denied|\b40[13]\b|token|kubeconfig|localhost:8080|password|config(?:uration)? file|Host key verification/i,
    why: UNNAMED,
    missing: "keys",
    when: isUnnamed,
  },
  {
    pattern: new RegExp(
      [
        String.raw`(?:Could not|Couldn't) resolve (?:host|hostname|proxy)(?: name)?:? ${NOWHERE}`,
        String.raw`unable to resolve host address ${NOWHERE}`,
        String.raw`(?:EAI_AGAIN|ENOTFOUND) ${NOWHERE}\S`,
        String.raw`UnknownHostException: ${NOWHERE}`,
        "Temporary failure in name resolution",
        "Name or service not known",
        "failed to lookup address",
        "Network is unreachable",
        String.raw`\bENETUNREACH\b`,
        String.raw`no such host\b`,
        String.raw`dial tcp: lookup \S+`,
      ].join("|"),
      "i",
    ),
    why: "it has no network in the sandbox",
    missing: "network",
  },
  {
    // Its own server may be the one that does not answer.
    pattern: /Connection refused|ECONNREFUSED|Failed to connect to|Couldn't connect to server/i,
    why: "it has no network in the sandbox, and does not reach servers of this machine",
    missing: "network",
    doubtful: true,
  },
  {
    pattern: /Permission denied \(publickey|gpg failed to sign|No secret key|Host key verification/,
    why: "the sandbox hides the user's keys",
    missing: "keys",
  },
  {
    pattern: /gpg failed to sign|can't connect to the (?:gpg-)?agent|no gpg-agent running/i,
    why:
      "gpg-agent does not run yet, or has to ask for a passphrase, which it cannot in the sandbox",
    instead: "The user starts it with `gpgconf --launch gpg-agent`, or signs something outside.",
    when: ({ needs }) => needs.includes("keys"),
  },
  {
    // Of one elsewhere git says the host.
    pattern:
      /unable to create temporary object directory[^]*?^To (?:file:\/\/)?((?![^/\n]*:)[^\n]+)$/m,
    why: ([, path]) => `the sandbox keeps ${path}, a repository of this disk, as it is`,
  },
  {
    pattern: /transport 'file' not allowed/,
    why: "there is no remote of that name, or it is a repository of this disk, which may name " +
      "hooks, so that git that has the user's keys does not reach it",
    instead:
      "`git remote -v` lists the remotes. A repository of this disk is reached without keys by a command of git of its own that names it (`git fetch NAME` for a remote in place of --all).",
    when: ({ needs }) => needs.includes("keys"),
  },
  {
    pattern: /detected dubious ownership/,
    why: "git that has the user's keys obeys no repository that was not known when it began",
    instead:
      "Run the command of git for that repository by itself, with the directory in words that need no shell.",
    when: ({ needs }) => needs.includes("keys"),
  },
  {
    pattern: NO_HISTORY,
    why: "the sandbox hides the history of git, of which some paths may not be read",
    instead:
      "Run one command of git by itself; what it fetches or sends, and its hooks, are left to the user.",
    when: ({ hidden = [], history }) => hidden.length > 0 && !history,
  },
  {
    pattern: /can only add regular files, symbolic links or git-directories/,
    why: "the sandbox hides a file that git was to add, because it may not be read",
    instead: "Name the other files.",
    when: ({ hidden = [] }) => hidden.length > 0,
  },
  {
    pattern:
      /Unable to locate credentials|not (?:currently )?logged in|\bENEEDAUTH\b|No credentials found|Could not load (?:the )?default credentials/i,
    why: "the sandbox hides the user's logins",
  },
  {
    pattern:
      /(?:connect|connection) to the (?:docker|podman) daemon|docker\.sock|system bus|\/run\/\S+(?:: | )(?:No such file|connect)/i,
    why: "the sandbox hides the services of the machine",
    missing: "services",
  },
  {
    pattern:
      /fork: .*(?:Resource temporarily unavailable|Cannot allocate memory)|Cannot fork|EAGAIN.*spawn|pthread_create/i,
    why: "it started more processes than the sandbox allows",
    isLimit: true,
  },
  {
    // They reserve terabytes of addresses, which are no memory yet.
    pattern:
      /\w+Sanitizer(?:: | )(?:failed to allocate|can ?not mmap|.*ulimit -v)|ReserveShadowMemoryRange failed/i,
    why: "its sanitizer reserves more memory than the sandbox allows (4 GB)",
    isLimit: true,
  },
  {
    pattern:
      /std::bad_alloc|\bMemoryError\b|Cannot allocate memory|\bENOMEM\b|virtual memory exhausted|memory allocation of \d+ bytes failed|runtime: out of memory|reserve enough space for (?:\d+KB )?object heap|buffer allocation failed/i,
    why: "it wanted more memory than the sandbox allows (4 GB)",
    instead: "Make it need less, or tell the user, who can run it outside with `!`.",
    doubtful: true,
  },
  {
    pattern: /File size limit exceeded|File too large|EFBIG/i,
    why: "it wrote a larger file than the sandbox allows (2 GB)",
    isLimit: true,
  },
  {
    pattern: /(\/(?:var\/)?tmp\/[^\s'"`:]+)['"`:]?[^\n]*No such file/i,
    why: ([, path]) => `commands have a /tmp of their own, so that ${path} is not there`,
  },
  {
    pattern:
      /(?:mount|umount|chroot|chown|unshare|setns|ptrace|strace|perf|iptables)\b[^\n]*(?:Operation not permitted|permission denied)/i,
    why: "the sandbox has no rights over the system",
  },
  {
    pattern: /^(?![^]*(?:not found|usage|unknown|unrecognized|invalid))/i,
    why: UNNAMED,
    missing: "keys",
    when: isUnnamed,
    doubtful: true,
  },
];

/** What may have been missing where: in the parts that failed, if it is known which did. */
function failedPolicies({ policies, parts = [] }: Ended): readonly SandboxPolicy[] {
  const failed = parts.filter(({ code }) => code !== 0).map(({ part }) => part.policy);
  return failed.length > 0 ? failed : policies;
}

function findSign(text: string, ended: Ended, signs = SIGNS): SandboxBlock | undefined {
  const policies = failedPolicies(ended);
  for (const { pattern, why, missing, instead, doubtful, when } of signs) {
    if (missing && policies.every(({ needs }) => needs.includes(missing))) continue;
    if (when && !policies.some(when)) continue;
    const match = pattern.exec(text);
    if (!match) continue;
    return {
      why: typeof why === "string" ? why : why(match),
      ...(missing && { missing: [missing] }),
      ...(instead !== undefined && { instead }),
      ...(doubtful && { doubtful }),
    };
  }
  return undefined;
}

const ALONE = "Run the part of the command that failed by itself";
/** git keeps what it runs there, and cannot where that is more than one program. */
const BISECTS = /\.git\/BISECT_/;
const AS_FILE = "Put what git runs into a script: `git bisect run ./check.sh`.";

/** A power is only asked for where it is clear what would get it. */
function withAdvice(
  { missing, ...block }: SandboxBlock,
  { policies, parts = [], tellsKeys = false, output }: Ended,
): SandboxBlock {
  if (!missing) return block;
  const isCut = policies.length > 1;
  const failed = isCut ? onlyLacking(parts, missing) : undefined;
  if (isCut && !failed) return { ...block, instead: `${ALONE}: it can be asked for then.` };
  const [policy] = failed ? [failed.policy] : policies;
  const started = parts.map(({ part }) => part);
  const lacking = missing.filter((power) => !policy || !hasPower(policy, power));
  const withheld = policy?.withheld ?? [];
  const [unnamed] = lacking.includes("keys") ? policy?.unnamed ?? [] : [];
  if (
    unnamed === undefined && lacking.some((power) => power !== "write" && withheld.includes(power))
  ) {
    if (tellsKeys && missing.includes("keys")) return block;
    const alone =
      `${ALONE}, in plain words: other code in the same shell would get what it needs too.`;
    return { ...block, instead: BISECTS.test(output) ? `${alone} ${AS_FILE}` : alone };
  }
  const alone = lacking.includes("repository_config")
    ? "Run by itself what changes the configuration of git (`npx husky`): a person can be asked then."
    : lacking.includes("repository")
    ? "Run git by itself, not in a script, in a function or beside other programs: then it may write."
    : undefined;
  return {
    ...block,
    ...(alone !== undefined && { instead: alone }),
    ...(unnamed !== undefined && { instead: `A flag gives them: --allow-run=${unnamed}.` }),
    ...(lacking.length > 0 && { missing: lacking, ...(failed && { parts: { failed, started } }) }),
  };
}

/** What a program ends with that wrote to a pipe which nobody reads. */
const BROKEN_PIPE = 141;

/**
 * The part that failed and lacks one of these powers; undefined if that may be more than one, or none. If all ended well,
 * it is one of those that may lack something.
 */
function onlyLacking(
  parts: readonly EndedPart[],
  missing: readonly Power[],
): ScriptPart | undefined {
  const isSwallowed = parts.every(({ code }) => code === 0);
  const lacking = parts.filter(({ part: { policy }, code }) =>
    (isSwallowed ? policy.tentative : code !== 0 && code !== BROKEN_PIPE) &&
    missing.some((power) => !hasPower(policy, power))
  );
  return lacking.length === 1 ? lacking[0]?.part : undefined;
}
