import assert from "node:assert/strict";
import { join } from "node:path";
import { writeProgram } from "../../scripts/program_file.ts";
import { copyText } from "../../src/ui/clipboard.ts";
import { MemoryTerminal } from "../support/memory_terminal.ts";

Deno.test({
  name: "the clipboard of Windows is given the whole text, emoji too",
  ignore: Deno.build.os === "windows",
  async fn() {
    const directory = await Deno.realPath(await Deno.makeTempDir());
    try {
      const copied = join(directory, "copied");
      const program = join(directory, "clip.exe");
      await writeProgram(program, `#!/bin/sh\nexec /bin/cat >'${copied}'\n`);
      const env = new Map([["PATH", directory]]);
      const terminal = new MemoryTerminal({ canRedraw: false });
      const text = "one 😀 two 👩‍💻 three";
      assert.deepEqual(await copyText(text, { terminal, env, roots: ["/nowhere"] }), {
        program: "clip.exe",
        terminal: false,
      });
      const bytes = await Deno.readFile(copied);
      assert.deepEqual([...bytes.subarray(0, 2)], [0xff, 0xfe]);
      assert.equal(new TextDecoder("utf-16le").decode(bytes), text);
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  },
});
