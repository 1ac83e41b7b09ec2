import assert from "node:assert/strict";
import { LineSplitter, splitStream } from "../../src/lib/line_splitter.ts";

const encoder = new TextEncoder();

/** The lines of a text that comes in pieces of a size. */
function split(text: string, { size, maxBytes = 100 }: { size: number; maxBytes?: number }) {
  const lines: string[] = [];
  let overlong = 0;
  const splitter = new LineSplitter({
    maxBytes,
    onLine: (line) => lines.push(line),
    onOverlong: () => overlong++,
  });
  const bytes = encoder.encode(text);
  const buffer = new Uint8Array(size);
  for (let at = 0; at < bytes.length; at += size) {
    // One buffer for all pieces, as a file is read.
    buffer.set(bytes.subarray(at, at + size));
    splitter.push(buffer.subarray(0, Math.min(size, bytes.length - at)));
  }
  return { unterminated: splitter.end(), lines, overlong };
}

Deno.test("LineSplitter gives the same lines however they are cut, characters of several bytes too", () => {
  const text = "one\n\nzwölf €\r\n🙂🙂\nlast";
  for (let size = 1; size <= 30; size++) {
    assert.deepEqual(split(text, { size }), {
      unterminated: true,
      lines: ["one", "", "zwölf €\r", "🙂🙂", "last"],
      overlong: 0,
    }, `pieces of ${size}`);
  }
  assert.deepEqual(split("one\n", { size: 2 }), {
    unterminated: false,
    lines: ["one"],
    overlong: 0,
  });
  assert.deepEqual(split("", { size: 2 }), { unterminated: false, lines: [], overlong: 0 });
});

Deno.test("LineSplitter leaves out a line that is too long, tells it once, and goes on", () => {
  const text = `ab\n${"x".repeat(6)}\n${"y".repeat(5)}\n${"z".repeat(50)}`;
  for (let size = 1; size <= 70; size++) {
    assert.deepEqual(
      split(text, { size, maxBytes: 5 }),
      { unterminated: true, lines: ["ab", "yyyyy"], overlong: 2 },
      `pieces of ${size}`,
    );
  }
});

Deno.test("splitStream() ends where a line that is too long is refused, and cancels the stream", async () => {
  let cancelled = false;
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(encoder.encode("ok\nmuch too long")),
    cancel: () => void (cancelled = true),
  });
  const lines: string[] = [];
  await assert.rejects(
    splitStream(stream, {
      maxBytes: 10,
      onLine: (line) => lines.push(line),
      onOverlong: () => {
        throw new RangeError("too long");
      },
    }),
    /too long/,
  );
  assert.deepEqual(lines, ["ok"]);
  assert.equal(cancelled, true);
});
