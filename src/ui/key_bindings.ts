/**
 * What each key does, as data: the line looks keys up here, and what people are told about them is made of it.
 */
import type { KeyPress } from "./key_decoder.ts";

/** What changes the text or moves in it. */
export type EditAction =
  | "left"
  | "right"
  | "word left"
  | "word right"
  | "line start"
  | "line end"
  | "text start"
  | "text end"
  | "delete before"
  | "delete after"
  | "kill word before"
  | "kill blank word before"
  | "kill word after"
  | "kill to line start"
  | "kill to line end"
  | "yank"
  | "yank older"
  | "undo"
  | "redo"
  | "upper case"
  | "lower case"
  | "capital"
  | "transpose"
  | "new line";

/** What whoever holds the line does. */
export type LineAction =
  | "enter"
  | "tab"
  | "cycle mode"
  | "escape"
  | "interrupt"
  | "end of input"
  | "up"
  | "down"
  | "older"
  | "newer"
  | "search"
  | "edit elsewhere"
  | "paste image"
  | "open"
  | "redraw";

/** Where keys mean something: in any line, in the list below it, in a line typed while ally works, in a question or list. */
type KeyPlace = "line" | "list" | "working" | "question" | "picker" | "vim";

/** One row of the table. */
export interface KeyBinding<Action extends string = string> {
  /** As people write them; two with a blank between are pressed one after the other. */
  readonly keys: readonly string[];
  readonly action: Action;
  /** What it does, in a few words. */
  readonly does: string;
  readonly place: KeyPlace;
  /** What it is about, for a list of the keys. */
  readonly group: "send" | "move" | "change" | "earlier" | "list" | "working" | "question" | "vim";
}

type Row<Action extends string> = readonly [keys: string, action: Action, does: string];

function bind<Action extends string>(
  { place, group }: Pick<KeyBinding, "place" | "group">,
  rows: readonly Row<Action>[],
): KeyBinding<Action>[] {
  return rows.map(([keys, action, does]) => ({
    keys: keys.split(", "),
    action,
    does,
    place,
    group,
  }));
}

/** The keys of a line, at the prompt and wherever else words are typed. */
export const LINE_KEYS: readonly KeyBinding<EditAction | LineAction>[] = [
  ...bind<EditAction | LineAction>({ place: "line", group: "send" }, [
    ["Enter", "enter", "sends the message"],
    [
      "Shift+Enter, Alt+Enter, Ctrl+J",
      "new line",
      "begins another line; so does `\\` before Enter",
    ],
    ["Tab", "tab", "completes, or takes what the list offers"],
    ["Shift+Tab", "cycle mode", "takes the next mode (ask, edits allowed, plan)"],
    ["Ctrl+X Ctrl+E, Ctrl+G", "edit elsewhere", "opens the text in `$EDITOR`"],
    ["Ctrl+V, Alt+V", "paste image", "puts in the image that is in the clipboard"],
    ["Ctrl+O", "open", "shows a paste as its text, or all of what was shortened last"],
    ["Ctrl+L", "redraw", "clears the screen and keeps the line"],
    ["Ctrl+C", "interrupt", "clears the line, or leaves, pressed twice on an empty one"],
    ["Ctrl+D", "end of input", "leaves on an empty line, else deletes the next character"],
    ["Esc", "escape", "closes the list"],
  ]),
  ...bind<EditAction | LineAction>({ place: "line", group: "earlier" }, [
    [
      "Up, Ctrl+P",
      "up",
      "a row up, or what you said before that begins like this",
    ],
    ["Down, Ctrl+N", "down", "a row down, or what you said after that"],
    ["Alt+P", "older", "what you said before that begins like this"],
    ["Alt+N", "newer", "what you said after that"],
    ["Ctrl+R", "search", "searches what you said before, in all projects"],
  ]),
  ...bind<EditAction>({ place: "line", group: "move" }, [
    ["Left, Ctrl+B", "left", "a character left"],
    ["Right, Ctrl+F", "right", "a character right"],
    ["Alt+B, Ctrl+Left, Alt+Left", "word left", "a word left"],
    ["Alt+F, Ctrl+Right, Alt+Right", "word right", "a word right"],
    ["Ctrl+A, Home", "line start", "to the beginning of the line"],
    ["Ctrl+E, End", "line end", "to the end of the line"],
    ["Ctrl+Home, Alt+<", "text start", "to the beginning of the message"],
    ["Ctrl+End, Alt+>", "text end", "to the end of the message"],
  ]),
  ...bind<EditAction>({ place: "line", group: "change" }, [
    ["Backspace, Ctrl+H", "delete before", "deletes the character before the cursor"],
    ["Delete", "delete after", "deletes the next character"],
    ["Ctrl+W", "kill blank word before", "cuts back to the last blank"],
    ["Alt+Backspace, Ctrl+Backspace", "kill word before", "cuts the word before the cursor"],
    ["Alt+D, Ctrl+Delete", "kill word after", "cuts the next word"],
    ["Ctrl+U", "kill to line start", "cuts back to the beginning of the line"],
    ["Ctrl+K", "kill to line end", "cuts the rest of the line"],
    ["Ctrl+Y", "yank", "puts back what was cut"],
    ["Alt+Y", "yank older", "after that: what was cut before"],
    ["Ctrl+_", "undo", "takes the last change back"],
    ["Alt+_, Alt+/, Ctrl+Shift+Z", "redo", "makes it again"],
    ["Alt+U", "upper case", "makes the rest of the word upper case"],
    ["Alt+L", "lower case", "makes it lower case"],
    ["Alt+C", "capital", "gives it a capital"],
    ["Ctrl+T", "transpose", "swaps the characters before and at the cursor"],
  ]),
];

