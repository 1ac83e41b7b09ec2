/**
 * Which commands are for somebody at a keyboard: a person's own command gets the terminal for it. Where nobody is there
 * programs find neither a terminal nor input, and most end and say so themselves. Advice is for those that do not end,
 * and for those whose own words do not help. Whether a command may run never depends on it.
 */
import type { PathFacts } from "../core/path_facts.ts";
import { analyzeCommand } from "./analyze.ts";

/** How a command looks from its program's name on, and what to run instead. */
const INSTEAD: readonly (readonly [line: RegExp, advice: string])[] = [
  [
    /^(?:n?vim?|view|nano|emacs|pico|ed|micro|hx|joe|mcedit)(?: |$)(?!.*(?:--?batch|-[eE]s|--headless|--version)\b)/,
    "Change files with the edit or write tool.",
  ],
  [/^[hb]?top(?: |$)(?!.*-\w*b)/, "Take one look with ps, or with top -b -n 1."],
  [/^watch(?: |$)/, "Run the command itself, once."],
  [
    /^(?:tail|journalctl)\b.* (?:-\w*[fF]|--follow)|^(?:docker|podman|kubectl|docker-compose)\b.* logs .*(?:-f\b|--follow)/,
    "It does not end: leave out -f, or use run_in_background and look with bash_output.",
  ],
  [
    /^(?:npm|yarn|pnpm|docker|podman) (?:login|adduser)\b|^(?:gh|glab|az|gcloud) (?!.*--with-token).*\blogin\b/,
    "It asks for credentials: tell the user to log in.",
  ],
  [
    /^(?:(?:npm|yarn|pnpm|bun) (?:init|create)|(?:npx|bunx)\b.* create-|(?:apt|apt-get|dnf|yum|conda|mamba)\b.* (?:install|remove|upgrade|update|create)\b|pip3? uninstall)(?!.* (?:-\w*y\w*|--yes|--assume-yes|--defaults)(?: |$))/,
    "Pass --yes (-y), and every answer as an option.",
  ],
  [
    /^git\b(?!.* (?:-[a-zA-Z]*[mFC]|--(?:message|file|no-edit|reuse-message|fixup|dry-run))).* commit\b/,
    "Pass the message with -m.",
  ],
  [
    /^git\b.* (?:rebase|add|commit|checkout|restore|reset|stash)\b.* (?:-i|-p|--interactive|--patch)\b/,
    "Leave out -i and -p.",
  ],
];

/** Others that are at their best with a terminal: they ask, show pages, or wait for lines of code or text. */
const AT_TERMINAL: readonly RegExp[] = [
  /^(?:less|more|most|man|info|perldoc|read|passwd|su|visudo|chsh|login)(?: |$)/,
  /^(?:fzf|dialog|whiptail|tig|lazygit|gitui|ranger|nnn|yazi|mc|ncdu|k9s|mutt|lynx|w3m|tmux|screen)(?: |$)/,
  /^(?:ssh|sftp|ftp|telnet|mosh)\b(?!.*BatchMode=yes)/i,
  /^(?:psql|mysql|mariadb|mongosh|mongo|sqlplus)\b(?!.* (?:-\w*[cefl]\b|--(?:command|execute|file|eval|list|version|help)\b|\S+\.(?:js|sql)\b))/,
  /^(?:sqlite3(?!.*(?: [^-]\S*){2}|.* -version)|redis-cli(?!.* [^-])|(?:gdb|lldb|pdb|dlv)\b(?!.* --?b(?:atch)?\b))/,
  /^(?:i?python3?|node|deno|irb|php|R|bash|sh|zsh|fish|lua|julia|ghci|iex|erl)(?: -i)?$/,
  /^(?:python3?|node|deno|ruby|perl|php) .*(?:\b(?:input|raw_input|prompt|readline|getpass)\s*\(|\bSTDIN\b|\bgets\b|-m pdb\b)/s,
  /^sudo\b(?!.* (?:-\w*n\b|--non-interactive))/,
  /^(?:docker|podman|kubectl)\b.* (?:run|exec|attach)\b.* (?:-\w*[it]+\b|--interactive|--tty)/,
  /^(?:crontab|kubectl)\b.* (?:-e|edit)\b|^ssh-keygen(?!.* -[NlyRF])|^(?:rm|cp|mv)\b.* -\w*i/,
  /^(?:terraform|tofu)\b(?!.*-auto-approve).* (?:apply|destroy)\b/,
];

/** Whether a command line is at its best with the terminal of a person. */
export function wantsTerminal(text: string): boolean {
  const patterns = [...INSTEAD.map(([pattern]) => pattern), ...AT_TERMINAL];
  return unfedCommands(text).some((line) => patterns.some((pattern) => pattern.test(line)));
}

/** What to run instead of a command line that would wait for somebody at a keyboard; undefined if it would not. */
export function keyboardAdvice(text: string): string | undefined {
  return unfedCommands(text)
    .map((line) => INSTEAD.find(([pattern]) => pattern.test(line))?.[1])
    .find((advice) => advice !== undefined);
}

/** No machine in particular. */
const ANYWHERE: PathFacts = {
  cwd: "/",
  home: "~",
  posix: false,
  locate: (absolute) => ({ absolute, inside: true }),
  mayBeInHistory: () => true,
  outerTree: () => Promise.resolve(undefined),
  exists: () => false,
  secretAt: () => undefined,
  secretPlaces: () => [],
  hasSecretsBelow: () => false,
  trackedPaths: () => Promise.resolve([]),
  namedTrees: () => Promise.resolve([]),
  areCommits: () => Promise.resolve(false),
  ownerOf: () => Promise.resolve(undefined),
  gitHooks: () => Promise.resolve([]),
  fingerprint: () => undefined,
  read: () => undefined,
  entries: () => [],
};

/** The commands that have no standard input of their own, as written, each program from its name on. */
function unfedCommands(text: string): string[] {
  const { parts } = analyzeCommand(text, { pathFacts: ANYWHERE });
  return parts.filter(({ stdin }) => stdin === undefined).flatMap(({ command, programs }) =>
    programs.filter((name) => command.includes(name))
      .map((name) => command.slice(command.indexOf(name)))
  );
}
