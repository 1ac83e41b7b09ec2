/**
 * A log of a run's events, a line of JSON each, for people who look for the cause of something. Only for the
 * user's eyes; whoever writes to it masks the secrets first. Opened by `cli/debugging.ts`.
 */
import { dirname } from "node:path";
import { messageOf } from "../lib/text.ts";

/** A file that grows. */
export interface EventLog {
  readonly path: string;
  /** Adds a line; a problem is told once, and then nothing more is written. */
  write(line: string): void;
  close(): void;
}

/** Makes the log; the file is made with its first line. */
export function openEventLog(path: string, onProblem: (text: string) => void): EventLog {
  let file: Deno.FsFile | undefined;
  let failed = false;
  const encoder = new TextEncoder();
  return {
    path,
    write(line) {
      if (failed) return;
      try {
        if (file === undefined) {
          Deno.mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
          file = Deno.openSync(path, { append: true, create: true, mode: 0o600 });
        }
        for (let bytes = encoder.encode(`${line}\n`); bytes.length > 0;) {
          bytes = bytes.subarray(file.writeSync(bytes));
        }
      } catch (error) {
        failed = true;
        onProblem(`The log ${path} cannot be written: ${messageOf(error)}`);
      }
    },
    close() {
      file?.close();
      file = undefined;
      failed = true;
    },
  };
}
