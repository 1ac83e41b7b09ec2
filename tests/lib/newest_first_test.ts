import assert from "node:assert/strict";
import { sortNewestFirst } from "../../src/lib/newest_first.ts";

Deno.test("the newest file comes first, files of one time by their names, what is gone last", async () => {
  const times: Readonly<Record<string, number>> = { "/w/b": 5, "/w/a": 5, "/w/new": 9 };
  const found = ["b", "gone", "a", "new"].map((path) => ({ path }));
  const sorted = await sortNewestFirst(found, {
    root: { absolute: "/w", display: "." },
    info: ({ absolute }) => {
      const modified = times[absolute];
      return Promise.resolve(modified === undefined ? undefined : { modified });
    },
  });
  assert.deepEqual(sorted.map(({ path }) => path), ["new", "a", "b", "gone"]);
});
