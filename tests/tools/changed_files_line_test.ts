import assert from "node:assert/strict";
import { changedFilesLine } from "../../src/tools/record.ts";

const files = (names: string) => names.split("");

for (
  const [data, line] of [
    [{ files_changed: [] }, undefined],
    [{ files_changed: files("ab"), files_created: files("b") }, "changed a, created b"],
    [{ files_changed: files("abcdef") }, "changed a, b, c and 3 more"],
    [
      { files_changed: files("abcdef"), files_removed: files("abc"), files_created: files("def") },
      "removed a, b, c and 3 more (3 created)",
    ],
    [
      { files_changed: files("abcdef"), files_removed: files("ab"), files_created: files("cdef") },
      "removed a, b, created c and 3 more",
    ],
    [
      { files_changed: files("abcdef"), files_created: files("cd"), files_removed: files("e") },
      "changed a, b, created c and 3 more (1 created, 1 removed, 1 changed)",
    ],
    // Of those that are not listed nobody knows it.
    [{ files_changed: files("abcd"), files_changed_total: 900 }, "changed a, b, c and 897 more"],
  ] as const
) {
  Deno.test(`what a command changed is told as: ${line ?? "nothing"}`, () => {
    assert.deepEqual(changedFilesLine(data), line === undefined ? [] : [line]);
  });
}