/** The keys of an open list; others go on to the line. */
export const LIST_KEYS: readonly KeyBinding<ListAction>[] = bind({ place: "list", group: "list" }, [
  ["Up, Ctrl+P, Shift+Tab", "previous", "chooses the entry above"],
  ["Down, Ctrl+N", "next", "chooses the entry below"],
  ["Tab", "take", "takes it"],
  ["Esc", "close", "closes the list"],
]);

/** What keys do in a list. */
export type ListAction = "previous" | "next" | "take" | "close";

/** What keys do in a question or a list to choose from. */
export type MenuAction =
  | "up"
  | "down"
  | "left"
  | "right"
  | "enter"
  | "escape"
  | "interrupt"
  | "widest";

/** The keys of a question. */
export const QUESTION_KEYS: readonly KeyBinding<MenuAction>[] = bind(
  { place: "question", group: "question" },
  [
    ["Up, Ctrl+P", "up", "chooses the answer above"],
    ["Down, Ctrl+N, Tab", "down", "chooses the answer below"],
    ["Shift+Tab", "widest", "allows all edits of this session, where that is offered"],
    ["Left", "left", "chooses for how long, or what else the answer holds"],
    ["Right", "right", "does so the other way round"],
    ["Enter, Ctrl+J", "enter", "gives the chosen answer"],
    ["Esc, Ctrl+D, Ctrl+G", "escape", "answers No"],
    ["Ctrl+C", "interrupt", "answers No, and stops what runs"],
  ],
);

/** The keys of a list to choose from; others narrow it. */
export const PICKER_KEYS: readonly KeyBinding<MenuAction>[] = bind(
  { place: "picker", group: "list" },
  [
    ["Up, Ctrl+P, Shift+Tab, Ctrl+S", "up", "chooses the entry above"],
    ["Down, Ctrl+N, Tab, Ctrl+R", "down", "chooses the entry below"],
    ["Enter, Ctrl+J", "enter", "takes the chosen entry"],
    ["Esc, Ctrl+D, Ctrl+G", "escape", "takes none"],
    ["Ctrl+C", "interrupt", "takes none"],
  ],
);

/** What keys do while ally works, before they reach the line. */
export const WORKING_KEYS: readonly KeyBinding<"answer">[] = bind(
  { place: "working", group: "working" },
  [["Ctrl+N", "answer", "while the model thinks: has it answer now"]],
);

