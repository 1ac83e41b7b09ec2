/**
 * The catalogue of skills: one line each, all together within a share of the window. What does not fit is found by a
 * search.
 */
import { cutSafely } from "../lib/excerpt.ts";
import type { Skill } from "./skill.ts";

/** Characters of a description, step by step, so that as many skills as can be are in the catalogue. */
const LENGTHS = [1024, 400, 200, 100];

/** The lines of a catalogue, and how many skills are not in it. */
export interface Catalogue {
  readonly lines: readonly string[];
  readonly left: number;
}

/** The catalogue of the skills that the model may load; `count` counts the tokens of a text. */
export function buildCatalogue(
  skills: readonly Pick<Skill, "name" | "description">[],
  { tokens, count }: { tokens: number; count: (text: string) => number },
): Catalogue {
  for (const length of LENGTHS) {
    const lines = skills.map((skill) => lineOf(skill, length));
    if (count(lines.join("\n")) <= tokens) return { lines, left: 0 };
  }
  const lines: string[] = [];
  for (const skill of skills) {
    const more = [...lines, lineOf(skill, LENGTHS.at(-1)!)];
    if (count(more.join("\n")) > tokens) break;
    lines.push(more.at(-1)!);
  }
  return { lines, left: skills.length - lines.length };
}

function lineOf({ name, description }: Pick<Skill, "name" | "description">, length: number) {
  return `- ${name}: ${cutSafely(description, length)}`;
}
