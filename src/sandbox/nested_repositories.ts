/**
 * Repositories below the workspace's roots, wherever they lie: vendored ones, submodules, bare ones. Who goes there
 * later has git run what their configuration names. They are found before commands, which then only read them, and
 * looked for again afterwards: one that a command made without the power over repositories is set aside, by another
 * name, and of one that git made, what others could have put into it meanwhile.
 */
import { dirname, join } from "node:path";
import type { GitSetting } from "../core/sandbox.ts";
import { contains } from "../lib/contains.ts";
import {
  childPath,
  type DirectoryLister,
  linksIn,
  type Listing,
} from "../lib/directory_listing.ts";
import { reasonOf } from "../lib/fs.ts";
import { BroughtRepositories } from "./brought_repositories.ts";
import { DirectoryTree } from "./directory_tree.ts";
import { disarmDirectory, namesPrograms, setAsideRepository } from "./fresh_repository.ts";
import { identityOf, isEmpty, isNoText, kindOf } from "./inspect.ts";
import { isBareRepository, obeyedDirectories, repositoryDirectories } from "./repository.ts";
import { judgeOrElse } from "./real_directory.ts";
import { putBack, reviewFresh } from "./repository_changes.ts";
import {
  entryAt,
  hasGitsForm,
  isGone,
  isStill,
  leadsFirst,
  makeOwn,
  type RepositoryEntry,
  type WritablePlaces,
  writablePlaces,
} from "./repository_entry.ts";
import { findRepository, isThere, treeRecords } from "./repository_shape.ts";
import { type LinksState, WorkspaceLinks } from "./workspace_links.ts";
import { socketsBesideGit, WorkspaceSockets } from "./workspace_sockets.ts";

/** Directories that are named of those that were not looked into. */
const NAMED = 3;

/** One that was found. */
interface KnownRepository extends RepositoryEntry {
  /** What stood at its path before. @default nothing, or the same */
  readonly before?: RepositoryEntry | undefined;
}

/** What is known of the repositories below the roots. */
export interface RepositoriesState {
  /** Those found. */
  readonly known: readonly (readonly [path: string, entry: RepositoryEntry])[];
  /** Roots that were searched. */
  readonly searched: readonly string[];
  /** Paths of those that a command may have made which may not. */
  readonly unreviewed: readonly string[];
  /** Paths of those that others may have written when they were made. */
  readonly young: readonly string[];
  /** Configurations of these that were found to be in order, by their paths. */
  readonly reviewed: readonly (readonly [path: string, text: string])[];
  /** Links that lead where nobody looks for them. */
  readonly links: LinksState;
}