/** Named keys in the normal mode of vi; others do what they do everywhere. */
export const NORMAL_KEYS: readonly KeyBinding<"left" | "redo">[] = bind(
  { place: "vim", group: "vim" },
  [
    ["Backspace", "left", "a character left"],
    ["Ctrl+R", "redo", "makes what `u` took back again"],
  ],
);

/** What letters do in the normal mode of vi; counts stand before them. */
const VIM_COMMANDS: readonly KeyBinding[] = bind({ place: "vim", group: "vim" }, [
  ["Esc", "normal", "from typing to commands"],
  ["i, a, I, A, o, O", "insert", "to typing: here, behind, at the ends of the line, in a new one"],
  ["h, j, k, l", "move", "left, down, up, right; up and down as Up and Down"],
  ["w, b, e, W, B, E", "words", "by words, by what stands between blanks"],
  ["0, ^, $, gg, G", "lines", "to the beginning and end of the line and of the message"],
  ["f, F, t, T, ;, ,", "find", "to a character of the line, again, the other way"],
  ["d, c, y", "operate", "deletes, changes, copies up to there; `dd`, `cc`, `yy` whole lines"],
  ['iw, aw, i", a", i(, a(', "object", "after `d`, `c`, `y`: a word, what is quoted, in brackets"],
  ["x, X, s, S, D, C, Y", "shorthand", "short for `dl`, `dh`, `cl`, `cc`, `d$`, `c$`, `yy`"],
  ["p, P", "put", "puts back what was deleted or copied"],
  ["r, ~", "replace", "replaces a character, turns its case"],
  ["u", "undo", "takes the last change back"],
]);

/** Every key, to be told. */
export const KEY_BINDINGS: readonly KeyBinding[] = [
  ...LINE_KEYS,
  ...LIST_KEYS,
  ...WORKING_KEYS,
  ...QUESTION_KEYS,
  ...PICKER_KEYS,
  ...VIM_COMMANDS,
  ...NORMAL_KEYS,
];

const NAMES: ReadonlyMap<string, string> = new Map([
  ["escape", "Esc"],
  ["pageup", "PageUp"],
  ["pagedown", "PageDown"],
]);

/** A key as people write it: "Ctrl+A", "Shift+Enter", "Up". */
export function keyLabel({ name, ctrl, alt, shift }: KeyPress): string {
  const label = NAMES.get(name) ?? (name.charAt(0).toUpperCase() + name.slice(1));
  return `${ctrl ? "Ctrl+" : ""}${alt ? "Alt+" : ""}${shift ? "Shift+" : ""}${label}`;
}

/**
 * Finds actions by key. Shift changes nothing where it has no action of its own, but a letter with Ctrl and Shift
 * belongs to the terminal.
 */
export class KeyMap<Action extends string> {
  readonly #actions: ReadonlyMap<string, Action>;
  readonly #prefixes: ReadonlySet<string>;

  constructor(bindings: readonly KeyBinding<Action>[]) {
    this.#actions = new Map(
      bindings.flatMap(({ keys, action }) => keys.map((key) => [key, action] as const)),
    );
    const sequences = [...this.#actions.keys()].filter((key) => key.includes(" "));
    this.#prefixes = new Set(sequences.map((key) => key.split(" ")[0] ?? ""));
  }

  /** The action of a key, "prefix" if another key must follow; undefined if it has none. */
  find(key: KeyPress, prefix?: KeyPress): Action | "prefix" | undefined {
    const first = prefix === undefined ? "" : `${keyLabel(prefix)} `;
    const label = first + keyLabel(key);
    const isOthers = key.ctrl && key.shift && key.name.length === 1;
    const action = this.#actions.get(label) ??
      (isOthers ? undefined : this.#actions.get(first + keyLabel({ ...key, shift: false })));
    return action ?? (this.#prefixes.has(label) ? "prefix" : undefined);
  }
}
