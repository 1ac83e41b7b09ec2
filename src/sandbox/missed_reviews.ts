/**
 * Reviews that an ally has missed because it was killed, or the machine stopped, while commands ran: made up for by the
 * next one in the same workspace, before any command runs. What those commands were not to do gets another name, as it
 * would have then.
 */
import { join } from "node:path";
import { splitReview } from "../lib/set_aside.ts";
import { contains } from "../lib/contains.ts";
import { isOwnFile, listNames, reasonOf, requireWrite } from "../lib/fs.ts";
import { tryLockDirectory, withFileLock } from "../lib/locked_file.ts";
import { identityOf, isEmpty, kindOf } from "./inspect.ts";
import { NestedRepositories, type RepositoriesState } from "./nested_repositories.ts";
import { RepositoryWatch } from "./repository_watch.ts";
import { identityOfRoot, readReview, type UnfinishedReview } from "./review_record.ts";
import { findRecords } from "./review_record_file.ts";

/**
 * Reviews what sessions have left to review that are no more, as far as it is about these roots. Returns what a person
 * is to know of it. Never throws.
 */
export async function makeUpReviews(
  directory: string,
  roots: readonly string[],
): Promise<string[]> {
  const said: string[] = [];
  try {
    // Another ally that begins now waits until it is done.
    await withFileLock(join(directory, "all"), async () => {
      for (const name of listNames(directory)) {
        const session = join(directory, name);
        using lock = kindOf(session) === "directory" ? await tryLockDirectory(session) : undefined;
        if (lock) said.push(...await makeUpSession(session, roots));
      }
    });
  } catch (error) {
    said.push(`Cannot see whether an ally was killed while its commands ran: ${reasonOf(error)}`);
  }
  return said;
}

async function makeUpSession(session: string, roots: readonly string[]): Promise<string[]> {
  try {
    const records = findRecords(session);
    const own = records.filter((path) => isOwnFile(Deno.lstatSync(path)));
    const review = own.values().map((path) => readReview(Deno.readTextFileSync(path)))
      .find((one) => one !== undefined);
    const there = review?.roots.filter((root) =>
      identityOfRoot(root) === review.identities.get(root)
    ) ?? [];
    const isHere = there.some((one) =>
      roots.some((root) => contains(root, one) || contains(one, root))
    );
    // What is not there may be on a disk that comes back.
    const isAway = review?.roots.some((root) => identityOfRoot(root) === undefined) ?? false;
    if (!isHere && (there.length > 0 || isAway)) return [];
    const aside = review && isHere ? await makeUp({ ...review, roots: there }) : [];
    await Deno.remove(session, { recursive: true });
    if (records.length > 0 && !review) return [describeDamaged(session)];
    const { paths, sentences } = splitReview(aside);
    return [...(paths.length > 0 ? [describe(paths)] : []), ...sentences];
  } catch (error) {
    return [
      `Cannot review what commands did when an ally was killed (${session}): ${reasonOf(error)}`,
    ];
  }
}

/** Does what was to be done when the commands had ended; returns where it is now. */
async function makeUp(review: UnfinishedReview): Promise<string[]> {
  const { roots, watches, settings, mayMake, placeholders } = review;
  for (const root of roots) requireWrite(root);
  for (const path of placeholders.toSorted((one, other) => other.length - one.length)) {
    if (isEmpty(path)) await Deno.remove(path);
  }
  const repositories = new NestedRepositories(() => roots, {
    state: refreshIdentities(review.repositories),
  });
  try {
    const aside: string[][] = [];
    const locate = (ids: ReadonlySet<string>) => repositories.locate(ids);
    for (const watch of watches) {
      aside.push(await new RepositoryWatch(watch).review({ roots, settings, locate }));
    }
    const rest = await repositories.review({
      mayMake,
      writers: () => 0,
      settings: settings.filter(({ kind }) => kind !== "all"),
    });
    return [...aside.flat(), ...rest];
  } finally {
    repositories.close();
  }
}

/** Repositories as they are known now: after a restart a disk may have another number, not so what lies on it. */
function refreshIdentities({ known, ...rest }: RepositoriesState): RepositoriesState {
  const inode = (id: string) => id.split(":")[1];
  return {
    ...rest,
    known: known.map(([path, entry]) => {
      const other = identityOf(path);
      const isSame = other !== undefined && inode(other) === inode(entry.id);
      return [path, isSame ? { ...entry, id: other } : entry];
    }),
  };
}

function describe(aside: readonly string[]): string {
  return "An ally was killed while its commands ran. What they may have left for git to obey is set aside, and what was " +
    `there before is back (nothing is lost; what is yours can get its name back): ${
      aside.join(", ")
    }`;
}

function describeDamaged(session: string): string {
  return "An ally was killed while its commands ran, and the record of what to look at is damaged and removed " +
    `(${session}): see yourself whether they left hooks, settings or repositories that git obeys`;
}
