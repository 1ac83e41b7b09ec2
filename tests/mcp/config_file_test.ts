import assert from "node:assert/strict";
import { join } from "node:path";
import { editServer } from "../../src/mcp/config_file.ts";

Deno.test("a server is added to a file with a byte order mark, and the rest stays", async () => {
  const directory = await Deno.makeTempDir();
  const path = join(directory, "mcp.json");
  try {
    await Deno.writeTextFile(path, '\ufeff{ // mine\n  "mcpServers": {}\n}\n');
    await editServer(path, { name: "a", value: { command: "x" } });
    const text = await Deno.readTextFile(path);
    assert.match(text, /^\ufeff\{ \/\/ mine\n/);
    assert.match(text, /"a": \{\s+"command": "x"\s+\}/);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
