/**
 * An error as `--debug` shows it. The maps beside the chunks name the lines of the sources; the chunks do not name
 * their maps, because Deno then reads and parses one at every start for each chunk that imports another on demand.
 */
import { SourceMap } from "node:module";

/** A place in a chunk, as Deno shows it: nothing of its path is encoded. */
const PLACE = /\b(file:[^\n]+?\.js):(\d+):(\d+)/g;

/** An error with its causes and stack, in lines of the sources where their maps can be read. */
export function inspectError(error: unknown): string {
  const maps = new Map<string, SourceMap | undefined>();
  return Deno.inspect(error).replaceAll(PLACE, (place, shown: string, line, column) => {
    const chunk = shown.replace(/[%#?]/g, encodeURIComponent);
    if (!maps.has(chunk)) maps.set(chunk, readMap(chunk));
    const origin = maps.get(chunk)?.findOrigin(Number(line), Number(column));
    if (!origin || !("fileName" in origin)) return place;
    return `${new URL(origin.fileName, chunk)}:${origin.lineNumber}:${origin.columnNumber}`;
  });
}

function readMap(chunk: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(Deno.readTextFileSync(new URL(`${chunk}.map`))));
  } catch {
    return undefined;
  }
}
