/**
 * Lists one directory: directories first, then files, each by name; a line an entry for the model, all
 * facts in the record.
 */
import {
  cutEnd,
  defineTool,
  type DirectoryEntry,
  formatBytes,
  type Input,
  nameMatcher,
  plural,
  quoteName,
  TimeSlice,
} from "../../src/api.ts";
import { definition } from "./definition.ts";

/** Entries shown at most. */
const LIMIT = 50;
/** Characters of a line of the preview. */
const PREVIEW_WIDTH = 200;

type LsInput = Input<typeof definition>;

/** One entry of the result. */
interface ListedEntry {
  readonly name: string;
  /** Absolute; for a link where it leads. */
  readonly path: string;
  readonly type: "file" | "directory" | "other";
  /** Bytes, null for a directory. */
  readonly size: number | null;
  /** Seconds since the epoch. */
  readonly modified: number;
  /** Octal, e.g. "644". */
  readonly permissions: string;
  /** With its dot; only files that have one. */
  readonly extension?: string;
}

/** Fields of a successful result. */
interface LsData extends Readonly<Record<string, unknown>> {
  readonly files: readonly ListedEntry[];
  readonly total_count: number;
  readonly shown_count: number;
  /** Absolute. */
  readonly directory_path: string;
  readonly truncated: boolean;
  readonly guidance?: string;
}

export default defineTool<LsInput, LsData>(definition, {
  describe: ({ file_path }) => file_path,

  async run({ file_path, ignore = [] }, { files, signal }) {
    const path = await files.resolve(file_path);
    const ignored = await ignoreMatcher(ignore);
    const entries: DirectoryEntry[] = [];
    const slice = new TimeSlice(signal);
    for (const entry of await files.list(path)) {
      if (slice.step()) await slice.pause();
      if (!ignored(entry.name)) entries.push(entry);
    }
    entries.sort(directoriesFirst);
    const shown = entries.slice(0, LIMIT).map(toListed);
    const truncated = entries.length > LIMIT;
    const guidance = truncated
      ? `Directory listing truncated: ${LIMIT} of ${entries.length} entries. ` +
        "List a subdirectory, ignore some names, or use glob."
      : undefined;
    const lines = shown.map(toLine);
    if (entries.length === 0) lines.push("[empty]");
    if (guidance !== undefined) lines.push(`[${guidance}]`);
    return {
      ok: true,
      data: {
        files: shown,
        total_count: entries.length,
        shown_count: shown.length,
        directory_path: path.absolute,
        truncated,
        ...(guidance === undefined ? {} : { guidance }),
      },
      text: [`${path.display}:`, ...lines].join("\n"),
    };
  },

  preview({ files, total_count }, lines) {
    const names = files.map((entry) => entry.type === "directory" ? `${entry.name}/` : entry.name);
    const summary = plural(total_count, "entry", "entries");
    const width = lines === Infinity ? Infinity : PREVIEW_WIDTH;
    return [summary, cutEnd(names.join("  "), width)].slice(0, lines);
  },
});

async function ignoreMatcher(globs: readonly string[]): Promise<(name: string) => boolean> {
  if (globs.length === 0) return () => false;
  return await nameMatcher(
    globs.map((glob) => glob.replace(/^\*\*\//, "").replace(/\/(\*\*)?$/, "")),
  );
}

function directoriesFirst(a: DirectoryEntry, b: DirectoryEntry): number {
  const rank = (entry: DirectoryEntry) => entry.kind === "directory" ? 0 : 1;
  return rank(a) - rank(b) || (a.name < b.name ? -1 : 1);
}

function toListed(entry: DirectoryEntry): ListedEntry {
  const { name, kind } = entry;
  const dot = name.lastIndexOf(".");
  return {
    name,
    path: entry.path.absolute,
    type: kind,
    size: kind === "directory" ? null : entry.size,
    modified: entry.modified / 1000,
    permissions: (entry.mode & 0o777).toString(8).padStart(3, "0"),
    ...(kind === "file" && dot > 0 ? { extension: name.slice(dot) } : {}),
  };
}

function toLine({ name, type, size }: ListedEntry): string {
  const shown = quoteName(name);
  if (type === "directory") return `${shown}/`;
  return type === "file" ? `${shown}  ${formatBytes(size ?? 0)}` : `${shown}  (not a regular file)`;
}
