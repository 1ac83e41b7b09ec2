/**
 * Which commands are likely to wait for somebody at a keyboard, or not to end at all, and what to run instead where
 * nobody is there. Only the time limit and the advice depend on it, and whether a person's own command gets the
 * terminal; never whether a command may run.
 */
import type { CommandInvocation } from "./command_invocation.ts";

/** A command that waits: one of the programs, with arguments that match `when` and not `unless`. */
interface InteractiveUse {
  readonly programs: string;
  /** Matched with the arguments, each preceded by a blank. @default any */
  readonly when?: RegExp;
  /** @default none */
  readonly unless?: RegExp;
  readonly instead: string;
}

const ANSWERS_YES = / (?:-\w*y\w*|--yes|--assume-yes|--defaults)(?: |$)/;
const LOGIN = "It asks for credentials: tell the user to log in.";

const INTERACTIVE_USES: readonly InteractiveUse[] = [
  {
    programs: "vi vim nvim view nano emacs pico ed micro hx joe mcedit",
    unless: / (?:--?batch|-[eE]s|--headless|--version)\b/,
    instead: "Change files with the edit or write tool.",
  },
  { programs: "less more most", instead: "Print the text with cat, head or sed -n." },
  {
    programs: "top htop btop",
    unless: / -\w*b/,
    instead: "Take one look with ps, or with top -b -n 1.",
  },
  { programs: "watch", instead: "Run the command itself, once." },
  {
    programs: "tail journalctl",
    when: / (?:-\w*[fF]|--follow)/,
    instead: "It does not end: leave out -f, or use run_in_background and look with bash_output.",
  },
  {
    programs: "docker podman kubectl docker-compose",
    when: / logs .*(?:-f\b|--follow)/,
    instead: "It does not end: leave out -f, or use run_in_background and look with bash_output.",
  },
  {
    programs: "ssh sftp ftp telnet mosh",
    unless: /BatchMode=yes/i,
    instead: "Pass the remote command, and -o BatchMode=yes to ssh.",
  },
  {
    programs: "psql mysql mariadb mongosh mongo sqlplus",
    unless:
      / (?:-\w*[cefl]\b|--(?:command|execute|file|eval|list|version|help)\b|\S+\.(?:js|sql)\b)/,
    instead: "Pass the statement as an argument (-c, -e or --eval), or feed it a file.",
  },
  {
    programs: "sqlite3",
    unless: /(?: [^-]\S*){2}| -version/,
    instead: "Pass the statement as an argument after the file.",
  },
  { programs: "redis-cli", unless: / [^-]/, instead: "Pass the statement as an argument." },
  {
    programs: "python python3 ipython node deno irb php R bash sh zsh fish lua julia ghci iex erl",
    when: /^$|^ -i$/,
    instead: "Name a script, or pass the code as an argument.",
  },
  {
    programs: "python python3 node deno ruby perl php",
    when: /\b(?:input|raw_input|prompt|readline|getpass)\s*\(|\bSTDIN\b|<STDIN>|\bgets\b/,
    instead: "It reads from the keyboard: pipe the answers in, or pass them as arguments.",
  },
  {
    programs: "gdb lldb pdb dlv",
    unless: / --?b(?:atch)?\b/,
    instead: "Run the debugger in batch mode with its commands as arguments.",
  },
  {
    programs: "python python3",
    when: / -m pdb\b/,
    instead: "Print what you need to see instead of debugging by hand.",
  },
  { programs: "read", instead: "Feed it with a pipe, <<< or <, or set the variable." },
  {
    programs: "sudo",
    unless: / (?:-\w*n\b|--non-interactive)/,
    instead: "Use sudo -n, which asks nothing.",
  },
  {
    programs: "passwd su visudo chsh login",
    instead: "Use a form of the command that asks nothing.",
  },
  { programs: "npm yarn pnpm docker podman", when: /^ (?:login|adduser)\b/, instead: LOGIN },
  { programs: "gh glab az gcloud", when: /\blogin\b/, unless: /--with-token/, instead: LOGIN },
  {
    programs: "git",
    when: / commit\b/,
    unless: / (?:-[a-zA-Z]*[mFC]|--(?:message|file|no-edit|reuse-message|fixup|dry-run))/,
    instead: "Pass the message with -m.",
  },
  {
    programs: "git",
    when:
      / (?:rebase|add|commit|checkout|restore|reset|stash)\b.* (?:-i|-p|--interactive|--patch)\b/,
    instead: "Leave out -i and -p.",
  },
  {
    programs: "npm yarn pnpm bun",
    when: /^ (?:init|create)\b/,
    unless: ANSWERS_YES,
    instead: "Pass --yes and every answer as an option.",
  },
  {
    programs: "npx bunx",
    when: / create-/,
    unless: ANSWERS_YES,
    instead: "Pass --yes and every answer as an option.",
  },
  {
    programs: "apt apt-get dnf yum conda mamba",
    when: / (?:install|remove|upgrade|update|create)\b/,
    unless: ANSWERS_YES,
    instead: "Pass -y.",
  },
  {
    programs: "pip pip3",
    when: / uninstall\b/,
    unless: ANSWERS_YES,
    instead: "Pass -y.",
  },
  {
    programs: "docker podman kubectl",
    when: / (?:run|exec|attach)\b.* (?:-\w*[it]+\b|--interactive|--tty)/,
    instead: "Leave out -i and -t.",
  },
  {
    programs: "crontab kubectl",
    when: / (?:-e|edit)\b/,
    instead: "Write a file and apply that.",
  },
  {
    programs: "ssh-keygen",
    unless: / -(?:N|l|y|R|F|lf)/,
    instead: "Pass -f FILE and -N ''.",
  },
  {
    programs: "terraform tofu",
    when: / (?:apply|destroy)\b/,
    unless: /-auto-approve/,
    instead: "Pass -auto-approve if the user agrees.",
  },
  { programs: "rm cp mv", when: / -\w*i/, instead: "Leave out -i." },
  {
    programs:
      "fzf dialog whiptail tig lazygit gitui ranger nnn yazi mc ncdu k9s mutt lynx w3m tmux screen",
    instead: "It needs a terminal: use the plain commands behind it.",
  },
];

const BY_PROGRAM: ReadonlyMap<string, readonly InteractiveUse[]> = byProgram();

function byProgram(): Map<string, InteractiveUse[]> {
  const result = new Map<string, InteractiveUse[]>();
  for (const use of INTERACTIVE_USES) {
    for (const program of use.programs.split(" ")) {
      result.set(program, [...result.get(program) ?? [], use]);
    }
  }
  return result;
}

/** Programs that page what they print where there is a terminal, and do without where there is none. */
const PAGED = new Set(["man", "info", "perldoc"]);

/** Whether one of these commands is at its best with the terminal of a person. */
export function wantsTerminal(commands: readonly CommandInvocation[]): boolean {
  return keyboardAdvice(commands) !== undefined ||
    commands.some(({ program = "", fed }) => !fed && PAGED.has(program));
}

/** What to run instead of the first command that would wait for input, if any. */
export function keyboardAdvice(commands: readonly CommandInvocation[]): string | undefined {
  for (const { program, args, fed } of commands) {
    if (program === undefined || fed) continue;
    const text = args.map((arg) => ` ${arg}`).join("");
    const use = BY_PROGRAM.get(program)?.find(({ when, unless }) =>
      (when === undefined || when.test(text)) && !unless?.test(text)
    );
    if (use) return use.instead;
  }
  return undefined;
}
