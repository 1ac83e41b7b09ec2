import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import iconv from "iconv-lite";
import { ToolError } from "../../src/core/errors.ts";
import {
  createChunkDecoder,
  decodeText,
  encodeText,
  isBinary,
} from "../../src/workspace/decode.ts";

const SAMPLES: readonly { what: string; bytes: Uint8Array; name: string; text: string }[] = [
  { what: "utf-8", bytes: Buffer.from("naïve\n"), name: "utf-8", text: "naïve\n" },
  { what: "utf-8 with mark", bytes: Buffer.from("\ufeffa"), name: "utf-8", text: "a" },
  {
    what: "utf-16le",
    bytes: Buffer.from("\ufeffa\né\n", "utf16le"),
    name: "utf-16le",
    text: "a\né\n",
  },
  {
    what: "utf-16be",
    bytes: Buffer.from("\ufeffa\nz", "utf16le").swap16(),
    name: "utf-16be",
    text: "a\nz",
  },
  {
    what: "a few Latin-1 letters",
    bytes: Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a]),
    name: "windows-1252",
    text: "café\n",
  },
  {
    what: "Shift_JIS",
    bytes: iconv.encode("これはテストです。日本語の文章\n", "shift_jis"),
    name: "shift_jis",
    text: "これはテストです。日本語の文章\n",
  },
];

for (const { what, bytes, name, text } of SAMPLES) {
  Deno.test(`decodeText() reads ${what}, and encodeText() gives the same bytes back`, async () => {
    const decoded = await decodeText(bytes);
    assert.equal(decoded.text, text);
    assert.equal(decoded.encoding.name, name);
    assert.deepEqual(Buffer.from(await encodeText(text, decoded.encoding)), Buffer.from(bytes));
  });
}

Deno.test("decodeText() loses nothing of bytes that are no text in any encoding", async () => {
  const bytes = Uint8Array.from({ length: 1024 }, (_, index) => (index * 37 + 1) % 255 + 1);
  const { text, encoding } = await decodeText(bytes);
  assert.deepEqual(Buffer.from(await encodeText(text, encoding)), Buffer.from(bytes));
});

Deno.test("encodeText() refuses a character that the encoding lacks, and names line and character", async () => {
  await assert.rejects(
    encodeText("a\nb→", { name: "windows-1252", bom: false }),
    (error) =>
      error instanceof ToolError && error.kind === "user" && /→.*line 2/.test(error.message),
  );
  await assert.rejects(encodeText("\ud800", { name: "utf-8", bom: false }), /U\+D800/);
});

Deno.test("encodeText() writes one byte order mark though the text brings another", async () => {
  const bytes = await encodeText("\ufeffa", { name: "utf-8", bom: true });
  assert.deepEqual(bytes, new Uint8Array([0xef, 0xbb, 0xbf, 0x61]));
});

Deno.test("isBinary() is a NUL in the first KB, unless a mark says UTF-16", () => {
  assert.equal(isBinary(new Uint8Array([65, 0])), true);
  assert.equal(isBinary(new Uint8Array([0xff, 0xfe, 65, 0])), false);
  const late = new Uint8Array(2000).fill(65);
  late[1500] = 0;
  assert.equal(isBinary(late), false);
  assert.equal(isBinary(new Uint8Array()), false);
});

Deno.test("pieceDecoder() joins characters split between pieces", async () => {
  for (const { bytes, text } of SAMPLES) {
    const decode = await createChunkDecoder(bytes);
    let got = "";
    for (const byte of bytes) got += decode(new Uint8Array([byte]), false);
    assert.equal(got + decode(new Uint8Array(), true), text);
  }
});
