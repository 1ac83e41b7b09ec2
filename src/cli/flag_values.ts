/**
 * Values of options, read and checked. The command line uses them.
 */
import { InvalidArgumentError } from "commander";

/** Takes an option that may be given several times. */
export function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}

/** A parser of whole numbers of at least so much. */
export function wholeNumber(least: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (Number.isInteger(number) && number >= least) return number;
    throw new InvalidArgumentError(`It must be a whole number of at least ${least}.`);
  };
}

/** A number from 0 to 2. @throws {InvalidArgumentError} it is none */
export function temperature(value: string): number {
  const number = Number(value);
  if (value !== "" && number >= 0 && number <= 2) return number;
  throw new InvalidArgumentError("It must be a number from 0 to 2.");
}
