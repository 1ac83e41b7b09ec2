/**
 * git, where the arguments decide more than its rows can say: refspecs, addresses, configuration keys.
 */
import type { Case } from "./case.ts";
import { type Arguments, extreme, type Finding, type Program, sensitive } from "./program.ts";
import type { ShellWord } from "./words.ts";

/** Settings that name programs, files outside, or where commits go. */
const RUNNING_KEYS =
  /^(alias|filter|diff|merge|credential|url|include|includeif|pager|sequence|gpg|ssh|http|https|protocol|submodule|uploadpack|receive|interactive|mergetool|difftool|browser|web|man|instaweb|guitool|sendemail|tar|safe|fetch|transfer|remote|trailer|uploadarchive|imap|lfs|hook)\.|^core\.(hookspath|fsmonitor|sshcommand|pager|editor|askpass|gitproxy|attributesfile|excludesfile|worktree|alternaterefscommand|symlinks|protecthfs|protectntfs)|^init\.templatedir|\.(cmd|path|command|textconv|driver|program|helper)$/i;
const ADDRESS = /^[a-z][a-z+.-]*:\/\/|^[^/]*@[^/]*:|^[\w.-]+:(?!\/\/)[^:]*\//i;
const TRANSPORT = /^(ext|fd|[a-z]+)::/i;
const EVERYTHING = /^(\.|:\/|:|\.\/|\*)$/;
/** What takes the address of another repository. */
const FETCHES = /^(clone|fetch|pull|ls-remote|push|remote|submodule|archive|subtree)$/;

/** Judges what the row cannot; git's rows are applied after it. */
export function judgeGit(
  _: Program,
  { name, rest, read, found }: {
    name: string;
    rest: readonly ShellWord[];
    read: Arguments;
    found: Case;
  },
): boolean {
  if (name === "git config") {
    judgeConfig(rest, found);
    return true;
  }
  const [sub, ...words] = read.operands;
  if (!sub || sub.kind !== "literal") return false;
  const operands = words.filter((word) => !word.prefix.startsWith("-"));
  const has = (pattern: RegExp) => words.some(({ value }) => pattern.test(value));
  if (FETCHES.test(sub.value)) judgeAddresses(operands, found);
  switch (sub.value) {
    case "push":
      return judgePush(operands, found);
    case "clean":
      if (!has(/^(-[a-zA-Z]*n[a-zA-Z]*|--dry-run)$/)) return false;
      found.add(sensitive("git clean lists what it would remove"));
      return true;
    case "rm":
      if (!has(/^--cached$/)) return false;
      found.add(sensitive("git rm stops following files"));
      return true;
    case "branch":
    case "tag":
    case "remote":
    case "worktree":
    case "stash": {
      const [verb, ...more] = words;
      const named = /^(list|show)$/.test(verb?.value ?? "") ? more : words;
      const looks = sub.value === "stash" && named === words
        ? false
        : named.every(({ kind, value }) => kind === "literal" && LISTS.test(value));
      if (!looks || (sub.value === "worktree" && named === words)) return false;
      found.add(reads(`git ${sub.value} lists what there is`, found));
      return true;
    }
    case "checkout":
    case "restore":
    case "switch":
      if (
        operands.some(({ value, kind }) => EVERYTHING.test(value) || kind === "pattern") &&
        !has(/^--staged$/)
      ) {
        found.add(extreme("discards work that is not committed"));
      }
      return false;
    default:
      return false;
  }
}

/** What runs nothing but what the sandbox holds is safe in it. */
function reads(why: string, { around }: Case): Finding {
  return { class: around.confined ? "safe" : "sensitive", why };
}

/** Options with which a command that could change something lists what there is. */
const LISTS =
  /^(-[arvl]+|--(all|remotes|list|verbose|show-current|no-color|no-column|merged|no-merged|sort=\S+|format=.*))$/;

function judgeAddresses(operands: readonly ShellWord[], found: Case): void {
  for (const word of operands) {
    if (TRANSPORT.test(word.value)) found.add(extreme(`runs a program as transport: ${word.text}`));
  }
}

function judgePush(operands: readonly ShellWord[], found: Case): boolean {
  const [remote, ...refs] = operands;
  if (
    remote &&
    (remote.kind !== "literal" || ADDRESS.test(remote.value) || /^[./~]/.test(remote.value))
  ) {
    found.add(extreme(`network: sends commits to an address: ${remote.text}`));
  }
  for (const ref of refs) {
    if (/^[+:]/.test(ref.value)) {
      found.add(extreme(`discards history of the remote repository: ${ref.text}`));
    } else if (
      ref.kind === "dynamic" && found.mayBecomeOption(ref) && ref.from !== "substitution"
    ) {
      found.add(extreme(`sends what is known only when it runs: ${ref.text}`));
    }
  }
  return false;
}

function judgeConfig(rest: readonly ShellWord[], found: Case): void {
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
    found.add(
      extreme(`sets configuration of git that may run programs or lies outside: ${key ?? ""}`),
    );
  } else {
    found.add(
      changes
        ? sensitive("git config changes the repository")
        : reads("git config reads the repository", found),
    );
  }
}
