/**
 * Which commands are likely to wait for somebody at a keyboard, who is not there, and what to run
 * instead. Only the time limit and the advice depend on it, never whether a command may run.
 */

/** Seconds such a command gets if the call does not say. */
export const INTERACTIVE_TIMEOUT = 15;

const PROGRAMS: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/^(?:vim?|nvim|nano|emacs|pico|ed)\b/, "Change files with the edit or write tool."],
  [/^(?:less|more|man)\b/, "Print the text with cat, head or sed -n."],
  [/^(?:top|htop|watch)\b/, "Take one look with ps, or with top -b -n 1."],
  [/^(?:ssh|sftp|ftp|telnet)\b/, "Pass the remote command, and -o BatchMode=yes to ssh."],
  [
    /^(?:psql|mysql|mariadb|sqlite3|mongosh?|redis-cli)\b(?!.*\s-(?:c|e|f)\b)(?!.*["'<])/,
    "Pass the statement as an argument.",
  ],
  [/^(?:python3?|node|deno|irb|php|R|bash|sh|zsh)\s*$/, "Name a script, or pass the code with -c."],
  [/^(?:read|passwd|su|sudo(?! -n))\b/, "Use a form of the command that asks nothing."],
  [/^git (?:rebase|add|commit)\b.*\s(?:-i|-p|--interactive|--patch)\b/, "Leave out -i and -p."],
];

/** What to run instead of the first part of a command line that would wait for input, if any. */
export function interactiveAdvice(command: string): string | undefined {
  const parts = command.split(/&&|\|\||[;|&\n]/).map((part) => part.trim());
  return PROGRAMS.find(([pattern]) => parts.some((part) => pattern.test(part)))?.[1];
}
