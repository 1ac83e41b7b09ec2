/**
 * Images and PDFs of which somebody wants nothing any more.
 */
import assert from "node:assert/strict";
import { checkImage } from "../../src/media/check_image.ts";
import { readPdf } from "../../src/media/read_pdf.ts";
import { makePdf, makePng } from "../support/images.ts";

const PNG = makePng({ width: 2, height: 2 });
const REASON = new DOMException("Interrupted by the user", "AbortError");

Deno.test("an image or a PDF is given up at once when its signal is aborted", async () => {
  const stop = new AbortController();
  const { signal } = stop;
  const pages = { offset: 1, limit: 1, env: Deno.env, signal };
  const begun = [
    readPdf(makePdf({ pages: ["one"] }), pages),
    checkImage({ bytes: PNG, name: "a.png" }, signal),
  ];
  stop.abort(REASON);
  for (const one of await Promise.allSettled(begun)) {
    assert.equal(one.status === "rejected" && one.reason, REASON);
  }
});
