/**
 * Answers of a hostile web server to `fetch`: how they are compressed, what they say they are, in which characters, how
 * they are framed. Each ends, in bounds, with text or with an error.
 */
import assert from "node:assert/strict";
import { brotliCompressSync, constants, deflateSync, gzipSync } from "node:zlib";
import { startWeb } from "../support/web_server.ts";

const TEXT = new TextEncoder().encode("fine ".repeat(100));
const ZEROS = new Uint8Array(300_000_000);
const FAST = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
/** Bytes of a page that is read. */
const MOST = 2 * 1024 * 1024;

type Headers = Readonly<Record<string, string>>;

const bytes = (data: Uint8Array) => new Uint8Array(data);

/** Bodies with the headers that they come with. */
const BODIES: Readonly<Record<string, () => readonly [Uint8Array<ArrayBuffer>, Headers]>> = {
  "a gzip of 300 MB": () => [bytes(gzipSync(ZEROS)), { "content-encoding": "gzip" }],
  "a deflate of 300 MB": () => [bytes(deflateSync(ZEROS)), { "content-encoding": "deflate" }],
  "a brotli of 300 MB":
    () => [bytes(brotliCompressSync(ZEROS, FAST)), { "content-encoding": "br" }],
  "a gzip of a gzip": () => [
    bytes(gzipSync(gzipSync(ZEROS))),
    { "content-encoding": "gzip, gzip" },
  ],
  "a gzip that is cut":
    () => [bytes(gzipSync(TEXT).subarray(0, 30)), { "content-encoding": "gzip" }],
  "a gzip that is none": () => [bytes(TEXT), { "content-encoding": "gzip" }],
  "an encoding that nobody knows": () => [bytes(TEXT), { "content-encoding": "zstd9" }],
  "an encoding called like a prototype": () => [bytes(TEXT), { "content-encoding": "__proto__" }],
  "a hundred encodings": () => [
    bytes(TEXT),
    { "content-encoding": Array.from({ length: 100 }, () => "gzip").join(", ") },
  ],
  "no type": () => [bytes(TEXT), {}],
  "a type that is none": () => [bytes(TEXT), { "content-type": "; charset=" }],
  "a type of ten thousand letters": () => [bytes(TEXT), { "content-type": "x".repeat(10_000) }],
  "a program": () => [bytes(TEXT), { "content-type": "application/octet-stream" }],
  "a video": () => [bytes(TEXT), { "content-type": "video/mp4" }],
  "an SVG with a script": () => [
    bytes(new TextEncoder().encode("<svg onload='x()'><script>x()</script></svg>")),
    { "content-type": "image/svg+xml" },
  ],
  "a page ten thousand deep": () => [
    bytes(new TextEncoder().encode("<div>".repeat(10_000))),
    { "content-type": "text/html" },
  ],
  "a page of ten thousand open tags of a table": () => [
    bytes(new TextEncoder().encode("<table><tr><td>".repeat(3_000))),
    { "content-type": "text/html" },
  ],
  "a page with one attribute of a megabyte": () => [
    bytes(new TextEncoder().encode(`<p title="${"x".repeat(1_000_000)}">fine`)),
    { "content-type": "text/html" },
  ],
  "a page with many entities": () => [
    bytes(new TextEncoder().encode("&amp;&#x202e;".repeat(20_000))),
    { "content-type": "text/html" },
  ],
  "a page that says to be another one": () => [
    bytes(new TextEncoder().encode(
      "<meta http-equiv=refresh content='0;url=file:///etc/passwd'><base href='file:///'>x",
    )),
    { "content-type": "text/html" },
  ],
  "deep JSON": () => [
    bytes(new TextEncoder().encode("[".repeat(1_000_000))),
    { "content-type": "application/json" },
  ],
  "characters that nobody knows": () => [
    bytes(TEXT),
    { "content-type": "text/plain; charset=__proto__" },
  ],
  "UTF-7": () => [
    bytes(new TextEncoder().encode("+ADw-script+AD4-")),
    { "content-type": "text/html; charset=utf-7" },
  ],
  "UTF-16 of an odd length": () => [
    new Uint8Array([0xff, 0xfe, 0x41]),
    { "content-type": "text/plain; charset=utf-16" },
  ],
  "no text at all": () => [
    crypto.getRandomValues(new Uint8Array(60_000)),
    { "content-type": "text/plain" },
  ],
  "NULs": () => [new Uint8Array(3_000_000), { "content-type": "text/plain" }],
  "a PDF that is none": () => [bytes(TEXT), { "content-type": "application/pdf" }],
  "a name to save it by": () => [
    bytes(TEXT),
    { "content-type": "text/plain", "content-disposition": "attachment; filename=../../../x" },
  ],
  "cookies": () => [bytes(TEXT), { "content-type": "text/plain", "set-cookie": "a=b; Path=/" }],
};

for (const [name, make] of Object.entries(BODIES)) {
  Deno.test(`an answer with ${name} ends within bounds`, async () => {
    const [body, headers] = make();
    await using web = startWeb(() => new Response(body, { headers }), {
      "site.test": [["127.0.0.1"]],
    });
    const before = Deno.memoryUsage().rss;
    const page = await web.read("http://site.test:PORT/").catch((error: unknown) => {
      assert.ok(error instanceof Error);
      return undefined;
    });
    assert.ok((page?.text.length ?? 0) <= MOST);
    assert.ok(Deno.memoryUsage().rss - before < 250_000_000, "it takes too much memory");
    assert.equal(web.requests.length, 1);
  });
}
