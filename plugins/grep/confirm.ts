/**
 * Reads again, as the tool itself opens files, what ripgrep found. It goes by names, so a directory that became a link
 * while it searched could have led it elsewhere: only lines that the file holds are shown.
 */
import type { Files, ResolvedPath, ToolContext } from "../../src/api.ts";
import { cutAround, type FileHits, type HitLine } from "./hits.ts";
import { decodeFile, MAX_SIZE } from "./scan.ts";

/** Bytes of each file that are read at once: all of most. */
const HEAD_SIZE = 1_000_000;
/** Bytes before and behind what is shown of a file that may begin or end a secret of it: a private key has fewer. */
const AROUND = 20_000;
/** Bytes of the mark before a text in UTF-8, which offsets do not count. */
const MARK_LENGTH = 3;

/** Bytes of a file. */
interface ByteRange {
  readonly start: number;
  readonly length: number;
}

/** The hits without lines that their files do not hold. */
export async function confirmHits(
  hits: readonly FileHits[],
  { context: { files, learnSecrets }, fileAt }: {
    context: Pick<ToolContext, "files" | "learnSecrets">;
    fileAt: (path: string) => ResolvedPath;
  },
): Promise<FileHits[]> {
  const confirmed: FileHits[] = [];
  // One after the other, so that only one file is held.
  for (const { path, lines } of hits) {
    const file = new FoundFile(fileAt(path), files);
    const held: HitLine[] = [];
    for (const line of lines) if (await file.holds(line)) held.push(line);
    learnSecrets(await file.textAround(held));
    confirmed.push({ path, lines: held });
  }
  return confirmed;
}

/** One file in which ripgrep found lines. */
class FoundFile {
  readonly #path: ResolvedPath;
  readonly #files: Files;
  #head: Promise<Uint8Array> | undefined;
  #lines: Promise<readonly string[]> | undefined;

  constructor(path: ResolvedPath, files: Files) {
    this.#path = path;
    this.#files = files;
  }

  /** Whether a line is where it was found. In another encoding than UTF-8 only its number says where that is. */
  async holds(hit: HitLine): Promise<boolean> {
    const { source, line, content } = hit;
    // Nothing is shown of it.
    if (content === "") return true;
    for (const mark of source === undefined ? [] : [0, MARK_LENGTH]) {
      const bytes = await this.#bytesAt({ start: source!.start + mark, length: source!.length });
      if (isShownAs(new TextDecoder().decode(bytes), hit)) return true;
    }
    return isShownAs((await this.#allLines())[line - 1] ?? "", hit);
  }

  /** What surrounds lines at the beginning of the file, with them. */
  async textAround(lines: readonly HitLine[]): Promise<string> {
    const head = await (this.#head ??= this.#read({ start: 0, length: HEAD_SIZE }));
    const places = lines.map(({ source }) => source ?? { start: 0, length: head.length });
    const start = Math.min(...places.map((one) => one.start)) - AROUND;
    const end = Math.max(...places.map((one) => one.start + one.length)) + AROUND;
    return new TextDecoder().decode(head.subarray(Math.max(0, start), end));
  }

  async #bytesAt({ start, length }: ByteRange): Promise<Uint8Array> {
    const head = await (this.#head ??= this.#read({ start: 0, length: HEAD_SIZE }));
    const end = start + length;
    return end <= head.length || head.length < HEAD_SIZE
      ? head.subarray(start, end)
      : await this.#read({ start, length });
  }

  #allLines(): Promise<readonly string[]> {
    return this.#lines ??= this.#read({ start: 0, length: MAX_SIZE })
      .then((bytes) => decodeFile(bytes)?.split("\n") ?? []);
  }

  async #read(range: ByteRange): Promise<Uint8Array> {
    return await this.#files.bytes(this.#path, range).catch(() => new Uint8Array());
  }
}

/** Whether a line is what is shown of it. */
function isShownAs(text: string, { content, column = 0 }: HitLine): boolean {
  const line = text.replace(/\r?\n$/, "").replace(/\r$/, "");
  return cutAround(line, Math.max(0, column - 1)) === content;
}
