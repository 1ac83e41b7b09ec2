/**
 * Reads what is piped into ally. A pipe is read to its end however long that takes. A socket counts as empty if nothing
 * comes for a while: programs give one to their children without ever writing to it.
 */
import type { InputStream } from "../../app/io.ts";
import { readChunks } from "../../app/standard_streams.ts";
import { UsageError } from "../../core/errors.ts";
import { formatBytes } from "../../lib/text.ts";

/** Bytes; more than any model could read. */
const MAX_BYTES = 10_000_000;
/** Milliseconds after which a silent input is mentioned, or given up if it is a socket. */
const SILENCE_MS = 3000;

/** How input is waited for. */
interface InputOptions {
  /** Whether the run has a prompt without the input. */
  readonly optional: boolean;
  /** Tells the person that input is awaited. */
  readonly onWait: (text: string) => void;
}

/**
 * The piped text.
 * @throws {UsageError} the input is too large or no text
 */
export async function readStandardInput(
  stdin: InputStream,
  options: InputOptions,
): Promise<string> {
  const kind = stdin.kind();
  if (kind === "none") return "";
  const giveUp = kind === "socket" && options.optional;
  const chunks: Uint8Array[] = [];
  let size = 0;
  const input = readChunks(stdin);
  for (;;) {
    const part = await readOrGiveUp(input.next(), {
      giveUp: giveUp && size === 0,
      onWait: size === 0 ? options.onWait : () => {},
    });
    if (part === undefined || part.done) break;
    chunks.push(part.value);
    size += part.value.length;
    if (size > MAX_BYTES) {
      throw new UsageError(
        `Standard input is larger than ${
          formatBytes(MAX_BYTES)
        }. Save it to a file and name that in the prompt.`,
      );
    }
  }
  return decode(chunks);
}

async function readOrGiveUp<T>(
  read: Promise<T>,
  options: { giveUp: boolean; onWait: (text: string) => void },
): Promise<T | undefined> {
  const timer = Promise.withResolvers<undefined>();
  const id = setTimeout(() => {
    if (options.giveUp) {
      options.onWait("No standard input has come; going on without it.");
      timer.resolve(undefined);
    } else {
      options.onWait("Waiting for standard input to end; use </dev/null if there is none.");
    }
  }, SILENCE_MS);
  try {
    return await Promise.race([read, timer.promise]);
  } finally {
    clearTimeout(id);
  }
}

function decode(chunks: readonly Uint8Array[]): string {
  const decoder = new TextDecoder();
  const text = chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join("") +
    decoder.decode();
  if (text.includes("\0")) {
    throw new UsageError(
      "Standard input is not text. Save it to a file and name that in the prompt.",
    );
  }
  return text.trim();
}
