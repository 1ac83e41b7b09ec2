/**
 * Every control sequence that ally writes to a terminal, by name, and the terminals by what they take. Styles are the
 * theme's.
 */

/** A mode of the terminal: what turns it on, and off again. */
interface Mode {
  readonly on: string;
  readonly off: string;
}

/** Modes that every terminal takes, or ignores. */
export const MODES = {
  cursor: { on: "\x1b[?25h", off: "\x1b[?25l" },
  /** The terminal marks what is pasted. */
  paste: { on: "\x1b[?2004h", off: "\x1b[?2004l" },
  /** The terminal tells when it is looked at. */
  focus: { on: "\x1b[?1004h", off: "\x1b[?1004l" },
  /** What has no room in a row goes on in the next one. */
  wrap: { on: "\x1b[?7h", off: "\x1b[?7l" },
  /** The terminal shows nothing of what is written until the mode ends. */
  synchronized: { on: "\x1b[?2026h", off: "\x1b[?2026l" },
} as const satisfies Record<string, Mode>;

/** Modes in which keys can be told apart; for those who know them, since others may take them for styles. */
export const KEY_MODES = {
  /** The kitty protocol: keys told apart (1), with their shifted and Latin forms (4). */
  kitty: { on: "\x1b[>5u", off: "\x1b[<u" },
  /** modifyOtherKeys, which tmux has in its place. */
  otherKeys: { on: "\x1b[>4;1m", off: "\x1b[>4m" },
} as const satisfies Record<string, Mode>;

/** Asks for the kitty protocol; a terminal that has it answers with its flags. */
export const KITTY_QUERY = "\x1b[?u";

/** Asks for the colour of the background. */
export const BACKGROUND_QUERY = "\x1b]11;?\x1b\\";

/** Asks where the cursor is. */
export const CURSOR_QUERY = "\x1b[6n";

