/**
 * File contents in a git repository of ally's own, beside the session: never the user's repository, and no
 * configuration, hook, filter or attribute of anyone's, because git only ever sees bytes through its standard
 * input.
 */
import { join } from "node:path";
import { exists, listNames, replaceFile } from "../lib/fs.ts";
import { findOwnProgram, type OwnProgramOptions, trustedPath } from "../lib/find_program.ts";
import { openInputs } from "../lib/process.ts";
import { spawnGroup } from "../lib/process_group.ts";
import { quoteWord } from "../lib/text.ts";
import { blobId } from "./patch.ts";
import type { Roots } from "./paths.ts";

/** Where objects are stored, and where git may be found. */
interface ObjectStoreOptions {
  /** The repository's directory; made (0700) when the first object is written. */
  readonly directory: string;
  /** Directories in which git is looked for, as in PATH. */
  readonly path: string;
  /** The workspace as it is now: a program in it is not trusted to be git. */
  readonly roots: Pick<Roots, "all">;
}

/** Takes contents; dispose of it when all are handed in. */
export interface ObjectWriter {
  /** Stores some bytes and returns their name. */
  put(bytes: Uint8Array<ArrayBuffer>): Promise<string>;
  /** Resolves when all are durable. @throws {Error} git failed: none of them counts as stored */
  close(): Promise<void>;
}

/** Gives contents back. */
export interface ObjectReader extends AsyncDisposable {
  /** The bytes of that name, or undefined if they are not there. */
  read(id: string): Promise<Uint8Array | undefined>;
}

/** The contents stored for a project. */
export class ObjectStore {
  readonly #options: ObjectStoreOptions;
  #git: Promise<string | undefined> | undefined;
  #stored = new Set<string>();
  /** Directories with objects of the project's own repositories. */
  #lenders: readonly string[] = [];
  /** Contents that are being stored. */
  readonly #pending = new Set<string>();

  constructor(options: ObjectStoreOptions) {
    this.#options = options;
  }

  get directory(): string {
    return this.#options.directory;
  }

  /** Whether git is there to be used. */
  async isAvailable(): Promise<boolean> {
    return await this.#find() !== undefined;
  }

  /** Notes contents that an earlier session stored, so that they are not written again. */
  remember(ids: Iterable<string>): void {
    for (const id of ids) this.#stored.add(id);
  }

