import assert from "node:assert/strict";
import { findStaleReads } from "../../src/context/stale_reads.ts";
import type { FileMark, Message } from "../../src/core/message.ts";

let calls = 0;
const result = (...files: FileMark[]): Message => ({
  role: "tool",
  call_id: `c${++calls}`,
  name: "read",
  content: "text",
  success: true,
  files,
});
const shown = (path: string, hash = "aa"): FileMark => ({ path, how: "shown", hash });
const changed = (path: string): FileMark => ({ path, how: "changed", hash: "bb" });
const idOf = (message: Message) => message.role === "tool" ? message.call_id : "";

Deno.test("of several reads of a file all but the last are overtaken", () => {
  const messages = [
    result(shown("a")),
    result(shown("b")),
    result(shown("a", "cc")),
    result(shown("a")),
  ];
  assert.deepEqual(findStaleReads(messages), [
    {
      callId: idOf(messages[0]!),
      note: "[Cleaned up - overtaken]: a was read again later, with the same content",
    },
    {
      callId: idOf(messages[2]!),
      note: "[Cleaned up - overtaken]: a was read again later, with other content",
    },
  ]);
});

Deno.test("a read is overtaken by a later change of its file, and the note says to read again", () => {
  const messages = [result(shown("a")), result(changed("a"))];
  const [found] = findStaleReads(messages);
  assert.equal(found?.callId, idOf(messages[0]!));
  assert.match(found?.note ?? "", /a was changed since; read it again if needed/);
});

Deno.test("a read of several files stays while one of them is shown nowhere else", () => {
  assert.deepEqual(findStaleReads([result(shown("a"), shown("b")), result(shown("a"))]), []);
});

Deno.test("a later read that was cleaned up or cut overtakes nothing", () => {
  const later = result(shown("a"));
  assert.deepEqual(
    findStaleReads([result(shown("a")), { ...later, cleaned: true } as Message]),
    [],
  );
  const { files: _none, ...cut } = later as Extract<Message, { role: "tool" }>;
  assert.deepEqual(findStaleReads([result(shown("a")), cut]), []);
});

Deno.test("a change itself is never given up", () => {
  assert.deepEqual(findStaleReads([result(changed("a")), result(shown("a"))]), []);
});
