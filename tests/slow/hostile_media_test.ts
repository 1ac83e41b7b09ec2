/**
 * Images and PDFs that somebody made to do harm: none is sent, none takes more time or memory than it may, and the run
 * goes on. They are attached with `@`, as a repository would have a person do it.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { crc32, deflateSync } from "node:zlib";
import {
  bytesOf,
  makePdf,
  makePng,
  TINY_GIF,
  TINY_JPEG,
  TINY_WEBP,
  uint32,
} from "../support/images.ts";
import { runAlly, stage } from "../support/program.ts";

/** A file, and how what is said of it begins. */
type Attempt = readonly [what: string, name: string, bytes: Uint8Array<ArrayBuffer>, said: RegExp];

const DAMAGED = /is not attached: .*(damaged|too much memory)/;
const zeros = (length: number) => new Uint8Array(length);

/** Megabytes of zeros in a few bytes, twice over: as many again for each of them. */
const BOMB = deflateSync(deflateSync(zeros(100_000_000)));

/** Where the header of the frame begins in the small JPEG, which has 19 bytes. */
const FRAME = TINY_JPEG.findIndex((byte, at) =>
  byte === 0xff && /c[012]/.test((TINY_JPEG[at + 1] ?? 0).toString(16))
);
const HUGE_JPEG = bytesOf(
  TINY_JPEG.slice(0, FRAME + 5),
  [0xff, 0xff, 0xff, 0xff],
  TINY_JPEG.slice(FRAME + 9),
);

const REFUSED: readonly Attempt[] = [
  [
    "a PNG of 2.5 gigapixels",
    "a.png",
    makePng({ width: 50_000, height: 50_000, rows: zeros(10) }),
    /2,500,000,000 pixels/,
  ],
  [
    "a PNG of the largest sides there are",
    "a.png",
    makePng({ width: 0x7fffffff, height: 0x7fffffff, rows: zeros(1) }),
    /pixels, and 50,000,000 is the most/,
  ],
  ["a PNG without pixels", "a.png", makePng({ width: 0, height: 9, rows: zeros(1) }), DAMAGED],
  [
    "a PNG whose data is a bomb",
    "a.png",
    makePng({ width: 1_000, height: 1_000, rows: BOMB }),
    DAMAGED,
  ],
  ["a PNG that ends early", "a.png", makePng({ width: 90, height: 90 }).slice(0, 300), DAMAGED],
  ["a PNG that is only a header", "a.png", bytesOf("\x89PNG\r\n\x1a\n"), DAMAGED],
  [
    "a GIF that promises gigapixels",
    "a.gif",
    bytesOf("GIF89a", [0xff, 0xff, 0xff, 0xff], TINY_GIF.slice(10)),
    /4,294,836,225 pixels/,
  ],
  [
    "a GIF whose frame is larger than itself",
    "a.gif",
    bytesOf(TINY_GIF.slice(0, 32), [0xff, 0xff, 0xff, 0xff], TINY_GIF.slice(36)),
    DAMAGED,
  ],
  [
    "a WebP that promises 16,383 pixels each way",
    "a.webp",
    bytesOf(TINY_WEBP.slice(0, 26), [0xff, 0x3f, 0xff, 0x3f], TINY_WEBP.slice(30)),
    /268,402,689 pixels/,
  ],
  ["a JPEG that promises gigapixels", "a.jpg", HUGE_JPEG, /4,294,836,225 pixels/],
  [
    "a JPEG that promises gigapixels in its second header",
    "a.jpg",
    bytesOf(TINY_JPEG.slice(0, FRAME + 19), HUGE_JPEG.slice(FRAME)),
    DAMAGED,
  ],
  [
    "a JPEG whose segments never end",
    "a.jpg",
    bytesOf([0xff, 0xd8, 0xff, 0xe0, 0, 2], zeros(5_000)),
    DAMAGED,
  ],
  ["a PDF that is damaged", "a.pdf", bytesOf("%PDF-1.7\n", zeros(400)), /PDF cannot be read/],
  [
    "a PDF whose page is a bomb",
    "a.pdf",
    makePdf({
      pages: ["x"],
      stream: () => ({ entries: "/Filter [/FlateDecode /FlateDecode]", data: BOMB }),
    }),
    /PDF, (text of 1 page|Page 1)|PDF cannot be read: it takes too|attached a\.pdf/,
  ],
  [
    "a PDF whose page is a bomb two hundred times",
    "a.pdf",
    repeatContent(makePdf({
      pages: ["x"],
      stream: () => ({ entries: "/Filter /FlateDecode", data: deflateSync(zeros(100_000_000)) }),
    })),
    /PDF cannot be read: it takes too (much memory|long)/,
  ],
];

/** A PDF whose page is drawn by the same content over and over. */
function repeatContent(pdf: Uint8Array): Uint8Array<ArrayBuffer> {
  const text = Array.from(pdf, (byte) => String.fromCharCode(byte)).join("");
  return bytesOf(text.replace("/Contents 5 0 R", `/Contents [${"5 0 R ".repeat(200)}]`));
}

