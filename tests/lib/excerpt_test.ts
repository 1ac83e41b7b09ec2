import assert from "node:assert/strict";
import { boundWords, cutAfter, cutBefore, Excerpt, rangeAround } from "../../src/lib/excerpt.ts";
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

/** A text with `|` where it is to be cut, and with `<` and `>` where it is cut instead, backwards and onwards. */
const CUTS = [
  "one <|>two",
  "one two<|> three",
  "one <t|wo> three",
  "a, <ghp_ab|cd=/x.y> b",
  `{"<to|ken>":"abc"}`,
  "<https://user:pass|word@host/path> x",
  `{"x":1,"<dbPassword":"Tr0|ub4 dor">}`,
  `{"x":1,"<dbPassword": |"Tr0ub4dor"> }`,
  `{"x":1,"<dbPassword": "|Tr0ub4dor"> }`,
  "curl -H '<Authorization: Bearer |abcdef>'",
  "curl -H '<Authorization: Bearer abc|def>'",
  "the <token key: |abc> d",
  `{\\"x\\":1,\\"<dbPassword\\":\\"Tr|0"> }`,
  "password: abc<|>\nnext",
  "----------<|>----------",
  "über <|>alles",
  "日本<|>語",
];

Deno.test("a text is cut beside a run of characters, and not between a name and its value", () => {
  for (const marked of CUTS) {
    const at = marked.replace(/[<>]/g, "").indexOf("|");
    const text = marked.replace(/[<>|]/g, "");
    const [before, after] = [cutBefore(text, at), cutAfter(text, at)];
    const found = marked.includes("<|>")
      ? `${text.slice(0, before)}<|>${text.slice(after)}`
      : `${text.slice(0, before)}<${text.slice(before, at)}|${text.slice(at, after)}>${
        text.slice(after)
      }`;
    assert.equal(found, marked);
  }
});

Deno.test("what stands around a position is shown with all that it is a part of, unless that is too long", () => {
  const text = `${"so ".repeat(100)}${"w0rd/".repeat(300)} ${"la ".repeat(100)}`;
  const shownOf = (position: number, from: number) => {
    const range = rangeAround(text, { position, from, to: from + 100 });
    return range && text.slice(range.start, range.end);
  };
  assert.match(shownOf(150, 100)!, /^(?: so)+$/);
  assert.equal(shownOf(1000, 950), "w0rd/".repeat(300));
  const long = `${"so ".repeat(100)}${"w0rd/".repeat(3000)}`;
  assert.equal(rangeAround(long, { position: 5000, from: 4900, to: 5100 }), undefined);
});

Deno.test("a cut is found in linear time, whatever the text is made of", async () => {
  for (const piece of ["key ", "password: ", `key="`, "a/", "token=token", `\\"`, "'"]) {
    await assertLinear((count) => {
      const text = piece.repeat(count);
      cutBefore(text, text.length);
      cutAfter(text, 1);
    }, { size: 20_000 });
  }
});

Deno.test("of a long word in a message the parts that are shown are whole ones", () => {
  const token = "ghp_0aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3hJ5";
  for (let lead = 60; lead < 260; lead += 7) {
    const url = `https://h/?${"x=1&".repeat(lead / 4)}t=${token}&${"y=2&".repeat(60 - lead / 8)}`;
    const found = boundWords(`Cannot read ${url}: no`);
    assert.ok(found.includes(token) || !found.includes(token.slice(-9)), found);
  }
  assert.match(
    boundWords(`No ${"/some/where".repeat(60)}`),
    /^No (?:\/some\/where)+\/?(?:some\/)?….*where$/,
  );
});
