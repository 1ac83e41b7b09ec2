import assert from "node:assert/strict";
import { compose } from "../../src/app/compose.ts";
import { parseArguments } from "../../src/cli/args.ts";
import { createMemoryIo } from "../support/memory_io.ts";
import { makePlace } from "../support/program.ts";

Deno.test({
  name: "compose() closes what it has opened when a later part cannot be opened",
  sanitizeResources: true,
  async fn() {
    await using place = await makePlace({ endpoint: "http://127.0.0.1:1/v1" });
    const flags = ["-p", "--model", "m", "--deny-write", "go"];
    const invocation = await parseArguments(flags, { cwd: place.dir });
    assert.ok(invocation.kind === "run");
    const io = createMemoryIo({ env: place.env, cwd: place.dir });
    const composing = compose(invocation.options, {
      sink: () => {},
      ask: () => Promise.resolve([]),
      interactive: false,
      io: {
        ...io,
        revokePermission() {
          throw new Error("the runtime keeps it");
        },
      },
    });
    // The sanitizer finds the session's file if it stays open.
    await assert.rejects(composing, /the runtime keeps it/);
  },
});
