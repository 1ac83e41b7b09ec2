/**
 * What a call of `read` is about: the lines wanted, and a file found worth reading. The vocabulary of
 * the tool's other files.
 */
import type { FileInfo, FileMark, FileType, ImagePart, ResolvedPath } from "../../src/api.ts";
import type { Estimate } from "./render.ts";

/** What is wanted of each file. */
export interface ReadRange {
  /** 1-based. */
  readonly offset: number;
  /** 0 for all lines. */
  readonly limit: number;
}

/** A file looked at, but not read. */
export interface Candidate {
  readonly path: ResolvedPath;
  readonly info: FileInfo;
  /** What is shown instead of lines, for an empty or binary file. */
  readonly notice?: string;
  readonly estimate: Estimate;
  /** Set if it is no text, but can be shown. */
  readonly type?: FileType;
}

/** One file as shown. */
export interface Section {
  readonly name: string;
  readonly text: string;
  readonly tokens: number;
  /** Set if the text is all of the file. */
  readonly mark?: FileMark;
  readonly image?: ImagePart;
}

/** Whether all of a file is wanted. */
export function isWholeFile(range: ReadRange): boolean {
  return range.limit === 0 && range.offset === 1;
}