/** Knows the repositories below the roots. */
export class NestedRepositories {
  readonly #roots: () => readonly string[];
  readonly #isPlaceholder: (path: string) => boolean;
  readonly #tree: DirectoryTree;
  /** Those found, by their paths. */
  #known: ReadonlyMap<string, KnownRepository>;
  /** Links that were gone when a search came by. */
  readonly #lost = new Map<string, RepositoryEntry>();
  /** Roots that were searched before: what is new in another one was there before it was a root. */
  #searched: readonly string[];
  /** Paths that were found while a command ran that may not have made them. */
  readonly #unreviewed: Set<string>;
  /** Paths of those that were found before the command had ended which may have made them. */
  readonly #unended = new Set<string>();
  /** Paths of those that came beside commands which may write them still, and are not git. */
  #young: ReadonlySet<string>;
  /** Directories of git's that stood or were led to when no command may have made them: what is in them is the user's. */
  #settled: ReadonlySet<string> = new Set();
  /** Their configurations as they were found to be in order, by their paths. */
  readonly #reviewed: Map<string, string>;
  readonly #sockets = new WorkspaceSockets();
  readonly #links: WorkspaceLinks;
  readonly #brought = new BroughtRepositories();
  /** Directories that no search has looked into, as there were too many before the first command. */
  #unknown: ReadonlySet<string> | undefined;
  /** Others that the last search did not look into. */
  #left: readonly string[] = [];
  /** Of these and those, the ones of which it has been said. */
  readonly #said = new Set<string>();
  #hasLearnt = false;
  /** Whether a review could not look. */
  #hasMissed = false;
  /** The search that has not begun yet. */
  #next: Promise<readonly string[]> | undefined;
  /** Settles when the last search is done: there is one at a time. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    roots: () => readonly string[],
    { state, stores = [], isPlaceholder = () => false, limit }: {
      /** @default nothing is known yet */
      readonly state?: RepositoriesState;
      /** Directories outside of the roots that commands write. @default none */
      readonly stores?: readonly string[];
      /** Whether it is a directory of ours that keeps its place from what commands make, while it is empty. */
      readonly isPlaceholder?: (path: string) => boolean;
      /** Directories above which a tree is not searched to its end. @default that of the tree */
      readonly limit?: number;
    } = {},
  ) {
    this.#roots = roots;
    this.#isPlaceholder = isPlaceholder;
    this.#links = new WorkspaceLinks(roots, state?.links ?? { known: [], stores });
    const examine = (directory: string, listing: Listing) => ({
      ...findRepository(directory, listing),
      links: linksIn(listing).map((name) => childPath(directory, name))
        .filter((path) => this.#links.mayBeOne(path)),
    });
    this.#tree = new DirectoryTree(roots, examine, { limit });
    this.#known = new Map(state?.known);
    this.#searched = state?.searched ?? [];
    this.#unreviewed = new Set(state?.unreviewed);
    this.#young = new Set(state?.young);
    this.#reviewed = new Map(state?.reviewed);
  }

  /** What another one must know to go on from here. */
  get state(): RepositoriesState {
    return {
      known: Array.from(this.#known, ([path, { before: _, ...entry }]) => [path, entry]),
      searched: this.#searched,
      unreviewed: [...this.#unreviewed],
      young: [...this.#young.union(this.#unended)],
      reviewed: [...this.#reviewed],
      links: this.#links.state,
    };
  }

  /** Their paths, as far as they are known: of `.git`, whatever it is, or of a bare repository. */
  get paths(): readonly string[] {
    return [...this.#known.keys()].filter((path) => !isNoText(path));
  }

  /** Those of them that no command which runs now may write, unless it is git's own work. */
  get settled(): readonly string[] {
    return [...this.#known.keys()].filter((path) => !this.#young.has(path));
  }

  /** Paths of sockets below the roots that somebody else listens at. */
  get sockets(): readonly string[] {
    return this.#sockets.paths;
  }

  /** Opens directories for whoever walks the roots for reasons of its own: they are searched at the same time. */
  openLister(): DirectoryLister {
    return this.#tree.openLister();
  }

  /** Ends the watch on the directories. */
  close(): void {
    this.#tree.close();
  }

  /** Where repositories are now that are known by what they are on the disk. */
  async locate(ids: ReadonlySet<string>): Promise<ReadonlyMap<string, string>> {
    const search = this.#last.then(() => this.#tree.search());
    this.#last = search.catch(() => {});
    const found = new Map<string, string>();
    for (const path of await search) {
      const id = identityOf(path);
      if (id !== undefined && ids.has(id)) found.set(id, path);
    }
    return found;
  }

  /** Makes sure that they are known before a command; what others that run may have made is left for their review. */
  async learn(running: { makers: () => number; others: () => number }): Promise<void> {
    const before = this.#left;
    const searched = this.#searched;
    const fresh = await this.#search();
    const mayBeMade = (path: string) =>
      running.others() + running.makers() > 0 && this.#hasLearnt &&
      searched.some((root) => contains(root, path));
    this.#links.note(this.#tree.links.filter((path) => !this.#hasMissed && !mayBeMade(path)));
    await this.#noteSockets(running.others() + running.makers() > 0 && this.#hasLearnt);
    this.#brought.note(this.paths);
    this.#hasLearnt = true;
    if (running.others() > 0) this.#addYoung(fresh);
    if (running.others() + running.makers() === 0) this.#lost.clear();
    const isMade = running.others() > 0 || this.#hasMissed;
    this.#hasMissed = false;
    const found = running.makers() > 0 ? this.#unended : isMade ? this.#unreviewed : undefined;
    for (const path of fresh) {
      // What lies where could not be looked before may be any command's.
      const isHidden = before.some((directory) => contains(directory, path));
      (found ?? (isHidden ? this.#unreviewed : undefined))?.add(path);
    }
  }

  /**
   * Searches after a command, and sets aside those that have come since the last search, or, where some command
   * `mayMake` them, those of a form that git gives none, and what git would run by the others: whatever runs with git, an
   * editor or a hook, may have put that there. Commands that still write are told by their number. Returns where it is
   * now, and what was not looked at, as a `Review` does. Never throws.
   */
  async review({ mayMake, writers, settings = [] }: {
    mayMake: boolean;
    writers: () => number;
    /** What the words of commands set. @default nothing */
    settings?: readonly GitSetting[];
  }): Promise<string[]> {
    let fresh: readonly string[] = [];
    try {
      const found = await this.#search();
      await this.#noteSockets(true);
      fresh = [...new Set([...this.#take(this.#unended), ...found])];
      const places = this.#places();
      const strange = mayMake
        ? fresh.filter((path) => this.#isStrange(path, { places, fresh }))
        : [...new Set([...this.#take(this.#unreviewed), ...fresh])];
      this.#addYoung(fresh);
      const aside = [...this.#setAside(strange), ...this.#putLinksBack()];
      return [
        ...aside,
        ...aside.length > 0 ? await this.#reviewInner({ mayMake, fresh }) : [],
        ...this.#links.review(this.#tree.links),
        ...this.#disarmYoung({ writers, settings }),
        ...this.#sayUnsearched(),
      ];
    } catch (error) {
      // The next review looks.
      this.#hasMissed = true;
      for (const path of fresh) this.#unended.add(path);
      // Where ally has given up looking it could change nothing either.
      return error instanceof Deno.errors.NotCapable
        ? []
        : [`Whether commands made repositories cannot be seen: ${reasonOf(error)}`];
    }
  }

  /** Whether some came beside commands which may write them still. */
  get hasYoung(): boolean {
    return this.#young.size > 0;
  }

  /** Looks at those alone, without a search, as `review` does. Never throws. */
  reviewYoung(options: { writers: () => number; settings: readonly GitSetting[] }): string[] {
    try {
      return this.#disarmYoung(options);
    } catch {
      // Where ally has given up looking it could change nothing either.
      return [];
    }
  }

  /**
   * Whether git makes none like that, or none where it is, or has a file that was there before lead to one of those that
   * are `fresh`.
   */
  #isStrange(
    path: string,
    { places, fresh = [] }: {
      readonly places: WritablePlaces;
      readonly fresh?: readonly string[];
    },
  ): boolean {
    // What a root itself would be then, no command could be kept from writing.
    if (this.#roots().includes(path)) return true;
    const leadsToFresh = () =>
      obeyedDirectories(path)?.some((one) => fresh.some((made) => contains(made, one))) ?? true;
    return judgeOrElse(
      () =>
        !hasGitsForm(path, places) ||
        (this.#known.get(path)?.before?.state.kind === "file" && leadsToFresh()) ||
        (fresh.includes(path) && this.#isFirstTo(path, fresh)),
      () => true,
    );
  }

  /** Whether it leads git to one that names programs, came with a clone, and was reached by no other before. */
  #isFirstTo(path: string, fresh: readonly string[]): boolean {
    const [roots, own] = [this.#roots(), this.#ownDirectories(path)];
    return leadsFirst(path, {
      mayLead: (one) =>
        this.#brought.has(one) && this.#settled.has(one) && !own.includes(one) &&
        namesPrograms(one, { roots, own, settings: [] }),
      before: [...this.#known.keys()].filter((one) =>
        !fresh.includes(one) && !this.#young.has(one)
      ),
    });
  }

  /** Directories of the roots' own repositories, but where that is the path itself. */
  #ownDirectories(path: string): string[] {
    return this.#roots().filter((root) => join(root, ".git") !== path)
      .flatMap((root) => repositoryDirectories(root));
  }

  #places(): WritablePlaces {
    return writablePlaces({ roots: this.#roots(), stores: this.#links.state.stores });
  }

  /** A sentence on the directories that were not looked into, if it has not been said of all of them. */
  #sayUnsearched(): string[] {
    const all = [...new Set([...this.#unknown ?? [], ...this.#left])];
    if (all.every((path) => this.#said.has(path))) return [];
    for (const path of all) this.#said.add(path);
    const some = all.slice(0, NAMED).join(", ");
    const more = all.length > NAMED ? ` and ${all.length - NAMED} more with what is in them` : "";
    return [
      `There are more directories than are searched for repositories of git (${
        this.#tree.limit.toLocaleString("en")
      }): ${some}${more} were not looked at. Git that runs there outside of the sandbox may run what a command put there: remove them, or tell the user.`,
    ];
  }

  /** What was no place of its own in a repository that has another name now, and so was not looked for, as far as it goes. */
  async #reviewInner(
    { mayMake, fresh }: { readonly mayMake: boolean; readonly fresh: readonly string[] },
  ): Promise<string[]> {
    let aside: string[] = [];
    const seen = new Set(fresh);
    for (;;) {
      const inner = (await this.#search()).filter((path) => !seen.has(path));
      if (inner.length === 0) return aside;
      for (const path of inner) seen.add(path);
      this.#addYoung(inner);
      const how = { places: this.#places(), fresh: inner };
      const strange = mayMake ? inner.filter((path) => this.#isStrange(path, how)) : inner;
      aside = [...aside, ...this.#setAside(strange)];
    }
  }

  #addYoung(fresh: readonly string[]): void {
    this.#young = this.#young.union(new Set(fresh));
  }

  #disarmYoung(
    { writers, settings }: { writers: () => number; settings: readonly GitSetting[] },
  ): string[] {
    if (this.#young.size === 0) return [];
    const roots = this.#roots();
    const places = this.#places();
    const aside = [...this.#young].flatMap((path) =>
      judgeOrElse(
        () =>
          this.#isStrange(path, { places })
            ? this.#setAside([path])
            : this.#disarm(path, { roots, settings }),
        () => this.#setAside([path]),
      )
    );
    if (writers() === 0) {
      this.#young = new Set();
      this.#reviewed.clear();
    }
    return aside;
  }

  #disarm(
    path: string,
    { roots, settings }: { roots: readonly string[]; settings: readonly GitSetting[] },
  ): string[] {
    const own = this.#ownDirectories(path);
    return (obeyedDirectories(path) ?? []).filter((one) =>
      !own.includes(one) && !this.#settled.has(one) && roots.some((root) => contains(root, one))
    ).flatMap((one) => [
      ...disarmDirectory(one, { roots, own, settings, reviewed: this.#reviewed }),
      ...reviewFresh(one, { roots, settings }),
    ]);
  }

  /** Those of some paths that are still known; no other review looks at them. */
  #take(paths: Set<string>): string[] {
    const there = this.paths.filter((path) => paths.has(path));
    paths.clear();
    return there;
  }

  #setAside(strange: readonly string[]): string[] {
    const [known, young] = [new Map(this.#known), new Set(this.#young)];
    const aside = strange.flatMap((path) => {
      const now = known.get(path);
      if (now?.before && makeOwn(path, { now, before: now.before })) return [];
      young.delete(path);
      known.delete(path);
      const moved = setAsideRepository(path);
      if (now?.before) putBack(path, now.before.state);
      const back = now?.before && entryAt(path);
      if (back) known.set(path, back);
      return moved;
    });
    [this.#known, this.#young] = [known, young];
    for (const path of strange) {
      if (!isBareRepository(path)) this.#tree.forget(dirname(path));
      else for (const one of [path, ...treeRecords(path)]) this.#tree.forget(one);
    }
    return aside;
  }

  /** Puts links back that something took away: nothing can be mounted on them. Returns what is to be said of it. */
  #putLinksBack(): string[] {
    const lost = [...this.#lost].filter(([path]) => isGone(path));
    this.#lost.clear();
    this.#known = new Map([...this.#known, ...lost]);
    return lost.map(([path, { state }]) => {
      putBack(path, state);
      const isBack = kindOf(path) === "link";
      return `Something took away the link ${path}, by which git finds a repository: it is ${
        isBack ? "there again" : "gone"
      }.`;
    });
  }

  async #noteSockets(areOwn: boolean): Promise<void> {
    const directories = Array.from(this.#known, ([path, { leads = path }]) => leads);
    const paths = [...this.#tree.sockets, ...socketsBesideGit([...new Set(directories)])];
    await this.#sockets.note(paths, { areOwn });
  }

  /** The paths that the last search did not find. Searches that begin together are one. */
  #search(): Promise<readonly string[]> {
    if (this.#next) return this.#next;
    const search = this.#last.then(() => {
      this.#next = undefined;
      return this.#findFresh();
    });
    this.#last = search.catch(() => {});
    return this.#next = search;
  }

  async #findFresh(): Promise<readonly string[]> {
    const roots = [...this.#roots()];
    const found = new Set(await this.#findAll());
    const former = this.#known;
    const moved = new Map([...former].map(([path, entry]) => [entry.id, { path, entry }]));
    // No command makes one unknown: by more directories than are searched, or by one around it.
    for (const path of former.keys()) {
      if (!found.has(path) && roots.some((root) => contains(root, path)) && isThere(path)) {
        found.add(path);
      }
    }
    const places = this.#places();
    const isSettled = (path: string) =>
      ![this.#young, this.#unended, this.#unreviewed].some((paths) => paths.has(path));
    const known = new Map<string, KnownRepository>();
    const [young, settled] = [new Set<string>(), new Set<string>()];
    const fresh: string[] = [];
    for (const path of found) {
      const before = former.get(path);
      const now = this.#isKept(path) ? undefined : entryAt(path, before);
      if (now === undefined) continue;
      const same = [before && { path, entry: before }, moved.get(now.id)]
        .find((one) => one && isStill(now, { before: one.entry, places }));
      known.set(path, same ? now : { ...now, before });
      if (same && this.#young.has(same.path)) young.add(path);
      if (same && isSettled(same.path)) settled.add(now.leads ?? path);
      if (!same && this.#searched.some((root) => contains(root, path))) fresh.push(path);
    }
    for (const [path, entry] of former) {
      if (isSettled(path)) settled.add(entry.leads ?? path);
      if (entry.state.kind === "link" && isGone(path)) this.#lost.set(path, entry);
    }
    this.#known = known;
    this.#young = young;
    // Another one may stand where one was.
    this.#settled = settled.difference(new Set(fresh));
    this.#searched = roots;
    return fresh;
  }

  /** Whether it is a directory of ours that is still empty. */
  #isKept(path: string): boolean {
    return this.#isPlaceholder(path) && isEmpty(path);
  }

  /** What there is now; no command hides anything by making more directories than one search looks into. */
  async #findAll(): Promise<string[]> {
    const found = await this.#tree.search();
    const { unsearched } = this.#tree;
    const unknown = this.#unknown ??= unsearched;
    const pushedOut = unsearched.values().filter((path) => !unknown.has(path));
    const below = await this.#tree.searchBelow(pushedOut);
    this.#left = below.left;
    return [...found, ...below.found];
  }
}
