/** Programs that are written and started at once. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { copyProgram, writeProgram } from "../../scripts/program_file.ts";

async function inDirectory(test: (directory: string) => Promise<void>): Promise<void> {
  const directory = await Deno.makeTempDir({ prefix: "ally-programs-" });
  try {
    await test(directory);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

async function outputOf(program: string): Promise<string> {
  return new TextDecoder().decode((await new Deno.Command(program).output()).stdout);
}

Deno.test("a program that was written or copied, in place of a longer one too, starts at once", async () => {
  await inDirectory(async (directory) => {
    const [first, second] = [join(directory, "first"), join(directory, "second")];
    await writeProgram(first, `#!/bin/sh\necho one\nexit\n${"# more\n".repeat(1000)}`);
    assert.equal(await outputOf(first), "one\n");
    await copyProgram(first, second);
    await writeProgram(first, "#!/bin/sh\necho two\n");
    assert.equal(await outputOf(first), "two\n");
    assert.equal(await outputOf(second), "one\n");
    assert.equal((await Deno.stat(first)).size, 19);
  });
});

Deno.test("writeProgram() comes to its end when nobody holds the file any more", async () => {
  await inDirectory(async (directory) => {
    const path = join(directory, "held");
    await Deno.writeTextFile(path, "");
    const holder = await Deno.open(path);
    await holder.lock();
    let isWritten = false;
    const writing = writeProgram(path, "#!/bin/sh\n").then(() => isWritten = true);
    await Deno.stat(path);
    assert.equal(isWritten, false);
    holder.close();
    assert.equal(await writing, true);
  });
});
