/**
 * Random changes to a tree, as commands make them, and a plain walk that says what is there: what ally says changed
 * is compared with what did.
 */
import * as fs from "node:fs";
import { basename, dirname, join } from "node:path";
import { blobId } from "../../src/workspace/patch.ts";

/** What lies at every path below a directory, ignored directories left out. */
export function lookAt(root: string): Map<string, string> {
  const found = new Map<string, string>();
  const visit = (directory: string) => {
    for (const { name } of Deno.readDirSync(directory)) {
      if (name === ".git" || name === "ignored") continue;
      const path = join(directory, name);
      const stats = fs.lstatSync(path);
      const mode = (stats.mode & 0o7777).toString(8);
      if (stats.isSymbolicLink()) found.set(path, `link ${fs.readlinkSync(path)}`);
      else if (stats.isFile()) found.set(path, `file ${mode} ${blobId(fs.readFileSync(path))}`);
      else if (stats.isDirectory()) {
        found.set(path, `directory ${mode}`);
        visit(path);
      }
    }
  };
  visit(root);
  return found;
}

/** The paths that differ between two looks, with what was there and what is. */
export function differences(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): [path: string, before: string | undefined, after: string | undefined][] {
  return [...new Set([...before.keys(), ...after.keys()])].toSorted()
    .filter((path) => before.get(path) !== after.get(path))
    .map((path) => [path, before.get(path), after.get(path)]);
}

interface Place {
  /** The workspace; it has a directory `ignored`. */
  readonly root: string;
  /** A directory outside of it, on the same disk. */
  readonly outside: string;
  /** A whole number below another one. */
  readonly random: (below: number) => number;
}

/** Makes one change; a `confined` one gives no file a name outside of the workspace. */
export function changeSomething(place: Place, { confined }: { confined: boolean }): void {
  const changes = confined ? CONFINED : [...CONFINED, ...UNCONFINED];
  changes[place.random(changes.length)]!(new Tree(place));
}

/** A tree with handles for picking something in it. */
class Tree {
  readonly root: string;
  readonly outside: string;
  readonly random: (below: number) => number;
  readonly #paths: readonly string[];

  constructor({ root, outside, random }: Place) {
    this.root = root;
    this.outside = outside;
    this.random = random;
    this.#paths = [...lookAt(root).keys()];
  }

