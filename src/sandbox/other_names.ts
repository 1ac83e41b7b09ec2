/**
 * Other names of files that a rule denies: a hard link in the workspace is the same file, which no path of the rule tells.
 */
import type { SandboxPolicy } from "../core/sandbox.ts";
import { contains } from "../lib/contains.ts";
import { childPath, openLister } from "../lib/directory_listing.ts";
import { linkedFinder } from "./disk_view.ts";
import { identityOf } from "./inspect.ts";

/** Directories that are looked through. */
const MAX_DIRECTORIES = 50_000;

/** Knows the other names of what commands may not read, and of what they may not write. */
export class DeniedNames {
  readonly #hidden = new OtherNames();
  readonly #unwritable = new OtherNames();

  /** The same policy, for all the names that its paths have within the roots. */
  addTo(policy: SandboxPolicy, roots: readonly string[]): SandboxPolicy {
    const { hidden, unwritable } = policy;
    return {
      ...policy,
      ...(hidden && { hidden: [...hidden, ...this.#hidden.of(hidden, roots)] }),
      ...(unwritable && { unwritable: [...unwritable, ...this.#unwritable.of(unwritable, roots)] }),
    };
  }
}

/** Knows the other names within roots. They are looked for again where denied files change, or one of them is gone. */
class OtherNames {
  #key = "";
  #findLinked: () => ReadonlyMap<string, string> = () => new Map();
  #searched = "";
  #found: readonly string[] = [];

  /** Paths, outside of the denied ones, by which what lies at or below these is reached as well. */
  of(denied: readonly string[], roots: readonly string[]): readonly string[] {
    const key = JSON.stringify([denied, roots]);
    if (key !== this.#key) {
      this.#key = key;
      this.#findLinked = linkedFinder(denied);
      this.#searched = "";
    }
    const linked = this.#findLinked();
    const now = JSON.stringify([...linked]);
    const isThere = (path: string) => linked.has(identityOf(path) ?? "");
    if (now !== this.#searched || !this.#found.every(isThere)) {
      this.#found = linked.size === 0 ? [] : findNames(linked, { denied, roots });
      this.#searched = now;
    }
    return this.#found;
  }
}

function findNames(
  linked: ReadonlyMap<string, string>,
  { denied, roots }: { readonly denied: readonly string[]; readonly roots: readonly string[] },
): string[] {
  using lister = openLister();
  const found: string[] = [];
  const waiting = [...roots];
  for (let next = 0; next < waiting.length && next < MAX_DIRECTORIES; next++) {
    const directory = waiting[next]!;
    if (denied.some((path) => contains(path, directory))) continue;
    using listing = lister.open(directory);
    for (let at = 0; at < (listing?.length ?? 0); at++) {
      const { name, isDirectory } = listing!.entryAt(at);
      const path = childPath(directory, name);
      if (isDirectory) waiting.push(path);
      else if ((lister.signatureOf(path)?.names ?? 1) > 1 && linked.has(identityOf(path) ?? "")) {
        if (!denied.includes(path)) found.push(path);
      }
    }
  }
  return found;
}
