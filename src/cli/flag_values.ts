/**
 * What the words of a command line mean before they are parsed, and values of options, read and checked. The
 * command line uses them.
 */
import { type Command, InvalidArgumentError } from "commander";
import { resolve } from "node:path";
import type { Targets } from "../core/permission.ts";

/** Takes an option that may be given several times. */
export function collectValues(value: string, before: string[] = []): string[] {
  return [...before, value];
}

/** A parser of whole numbers of at least so much. */
export function wholeNumberParser(least: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (Number.isInteger(number) && number >= least) return number;
    throw new InvalidArgumentError(`It must be a whole number of at least ${least}.`);
  };
}

/** A number from 0 to 2. @throws {InvalidArgumentError} it is none */
export function parseTemperature(value: string): number {
  const number = Number(value);
  if (value !== "" && number >= 0 && number <= 2) return number;
  throw new InvalidArgumentError("It must be a number from 0 to 2.");
}

/** Stands for all of a kind; no argument of a program can hold it. */
const WHOLE_KIND = "\0";

/** `--allow-write` alone gets the value for all of its kind, so that it never swallows the prompt. */
export function expandBareKinds(args: readonly string[]): string[] {
  const end = args.indexOf("--");
  return args.map((arg, index) =>
    /^--(allow|deny)-(read|write|run|net|env)$/.test(arg) && (end < 0 || index < end)
      ? `${arg}=${WHOLE_KIND}`
      : arg
  );
}

/**
 * Takes a list of names, which may be given several times. An unset variable of a shell is no leave for all.
 * @throws {InvalidArgumentError} it names nothing
 */
export function collectNames(value: string, before: unknown): string[] {
  if (value.replace(/[,\s]/g, "") === "") {
    throw new InvalidArgumentError('It names nothing. Without "=" it means all of the kind.');
  }
  return [...(Array.isArray(before) ? before : []), value];
}

/** The values of one flag, given once or more: names with commas between, or the whole kind. */
export function parseTargets(given: readonly string[], base: string | undefined): Targets {
  if (given.includes(WHOLE_KIND)) return true;
  const names = given.flatMap((value) => value.split(",")).map((name) => name.trim())
    .filter((name) => name !== "");
  return base === undefined ? names : names.map((name) => resolve(base, name));
}

/** `ally help sessions list` is `ally sessions list --help`; other words after "help" are a prompt. */
export function expandHelp(args: readonly string[], { commands }: Command): readonly string[] {
  const [first, second] = args;
  const isHelp = first === "help" &&
    (second === undefined || commands.some((command) => command.name() === second));
  return isHelp ? [...args.slice(1), "--help"] : args;
}

/** Words after `--` are a prompt whatever they say, unless they are for a command before it. */
export function splitPrompt(
  args: readonly string[],
  { commands }: Command,
): { readonly before: readonly string[]; readonly after: readonly string[] } {
  const end = args.indexOf("--");
  const before = args.slice(0, end);
  const isPrompt = end >= 0 && !commands.some((command) => before.includes(command.name()));
  return isPrompt ? { before, after: args.slice(end + 1) } : { before: args, after: [] };
}