  /** A file that is there. */
  get file(): string {
    const files = this.#paths.filter((path) => fs.lstatSync(path).isFile());
    if (files.length > 0) return files[this.random(files.length)]!;
    const made = join(this.root, this.#name());
    fs.writeFileSync(made, this.text);
    return made;
  }

  /** A directory that is there, not the root. */
  get directory(): string {
    const directories = this.#paths.filter((path) => fs.lstatSync(path).isDirectory());
    if (directories.length > 0) return directories[this.random(directories.length)]!;
    const made = join(this.root, this.#name());
    fs.mkdirSync(made);
    return made;
  }

  /** A place where nothing is, in the root or below. */
  get free(): string {
    const parent = this.random(3) === 0 ? this.root : this.directory;
    return join(parent, this.#name());
  }

  get freeOutside(): string {
    return join(this.outside, this.#name());
  }

  get freeIgnored(): string {
    return join(this.root, "ignored", this.#name());
  }

  get text(): string {
    return `${this.random(10)}`.repeat(1 + this.random(4));
  }

  #name(): string {
    return `${"abcdefgh"[this.random(8)]}${this.random(1_000_000)}`;
  }
}

type RandomChange = (tree: Tree) => void;

const CONFINED: readonly RandomChange[] = [
  (tree) => fs.writeFileSync(tree.free, tree.text),
  (tree) => fs.writeFileSync(tree.file, tree.text),
  (tree) => fs.appendFileSync(tree.file, tree.text),
  (tree) => fs.truncateSync(tree.file, tree.random(2)),
  (tree) => fs.rmSync(tree.file),
  (tree) => fs.rmSync(tree.directory, { recursive: true }),
  (tree) => fs.mkdirSync(join(tree.free, "deep", "er"), { recursive: true }),
  (tree) => fs.chmodSync(tree.file, [0o600, 0o644, 0o755, 0o4755][tree.random(4)]!),
  (tree) => fs.chmodSync(tree.directory, [0o700, 0o755, 0o2755][tree.random(3)]!),
  (tree) => fs.symlinkSync(["nowhere", "..", "a"][tree.random(3)]!, tree.free),
  (tree) => fs.linkSync(tree.file, tree.free),
  (tree) => fs.renameSync(tree.file, tree.free),
  renameOver,
  moveDirectory,
  // Out and in again, changed meanwhile.
  (tree) => {
    const directory = tree.directory;
    const away = tree.freeIgnored;
    fs.renameSync(directory, away);
    fs.writeFileSync(join(away, `meanwhile${tree.random(1_000_000)}`), tree.text);
    if (tree.random(2) === 0) fs.renameSync(away, directory);
  },
  // A tree made elsewhere comes in.
  (tree) => {
    const made = tree.freeIgnored;
    fs.mkdirSync(join(made, "in", "ner"), { recursive: true });
    fs.writeFileSync(join(made, "in", "ner", "file"), tree.text);
    fs.renameSync(made, tree.free);
  },
  // Changed, and changed back.
  (tree) => {
    const file = tree.file;
    const bytes = fs.readFileSync(file);
    fs.writeFileSync(file, "other");
    fs.writeFileSync(file, bytes);
  },
  // Another content of the same size, at the same time.
  (tree) => {
    const file = tree.file;
    const stats = fs.statSync(file);
    fs.writeFileSync(file, tree.text[0]!.repeat(stats.size));
    fs.utimesSync(file, stats.atime, stats.mtime);
  },
  // A file becomes a directory, and a directory a file.
  (tree) => {
    const file = tree.file;
    fs.rmSync(file);
    fs.mkdirSync(file);
    fs.writeFileSync(join(file, "within"), tree.text);
  },
  (tree) => {
    const directory = tree.directory;
    fs.rmSync(directory, { recursive: true });
    fs.writeFileSync(directory, tree.text);
  },
  // Written through another name, where nobody looks.
  (tree) => {
    const name = tree.freeIgnored;
    fs.linkSync(tree.file, name);
    fs.appendFileSync(name, tree.text);
    if (tree.random(2) === 0) fs.rmSync(name);
  },
  (tree) => {
    const directory = tree.freeIgnored;
    fs.mkdirSync(directory);
    const name = join(directory, "name");
    fs.linkSync(tree.file, name);
    fs.writeFileSync(name, tree.text);
  },
  // The same in a directory that comes and goes.
  (tree) => {
    const directory = tree.free;
    fs.mkdirSync(directory);
    const name = join(directory, "name");
    fs.linkSync(tree.file, name);
    fs.appendFileSync(name, tree.text);
    fs.rmSync(directory, { recursive: true });
  },
  (tree) => {
    const name = tree.free;
    fs.linkSync(tree.file, name);
    fs.appendFileSync(name, tree.text);
    fs.rmSync(name);
    fs.writeFileSync(name, tree.text);
  },
  // A second name that is older writes.
  (tree) => {
    const ignored = join(tree.root, "ignored");
    for (const { name, isFile } of Deno.readDirSync(ignored)) {
      if (isFile) fs.appendFileSync(join(ignored, name), "x");
    }
  },
  swapDirectories,
];

const UNCONFINED: readonly RandomChange[] = [
  (tree) => {
    const name = tree.freeOutside;
    fs.linkSync(tree.file, name);
    fs.appendFileSync(name, tree.text);
  },
  (tree) => fs.renameSync(tree.directory, tree.freeOutside),
  (tree) => {
    const made = tree.freeOutside;
    fs.mkdirSync(made);
    fs.writeFileSync(join(made, "brought"), tree.text);
    fs.renameSync(made, tree.free);
  },
];

function renameOver(tree: Tree): void {
  const file = tree.file;
  const temporary = join(dirname(file), `.${basename(file)}.tmp`);
  fs.writeFileSync(temporary, tree.text);
  fs.renameSync(temporary, file);
}

function moveDirectory(tree: Tree): void {
  const directory = tree.directory;
  const to = tree.free;
  if (!to.startsWith(`${directory}/`)) fs.renameSync(directory, to);
}

/** Two directories change places, and a file of one is written afterwards. */
function swapDirectories(tree: Tree): void {
  const [a, b] = [join(tree.root, "one"), join(tree.root, "two")];
  for (const path of [a, b]) {
    if (fs.lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) {
      fs.rmSync(path, { force: true });
      fs.mkdirSync(path);
    }
    fs.rmSync(join(path, "inner"), { force: true, recursive: true });
    fs.writeFileSync(join(path, "inner"), tree.text);
  }
  const between = join(tree.root, "between");
  fs.rmSync(between, { force: true, recursive: true });
  fs.renameSync(a, between);
  fs.renameSync(b, a);
  fs.renameSync(between, b);
  fs.appendFileSync(join(a, "inner"), "swapped");
}
