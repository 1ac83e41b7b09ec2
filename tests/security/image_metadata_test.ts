/**
 * What image files and PDFs hold beside what is seen of them: where a camera stood, keys in comments, what was appended.
 * None of it leaves with them, whoever attaches them, and the picture stays as it is.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { crc32, deflateSync } from "node:zlib";
import { stripImage } from "../../src/media/strip_image.ts";
import {
  bytesOf,
  makePdf,
  makePng,
  TINY_GIF,
  TINY_JPEG,
  TINY_WEBP,
  uint32,
} from "../support/images.ts";
import { randomNumbers, TEST_SEED } from "../support/random.ts";
import { runAlly, stage } from "../support/program.ts";

type Bytes = Uint8Array<ArrayBuffer>;

const PLACE = "canaryplace 52.5163N 13.3777E";
const PNG = makePng({ width: 2, height: 2 });

function withChunk(type: string, data: Uint8Array): Bytes {
  const named = bytesOf(type, data);
  return bytesOf(PNG.slice(0, 33), uint32(data.length), named, uint32(crc32(named)), PNG.slice(33));
}

/** After the first marker. */
function withSegment(marker: number, text: string): Bytes {
  const size = text.length + 2;
  return bytesOf(
    TINY_JPEG.slice(0, 2),
    [0xff, marker, size >> 8, size & 0xff],
    text,
    TINY_JPEG.slice(2),
  );
}

const littleEndian = (value: number) => [...uint32(value)].reverse();

/** A WebP with an extended header, and chunks behind the picture. */
function withWebpChunk(type: string): Bytes {
  const text = PLACE.length % 2 === 0 ? PLACE : `${PLACE} `;
  const chunks = bytesOf(
    ["VP8X", littleEndian(10), [0x0c, 0, 0, 0, 0, 0, 0, 0, 0, 0]].map((part) => bytesOf(part))
      .reduce((all, part) => bytesOf(all, part)),
    TINY_WEBP.slice(12),
    type,
    littleEndian(text.length),
    text,
  );
  return bytesOf("RIFF", littleEndian(chunks.length + 4), "WEBP", chunks);
}

const gifText = bytesOf([0x21, 0xfe, PLACE.length], PLACE, [0]);
const gifProgram = bytesOf([0x21, 0xff, 11], "XMP DataXMP", [PLACE.length], PLACE, [0]);

/** A file, and the same one without what it hides. */
const IMAGES: Readonly<Record<string, readonly [name: string, bytes: Bytes, plain: Bytes]>> = {
  "a PNG with a text": ["a.png", withChunk("tEXt", bytesOf("Comment\0", PLACE)), PNG],
  "a PNG with a text of many languages": [
    "a.png",
    withChunk("iTXt", bytesOf("XML:com.adobe.xmp\0\0\0\0\0", PLACE)),
    PNG,
  ],
  "a PNG with a packed text": [
    "a.png",
    withChunk("zTXt", bytesOf("x\0\0", deflateSync(PLACE))),
    PNG,
  ],
  "a PNG with EXIF": ["a.png", withChunk("eXIf", bytesOf("MM\0*\0\0\0\x08\0\0", PLACE)), PNG],
  "a PNG with a chunk of a program's own": ["a.png", withChunk("prVt", bytesOf(PLACE)), PNG],
  "a PNG with a file behind it": ["a.png", bytesOf(PNG, PLACE), PNG],
  "a JPEG with EXIF": [
    "a.jpg",
    withSegment(0xe1, `Exif\0\0MM\0*\0\0\0\x08\0\0\0\0\0\0${PLACE}`),
    TINY_JPEG,
  ],
  "a JPEG with XMP": [
    "a.jpg",
    withSegment(0xe1, `http://ns.adobe.com/xap/1.0/\0${PLACE}`),
    TINY_JPEG,
  ],
  "a JPEG with words of an agency": [
    "a.jpg",
    withSegment(0xed, `Photoshop 3.0\0${PLACE}`),
    TINY_JPEG,
  ],
  "a JPEG with a comment": ["a.jpg", withSegment(0xfe, PLACE), TINY_JPEG],
  "a JPEG with more pictures": ["a.jpg", bytesOf(TINY_JPEG, TINY_JPEG, PLACE), TINY_JPEG],
  "a GIF with a comment": ["a.gif", bytesOf(TINY_GIF.slice(0, -1), gifText, ";"), TINY_GIF],
  "a GIF with XMP": ["a.gif", bytesOf(TINY_GIF.slice(0, -1), gifProgram, ";"), TINY_GIF],
  "a GIF with a file behind it": ["a.gif", bytesOf(TINY_GIF, PLACE), TINY_GIF],
  "a WebP with EXIF": ["a.webp", withWebpChunk("EXIF"), TINY_WEBP],
  "a WebP with XMP": ["a.webp", withWebpChunk("XMP "), TINY_WEBP],
  "a WebP with a file behind it": ["a.webp", bytesOf(TINY_WEBP, PLACE), TINY_WEBP],
};

