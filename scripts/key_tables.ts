/**
 * Writes the tables of `src/help/keys.md` anew: every key of the program's own table, and what people press who come from
 * elsewhere.
 */
import { KEY_BINDINGS, type KeyBinding } from "../src/ui/key_bindings.ts";
import { HABITS } from "./habits.ts";
import { table } from "./settings_table.ts";

const PAGE = new URL("../src/help/keys.md", import.meta.url);
const BEGIN = "<!-- keys:begin -->\n";
const END = "<!-- keys:end -->";

/** A page with its tables as the program's are now. @throws {Error} the page has no place for them */
export function withKeys(page: string): string {
  const [head, rest] = page.split(BEGIN);
  const [, tail] = rest?.split(END) ?? [];
  if (head === undefined || tail === undefined) {
    throw new Error(`Cannot write the keys: the page lacks ${BEGIN.trim()} and ${END}`);
  }
  return `${head}${BEGIN}\n${keyTables()}\n\n${END}${tail}`;
}

const SECTIONS: readonly (readonly [title: string, isIn: (binding: KeyBinding) => boolean])[] = [
  [
    "Sending, and what else the line does",
    ({ place, group }) => place === "line" && group === "send",
  ],
  ["What you said before", ({ group }) => group === "earlier"],
  ["Moving", ({ group }) => group === "move"],
  ["Changing", ({ group }) => group === "change"],
  ["In the list below the line", ({ place }) => place === "list"],
  ["While ally works", ({ place }) => place === "working"],
  ["In a question", ({ place }) => place === "question"],
  ["In a list to choose from", ({ place }) => place === "picker"],
  ["Commands of vi, with `editing_mode: vim`", ({ place }) => place === "vim"],
];

function keyTables(): string {
  const sections = SECTIONS.flatMap(([title, isIn]) => [
    `## ${title}`,
    table(
      ["key", "does"],
      KEY_BINDINGS.filter(isIn).map(({ keys, does }) => [keys.join(", "), does]),
    ),
  ]);
  const habits = HABITS.map(({ from, press, here }) => [from, press.map(told).join(", "), here]);
  return [
    ...sections,
    "## If you come from elsewhere",
    table(["from", "you press", "here"], habits),
  ].join("\n\n");
}

/** Letters that are typed one after the other, as one word. */
function told(press: string): string {
  const words = press.split(" ");
  const typed = words.map((word) =>
    word === "Space" ? " " : word.length === 1 ? word : ` ${word} `
  );
  const text = typed.join("").replace(/ {2,}/g, " ").trim();
  return words.some((word) => word.length === 1) ? `\`${text}\`` : text;
}

if (import.meta.main) {
  await Deno.writeTextFile(PAGE, withKeys(await Deno.readTextFile(PAGE)));
}
