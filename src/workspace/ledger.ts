/**
 * What this session knows of each file: content and inode as last read or written. A file may be changed only
 * while both are still the same; modification times prove nothing.
 */
import type { Change, LineSpan, ResolvedPath } from "../core/files.ts";
import { findMovedLines } from "./moved_lines.ts";

/** A file's content and identity at one moment. */
export interface FileState {
  /** SHA-256 of the bytes, in hexadecimal. */
  readonly hash: string;
  readonly inode: number;
}

/** Why a file may not be changed, and what to do about it. */
export interface Staleness {
  readonly message: string;
  readonly suggestion: string;
}

/** Remembers the files read and written in a session. */
export class Ledger {
  readonly #states = new Map<string, FileState>();
  readonly #moved = new Map<string, LineSpan>();

  /** Notes that the model now knows this state of a file. */
  record(path: ResolvedPath, state: FileState): void {
    this.#states.set(path.absolute, state);
  }

  /** Notes that the model was shown the file's lines with their numbers. */
  recordNumbers(path: ResolvedPath): void {
    this.#moved.delete(path.absolute);
  }

  /** Notes what a change made by the model does to the numbers of lines. */
  recordMove(change: Change): void {
    const { absolute } = change.path;
    const moved = findMovedLines(change, this.#moved.get(absolute));
    if (moved === undefined) this.#moved.delete(absolute);
    else this.#moved.set(absolute, moved);
  }

  /** Lines that may have other numbers than the model was shown. */
  movedLines(path: ResolvedPath): LineSpan | undefined {
    return this.#moved.get(path.absolute);
  }

  /** Forgets a file, because it is gone. */
  forget(path: ResolvedPath): void {
    this.#states.delete(path.absolute);
    this.#moved.delete(path.absolute);
  }

  /** Why a file in this state may not be changed yet, or undefined if it may. */
  staleness(path: ResolvedPath, now: FileState): Staleness | undefined {
    const known = this.#states.get(path.absolute);
    const call = `read with file_paths [${JSON.stringify(path.display)}]`;
    if (known === undefined) {
      return {
        message: `Cannot change ${path.display}: it has not been read in this session.`,
        suggestion: `Call ${call} first, then make the change.`,
      };
    }
    if (known.hash === now.hash && known.inode === now.inode) return undefined;
    return {
      message: `Cannot change ${path.display}: it has changed on disk since it was last read.`,
      suggestion: `Call ${call} again, then base the change on what it holds now.`,
    };
  }
}
