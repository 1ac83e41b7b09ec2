/**
 * What people press who come from somewhere else, and what happens here. The help page on keys is made of these rows,
 * and a test presses each of them.
 */

/** One habit. */
export interface Habit {
  /** Where it is learnt. */
  readonly from: string;
  /** Keys as people write them; each alternative is tried. */
  readonly press: readonly string[];
  /** What happens, in a few words. */
  readonly here: string;
  /** Whose keys the line has. @default "emacs" */
  readonly editing?: "vim";
  /** The line before, with the cursor at "|", and what it becomes; without it `screen` tells. */
  readonly line?: readonly [before: string, after: string];
  /** What a session's screen shows once the keys are pressed. */
  readonly screen?: RegExp;
}

/** By where people come from. */
export const HABITS: readonly Habit[] = [
  {
    from: "bash, zsh, readline",
    press: ["Ctrl+A", "Home"],
    here: "to the beginning of the line",
    line: ["one two|", "|one two"],
  },
  {
    from: "bash, zsh, readline",
    press: ["Ctrl+E", "End"],
    here: "to the end of the line",
    line: ["one| two", "one two|"],
  },
  {
    from: "bash, zsh, readline",
    press: ["Alt+B", "Ctrl+Left"],
    here: "a word back",
    line: ["one two|", "one |two"],
  },
  {
    from: "bash, zsh, readline",
    press: ["Alt+F", "Ctrl+Right"],
    here: "a word on",
    line: ["|one two", "one| two"],
  },
  {
    from: "bash, zsh, readline",
    press: ["Ctrl+W"],
    here: "cuts back to the last blank",
    line: ["cat src/a.ts|", "cat |"],
  },
  {
    from: "bash, zsh, readline",
    press: ["Alt+Backspace"],
    here: "cuts a word back",
    line: ["cat src/a|", "cat src/|"],
  },
  {
    from: "bash, zsh, readline",
    press: ["Alt+D"],
    here: "cuts the next word",
    line: ["one| two three", "one| three"],
  },
  {
    from: "bash, zsh, readline",
    press: ["Ctrl+U"],
    here: "cuts back to the beginning",
    line: ["one two| three", "| three"],
  },
  {
    from: "bash, zsh, readline",
    press: ["Ctrl+K"],
    here: "cuts the rest of the line",
    line: ["one| two three", "one|"],
  },
  {
    from: "bash, zsh, readline",
    press: ["Ctrl+U Ctrl+Y"],
    here: "puts back what was cut",
    line: ["one two|", "one two|"],
  },
  {
    from: "bash, zsh, readline",
    press: ["Ctrl+K Ctrl+_"],
    here: "takes the last change back",
    line: ["one| two", "one| two"],
  },
  {
    from: "bash, zsh, readline",
    press: ["Ctrl+T"],
    here: "swaps two characters",
    line: ["teh|", "the|"],
  },
  {
    from: "bash, zsh, readline",
    press: ["Alt+U"],
    here: "makes the word upper case; Alt+L lower case, Alt+C a capital",
    line: ["|one two", "ONE| two"],
  },
  {
    from: "bash, zsh, readline",
    press: ["Up", "Ctrl+P"],
    here: "what you said before",
    line: ["|", "git status|"],
  },
  {
    from: "zsh, fish",
    press: ["Up"],
    here: "with words in the line: what you said before that begins like them",
    line: ["expl|", "explain it|"],
  },
  {
    from: "bash, zsh, readline",
    press: ["Ctrl+R"],
    here: "searches what you said before; once more: older",
    screen: /explain it[^]*git status|git status[^]*explain it/,
  },
  {
    from: "bash, zsh, readline",
    press: ["Ctrl+X Ctrl+E", "Ctrl+G"],
    here: "opens the message in `$EDITOR`",
    screen: /edited elsewhere/,
  },
  {
    from: "bash, zsh, readline",
    press: ["Ctrl+C"],
    here: "clears the line; on an empty one it says that once more leaves",
    screen: /Press Ctrl\+C again to leave/,
  },
  {
    from: "bash, zsh, readline",
    press: ["Ctrl+D"],
    here: "leaves, on an empty line",
    screen: /left 0/,
  },
  {
    from: "claude",
    press: ["Shift+Enter", "Alt+Enter", "Ctrl+J", "\\ Enter"],
    here: "begins another line",
    line: ["one|", "one\n|"],
  },
  {
    from: "claude",
    press: ["?"],
    here: "shows the keys",
    screen: /Ctrl\+X Ctrl\+E +opens/,
  },
  {
    from: "claude, codex",
    press: ["Shift+Tab"],
    here: "takes the next mode: ask, edits allowed, plan",
    screen: /edits[^\n]*›/,
  },
  {
    from: "claude, codex",
    press: ["/ c o n t e Tab", "/ c o n t e x t"],
    here: "`/` and letters of a command: a list; Tab takes the first",
    line: ["|", "/context|"],
  },
  {
    from: "claude, codex",
    press: ["@ n o Tab"],
    here: "`@` and letters of a path: a list; what is taken is attached",
    screen: /@notes\.md/,
  },
  {
    from: "claude",
    press: ["! e c h o Space h i Enter"],
    here: "`!` and a command: runs it as you",
    screen: /echo hi[^]*hi\n/,
  },
  {
    from: "claude",
    press: ["Ctrl+O"],
    here: "shows a paste of the line as its text, else all of what was shortened last",
    line: ["one|", "one|"],
  },
  {
    from: "codex",
    press: ["Ctrl+L"],
    here: "clears the screen, and keeps the line",
    line: ["one|", "one|"],
  },
  {
    from: "vim",
    press: [": q Enter"],
    here: "`:q` leaves, as `exit` and `quit` do",
    screen: /left 0/,
  },
  {
    from: "vim",
    press: ["Esc b d w A"],
    here: "with `editing_mode` set to `vim`: vi's commands, counts and operators",
    editing: "vim",
    line: ["one two|", "one |"],
  },
  {
    from: "vim",
    press: ["Esc c c"],
    here: "the same: changes the whole line; `Ctrl+C` clears it in either mode",
    editing: "vim",
    line: ["one two|", "|"],
  },
];
