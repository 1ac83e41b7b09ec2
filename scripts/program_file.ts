/**
 * Files that are started as soon as they are written. The kernel starts no file that is open for writing ("Text file
 * busy"), and a child that another thread of this process starts meanwhile holds it open until it becomes another
 * program. It holds the lock on it as well: so whoever gets the lock knows that nobody writes any more.
 */

/** Bytes that are copied at once. */
const CHUNK = 1_048_576;

/** Writes a program that can be started at once, in place of what is there. @throws {Error} it cannot be written */
export async function writeProgram(
  path: string,
  content: string | AsyncIterable<Uint8Array>,
): Promise<void> {
  const file = await Deno.open(path, { write: true, create: true, truncate: true });
  try {
    await file.lock(true);
    if (typeof content === "string") await writeAll(file, new TextEncoder().encode(content));
    else for await (const bytes of content) await writeAll(file, bytes);
  } finally {
    file.close();
  }
  if (Deno.build.os !== "windows") await Deno.chmod(path, 0o755);
  using written = await Deno.open(path);
  await written.lock();
}

/** Copies a program, so that the copy can be started at once. @throws {Error} it cannot be read or written */
export async function copyProgram(from: string, to: string): Promise<void> {
  using source = await Deno.open(from);
  await writeProgram(to, readChunks(source));
}

async function* readChunks(file: Deno.FsFile): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(CHUNK);
  for (;;) {
    const length = await file.read(buffer);
    if (length === null) return;
    yield buffer.subarray(0, length);
  }
}

async function writeAll(file: Deno.FsFile, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
}
