/**
 * A secret that is the name of a file becomes the name of a field in results: logs, streams and sessions show it no more
 * than one in a text.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { runAlly, stage } from "../support/program.ts";

const SECRET = "Zq7-plain.Value_93kd02mfLLxq";

Deno.test("a secret in the name of a field reaches neither the log, the stream nor the session", async () => {
  await using staged = await stage([
    { calls: [{ name: "glob", arguments: { pattern: "d/*", show_content: true } }] },
    { calls: [{ name: "ls", arguments: { file_path: "d" } }] },
    { text: "done" },
  ]);
  const { place, server } = staged;
  await Deno.mkdir(join(place.dir, "d"));
  await Deno.writeTextFile(join(place.dir, "d", `${SECRET}.txt`), "x\n");
  const { code, stdout, stderr } = await runAlly(place, {
    args: ["-p", "--debug", "--output-format", "stream-json", "go"],
    env: { MY_TOKEN: SECRET },
  });
  assert.equal(code, 0, stderr);
  assert.match(stdout, /"tool_end"/);
  assert.match(stdout, /\[secret:MY_TOKEN/i);
  assert.ok(!stdout.includes(SECRET), stdout);
  assert.ok(!JSON.stringify(server.requests).includes(SECRET));
  let files = 0;
  for await (const path of filesBelow(place.home)) {
    files++;
    assert.ok(!(await Deno.readTextFile(path)).includes(SECRET), path);
  }
  assert.ok(files > 1);
});

async function* filesBelow(directory: string): AsyncGenerator<string> {
  for await (const { name, isDirectory, isFile } of Deno.readDir(directory)) {
    const path = join(directory, name);
    if (isDirectory) yield* filesBelow(path);
    else if (isFile) yield path;
  }
}