/** The images of a request. */
function imagesIn(text: string): string[] {
  return [...text.matchAll(/data:image\/\w+;base64,([A-Za-z0-9+/=]+)/g)]
    .map(([, data = ""]) => new TextDecoder("latin1").decode(Uint8Array.fromBase64(data)));
}

for (const [what, [name, bytes, plain]] of Object.entries(IMAGES)) {
  Deno.test(`${what} is sent and kept as its picture alone`, async () => {
    await using at = await stage([
      { calls: [{ name: "read", arguments: { file_paths: [name] } }] },
      { text: "Seen." },
    ]);
    await Deno.writeFile(join(at.place.dir, name), bytes);
    const { code, stderr } = await runAlly(at.place, { args: ["-p", `look at @${name}`] });
    assert.equal(code, 0, stderr);
    const images = imagesIn(at.server.requests.at(-1)!.text);
    assert.equal(images.length, 2, stderr);
    for (const image of images) {
      assert.doesNotMatch(image, /canaryplace/);
      // The extended header of WebP stays.
      if (!/\.webp$/.test(name)) assert.equal(image, new TextDecoder("latin1").decode(plain));
    }
    for await (const path of filesBelow(at.place.home)) {
      const held = new TextDecoder("latin1").decode(await Deno.readFile(path));
      assert.doesNotMatch(held, /canaryplace/, path);
    }
  });
}

async function* filesBelow(directory: string): AsyncGenerator<string> {
  for await (const { name, isDirectory, isFile } of Deno.readDir(directory)) {
    const path = join(directory, name);
    if (isDirectory) yield* filesBelow(path);
    else if (isFile) yield path;
  }
}

Deno.test("of a PDF nothing is sent but the text of its pages", async () => {
  await using at = await stage([{ text: "Read." }]);
  const pdf = bytesOf(
    makePdf({
      pages: ["the page"],
      stream: (text) => ({
        entries: `/Metadata (${PLACE}) /Author (${PLACE})`,
        data: `BT /F1 12 Tf (${text}) Tj ET`,
      }),
    }),
    `% ${PLACE}`,
  );
  await Deno.writeFile(join(at.place.dir, "a.pdf"), pdf);
  const { stderr } = await runAlly(at.place, { args: ["-p", "look at @a.pdf"] });
  const [{ text } = { text: "" }] = at.server.requests;
  assert.match(text, /the page/, stderr);
  assert.doesNotMatch(text, /canaryplace/);
});

Deno.test("a file that is cut off or changed anywhere is stripped of what it hides, or taken for odd", () => {
  const types = {
    png: "image/png",
    jpg: "image/jpeg",
    gif: "image/gif",
    webp: "image/webp",
  } as const;
  const next = randomNumbers(TEST_SEED);
  const random = (below: number) => Math.floor(next() * below);
  for (const [what, [name, bytes]] of Object.entries(IMAGES)) {
    const type = types[name.slice(2) as keyof typeof types];
    for (let end = 0; end < bytes.length; end += 7) stripImage(bytes.slice(0, end), type);
    for (let times = 0; times < 300; times++) {
      const changed = bytes.slice();
      changed[random(bytes.length)] = random(256);
      const once = stripImage(changed, type);
      if (once === undefined) continue;
      assert.deepEqual(stripImage(once, type), once, `${what}, seed ${TEST_SEED}`);
    }
  }
});
