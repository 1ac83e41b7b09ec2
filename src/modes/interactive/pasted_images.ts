/**
 * What a terminal pastes when a file is dropped on it, or when its path was copied: where that names images, the
 * mentions that attach them. Names decide, nothing is looked up. Pure.
 */
import { fileURLToPath } from "node:url";
import { escapeMention } from "../../app/mentions.ts";

const IMAGE_NAME = /\.(?:png|jpe?g|webp|gif)$/i;
const IMAGE_URL = /^file:\/\//i;
/** A word as shells read it: quoted, or with each blank escaped. */
const WORD = /(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\])+/g;
const WORDS = new RegExp(String.raw`^\s*(?:${WORD.source}(?:\s+|$))+$`);

/** Characters of the longest text that is looked at. */
const MAX_LENGTH = 10_000;

/** Mentions of the pasted images, to stand behind `before`; undefined if anything else was pasted. */
export function mentionImages(pasted: string, before = ""): string | undefined {
  if (pasted.length > MAX_LENGTH) return undefined;
  const text = pasted.trim();
  const paths = readLines(text) ?? readWords(text);
  if (paths === undefined) return undefined;
  const mentions = paths.map((path) => `@${escapeMention(path)} `).join("");
  if (/(?:^|\s)@$/.test(before)) return mentions.slice(1);
  // The sign means nothing within a word.
  return /[^\s([{"'`]$/.test(before) ? ` ${mentions}` : mentions;
}

/** The paths of a text with one to a line, as file managers copy them: their blanks are not escaped. */
function readLines(text: string): string[] | undefined {
  const lines = text.split(/\s*\n\s*/);
  // Two paths in a line, one that is quoted, one with escaped blanks are words; so is a command and a name behind it.
  const isPlain = lines.every((line) =>
    !/['"\\]|\s(?:~?\/|file:)/.test(line) && (!/\s/.test(line) || /^~?\/\S*\//.test(line))
  );
  return isPlain ? allImages(lines) : undefined;
}

function readWords(text: string): string[] | undefined {
  if (!WORDS.test(text)) return undefined;
  return allImages((text.match(WORD) ?? []).map(unquote));
}

function unquote(word: string): string {
  return word.replace(
    /'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)/g,
    (_, single?: string, double?: string, escaped?: string) =>
      single ?? double?.replace(/\\(["\\$`])/g, "$1") ?? escaped ?? "",
  );
}

function allImages(names: readonly string[]): string[] | undefined {
  const paths = names.map(toImagePath);
  return paths.every((path) => path !== undefined) ? paths : undefined;
}

/** The path of an image that is named in full. */
function toImagePath(name: string): string | undefined {
  if (!IMAGE_NAME.test(name)) return undefined;
  if (!IMAGE_URL.test(name)) return /^~?\//.test(name) ? name : undefined;
  try {
    return fileURLToPath(name);
  } catch {
    // It names another machine.
    return undefined;
  }
}
