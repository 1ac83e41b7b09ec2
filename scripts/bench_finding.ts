// deno-lint-ignore-file no-console
/**
 * Milliseconds from a letter to what it finds, in 5,000 and in 100,000 files: how long the list of files takes in the
 * background, what one more letter takes, and how long a key can have to wait meanwhile. Machines differ and are
 * shared, so a bare loop over the same paths is measured beside it. Run by `deno task bench:finding`.
 */
import { join } from "node:path";
import { FuzzyList } from "../src/lib/fuzzy_list.ts";
import { PathList } from "../src/workspace/path_list.ts";
import { makeLargeRepository } from "./large_tree.ts";
import { median } from "./median.ts";

const SIZES = [5_000, 100_000];
const WORDS = ["index", "uibutton", "srcappmod", "readme", "e", "tests/lib/parse", "zzz"];
const ITEMS = 50;

const FOLDERS = ["src", "app", "lib", "components", "tests", "internal", "packages", "modules"];
const NAMES = ["index", "button", "parser", "user_session", "readme", "config", "main_window"];
const ENDS = [".ts", ".test.ts", ".md", ".css", ".json"];

const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "ally-bench-" }));
try {
  for (const files of SIZES) {
    console.log(`${files.toLocaleString("en-US")} files`);
    await measureListing(files);
    await measureLetters(files);
  }
} finally {
  await Deno.remove(root, { recursive: true });
}

async function measureListing(files: number): Promise<void> {
  const cwd = join(root, String(files));
  await makeLargeRepository(cwd, files);
  const list = new PathList({ roots: { cwd, all: [cwd] } });
  const waits = watchWaits();
  const begin = performance.now();
  list.refresh();
  await list.listing;
  const listed = performance.now() - begin;
  await list.settled;
  print("  the list is there", listed);
  print("  and what git knows of it", performance.now() - begin);
  print("  a key waits at most", waits.longest());
  list.close();
}

async function measureLetters(files: number): Promise<void> {
  const paths = Array.from({ length: files }, (_, index) => pathOf(index));
  const list = new FuzzyList(paths);
  const times: number[] = [];
  const ratios: number[] = [];
  const waits = watchWaits();
  const begin = performance.now();
  await list.prepare();
  print("  ready for the first letter", performance.now() - begin);
  for (const word of WORDS) {
    for (let length = 1; length <= word.length; length++) {
      const bare = timeOf(() => paths.filter((path) => path.includes(word.slice(0, length))));
      const begin = performance.now();
      await list.find(word.slice(0, length), { limit: ITEMS });
      const time = performance.now() - begin;
      times.push(time);
      ratios.push(time / bare);
    }
  }
  const longest = waits.longest();
  print("  a letter, median", median(times));
  print("  a letter, longest", Math.max(...times));
  print("  a key waits at most", longest);
  console.log(
    `${"  a letter to a bare filter of the paths".padEnd(44)}${median(ratios).toFixed(1)} x`,
  );
}

function timeOf(run: () => void): number {
  const begin = performance.now();
  run();
  return performance.now() - begin;
}

/** Tells how long whatever came in had to wait. */
function watchWaits(): { longest(): number } {
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }, 1);
  return {
    longest() {
      clearInterval(timer);
      return longest;
    },
  };
}

/** A path as projects have them, always the same for a number. */
function pathOf(index: number): string {
  const depth = 2 + index % 4;
  const folders = Array.from(
    { length: depth },
    (_, level) =>
      `${FOLDERS[(index >> level) % FOLDERS.length]}${level === depth - 1 ? index % 97 : ""}`,
  );
  const name = `${NAMES[index % NAMES.length]}_${index.toString(36)}`;
  return `${folders.join("/")}/${name}${ENDS[index % ENDS.length]}`;
}

function print(what: string, ms: number): void {
  console.log(`${what.padEnd(44)}${ms.toFixed(1)} ms`);
}
