import assert from "node:assert/strict";
import { cachePath, ServerCache } from "../../src/mcp/server_cache.ts";

const CONFIG = { name: "files", slug: "files", file: "/home/me/.ally/mcp.json" };
const TOOL = {
  name: "list",
  description: "Lists files",
  inputSchema: { type: "object" },
  readOnly: true,
  destructive: false,
  asTask: false,
};

Deno.test("what is known of a server is read as it was written, and anything else counts as missing", async () => {
  const directory = await Deno.makeTempDir();
  try {
    const cache = new ServerCache(CONFIG, directory);
    const path = cachePath(CONFIG, { directory, kind: ".json" });
    const record = {
      entry: "0123456789abcdef",
      place: "npx files",
      approved: [TOOL],
      offer: { tools: [TOOL], prompts: [] },
    };
    assert.equal(cache.read(), undefined);
    assert.equal(await cache.write(record), true);
    assert.deepEqual(cache.read(), record);
    // As ally 0.1 wrote it.
    await Deno.writeTextFile(path, JSON.stringify({ version: 1, known: record }));
    assert.deepEqual(cache.read(), record);
    const damaged = [
      { ...record, approved: undefined },
      { ...record, approved: [null] },
      { ...record, offer: {} },
      { ...record, entry: 1 },
    ];
    for (const known of damaged) {
      await Deno.writeTextFile(path, JSON.stringify({ version: 1, known }));
      assert.equal(cache.read(), undefined, JSON.stringify(known));
    }
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
