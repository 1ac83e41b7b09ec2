/**
 * The grammars of programs that move, remove and pack files: one function each, called by `grammars.ts`. A
 * function returns true if it has judged the whole command, false if the row still has to be applied.
 */
import type { Case } from "./analysis.ts";
import { type Arguments, extreme, type Program, sensitive } from "./program.ts";
import type { ShellWord } from "./words.ts";

/** What a grammar looks at. */
export interface Use {
  readonly name: string;
  readonly rest: readonly ShellWord[];
  readonly read: Arguments;
  readonly found: Case;
}

/** More files than this at once count as many. */
const MANY = 10;

/** For what reads its arguments by itself and leaves only the options to the table. */
export const NO_PROGRAM: Program = {
  class: "safe",
  why: "",
  operands: "read",
  skip: 0,
  options: new Map(),
  longDash: false,
  executes: [],
  needs: [],
};

/** `rm` and its like: many files at once are grave. */
export function remove({ name, read, found }: Use): boolean {
  const { operands } = read;
  for (const word of operands) {
    if (word.kind !== "literal") {
      found.add(extreme(`${name} removes many files at once: ${word.text}`));
    }
  }
  if (operands.length > MANY) found.add(extreme(`${name} removes many files at once`));
  return false;
}

/** What is moved to `/dev/null` is gone; `rename` takes a program of Perl. */
export function move({ name, read, found }: Use): boolean {
  const [first] = read.operands;
  if (name === "mv") {
    if (read.operands.at(-1)?.value === "/dev/null") found.add(extreme("throws files away"));
  } else if (
    first && (first.kind !== "literal" ||
      !/^([\w.-]+|(s|y|tr)\/[^/`@$({]*\/[^/`@$({]*\/[gi]*)$/.test(first.value))
  ) {
    found.use("code", first);
  }
  return false;
}

/** What is given to root. */
export function owner({ read, found }: Use): boolean {
  const [to] = read.operands;
  if (to && /^(root|0)(:|$)/.test(to.value)) found.add(extreme("gives a file to root"));
  return false;
}

/** The mode may look like an option: `chmod -x FILE`. */
export function mode({ rest, read, found }: Use): boolean {
  const given = rest.find((word) => !/^(-[RvcfhHLP]+|--[a-z-]+)$/.test(word.value));
  const text = given?.value ?? "";
  if (given && given.kind !== "literal") {
    found.add(extreme("gives a mode that is known only when it runs"));
  }
  if (/^0*[2-7]\d{3}$/.test(text) || /[ugoa]*[+=][rwxX]*s/.test(text)) {
    found.add(extreme("lets a file run with the rights of its owner"));
  }
  if (!/^-/.test(text)) return false;
  found.useOptions(NO_PROGRAM, { ...read, others: [] });
  found.add(sensitive("changes who may use a file"));
  for (const word of read.operands) found.use("write", word);
  return true;
}

/** Words by which an archive is only listed. */
const LISTING: Readonly<Record<string, RegExp>> = {
  tar: /^-?[zjJavf]*(t|x[zjJavf]*O)[zjJavf]*$/,
  unzip: /^-([lvtzpcq]+|Z1?)$/,
  pack: /^-[dkfqv\d]*[clt][cdkflqtv\d]*$/,
};

/** Of archives: looking into one is reading it, as long as nothing else is asked for. */
export function judgeArchive(_program: Program, { name, rest, found }: Use): boolean {
  const [mode, ...files] = rest;
  const listing = LISTING[name === "unzip" ? "unzip" : /tar$/.test(name) ? "tar" : "pack"]!;
  // A colon means another machine to tar.
  const isPlain = ({ kind, value }: ShellWord) => kind === "literal" && /^[^-:][^:]*$/.test(value);
  if (mode?.kind !== "literal" || !listing.test(mode.value) || !files.every(isPlain)) return false;
  for (const file of files) found.use("read", file);
  return true;
}