/** Where the cursor is by the terminal's answer, counted from 0; undefined if it is another answer. */
export function parseCursor(reply: string): { row: number; column: number } | undefined {
  const [, row, column] = /\[(\d+);(\d+)R$/.exec(reply) ?? [];
  return row === undefined ? undefined : { row: Number(row) - 1, column: Number(column) - 1 };
}

/** Asks for the size of the screen in cells. */
export const SIZE_QUERY = "\x1b[18t";

/** The size by the terminal's answer, columns first from older tmux; undefined if it is another answer. */
export function parseSize(reply: string): readonly [number, number] | undefined {
  const [, first, second] = /\[8;(\d+);(\d+)t$/.exec(reply) ?? [];
  return first === undefined ? undefined : [Number(first), Number(second)];
}

/** Goes to the first cell and erases the screen. */
export const CLEAR_SCREEN = "\x1b[H\x1b[J";

/** Ends every style. */
export const RESET_STYLE = "\x1b[0m";
/** Erases from the cursor to the end of its row. */
export const ERASE_LINE = "\x1b[K";
/** Erases from the cursor to the end of the screen. */
export const ERASE_BELOW = "\x1b[J";

/** Keeps the place of the cursor on the screen. */
export const SAVE_CURSOR = "\x1b7";
/** Goes back to it. */
export const RESTORE_CURSOR = "\x1b8";
/** Goes down a row in the same column; at the end of the screen its rows move up. */
export const INDEX = "\x1bD";

/** Moves the cursor by some cells, at least one, within the screen. */
export function moveCursor(where: "up" | "down" | "right", cells: number): string {
  return `\x1b[${cells}${DIRECTIONS[where]}`;
}

/** Takes rows out at the cursor, or puts empty ones in: those below move, and none goes into the history. */
export function shiftRows(how: "delete" | "insert", rows: number): string {
  return `\x1b[${rows}${how === "delete" ? "M" : "L"}`;
}

const DIRECTIONS = { up: "A", down: "B", right: "C" } as const;

/** Ends a sequence that carries text. */
const END = "\x1b\\";

/** Begins every link. */
export const LINK_START = "\x1b]8;";

/** Begins a link; an empty address ends it. */
export function linkTo(address: string): string {
  return `${LINK_START};${address}${END}`;
}

/** The title of the window: kept for the time after ally, and brought back. Where none is kept, it becomes empty. */
export const TITLE = { keep: "\x1b[22;2t", restore: `\x1b]2;${END}\x1b[23;2t` } as const;

/** Sets the title of the window. */
export function setTitle(title: string): string {
  return `\x1b]2;${title}${END}`;
}

/** What a taskbar or tab shows of the work: it runs, it waits for somebody, it is over. */
export const PROGRESS = {
  running: `\x1b]9;4;3;0${END}`,
  waiting: `\x1b]9;4;4;100${END}`,
  none: `\x1b]9;4;0;0${END}`,
} as const;

/** Marks between which terminals jump, and whose output they select: a prompt, what is typed at it, what follows. */
export const MARKS = {
  prompt: `\x1b]133;A${END}\x1b]133;B${END}`,
  output: `\x1b]133;C${END}`,
  succeeded: `\x1b]133;D;0${END}`,
  failed: `\x1b]133;D;1${END}`,
} as const;

/** Has the terminal show a message outside of its window, or ring where it can do no more. */
export function notify(
  notifier: Notifier,
  { title, body }: { title: string; body: string },
): string {
  switch (notifier) {
    case "osc9":
      return `\x1b]9;${title}: ${body}${END}`;
    case "osc99":
      return `\x1b]99;i=ally:d=0;${title}${END}\x1b]99;i=ally:p=body;${body}${END}`;
    case "osc777":
      return `\x1b]777;notify;${title.replaceAll(";", ",")};${body}${END}`;
    case "bell":
      return "\x07";
  }
}

/** Puts text, as base64, into the clipboard of the desktop. */
export function setClipboard(base64: string): string {
  return `\x1b]52;c;${base64}${END}`;
}

/** What some terminals take and others show as text, beep at, or take for something else. */
export type Feature = "title" | "focus" | "link" | "marks" | "progress";

/** How a terminal shows a message when nobody looks at it. */
type Notifier = "osc9" | "osc99" | "osc777" | "bell";

/** What a terminal is. */
export interface TerminalKind {
  readonly name: string;
  readonly features: ReadonlySet<Feature>;
  readonly notifier: Notifier;
  /** How the address of a file names a line; without it none is named. */
  readonly fileLines?: "fragment" | "vscode";
}

/** One terminal as the environment tells it. */
interface TerminalRow extends Omit<TerminalKind, "features" | "notifier"> {
  /** Variables, and what one of them says in this terminal. */
  readonly when: Readonly<Record<string, RegExp>>;
  /** @default TERM_PROGRAM_VERSION */
  readonly version?: string;
  /** What it takes, and since which version: "0" for all of them. */
  readonly takes: Readonly<Partial<Record<Feature, string>>>;
  /** @default "bell" */
  readonly notifier?: Notifier;
}

const ALL = "0";

/**
 * The terminals, multiplexers first: what runs within one meets it, and not the terminal around it. The first row that
 * fits counts. A terminal that takes progress for a notification, as kitty does, must not get any.
 */
const TERMINALS: readonly TerminalRow[] = [
  { name: "dumb", when: { TERM: /^(dumb|unknown)$/ }, takes: {} },
  {
    name: "tmux",
    when: { TMUX: /./ },
    takes: { title: ALL, focus: ALL, link: "3.4", marks: "3.4" },
  },
  { name: "screen", when: { STY: /./ }, takes: {} },
  { name: "zellij", when: { ZELLIJ: /./ }, takes: { title: ALL, focus: ALL } },
  {
    name: "Windows Terminal",
    when: { WT_SESSION: /./ },
    takes: { title: ALL, focus: ALL, link: ALL, marks: ALL, progress: ALL },
  },
  {
    name: "macOS Terminal",
    when: { TERM_PROGRAM: /^Apple_Terminal$/ },
    takes: { title: ALL },
  },
  {
    name: "VS Code",
    when: { TERM_PROGRAM: /^vscode$/ },
    takes: { title: ALL, focus: ALL, link: ALL, marks: ALL, progress: "1.97" },
    fileLines: "vscode",
  },
  {
    name: "iTerm2",
    when: { TERM_PROGRAM: /^iTerm\.app$/, LC_TERMINAL: /^iTerm2$/ },
    takes: { title: ALL, focus: ALL, link: ALL, marks: ALL, progress: "3.6.6" },
    notifier: "osc9",
    fileLines: "fragment",
  },
  {
    name: "kitty",
    when: { TERM: /^xterm-kitty$/, KITTY_WINDOW_ID: /./ },
    takes: { title: ALL, focus: ALL, link: ALL, marks: ALL },
    notifier: "osc99",
    fileLines: "fragment",
  },
  {
    name: "Ghostty",
    when: { TERM_PROGRAM: /^ghostty$/, TERM: /^xterm-ghostty$/ },
    takes: { title: ALL, focus: ALL, link: ALL, marks: ALL, progress: "1.2" },
    notifier: "osc777",
  },
  {
    name: "WezTerm",
    when: { TERM_PROGRAM: /^WezTerm$/ },
    takes: { title: ALL, focus: ALL, link: ALL, marks: ALL, progress: "20250209" },
    notifier: "osc777",
  },
  {
    name: "Konsole",
    when: { KONSOLE_VERSION: /./ },
    version: "KONSOLE_VERSION",
    takes: { title: ALL, focus: ALL, link: "201200", marks: "220400" },
  },
  {
    name: "VTE",
    when: { VTE_VERSION: /./ },
    version: "VTE_VERSION",
    takes: {
      title: ALL,
      focus: ALL,
      link: "5000",
      marks: "7900",
      progress: "7900",
    },
  },
  {
    name: "foot",
    when: { TERM: /^foot/ },
    takes: { title: ALL, focus: ALL, link: ALL, marks: ALL },
    notifier: "osc777",
  },
  {
    name: "Alacritty",
    when: { TERM: /^alacritty/, ALACRITTY_WINDOW_ID: /./ },
    takes: { title: ALL, focus: ALL, link: ALL },
  },
  {
    name: "mintty",
    when: { TERM_PROGRAM: /^mintty$/ },
    takes: { title: ALL, focus: ALL, link: ALL },
  },
  {
    name: "JetBrains",
    when: { TERMINAL_EMULATOR: /^JetBrains/ },
    takes: { title: ALL, link: ALL },
  },
  { name: "Linux console", when: { TERM: /^linux/ }, takes: {} },
  {
    name: "xterm",
    when: { TERM: /^(xterm|rxvt|st|tmux|screen)/ },
    takes: { title: ALL, focus: ALL },
  },
];

const UNKNOWN: TerminalRow = { name: "unknown", when: {}, takes: {} };

/** What the environment says of the terminal. */
export function identifyTerminal(env: (name: string) => string | undefined): TerminalKind {
  const row =
    TERMINALS.find(({ when }) =>
      Object.entries(when).some(([name, value]) => value.test(env(name) ?? ""))
    ) ?? UNKNOWN;
  const { name, takes, fileLines, notifier = "bell" } = row;
  const version = env(row.version ?? "TERM_PROGRAM_VERSION") ?? "";
  const features = Object.entries(takes)
    .filter(([, since]) => since === ALL || isSince(version, since))
    .map(([feature]) => feature as Feature);
  return { name, notifier, features: new Set(features), ...fileLines && { fileLines } };
}

/** Whether a version is a given one or a later one; one that cannot be read is not. */
function isSince(version: string, since: string): boolean {
  const [mine, wanted] = [version, since].map((text) => (text.match(/\d+/g) ?? []).map(Number));
  for (const [index, number] of (wanted ?? []).entries()) {
    const own = mine?.[index] ?? (index === 0 ? -1 : 0);
    if (own !== number) return own > number;
  }
  return true;
}
