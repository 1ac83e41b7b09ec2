import assert from "node:assert/strict";
import { Excerpt } from "../../src/lib/excerpt.ts";
import { assertLinear } from "../support/growth.ts";

Deno.test("Excerpt returns a text that fits as it was added", () => {
  const excerpt = new Excerpt(10);
  excerpt.add("abc");
  excerpt.add("defghij");
  assert.equal(excerpt.text("unused"), "abcdefghij");
  assert.equal(excerpt.isCut, false);
});

Deno.test("Excerpt keeps whole lines of head and tail and counts what it cut", () => {
  const excerpt = new Excerpt(1000);
  const lines = Array.from({ length: 1000 }, (_, i) => `line ${i}\n`);
  for (const line of lines) excerpt.add(line);
  const text = excerpt.text("the rest is elsewhere");
  const total = lines.join("").length;
  assert.ok(text.length <= 1000);
  const [head, tail] = text.split(/\n\[\.\.\. .* \.\.\.\]\n/) as [string, string];
  assert.match(head, /^line 0\nline 1\n[^]*line \d+$/);
  assert.match(tail, /^line \d+\n[^]*line 999\n$/);
  const cut = total - head.length - tail.length;
  assert.ok(
    text.includes(`[... ${cut.toLocaleString("en-US")} characters cut here; the rest is elsewhere`),
  );
});

Deno.test("Excerpt never splits a surrogate pair", () => {
  for (const offset of ["", "x"]) {
    const excerpt = new Excerpt(501);
    excerpt.add(offset + "😀".repeat(5000));
    assert.ok(excerpt.text().isWellFormed());
  }
});

Deno.test("Excerpt stays small however much is added in whatever pieces", () => {
  const excerpt = new Excerpt(1000);
  for (let i = 0; i < 500_000; i++) excerpt.add("y\n");
  assert.equal(excerpt.total, 1_000_000);
  assert.ok(excerpt.text().length <= 1000);
  assert.ok(excerpt.text().endsWith("y\ny\n"));
});

Deno.test("Excerpt that may keep nothing holds nothing but the count", () => {
  const excerpt = new Excerpt(0);
  for (let i = 0; i < 100; i++) excerpt.add("x".repeat(100_000));
  assert.equal(excerpt.text(), "\n[... 10,000,000 characters cut here ...]\n");
});

Deno.test("Excerpt takes a long output without a line end in linear time", async () => {
  const chunk = "x".repeat(16_384);
  await assertLinear((chunks) => {
    const excerpt = new Excerpt(30_000);
    for (let n = 0; n < chunks; n++) excerpt.add(chunk);
    assert.ok(excerpt.text("unused").length <= 30_000);
  }, { size: 3_000 });
});
