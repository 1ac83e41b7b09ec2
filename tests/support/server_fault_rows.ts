/**
 * Model servers that are not there, only fail, or break their answers off.
 */
import { chunk, FILES, part, READ, rows } from "./fault_row.ts";

/** Servers that are not there, or answer with nothing but errors. */
export const NO_SERVER = rows([
  ...[
    "http://127.0.0.1:1/v1",
    "http://localhost:1",
    "http://[::1]:1/v1",
    "https://127.0.0.1:1/v1",
    "http://ally.invalid/v1",
    "http://0.0.0.0:1/v1",
  ].flatMap((url) => [
    { name: `nobody at ${url}`, args: ["--endpoint", url, "go"] },
    {
      name: `nobody at ${url}, no model named`,
      args: ["--endpoint", url, "go"],
      env: { ALLY_MODEL: "" },
    },
  ]),
  ...[400, 401, 402, 403, 404, 405, 406, 408, 409, 410, 415, 422, 425, 429, 451].map(status),
  ...[500, 501, 502, 503, 504, 505, 507, 508, 511, 520, 522, 529, 599].map(status),
  ...[
    ["an error as plain text", "it is broken"],
    ["an error as HTML", "<!doctype html><title>Bad gateway</title>"],
    ["an error without a word", ""],
    ["an error as a number", "7"],
    ["an error as null", "null"],
    ["an error as a list", '["no"]'],
    ["an error in half of JSON", '{"error":{"mess'],
    ["an error whose message is an object", '{"error":{"message":{"a":1}}}'],
    ["an error as a text in JSON", '{"error":"no"}'],
    ["an error with control sequences", '{"error":{"message":"\\u001b[2J\\u0007no"}}'],
    ["an error of a megabyte", "x".repeat(1_000_000)],
  ].map(([name = "", body = ""]) => ({ name, replies: [{ status: 400, body, repeat: 9 }] })),
  {
    name: "a redirect to itself",
    replies: [{ status: 307, body: "", headers: { location: "/v1/chat/completions" }, repeat: 99 }],
  },
  { name: "no headers at all", replies: [{ breakAfter: -1, repeat: 9 }] },
  { name: "an error after a call", replies: [READ, { status: 500, repeat: 9 }], files: FILES },
  {
    name: "a server that is gone after a call",
    replies: [READ, { breakAfter: -1, repeat: 9 }],
    files: FILES,
  },
], { code: 75 });

function status(code: number) {
  return { name: `status ${code}`, replies: [{ status: code, text: "no", repeat: 9 }] };
}

const torn = (piece: string) =>
  chunk({ tool_calls: [{ index: 0, id: "a", function: { name: "write", arguments: piece } }] });

/** Streams that never come to their end: after the retries the server counts as one that only fails. */
export const BROKEN_STREAM = rows([
  ...[0, 1, 2, 3].flatMap((breakAfter) =>
    [true, undefined].map((reset) => ({
      name: `${reset ? "reset" : "closed"} after ${breakAfter} chunks`,
      replies: [{
        text: "one two three four ".repeat(9),
        breakAfter,
        repeat: 9,
        ...reset && { reset },
      }],
    }))
  ),
  ...[1, 2].map((breakAfter) => ({
    name: `broken within a call, after ${breakAfter} chunks`,
    args: ["-A", "go"],
    replies: [{ raw: [torn(""), torn('{"file_path":"b"')], breakAfter, repeat: 9 }],
  })),
  {
    name: "closed while it thinks",
    replies: [{ thinking: "hm ".repeat(99), breakAfter: 2, repeat: 9 }],
  },
  { name: "silent within the answer", replies: [{ text: "so far", hang: true, repeat: 9 }] },
  {
    name: "silent from the start",
    config: { request_timeout: 1 },
    replies: [{ stall: true, repeat: 9 }],
  },
  { name: "an answer without a chunk", replies: [{ raw: [], repeat: 9 }] },
  { name: "an answer of comments", replies: [{ raw: [": ping\n\n", ": ping\n\n"], repeat: 9 }] },
  { name: "an answer in HTML", replies: [{ body: "<html>hello</html>", repeat: 9 }] },
  { name: "an answer that is no object", replies: [{ body: "[]", repeat: 9 }] },
  {
    name: "an error within the stream",
    replies: [{ raw: [part("so"), 'data: {"error":{"message":"no"}}\n\n'], repeat: 9 }],
  },
  {
    name: "no JSON in the stream",
    replies: [{ raw: ["data: {what\n\n", "data: is this\n\n"], repeat: 9 }],
  },
  {
    name: "half a chunk at the end",
    replies: [{ raw: [part("so"), 'data: {"choices":[{"ind'], repeat: 9 }],
  },
], { code: 75 });
