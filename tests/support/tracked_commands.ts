/** Lets random commands change a tree, and compares what ally saw with what they did. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { objectOf } from "../../src/workspace/known_path.ts";
import { ObjectStore } from "../../src/workspace/objects.ts";
import type { PatchChange, Side } from "../../src/workspace/patch.ts";
import { Snapshots } from "../../src/workspace/snapshots.ts";
import { TreeWatch } from "../../src/workspace/tree_watch.ts";
import { randomNumbers } from "./random.ts";
import { changeSomething, differences, lookAt } from "./random_changes.ts";

interface RandomCommands {
  readonly seed: number;
  readonly commands: number;
  /** Whether they keep to the workspace. */
  readonly confined: boolean;
  /** How they are followed; "lossy" watches lose events now and then, and say so. */
  readonly by: "watch" | "lossy" | "scan";
}

/** Runs commands of one to four changes each; after each one ally must know just these, and have what was there before. */
export async function checkRandomCommands(
  { seed, commands, confined, by }: RandomCommands,
): Promise<void> {
  const place = await Deno.makeTempDir({ prefix: "ally-test-" });
  const [root, outside] = [join(place, "work"), join(place, "outside")];
  await Deno.mkdir(join(root, "ignored"), { recursive: true });
  await Deno.mkdir(outside);
  await Deno.writeTextFile(join(place, ".ignore"), "ignored/\n");
  const next = randomNumbers(seed);
  const random = (below: number) => Math.floor(next() * below);
  for (let at = 0; at < 12; at++) changeSomething({ root, outside, random }, { confined: true });
  const roots = { all: [root] };
  const options = { directory: join(place, "snapshots"), path: Deno.env.get("PATH") ?? "", roots };
  const objects = new ObjectStore(options);
  let watch: TreeWatch | undefined;
  const snapshots = new Snapshots({
    objects,
    roots,
    notice: (text) => assert.fail(text),
    readPatches: () => Promise.resolve([]),
    openWatch: (all) => watch = by === "scan" ? undefined : TreeWatch.open(all),
  });
  const { signal } = new AbortController();
  try {
    const kept = new Set<string>();
    for (let command = 0; command < commands; command++) {
      // What somebody else does between two commands is not theirs.
      if (random(4) === 0) changeSomething({ root, outside, random }, { confined: true });
      assert.ok(await snapshots.begin(signal));
      const before = lookAt(root);
      for (let left = random(4); left >= 0; left--) {
        changeSomething({ root, outside, random }, { confined });
      }
      const after = lookAt(root);
      if (by === "lossy" && random(2) === 0) watch?.invalidate();
      const seen = await snapshots.end({ confined, words: "" });
      const told = seen.map((change) => describe(change)).toSorted(([a], [b]) => (a < b ? -1 : 1));
      assert.deepEqual(told, differences(before, after), `seed ${seed}, command ${command}`);
      for (const change of seen) kept.add((change.before && objectOf(change.before)) ?? "");
    }
    kept.delete("");
    await using reader = objects.reader();
    for (const id of kept) assert.ok(await reader.read(id), `the content ${id} is there`);
  } finally {
    snapshots.close();
    await Deno.remove(place, { recursive: true });
  }
}

function describe(
  { path, before, after }: PatchChange,
): [path: string, before: string | undefined, after: string | undefined] {
  return [path, describeSide(before), describeSide(after)];
}

function describeSide(side: Side | null): string | undefined {
  if (side === null) return undefined;
  if (side.kind === "link") return `link ${side.target}`;
  const mode = (side.mode ?? 0).toString(8);
  return side.kind === "directory" ? `directory ${mode}` : `file ${mode} ${side.object}`;
}
