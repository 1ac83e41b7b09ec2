/**
 * Which commands plainly only look: before them no snapshot is taken. A small table of plain words; in
 * doubt a command counts as one that changes something, and costs a look at the tree. This judges what
 * can be undone, never what is permitted. Called by the workspace before a command.
 */

/** Programs that only look, with the arguments that make them do more. */
const LOOKING: ReadonlyMap<string, RegExp | undefined> = new Map([
  ..."ls cat head tail wc grep egrep fgrep pwd echo printf which type stat du df date whoami id"
    .split(" ").map((name) => [name, undefined] as const),
  ..."uname true false cd diff cmp basename dirname realpath readlink cut tr nl sleep test file"
    .split(" ").map((name) => [name, undefined] as const),
  ["rg", /^--pre/],
  ["sort", /^(-[A-Za-z]*o|--output)/],
  ["tree", /^-[A-Za-z]*o|^--output/],
  ["find", /^-(delete|exec|execdir|ok|okdir|fprint|fprintf|fls)/],
]);

/** Subcommands of git that leave the files alone. */
const GIT_LOOKING = new Set(
  "status diff log show blame ls-files ls-tree rev-parse describe shortlog grep cat-file".split(
    " ",
  ),
);

/** Words without expansion, simple quotes, and what joins commands; nothing else is understood. */
const TOKEN =
  /[ \t]*(?:(2>&1|2?>[ \t]*\/dev\/null)|(&&|\|\||[;|\n])|((?:[A-Za-z0-9_.,:@%+/=^*?~-]|'[^']*'|"[^"$`\\]*")+))/y;

/** Whether a command line plainly leaves all files as they are. */
export function isReadOnly(command: string): boolean {
  const commands = split(command.trim());
  return commands !== undefined && commands.length > 0 && commands.every(looks);
}

/** The words of each simple command, or undefined if there is more to it than words. */
function split(command: string): string[][] | undefined {
  const commands: string[][] = [[]];
  TOKEN.lastIndex = 0;
  for (let at = 0; at < command.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(command);
    if (match === null) return undefined;
    const [, , joint, word] = match;
    if (joint !== undefined) commands.push([]);
    else if (word !== undefined) commands.at(-1)?.push(word.replace(/['"]/g, ""));
  }
  return commands;
}

function looks([program, ...rest]: readonly string[]): boolean {
  if (program === undefined) return false;
  if (program === "git") {
    return GIT_LOOKING.has(rest[0] ?? "") && !rest.some((word) => /^(-o|-O|--output)/.test(word));
  }
  if (!LOOKING.has(program)) return false;
  const more = LOOKING.get(program);
  return more === undefined || !rest.some((word) => more.test(word));
}
