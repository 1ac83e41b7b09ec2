/**
 * Files whose contents a repository of the project has, packed: in a large tree these are nearly all there are, and an
 * object is made of one only when somebody asks for it.
 */
import type { EntryRange, PackedEntries } from "../lib/packed_entries.ts";
import { BorrowedPath, type KnownPath } from "./known_path.ts";
import type { ObjectIds } from "../lib/object_ids.ts";

/** Some of the entries of a scan. */
export class LentFiles {
  readonly #entries: PackedEntries;
  readonly #ids: ObjectIds;
  /** For each entry, where the name of its content is; -1 where no repository has that. */
  readonly #places: Int32Array;

  constructor(entries: PackedEntries, ids: ObjectIds) {
    this.#entries = entries;
    this.#ids = ids;
    this.#places = new Int32Array(entries.length).fill(-1);
  }

  /** Notes that the content of an entry is there, under the name at a place. */
  add(entry: number, place: number): void {
    this.#places[entry] = place;
  }

  /** Those in a range, by name. */
  *pathsIn(range: EntryRange): Generator<[string, KnownPath]> {
    const names = this.#entries.namesOf(range);
    for (const [index, name] of names.entries()) {
      const at = range.start + index;
      const place = this.#places[at]!;
      if (place < 0) continue;
      yield [name, new BorrowedPath(this.#entries.signatureAt(at), { ids: this.#ids, place })];
    }
  }
}
