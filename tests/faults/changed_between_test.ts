import assert from "node:assert/strict";
import { join } from "node:path";
import { startScriptedServer } from "../../src/modes/demo/scripted_server.ts";
import { makePlace, type Place, runAlly } from "../support/program.ts";

const EDIT = { file_path: "a.txt", old_string: "one", new_string: "ONE" };

/** Has a file read, changed by somebody, and then edited; gives what the model was told of the edit. */
async function editAfter(place: Place, change: () => Promise<void>): Promise<string> {
  await using server = await startScriptedServer({
    replies: [
      { calls: [{ name: "read", arguments: { file_paths: ["a.txt"] } }] },
      async () => {
        await change();
        return { calls: [{ name: "edit", arguments: EDIT }] };
      },
      { text: "Done." },
    ],
  });
  await runAlly(place, { args: ["-p", "-A", "go"], env: { OPENAI_BASE_URL: server.url } });
  const messages = server.requests.at(-1)!.body.messages as { role: string; content: string }[];
  return messages.filter(({ role }) => role === "tool").at(-1)!.content;
}

const CHANGES: Readonly<Record<string, (path: string) => Promise<void>>> = {
  "has other content": (path) => Deno.writeTextFile(path, "one other\n"),
  async "has other content of the same length and time"(path) {
    const { mtime, atime } = await Deno.stat(path);
    await Deno.writeTextFile(path, "one 2\n");
    await Deno.utime(path, atime!, mtime!);
  },
  async "is another file with the same content"(path) {
    const { mtime, atime } = await Deno.stat(path);
    await Deno.writeTextFile(`${path}.new`, "one 1\n");
    await Deno.utime(`${path}.new`, atime!, mtime!);
    await Deno.rename(`${path}.new`, path);
  },
  async "is a link to a file with the same content"(path) {
    await Deno.rename(path, `${path}.old`);
    await Deno.copyFile(`${path}.old`, `${path}.copy`);
    await Deno.symlink(`${path}.copy`, path);
  },
  "is gone": (path) => Deno.remove(path),
};

for (const [what, change] of Object.entries(CHANGES)) {
  Deno.test(`an edit is refused when the file that was read ${what}`, async () => {
    await using place = await makePlace({ files: { "a.txt": "one 1\n" } });
    const path = join(place.dir, "a.txt");
    let after: string | undefined;
    const told = await editAfter(place, async () => {
      await change(path);
      after = await Deno.readTextFile(path).catch(() => undefined);
    });
    assert.match(told, /Cannot (change|find) a\.txt/);
    assert.equal(await Deno.readTextFile(path).catch(() => undefined), after);
  });
}
