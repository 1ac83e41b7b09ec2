import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { hashShortText } from "../../src/lib/text_hash.ts";

Deno.test("hashShortText() gives what Node's SHA-256 gives", () => {
  for (
    const text of ["", "abc", "/home/jö/プロジェクト", "a".repeat(55), "a".repeat(56), "\ud800"]
  ) {
    assert.equal(hashShortText(text), createHash("sha256").update(text).digest("hex"));
  }
});
