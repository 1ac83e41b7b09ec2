/**
 * Which key a sequence of the terminal stands for, by its last letter or by its number.
 */

/** By the last letter of `CSI … LETTER`. */
export const LETTER_KEYS: ReadonlyMap<string, string> = new Map([
  ["A", "up"],
  ["B", "down"],
  ["C", "right"],
  ["D", "left"],
  ["E", "begin"],
  ["F", "end"],
  ["H", "home"],
  ["P", "f1"],
  ["Q", "f2"],
  ["R", "f3"],
  ["S", "f4"],
]);

/** By the letter of `ESC O LETTER`, as application mode and keypads send it. */
export const SS3_KEYS: ReadonlyMap<string, string> = new Map([...LETTER_KEYS, ["M", "enter"]]);

/** By the number of `CSI NUMBER ~`. */
export const NUMBERED_KEYS: ReadonlyMap<string, string> = new Map([
  ["1", "home"],
  ["2", "insert"],
  ["3", "delete"],
  ["4", "end"],
  ["5", "pageup"],
  ["6", "pagedown"],
  ["7", "home"],
  ["8", "end"],
  ...[11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 23, 24]
    .map((number, index) => [String(number), `f${index + 1}`] as const),
]);

/** Names of the keypad, in the order in which the kitty protocol numbers them. */
const KEYPAD_FROM = 57_399;
const KEYPAD = [
  ..."0123456789./*-+",
  "enter",
  "=",
  ",",
  "left",
  "right",
  "up",
  "down",
  "pageup",
  "pagedown",
  "home",
  "end",
  "insert",
  "delete",
  "begin",
];

/** By the number of `CSI NUMBER u`; a single character is text. */
export const KITTY_KEYS: ReadonlyMap<string, string> = new Map([
  ["9", "tab"],
  ["13", "enter"],
  ["27", "escape"],
  ["127", "backspace"],
  ...KEYPAD.map((name, index) => [String(KEYPAD_FROM + index), name] as const),
]);
