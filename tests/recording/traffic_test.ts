import assert from "node:assert/strict";
import { parseRecording } from "../../src/recording/traffic.ts";

const HEADER = JSON.stringify({
  type: "header",
  format: "ally-record",
  version: 1,
  ally: "0",
  time: "2026-01-02T03:04:05Z",
  platform: "linux",
  directories: { cwd: "/w" },
  endpoint: "http://x/v1",
  model: "m",
  run: {},
});

function request(id: number, rest: Record<string, unknown>): string {
  return JSON.stringify({
    type: "request",
    id,
    at_ms: 0,
    method: "POST",
    path: "/chat/completions",
    ...rest,
  });
}

function response(id: number): string {
  return JSON.stringify({ type: "response", id, status: 200, chunks: [[1, "x"]], end: "done" });
}

Deno.test("parseRecording() names the line and the fix of what it cannot read", () => {
  const rows: [lines: string[], message: RegExp][] = [
    [[""], /Cannot replay r: it is empty\./],
    [["hello"], /line 1 is not the header of a recording\. Make one with --record FILE\./],
    [['{"format":"har"}'], /line 1 is not the header/],
    [[HEADER.replace('"version":1', '"version":9')], /version 9 of the format.*reads 1/],
    [[HEADER.replace('"model":"m"', '"model":7')], /line 1 has no "model"/],
    [[HEADER.replace('"run":{}', '"run":[]')], /line 1 has no "run"/],
    [[HEADER, "{", ""], /line 2 is not JSON: /],
    [[HEADER, "[]", ""], /line 2 is not an object/],
    [[HEADER, '{"type":"movie"}'], /line 2 has the unknown type "movie"/],
    [[HEADER, request(1, { method: 3 })], /line 2 is no whole request/],
    [[HEADER, request(2, { follows: 1 })], /line 2 follows request 1, which is not there/],
    [[HEADER, response(1)], /line 2 answers request 1, which is not there/],
    [
      [HEADER, request(1, {}), '{"type":"response","id":1,"end":"done","chunks":[1]}'],
      /line 3 is no whole response/,
    ],
  ];
  for (const [lines, message] of rows) {
    assert.throws(() => parseRecording(lines.join("\n"), "r"), { name: "UsageError", message });
  }
});

Deno.test("a recording that was cut off within a line is good up to it", () => {
  const text = [HEADER, request(1, { body: { a: 1 } }), response(1), request(2, {})].join("\n");
  const whole = parseRecording(`${text}\n{"type":"end"}\n`, "r");
  assert.equal(whole.isComplete, true);
  const cut = parseRecording(`${text}\n${response(2).slice(0, 20)}`, "r");
  assert.equal(cut.isComplete, false);
  assert.deepEqual(cut.exchanges.map((one) => one.response?.id), [1, undefined]);
});

Deno.test("a request that goes on from another is read with the messages of both", () => {
  const first = request(1, { body: { model: "m", messages: ["a"] } });
  const second = request(2, { follows: 1, body: { messages: ["b"] } });
  const record = parseRecording([HEADER, '{"type":"prompt"}', first, second].join("\n"), "r");
  assert.deepEqual(record.exchanges[1]?.body, { model: "m", messages: ["a", "b"] });
  assert.deepEqual(record.exchanges.map(({ line, turn }) => [line, turn]), [[3, 1], [4, 1]]);
});
