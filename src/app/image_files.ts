/**
 * Images that the command line names: they go with the first words of the run.
 */
import { ToolError, UsageError } from "../core/errors.ts";
import { basename } from "node:path";
import { describeImage } from "../lib/file_type.ts";
import { reasonOf } from "../lib/fs.ts";
import type { App } from "./app.ts";

/** Bytes of a file that are read; one that has more is refused for it. */
const MAX_BYTES = 30_000_000;

/** Has images go with the user's next words, and says so. @throws {UsageError} one cannot be used */
export async function attachImageFiles(
  paths: readonly string[],
  { prompts, emit }: Pick<App, "prompts" | "emit">,
): Promise<void> {
  for (const path of paths) {
    const name = basename(path);
    try {
      const image = await prompts.attachImage({ bytes: await readBytes(path), name });
      const text = `attached ${name} (${describeImage(image)})`;
      emit({ type: "notice", level: "info", text });
    } catch (cause) {
      const advice = cause instanceof ToolError ? ` ${cause.suggestion ?? ""}` : "";
      const problem = cause instanceof ToolError
        ? cause.message
        : `Cannot read the image ${path}: ${reasonOf(cause)}.`;
      throw new UsageError(`${problem}${advice}`.trimEnd(), { cause });
    }
  }
}

async function readBytes(path: string): Promise<Uint8Array<ArrayBuffer>> {
  const { isFile, size } = await Deno.stat(path);
  if (!isFile) throw new Error("it is no file");
  if (size > MAX_BYTES) throw new Error("it is too large");
  return await Deno.readFile(path);
}
