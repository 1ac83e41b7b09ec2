/** In repositories of all kinds, what files held before a command is known exactly, wherever the contents are kept. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { objectOf } from "../../src/workspace/known_path.ts";
import { ObjectStore } from "../../src/workspace/objects.ts";
import { blobId, type Side } from "../../src/workspace/patch.ts";
import { Snapshots } from "../../src/workspace/snapshots.ts";
import { TreeWatch } from "../../src/workspace/tree_watch.ts";
import { randomNumbers, TEST_SEED } from "../support/random.ts";
import { differences, lookAt } from "../support/random_changes.ts";

/** So many that also those of a part of the directories are more than are read one by one. */
const FILES = 540;
const DIRECTORIES = [
  "",
  "d/",
  "d/e/",
  "d0/",
  "d.x/",
  "ü/",
  "ü/日本/",
  "a b/",
  `${"n".repeat(90)}/`,
];
const NAMES = [
  "f",
  "é",
  "û ",
  "日",
  "%",
  "-",
  '"',
  "longer than most names are, so that it is cut".repeat(2),
];

/** Makes a random repository below a directory, of which git tracks most. */
async function makeRandomRepository(root: string, random: (below: number) => number) {
  const pick = <T>(some: readonly T[]) => some[random(some.length)]!;
  for (const directory of [...DIRECTORIES, "ignored/", "inner/"]) {
    await Deno.mkdir(join(root, directory), { recursive: true });
  }
  const files: string[] = [];
  for (let at = 0; at < FILES; at++) {
    const path = join(root, `${pick(DIRECTORIES)}${pick(NAMES)}${at}`);
    const text = `${at}${pick(["\n", "\r\n", ""])}`.repeat(random(50));
    await Deno.writeTextFile(path, text, { mode: pick([0o644, 0o600, 0o755]) });
    files.push(path);
  }
  for (let at = 0; at < 20; at++) {
    await Deno.symlink(pick(["nowhere", ".", files[0]!]), `${pick(files)}.link${at}`);
    await Deno.link(pick(files), `${pick(files)}.other${at}`);
  }
  await Deno.writeTextFile(join(root, "ignored", "not-looked-at"), "1");
  await Deno.writeTextFile(join(root, ".gitignore"), "ignored/\n");
  await Deno.writeTextFile(join(root, "inner", "own"), "of the inner repository\n");
  const version = 2 + random(3);
  const attributes = pick(["", "", "* text=auto\n", "*1 eol=crlf\n", "* ident\n"]);
  if (attributes !== "") await Deno.writeTextFile(join(root, ".gitattributes"), attributes);
  const lines = [
    "mkfifo pipe",
    "(cd inner; git init -q; git add .; git -c user.name=t -c user.email=t@t commit -qm 1)",
    "sleep 0.02",
    `git init -q; git -c core.autocrlf=${pick(["false", "true", "input"])} add -A`,
    `git update-index --index-version ${version}`,
    ...version === 3 ? [`git update-index --skip-worktree "$1"`] : [],
    ...random(2) === 0 ? [`echo >intended; git add -N intended`] : [],
    ...random(2) === 0 ? [`git update-index --split-index`] : [],
    `echo changed >"$2"; chmod 700 "$3"; touch "$4"; rm -f "$5"; echo >untracked`,
  ];
  const args = ["-ec", lines.join("\n"), "bash", ...Array.from({ length: 5 }, () => pick(files))];
  const { success, stderr } = await new Deno.Command("bash", { args, cwd: root }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
}

function describe(side: Side | null, contents: ReadonlyMap<string, string>): string | undefined {
  if (side === null) return undefined;
  if (side.kind === "link") return `link ${side.target}`;
  const mode = (side.mode ?? 0).toString(8);
  if (side.kind === "directory") return `directory ${mode}`;
  const object = objectOf(side);
  return `file ${mode} ${object && contents.get(object)}`;
}

/** Has commands change and then remove nearly all, and compares what ally knows of it with what there was. */
async function checkRandomRepository(seed: number, by: "watch" | "scan"): Promise<void> {
  const place = await Deno.realPath(await Deno.makeTempDir({ prefix: "ally-test-" }));
  const root = join(place, "work");
  await Deno.mkdir(root);
  const next = randomNumbers(seed);
  const random = (below: number) => Math.floor(next() * below);
  await makeRandomRepository(root, random);
  // The whole repository, a part of it, or two parts.
  const parts = [[""], ["d", "ü"], ["d.x", "d", "ü/日本", "ü"]][random(3)]!;
  const roots = { all: parts.map((part) => join(root, part)) };
  const store = { directory: join(place, "snapshots"), path: Deno.env.get("PATH") ?? "", roots };
  const objects = new ObjectStore(store);
  const snapshots = new Snapshots({
    objects,
    roots,
    notice: (text) => assert.fail(text),
    readPatches: () => Promise.resolve([]),
    openWatch: (all) => by === "scan" ? undefined : TreeWatch.open(all),
  });
  try {
    const lookAtAll = () => new Map(roots.all.flatMap((one) => [...lookAt(one)]));
    for (const line of ["echo more >>", "chmod 755", "rm -rf"]) {
      assert.ok(await snapshots.begin(new AbortController().signal));
      const before = lookAtAll();
      const chosen = [...before.keys()].filter((path) =>
        !path.endsWith(".gitignore") && (line.startsWith("rm") || random(8) === 0)
      );
      const script = `for path; do [ -f "$path" ] && ${line} "$path"; done; true`;
      const args = ["-c", script, "bash", ...chosen];
      await new Deno.Command("bash", { args, stderr: "null" }).output();
      const after = lookAtAll();
      const seen = await snapshots.end({ confined: true, words: "" });
      await using reader = objects.reader();
      const contents = new Map<string, string>();
      for (const { before, after } of seen) {
        for (const id of [before, after].map((side) => side && objectOf(side))) {
          const bytes = id && await reader.read(id);
          if (id && bytes) contents.set(id, blobId(new Uint8Array(bytes)));
        }
      }
      const told = seen.map(({ path, before, after }) =>
        [path, describe(before, contents), describe(after, contents)] as const
      ).toSorted(([a], [b]) => (a < b ? -1 : 1));
      assert.deepEqual(told, differences(before, after), `seed ${seed}, ${line}`);
    }
  } finally {
    snapshots.close();
    await Deno.remove(place, { recursive: true });
  }
}

for (const by of ["watch", "scan"] as const) {
  Deno.test(`what files of random repositories (${TEST_SEED}) held is known exactly by ${by}`, async () => {
    for (let round = 0; round < 5; round++) await checkRandomRepository(TEST_SEED * 10 + round, by);
  });
}
