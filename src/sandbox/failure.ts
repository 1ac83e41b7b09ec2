/**
 * Whether a command failed because of the sandbox, told by what it printed at its end. Only advice and an
 * offer follow from it, never a permission.
 */
import type { SandboxBlock, SandboxPolicy } from "../core/sandbox.ts";
import { stripControls } from "../lib/text.ts";

/** Characters at the end of the output that are searched: who fails says so last. */
const SEARCHED = 8000;

interface FailurePattern {
  readonly pattern: RegExp;
  readonly why: (match: RegExpExecArray) => string;
  readonly instead?: string;
  /** Whether it can be the sandbox's doing. @default always */
  readonly when?: (policy: SandboxPolicy) => boolean;
}

const lacks = (need: SandboxPolicy["needs"][number]) => ({ needs }: SandboxPolicy) =>
  !needs.includes(need);
const HISTORY_HINT =
  "Run one command of git by itself; what it fetches or sends, and its hooks, are left to the user.";
const REPOSITORY_HINT = "Run git by itself, not together with other programs: then it may write.";

/** The first that fits decides. */
const FAILURE_PATTERNS: readonly FailurePattern[] = [
  {
    pattern: /\.git\/\S*?(?:\.lock)?'?:? .*(?:Read-only file system|Device or resource busy)/,
    why: () => "the sandbox keeps .git as it is",
    instead: REPOSITORY_HINT,
  },
  {
    pattern: /could not (?:lock|write) config file|insufficient permission for adding an object/,
    why: () => "the sandbox keeps .git as it is",
    instead: REPOSITORY_HINT,
  },
  {
    pattern: /['"`]?(\/[^\s'"`:]+)['"`:]?[^\n]*(?:Read-only file system|EROFS)/i,
    why: ([, path]) => `the sandbox keeps ${path} as it is`,
  },
  {
    pattern: /(?:Read-only file system|EROFS)[^\n]*?['"`]?(\/[^\s'"`:]+)/i,
    why: ([, path]) => `the sandbox keeps ${path} as it is`,
  },
  {
    pattern: /Read-only file system|EROFS|os error 30\b/i,
    why: () => "it wrote to a place that the sandbox keeps as it is",
  },
  {
    pattern:
      /Temporary failure in name resolution|Could not resolve host|EAI_AGAIN|ENOTFOUND|getaddrinfo|Network is unreachable|ENETUNREACH|failed to lookup address|no such host|Name or service not known|unable to resolve host|dns error|ConnectionError|client error \(Connect\)/i,
    why: () => "it has no network in the sandbox",
    when: lacks("network"),
  },
  {
    pattern: /(?:Connection refused|ECONNREFUSED|Failed to connect to|Couldn't connect to server)/i,
    why: () => "it has no network in the sandbox, and does not reach servers of this machine",
    when: lacks("network"),
  },
  {
    pattern: /Permission denied \(publickey|gpg failed to sign|No secret key|Host key verification/,
    why: () => "the sandbox hides the user's keys",
    when: lacks("keys"),
  },
  {
    pattern:
      /bad object|bad tree object|but not in 'HEAD'|not a valid object|unable to read (?:tree|sha1)|missing blob/,
    why: () => "the sandbox hides the history of git, of which some paths may not be read",
    instead: HISTORY_HINT,
    when: ({ hidden = [], history }) => hidden.length > 0 && !history,
  },
  {
    pattern:
      /Unable to locate credentials|not (?:currently )?logged in|\bENEEDAUTH\b|No credentials found|Could not load (?:the )?default credentials/i,
    why: () => "the sandbox hides the user's logins",
  },
  {
    pattern:
      /(?:connect|connection) to the (?:docker|podman) daemon|docker\.sock|system bus|\/run\/\S+(?:: | )(?:No such file|connect)/i,
    why: () => "the sandbox hides the services of the machine",
    when: lacks("services"),
  },
  {
    pattern:
      /fork: .*(?:Resource temporarily unavailable|Cannot allocate memory)|Cannot fork|EAGAIN.*spawn|pthread_create/i,
    why: () => "it started more processes than the sandbox allows",
  },
  {
    pattern: /File size limit exceeded|File too large|EFBIG/i,
    why: () => "it wrote a larger file than the sandbox allows (2 GB)",
  },
  {
    pattern: /(\/(?:var\/)?tmp\/[^\s'"`:]+)['"`:]?[^\n]*No such file/i,
    why: ([, path]) => `commands have a /tmp of their own, so that ${path} is not there`,
  },
  {
    pattern:
      /(?:mount|umount|chroot|chown|unshare|setns|ptrace|strace|perf|iptables)\b[^\n]*(?:Operation not permitted|permission denied)/i,
    why: () => "the sandbox has no rights over the system",
  },
];

/** Why a command that failed was probably stopped; `broken` if the sandbox itself could not be made. */
export function explainFailure(
  { code, output, policy }: { code: number; output: string; policy: SandboxPolicy },
): (SandboxBlock & { broken?: true }) | undefined {
  const text = stripControls(output.slice(-SEARCHED));
  const own = /^bwrap: (.*)$/m.exec(text);
  if (own && code === 1 && text.trim() === own[0]) {
    return { why: `the sandbox could not be made: ${own[1]}`, broken: true };
  }
  for (const { pattern, why, instead, when } of FAILURE_PATTERNS) {
    const match = when === undefined || when(policy) ? pattern.exec(text) : null;
    if (match) return { why: why(match), ...(instead !== undefined && { instead }) };
  }
  return undefined;
}
