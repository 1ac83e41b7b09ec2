/**
 * Pages that are meant to keep the converter busy, each converted in a process of its own.
 */
import assert from "node:assert/strict";
import { convertHtml } from "../../src/web/html.ts";

const convert = (html: string, signal = new AbortController().signal) =>
  convertHtml(html, { url: "https://e.test/", signal, env: Deno.env });

Deno.test("no page keeps the converter busy for good, or breaks it", async () => {
  const pages = ["<div>".repeat(20_000) + "x", "<style>" + "a{".repeat(20_000), "", "<", "\0<p>\0"];
  for (const page of pages) {
    const text = await convert(page).then(({ text }) => text, ({ message }) => message);
    assert.equal(typeof text, "string");
  }
  const stop = new AbortController();
  const converted = convert("<p>x", stop.signal);
  stop.abort(new Error("stopped"));
  await assert.rejects(converted, /stopped/);
});
