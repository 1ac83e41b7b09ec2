/**
 * Which session of a project was used last, by the order of use: each use adds a line to one file. The
 * times of files would tell a wrong order when a clock is set.
 */
import { dirname, join } from "node:path";
import { PrivateFile, readLastLines } from "../lib/fs.ts";

/** Bytes of the order that are looked at: those of about 2,000 uses. */
const TAIL_BYTES = 64 * 1024;

/** Notes that a session is written to from now on. Never throws: the order is a convenience. */
export function recordUse(directory: string, id: string): void {
  try {
    using file = PrivateFile.openEnd(pathIn(directory));
    file.appendLine(id);
  } catch {
    // Sessions are then sorted by the times of their files.
  }
}

/** How late each session was used, as a number that grows with each use. */
export async function readUseOrder(directory: string): Promise<ReadonlyMap<string, number>> {
  const order = new Map<string, number>();
  try {
    const ids = await readLastLines(pathIn(directory), { maxBytes: TAIL_BYTES });
    for (const [index, id] of ids.entries()) order.set(id, index);
  } catch {
    // No use has been recorded.
  }
  return order;
}

function pathIn(directory: string): string {
  return join(dirname(directory), "session_order");
}
