/**
 * What is said of repositories, hooks and settings of git that were made in the workspace and got other names.
 */
import { quoteWord } from "./text.ts";

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
  const [back] = paths.flatMap(commandBack);
  return [
    ...paths.length > 0 ? [aside] : [],
    ...back
      ? [`If ${paths.length > 1 ? "one" : "it"} is yours, give it its name back: ${back}`]
      : [],
    ...sentences,
  ].join(" ");
}

/** The command that gives back its name to what is at a path now. */
function commandBack(path: string): string[] {
  const [, former] = /^(.+?)-set-aside(?:-[\w-]+)?$/.exec(path) ?? [];
  if (former === undefined) return [];
  const command = `mv ${quoteWord(path)} ${quoteWord(former)}`;
  if (!former.endsWith("/.git")) return [command];
  // Without a HEAD git takes a directory for no repository, whatever its name.
  const head = `${former}/HEAD`;
  return [`${command} && mv ${quoteWord(`${head}-set-aside`)} ${quoteWord(head)}`];
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
