/**
 * A log of a run's events, a line of JSON each, for people who look for the cause of something. It is readable by
 * its owner alone; what is written to it has had its secrets masked.
 */
import { PrivateFile, reasonOf } from "../lib/fs.ts";

/** A file that grows. */
export interface EventLog {
  readonly path: string;
  /** Adds a line. The first failure is reported, and nothing is written after it. */
  write(line: string): void;
  close(): void;
}

/** Makes the log; the file is made with its first line. */
export function openEventLog(path: string, onProblem: (text: string) => void): EventLog {
  let file: PrivateFile | undefined;
  let failed = false;
  return {
    path,
    write(line) {
      if (failed) return;
      try {
        file ??= PrivateFile.openEnd(path);
        file.appendLine(line);
      } catch (error) {
        failed = true;
        onProblem(`The log ${path} cannot be written: ${reasonOf(error)}`);
      }
    },
    close() {
      file?.close();
      file = undefined;
      failed = true;
    },
  };
}
