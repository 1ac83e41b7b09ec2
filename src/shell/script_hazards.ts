/**
 * What makes a script suspicious as a whole, whatever its commands are: text that hides, values that bash may
 * run, endless functions.
 */
import { HIDDEN_CHARACTER } from "../lib/text.ts";
import type { ParsedCommand } from "./parsed_command.ts";

const FAR_RIGHT = /(?<![\t\p{Zs}])[\t\p{Zs}]{60,}\S/u;
/**
 * bash evaluates it wherever arithmetic meets it, however it was quoted. A blank before `$` makes it the
 * command `[`, unless a name stands right before the bracket.
 */
const SUBSCRIPT = /(?:\[|[\w\]}]\[[^[\]]*)\\?(\$[({]|`|<\()/;

/** Why a text is not what it looks like, or may run what is in quotes; undefined if nothing shows. */
export function textHazard(text: string): string | undefined {
  if (HIDDEN_CHARACTER.test(text)) return "holds invisible or control characters";
  if (FAR_RIGHT.test(text)) return "hides text behind many blanks";
  if (SUBSCRIPT.test(text)) return "holds a subscript that may run code";
  return undefined;
}

/** A function that calls itself may never end, and one that calls a later one may be called by that. */
export function recursionHazard({ commands, functions }: ParsedCommand): string | undefined {
  const order = [...functions];
  const endless = commands.find(({ inFunction, words }) =>
    inFunction !== undefined &&
    words.slice(0, 2).some(({ value }) => order.indexOf(value) >= order.indexOf(inFunction))
  );
  return endless && `defines ${endless.inFunction}, a function that may never end`;
}

/** The same of what words are once their quotes are gone. */
export function subscriptHazard(script: ParsedCommand): string | undefined {
  const hidden = script.commands.some(({ words, assignments }) =>
    [...words, ...assignments.flatMap(({ value }) => value ?? [])]
      .some(({ value }) => SUBSCRIPT.test(value))
  );
  return hidden ? "holds a subscript that may run code" : undefined;
}