  /**
   * Contents that files are thought to share with a repository of the project: for each one its size, NaN if it is
   * not there. They are not copied until `adopt` is called for them. Their names are given in lines.
   */
  async borrow(names: Uint8Array<ArrayBuffer>, lender: string): Promise<readonly number[]> {
    this.#lenders = [...new Set([...this.#lenders, lender])];
    await makeRepository(this.#options.directory);
    return await this.#ask("%(objectsize)", names, [lender]);
  }

  /**
   * Removes all contents but some, of which the first ones stay as far as they fit into a number of bytes; the names
   * of those that stay. For whoever has the store alone. @throws {Error} git failed, and nothing was removed
   */
  async compact(
    ids: Iterable<string>,
    { maxBytes }: { maxBytes: number },
  ): Promise<ReadonlySet<string>> {
    const wanted = [...new Set(ids)];
    const sizes = await this.#ask("%(objectsize:disk)", toLines(wanted), []);
    const kept = new Set<string>();
    let total = 0;
    for (const [at, id] of wanted.entries()) {
      const size = sizes[at] ?? NaN;
      if (Number.isNaN(size) || total + size > maxBytes) continue;
      kept.add(id);
      total += size;
    }
    const packs = join(this.#options.directory, "objects", "pack");
    await Deno.mkdir(packs, { recursive: true, mode: 0o700 });
    const name = kept.size === 0 ? "" : await this.#pack(kept, join(packs, "pack"));
    for (const path of listObjectFiles(this.#options.directory)) {
      if (name === "" || !path.includes(name)) await Deno.remove(path);
    }
    this.#stored = new Set(kept);
    return kept;
  }

  /** Packs some contents; the name of the pack. */
  async #pack(ids: ReadonlySet<string>, base: string): Promise<string> {
    const child = await this.#spawn(["pack-objects", "--quiet", "--window=0", base]);
    const { code, stdout } = await feed(child, toLines([...ids]));
    if (code !== 0) throw new Error(`git pack-objects failed with code ${code}`);
    return new TextDecoder().decode(stdout).trim();
  }

  /** The number that `git cat-file --batch-check` says of each name, NaN where it says something else. */
  async #ask(
    format: string,
    lines: Uint8Array<ArrayBuffer>,
    lenders: readonly string[],
  ): Promise<number[]> {
    const args = ["cat-file", "--buffer", `--batch-check=${format}`];
    if (Deno.build.os === "windows") {
      return readNumbers((await feed(await this.#spawn(args, { lenders }), lines)).stdout);
    }
    // Through pipes Deno moves a kilobyte whenever this process does nothing else, which is busy meanwhile.
    // What a process that was killed leaves here goes with the contents that are removed next.
    const scratch = join(this.#options.directory, "objects", "asked");
    await Deno.mkdir(scratch, { recursive: true, mode: 0o700 });
    const names = await Deno.makeTempFile({ dir: scratch });
    const numbers = `${names}-numbers`;
    try {
      await Deno.writeFile(names, lines);
      const redirections = `${openInputs({ 0: names })} >${quoteWord(numbers)}`;
      await (await this.#spawn(args, { lenders, redirections })).status;
      return readNumbers(await Deno.readFile(numbers));
    } finally {
      await Promise.allSettled([names, numbers].map((path) => Deno.remove(path)));
    }
  }

  /** Whether a content that is known is still the project's own alone. */
  isBorrowed(id: string): boolean {
    return !this.#stored.has(id) && !this.#pending.has(id);
  }

  /** Copies borrowed contents, before they may be gone; the names of those that are gone already. */
  async adopt(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const gone = new Set<string>();
    await using reader = this.#read(this.#lenders);
    const writer = this.writer();
    try {
      for (const id of ids) {
        const bytes = await reader.read(id);
        if (bytes === undefined || await writer.put(new Uint8Array(bytes)) !== id) gone.add(id);
      }
    } finally {
      await writer.close();
    }
    return gone;
  }

  /** Begins to write; git is started with the first content that is not stored yet. */
  writer(): ObjectWriter {
    const fresh = new Set<string>();
    let stream: Promise<FastImport> | undefined;
    return {
      put: async (bytes) => {
        const id = blobId(bytes);
        if (this.#stored.has(id) || fresh.has(id)) return id;
        fresh.add(id);
        this.#pending.add(id);
        await (await (stream ??= this.#import())).blob(bytes);
        return id;
      },
      close: async () => {
        try {
          await (await stream)?.end();
          for (const id of fresh) this.#stored.add(id);
        } finally {
          for (const id of fresh) this.#pending.delete(id);
        }
      },
    };
  }

  /** Begins to read; git is started with the first question. */
  reader(): ObjectReader {
    return this.#read([]);
  }

  #read(lenders: readonly string[]): ObjectReader {
    let batch: Promise<CatFile> | undefined;
    return {
      read: async (id) => await (await (batch ??= this.#batch(lenders))).read(id),
      [Symbol.asyncDispose]: async () => await (await batch?.catch(() => undefined))?.end(),
    };
  }

  #find(): Promise<string | undefined> {
    return this.#git ??= Promise.try(() => findOwnProgram("git", this.#programs))
      .catch(() => undefined);
  }

  get #programs(): OwnProgramOptions {
    return { path: this.#options.path, roots: this.#options.roots.all };
  }

  async #import(): Promise<FastImport> {
    await makeRepository(this.#options.directory);
    const config = ["core.compression=1", "core.fsync=objects", "core.fsyncMethod=batch"];
    const args = ["fast-import", "--quiet", "--force", "--depth=0"];
    return new FastImport(await this.#spawn([...config.flatMap((one) => ["-c", one]), ...args]));
  }

  async #batch(lenders: readonly string[]): Promise<CatFile> {
    return new CatFile(await this.#spawn(["cat-file", "--batch"], { lenders }));
  }

  /** Git that reads objects of lenders too; one that writes must not, or it would leave out what they have. */
  async #spawn(
    args: readonly string[],
    { lenders = [], redirections = "" }: {
      lenders?: readonly string[];
      redirections?: string;
    } = {},
  ): Promise<Deno.ChildProcess> {
    const git = await this.#find();
    if (git === undefined) throw new Error("git is not found outside of the workspace");
    const { directory } = this.#options;
    const safe = ["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"];
    return spawnGroup([git, ...safe, ...args], {
      // What ally wrote to it is still stored.
      endsByItself: true,
      redirections,
      cwd: directory,
      clearEnv: true,
      env: {
        PATH: trustedPath(this.#programs),
        HOME: directory,
        GIT_DIR: directory,
        GIT_NO_LAZY_FETCH: "1",
        ...lenders.length > 0 &&
          { GIT_ALTERNATE_OBJECT_DIRECTORIES: lenders.map(quoteDirectory).join(":") },
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_CONFIG_GLOBAL: "/dev/null",
        GIT_ATTR_NOSYSTEM: "1",
        GIT_TERMINAL_PROMPT: "0",
      },
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    });
  }
}

/** The files that hold objects, loose or packed, in a repository. */
export function listObjectFiles(repository: string): string[] {
  const objects = join(repository, "objects");
  return listNames(objects).flatMap((directory) =>
    listNames(join(objects, directory)).map((name) => join(objects, directory, name))
  );
}

/** Gives a program lines to read; how it ended, and what it wrote. */
async function feed(
  child: Deno.ChildProcess,
  lines: Uint8Array<ArrayBuffer>,
): Promise<{ code: number; stdout: Uint8Array }> {
  const writer = child.stdin.getWriter();
  const fed = writer.write(lines).then(() => writer.close());
  // Whatever ended it shows in its code.
  fed.catch(() => {});
  const { code, stdout } = await child.output();
  await fed.catch(() => {});
  return { code, stdout };
}

function toLines(ids: readonly string[]): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode([...ids, ""].join("\n"));
}

/** The number on each line, NaN where there is something else. */
function readNumbers(lines: Uint8Array): number[] {
  const numbers: number[] = [];
  let number = 0;
  for (let at = 0; at < lines.length; at++) {
    const byte = lines[at]!;
    if (byte === 10) {
      numbers.push(number);
      number = 0;
    } else number = byte >= 48 && byte <= 57 ? number * 10 + byte - 48 : NaN;
  }
  return numbers;
}

/** As git reads a list of directories: what has a colon or a quote in it is quoted. */
function quoteDirectory(path: string): string {
  return /[:"\\\n]/.test(path) ? JSON.stringify(path) : path;
}

/**
 * Makes a bare repository by writing its few fixed files: quicker than `git init`, and without templates. HEAD comes
 * last: only with it does git take the directory for a repository.
 */
async function makeRepository(directory: string): Promise<void> {
  const head = join(directory, "HEAD");
  if (exists(head)) return;
  await Deno.mkdir(join(directory, "objects"), { recursive: true, mode: 0o700 });
  await Deno.mkdir(join(directory, "refs"), { recursive: true, mode: 0o700 });
  const config = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n" +
    "\tsharedRepository = 0600\n[gc]\n\tauto = 0\n";
  const canonical = await Deno.realPath(directory);
  const write = (name: string, text: string) =>
    replaceFile(join(canonical, name), new TextEncoder().encode(text), { mode: 0o600 });
  await write("config", config);
  await write("HEAD", "ref: refs/heads/main\n");
}

/** Bytes that are collected for one write to git. */
const MAX_WAITING = 256 * 1024;
const LINE_END = new Uint8Array([10]);

/** `git fast-import`: many contents become one pack. */
class FastImport {
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>;
  readonly #encoder = new TextEncoder();
  #chunks: Uint8Array<ArrayBuffer>[] = [];
  /** Bytes of the contents in the chunks. */
  #waiting = 0;

  constructor(child: Deno.ChildProcess) {
    this.#child = child;
    this.#writer = child.stdin.getWriter();
  }

  async blob(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    this.#chunks.push(this.#encoder.encode(`blob\ndata ${bytes.length}\n`), bytes, LINE_END);
    this.#waiting += bytes.length;
    if (this.#waiting >= MAX_WAITING) await this.#flush();
  }

  /** One write for many small contents, which would otherwise take most of the time. */
  async #flush(): Promise<void> {
    const blob = new Blob(this.#chunks);
    this.#chunks = [];
    this.#waiting = 0;
    await this.#writer.write(new Uint8Array(await blob.arrayBuffer()));
  }

  async end(): Promise<void> {
    await this.#flush().catch(() => {});
    await this.#writer.close().catch(() => {});
    const { success, code } = await this.#child.output();
    if (!success) throw new Error(`git fast-import failed with code ${code}`);
  }
}

/** `git cat-file --batch`: one question, one answer. */
class CatFile {
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;
  #rest = new Uint8Array();

  constructor(child: Deno.ChildProcess) {
    this.#child = child;
    this.#writer = child.stdin.getWriter();
    this.#reader = child.stdout.getReader();
  }

  async read(id: string): Promise<Uint8Array | undefined> {
    await this.#writer.write(new TextEncoder().encode(`${id}\n`));
    let line = this.#rest.indexOf(10);
    for (; line < 0; line = this.#rest.indexOf(10)) await this.#fill(this.#rest.length + 1);
    const header = new TextDecoder().decode(this.#take(line + 1));
    const size = / blob (\d+)\n$/.exec(header)?.[1];
    if (size === undefined) return undefined;
    await this.#fill(Number(size) + 1);
    return this.#take(Number(size) + 1).subarray(0, Number(size));
  }

  async end(): Promise<void> {
    await this.#writer.close().catch(() => {});
    await this.#reader.cancel();
    await this.#child.status;
  }

  /** Reads until so many bytes are there. */
  async #fill(length: number): Promise<void> {
    const chunks = [this.#rest];
    let have = this.#rest.length;
    while (have < length) {
      const { value, done } = await this.#reader.read();
      if (done) throw new Error("git cat-file ended early");
      chunks.push(value);
      have += value.length;
    }
    if (chunks.length > 1) this.#rest = new Uint8Array(await new Blob(chunks).arrayBuffer());
  }

  #take(length: number): Uint8Array<ArrayBuffer> {
    const taken = this.#rest.slice(0, length);
    this.#rest = this.#rest.subarray(length);
    return taken;
  }
}