Deno.test("no hostile image or PDF is sent, and each is told for what it is", async (t) => {
  for (const [what, name, bytes, said] of REFUSED) {
    await t.step(what, async () => {
      await using at = await stage([{ text: "Went on." }]);
      await Deno.writeFile(join(at.place.dir, name), bytes);
      const args = ["-p", `look at @${name}`];
      const { code, stdout, stderr } = await runAlly(at.place, { args });
      assert.equal(code, 0, stderr);
      assert.equal(stdout.trim(), "Went on.");
      assert.match(stderr, said);
      assert.ok(!JSON.stringify(at.server.requests[0]!.body).includes("base64"));
    });
  }
});

Deno.test("a file is what its bytes are, whatever its name and whatever follows", async (t) => {
  const script = "<script>fetch('http://127.0.0.1/')</script>";
  const rows: readonly (readonly [string, string, Uint8Array<ArrayBuffer>, string | undefined])[] =
    [
      ["a JPEG that is called a PNG", "a.png", TINY_JPEG, "data:image/jpeg"],
      ["a web page that is called a PNG", "b.png", bytesOf(script), undefined],
      ["a GIF that is a script too", "c.gif", bytesOf(TINY_GIF, script), "data:image/gif"],
      [
        "an SVG with a link",
        "d.svg",
        bytesOf(`<svg><image href="file:///etc/passwd"/></svg>`),
        undefined,
      ],
    ];
  for (const [what, name, bytes, type] of rows) {
    await t.step(what, async () => {
      await using at = await stage([{ text: "Seen." }]);
      await Deno.writeFile(join(at.place.dir, name), bytes);
      const { code, stderr } = await runAlly(at.place, { args: ["-p", `look at @${name}`] });
      assert.equal(code, 0, stderr);
      const sent = JSON.stringify(at.server.requests[0]!.body);
      assert.deepEqual([.../data:[a-z]+\/[a-z]+/.exec(sent) ?? [undefined]], [type]);
      assert.ok(!sent.includes("root:x:"));
    });
  }
});

Deno.test("a PDF that says it has endless pages is read as far as it has some", async () => {
  await using at = await stage([{ text: "Read." }]);
  const pages = ["only one"];
  await Deno.writeFile(
    join(at.place.dir, "a.pdf"),
    makePdf({ pages, count: 2_000_000_000 }),
  );
  const { code, stderr } = await runAlly(at.place, { args: ["-p", "look at @a.pdf:1-1"] });
  assert.equal(code, 0, stderr);
  const sent = JSON.stringify(at.server.requests[0]!.body);
  assert.ok(sent.includes("only one") || /PDF cannot be read/.test(sent), sent);
});

Deno.test("an image that is a link out of the workspace is not sent without a rule", async () => {
  await using at = await stage([{ text: "Seen." }]);
  await Deno.writeFile(join(at.place.dir, "..", "outside.png"), makePng({ width: 9, height: 9 }));
  await Deno.symlink("../outside.png", join(at.place.dir, "a.png"));
  const { stderr } = await runAlly(at.place, { args: ["-p", "look at @a.png"] });
  assert.match(stderr, /a\.png is not attached|outside\.png is not attached/);
  assert.ok(!JSON.stringify(at.server.requests[0]!.body).includes("base64"));
});

/** A small PNG with a chunk before its pixels. */
function withChunk(type: string, data: Uint8Array): Uint8Array<ArrayBuffer> {
  const png = makePng({ width: 9, height: 9 });
  const named = bytesOf(type, data);
  const chunk = bytesOf(uint32(data.length), named, uint32(crc32(named)));
  return bytesOf(png.slice(0, 33), chunk, png.slice(33));
}

/** Where the small GIF has its frame. */
const GIF_FRAME = 27;

Deno.test("what a file holds beside its pixels and its text ends no run, and no script of it is told", async (t) => {
  const frame = TINY_GIF.slice(GIF_FRAME, -1);
  const inflated = deflateSync(new Uint8Array(300_000_000));
  const rows: readonly (readonly [string, string, Uint8Array<ArrayBuffer>])[] = [
    ["a text that inflates", "a.png", withChunk("zTXt", bytesOf("x\0\0", inflated))],
    [
      "a text of many languages that inflates",
      "a.png",
      withChunk("iTXt", bytesOf("x\0\x01\0\0\0", inflated)),
    ],
    ["a profile of colours that inflates", "a.png", withChunk("iCCP", bytesOf("x\0\0", inflated))],
    [
      "a hundred thousand frames",
      "a.gif",
      bytesOf(TINY_GIF.slice(0, -1), ...Array.from({ length: 100_000 }, () => frame), ";"),
    ],
    [
      "a nest of lists",
      "a.pdf",
      makePdf({
        pages: ["x"],
        stream: () => ({ entries: `/X ${"[".repeat(500_000)}`, data: "" }),
      }),
    ],
    [
      "a script",
      "a.pdf",
      makePdf({
        pages: ["x"],
        stream: () => ({
          entries: "/AA << /O << /S /JavaScript /JS (app.alert\\(canary\\)) >> >>",
          data: "",
        }),
      }),
    ],
  ];
  for (const [what, name, bytes] of rows) {
    await t.step(what, async () => {
      await using at = await stage([{ text: "Went on." }]);
      await Deno.writeFile(join(at.place.dir, name), bytes);
      const { code, stdout, stderr } = await runAlly(at.place, {
        args: ["-p", `look at @${name}`],
      });
      assert.deepEqual([code, stdout.trim()], [0, "Went on."], stderr);
      assert.match(stderr, /a\.(png|gif|pdf)/);
      assert.ok(!at.server.requests[0]!.text.includes("canary"));
    });
  }
});
