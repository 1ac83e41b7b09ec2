/**
 * Repositories, hooks and settings of git that were made in the workspace: the names that they get, and what is said of it.
 */
import { quoteWord } from "./text.ts";

/** What the name of a path that is set aside gets behind it. */
export const ASIDE = "-set-aside";
/** The end of such a name; another number or text follows where that was taken. */
export const NAME_ASIDE = new RegExp(`${ASIDE}(-[\\w-]+)?$`);

/** Tells the paths from the sentences in what was set aside, as a `Review` tells it. */
export function splitReview(
  reviewed: readonly string[],
): { paths: string[]; sentences: string[] } {
  const { paths = [], sentences = [] } = Object.groupBy(
    reviewed,
    (one) => one.startsWith("/") ? "paths" : "sentences",
  );
  return { paths, sentences };
}

/** What a person is told of what was set aside while something ran. */
export function describeSetAside(who: string, reviewed: readonly string[]): string {
  const { paths, sentences } = splitReview(reviewed);
  const aside =
    `While ${who} ran, a repository, hooks or settings of git were made in the workspace, which only git itself ` +
    `and you may. Nothing is lost: the new is now ${paths.join(", ")}.`;
  const back = paths.map(commandBack).find((command) => command !== undefined);
  return [
    ...paths.length > 0 ? [aside] : [],
    ...back
      ? [`If ${paths.length > 1 ? "one" : "it"} is yours, give it its name back: ${back}`]
      : [],
    ...sentences,
  ].join(" ");
}

/** The command that gives back its name to what is at a path now; undefined if it has its own. */
function commandBack(path: string): string | undefined {
  if (!NAME_ASIDE.test(path)) return undefined;
  const former = path.replace(NAME_ASIDE, "");
  const command = `mv ${quoteWord(path)} ${quoteWord(former)}`;
  if (!former.endsWith("/.git")) return command;
  // Without a HEAD git takes a directory for no repository, whatever its name.
  const head = `${former}/HEAD`;
  return `${command} && mv ${quoteWord(head + ASIDE)} ${quoteWord(head)}`;
}

/** What the model is told of what was set aside; undefined if nothing was. */
export function setAsideNote(reviewed: readonly string[]): string | undefined {
  if (reviewed.length === 0) return undefined;
  const { paths, sentences } = splitReview(reviewed);
  const aside =
    "It made a repository, hooks or settings of git, which only git itself and the user may, since " +
    "what they name is run outside of the sandbox. What was there before is back, and what the words " +
    `of a command set stays; nothing is lost: the new is now ${
      paths.join(", ")
    }. If the user wants it, they can give it its name back, and the HEAD in a .git.`;
  return [...(paths.length > 0 ? [aside] : []), ...sentences].join(" ");
}
