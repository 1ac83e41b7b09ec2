/**
 * What variables hold as far as the words of commands show it, and these words with that in their place.
 */
import {
  ASSIGNED,
  behindLetters,
  type ScriptWords,
  withoutFront,
  type Word,
} from "./script_words.ts";

/** What only passes a builtin on. */
export const RUNS_BUILTIN = /^(?:command|builtin)$/;
/** Builtins that fill variables. */
const FILLS = /^(?:read|mapfile|readarray|getopts|unset|let|wait|printf|for|select)$/;
/** A variable in a word. */
const VARIABLE = /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g;
/** Git's word for the branch that is checked out, which is no option as long as no branch is called like one. */
const BRANCH_NAME =
  /^\$\(\s*git (?:branch --show-current|rev-parse --abbrev-ref HEAD|symbolic-ref --short HEAD)\s*\)$/;
/** A word that is no option, and that a shell takes as it is. */
const PLAIN = /^[\w./][\w.@:/~%+-]*$/;
/** What a shell replaces. */
const REPLACED = /[$`*?[]/;
/** Ways to fill the variables of one command that are looked through, and steps from one variable to another. */
const MAX_WAYS = 50;
const MAX_STEPS = 5;

/** What variables hold, as far as commands say; one with an empty value may hold anything. */
export type KnownValues = ReadonlyMap<string, readonly string[]>;

/** What commands give variables; where they begin in a directory that is known, its path too. */
export function knownValues(
  commands: readonly (readonly Word[])[],
  { cwd }: { readonly cwd: string | undefined },
): KnownValues {
  const given = commands.flatMap((words) => [
    ...words.flatMap((word) =>
      assignedName(word).map((name) => [name, word.value.replace(ASSIGNED, "")] as const)
    ),
    ...namesFilled(withoutFront(words)).flatMap((name) =>
      words[0]?.value === "for" ? [] : [[name, ""] as const]
    ),
    ...(words[0]?.value === "for"
      ? words.slice(3).map(({ value }) => [words[1]!.value, value] as const)
      : []),
  ]);
  return new Map([
    ["PWD", cwd === undefined ? [] : [cwd]],
    ...[...Map.groupBy(given, ([name]) => name)]
      .map(([name, all]) => [name, all.map(([, value]) => value)] as const),
  ]);
}

/**
 * The same words, and once more each command in which variables stand whose values are known, with these; undefined if
 * there are too many ways to fill them.
 */
export function spellOut(
  words: ScriptWords | undefined,
  where: { readonly cwd: string },
): ScriptWords | undefined {
  if (!words) return undefined;
  const values = knownValues(words.commands, where);
  const found: Word[][] = [];
  for (const command of words.commands) {
    const ways = filledWays(command, values);
    if (ways === undefined) return undefined;
    found.push(...ways);
  }
  return { ...words, commands: [...words.commands, ...found] };
}

function filledWays(command: readonly Word[], values: KnownValues): Word[][] | undefined {
  let ways = [[...command]];
  for (let step = 0; step < MAX_STEPS; step++) {
    const next = ways.map((words) => {
      const name = words.flatMap(({ value }) => namesIn(value)).find((one) =>
        isFilled(one, values)
      );
      return name === undefined
        ? undefined
        : values.get(name)!.map((one) => fill(words, name, one));
    });
    if (next.every((one) => one === undefined)) return step === 0 ? [] : ways;
    ways = next.flatMap((filled, at) => filled ?? [ways[at]!]);
    if (ways.length > MAX_WAYS) return undefined;
  }
  return undefined;
}

/** Whether all is known that a variable may hold. */
function isFilled(name: string, values: KnownValues): boolean {
  const known = values.get(name) ?? [];
  return known.length > 0 && !known.includes("");
}

function namesIn(word: string): string[] {
  return [...word.matchAll(VARIABLE)].map(([, braced, bare]) => braced ?? bare!);
}

/** Words with a value in place of a variable; a shell may make several words of one. */
function fill(words: readonly Word[], name: string, value: string): Word[] {
  return words.flatMap((word) => {
    if (!namesIn(word.value).includes(name)) return [word];
    const filled = word.value.replace(
      VARIABLE,
      (whole, braced?: string, bare?: string) => (braced ?? bare) === name ? value : whole,
    );
    const pieces = /\s/.test(filled) && !BRANCH_NAME.test(filled) ? filled.split(/\s+/) : [];
    const isLiteral = !REPLACED.test(filled);
    return [filled, ...pieces].map((one) => ({ value: one, isLiteral, keepsBegin: isLiteral }));
  });
}

/** Names of variables that a builtin may fill. */
export function namesFilled(words: readonly Word[]): string[] {
  const [builtin, ...rest] = words.filter(({ value }) => !RUNS_BUILTIN.test(value));
  if (builtin === undefined || !FILLS.test(builtin.value)) return [];
  if (builtin.value === "printf" && !rest[0]?.value.startsWith("-v")) return [];
  const named = /^(?:for|select)$/.test(builtin.value) ? rest.slice(0, 1) : rest;
  return named.flatMap(({ value }) => [...value.match(/\w+/g) ?? [], ...behindLetters(value)]);
}

/** The variable that a word gives a value. */
export function assignedName({ value }: Word): string[] {
  const name = ASSIGNED.exec(value)?.[1];
  return name === undefined ? [] : [name];
}

/** Whether a word is no option. */
export function isPlainWord(word: Word, values: KnownValues): boolean {
  return word.isLiteral || isKnownWord(word, values);
}

/** Whether a word is no option, whatever the variables hold that stand in it. */
function isKnownWord({ value, keepsBegin }: Word, values: KnownValues): boolean {
  if (BRANCH_NAME.test(value)) return true;
  if (keepsBegin && /^[\w./:@%+~]/.test(value)) return true;
  const isPlain = (name: string) =>
    values.get(name)?.every((one) => PLAIN.test(one) || BRANCH_NAME.test(one)) ?? false;
  const known = value.replace(
    VARIABLE,
    (whole, braced?: string, bare?: string) => isPlain(braced ?? bare ?? "") ? "x" : whole,
  );
  return PLAIN.test(known);
}
