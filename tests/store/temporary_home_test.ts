import assert from "node:assert/strict";
import { findAllyPaths, openStorage } from "../../src/store/paths.ts";
import { createMemoryIo } from "../support/memory_io.ts";

Deno.test("openStorage() keeps what has no home in a directory that is gone when the process ends", async () => {
  const io = createMemoryIo({ env: { ALLY_HOME: "/dev/null/ally" } });
  const texts: string[] = [];
  const { paths, isPersistent } = openStorage(findAllyPaths("/w", io.env), {
    cwd: "/w",
    io,
    mayWrite: true,
    session: true,
    emit: (event) => event.type === "notice" && texts.push(event.text),
  });
  assert.equal(isPersistent, false);
  assert.match(texts.join(), /This session stays in memory/);
  await Deno.mkdir(paths.outputs, { recursive: true });
  io.end();
  await assert.rejects(Deno.stat(paths.project), Deno.errors.NotFound);
});
