/**
 * The text that takes the place of a match: `$1`, `${1}`, `$name`, `${name}`, `$<name>` stand for the
 * pattern's groups, `$&` and `$0` for the whole match, `$$` for a dollar. As in JavaScript, what names no
 * group of the pattern is plain text, so that code with dollars in it comes out as it was written.
 */

import type { LineMatch } from "./line_pattern.ts";

type Part = { readonly text: string } | { readonly group: string };

/** A replacement, for both ways to search. */
export interface Replacement {
  /** As ripgrep's `--replace` wants it. */
  readonly forRipgrep: string;
  /** The text for one match. */
  expand(match: LineMatch): string;
}

/** Reads a replacement; in a literal one nothing has a meaning. */
export function parseReplacement(
  text: string,
  { pattern, literal }: { pattern: string; literal: boolean },
): Replacement {
  const parts = literal ? [{ text }] : split(text, groupsOf(pattern));
  return {
    forRipgrep: parts
      .map((part) => "text" in part ? part.text.replaceAll("$", "$$$$") : `\${${part.group}}`)
      .join(""),
    expand: (match) =>
      parts.map((part) => "text" in part ? part.text : match.group(part.group)).join(""),
  };
}

const REFERENCE = /\$(?:(\$)|(&)|(\d+)|([A-Za-z_]\w*)|\{(\w+)\}|<(\w+)>)/g;

function split(text: string, groups: ReadonlySet<string>): Part[] {
  const parts: Part[] = [];
  let at = 0;
  for (const reference of text.matchAll(REFERENCE)) {
    const [whole, dollar, all, number, name, braced, angled] = reference;
    const group = all ? "0" : number ?? name ?? braced ?? angled ?? "";
    if (!dollar && !groups.has(group)) continue;
    parts.push({ text: text.slice(at, reference.index) });
    parts.push(dollar ? { text: "$" } : { group });
    at = reference.index + whole.length;
  }
  return [...parts, { text: text.slice(at) }];
}

/** The numbers and names of a pattern's groups; 0 is the whole match. */
function groupsOf(pattern: string): Set<string> {
  const groups = new Set(["0"]);
  // Escapes and classes of characters hold no groups; `(?:`, `(?=`, `(?i)` and the like are none.
  const tokens = pattern.matchAll(
    /\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\((\?P?<([A-Za-z_]\w*)>|(?!\?))/g,
  );
  let number = 0;
  for (const [token, opening, name] of tokens) {
    if (!token.startsWith("(") || opening === undefined) continue;
    groups.add(String(++number));
    if (name !== undefined) groups.add(name);
  }
  return groups;
}
