/**
 * The grammars of programs that move, remove and pack files: one function each. A function returns true if it
 * has judged the whole command, false if the row still has to be applied.
 */
import type { SortedInvocation } from "./command_analysis.ts";
import { extreme, type Program, sensitive } from "./program.ts";
import type { ShellWord } from "./words.ts";

/** More files than this at once count as many. */
const MANY = 10;

/** For what reads its arguments by itself and leaves only the options to the table. */
export const NO_PROGRAM: Program = {
  risk: "safe",
  why: "",
  operands: "read",
  skip: 0,
  options: new Map(),
  longDash: false,
  executes: [],
  needs: [],
};

/** `rm` and its like: many files at once are extreme. */
export function judgeRemove({ name, args, analysis }: SortedInvocation): boolean {
  const { operands } = args;
  for (const word of operands) {
    if (word.kind !== "literal") {
      analysis.add(extreme(`${name} removes many files at once: ${word.text}`));
    }
  }
  if (operands.length > MANY) analysis.add(extreme(`${name} removes many files at once`));
  return false;
}

/** What is moved to `/dev/null` is gone; `rename` takes a program of Perl. */
export function judgeMove({ name, args, analysis }: SortedInvocation): boolean {
  const [first] = args.operands;
  if (name === "mv") {
    if (args.operands.at(-1)?.value === "/dev/null") analysis.add(extreme("throws files away"));
  } else if (
    first && (first.kind !== "literal" ||
      !/^([\w.-]+|(s|y|tr)\/[^/`@$({]*\/[^/`@$({]*\/[gi]*)$/.test(first.value))
  ) {
    analysis.addWord("code", first);
  }
  return false;
}

/** What is given to root. */
export function judgeChown({ args, analysis }: SortedInvocation): boolean {
  const [to] = args.operands;
  if (to && /^(root|0)(:|$)/.test(to.value)) analysis.add(extreme("gives a file to root"));
  return false;
}

/** The mode may look like an option: `chmod -x FILE`. */
export function judgeChmod({ rest, args, analysis }: SortedInvocation): boolean {
  const given = rest.find((word) => !/^(-[RvcfhHLP]+|--[a-z-]+)$/.test(word.value));
  const text = given?.value ?? "";
  if (given && given.kind !== "literal") {
    analysis.add(extreme("gives a mode only known at run time"));
  }
  if (/^0*[2-7]\d{3}$/.test(text) || /[ugoa]*[+=][rwxX]*s/.test(text)) {
    analysis.add(extreme("lets a file run with the rights of its owner"));
  }
  if (!/^-/.test(text)) return false;
  analysis.addOptions(NO_PROGRAM, { ...args, unknownOptions: [] });
  analysis.add(sensitive("changes who may use a file"));
  for (const word of args.operands) analysis.addWord("write", word);
  return true;
}

/** Words by which an archive is only listed. */
const LISTING: Readonly<Record<string, RegExp>> = {
  tar: /^-?[zjJavf]*(t|x[zjJavf]*O)[zjJavf]*$/,
  unzip: /^-([lvtzpcq]+|Z1?)$/,
  pack: /^-[dkfqv\d]*[clt][cdkflqtv\d]*$/,
};

/** Listing an archive only reads it, unless an option does more. */
export function judgeArchive({ name, rest, analysis }: SortedInvocation): boolean {
  const [mode, ...files] = rest;
  const listing = LISTING[name === "unzip" ? "unzip" : /tar$/.test(name) ? "tar" : "pack"]!;
  // A colon means another machine to tar.
  const isPlain = ({ kind, value }: ShellWord) => kind === "literal" && /^[^-:][^:]*$/.test(value);
  if (mode?.kind !== "literal" || !listing.test(mode.value) || !files.every(isPlain)) return false;
  for (const file of files) analysis.addWord("read", file);
  return true;
}
