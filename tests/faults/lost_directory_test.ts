import assert from "node:assert/strict";
import { startScriptedServer } from "../../src/modes/demo/scripted_server.ts";
import { canMount, smallDisk } from "../support/faults.ts";
import { makePlace, type Place, runAlly } from "../support/program.ts";

const CALLS = [
  { name: "ls", arguments: { file_path: "." } },
  { name: "read", arguments: { file_paths: ["a.txt"] } },
  { name: "write", arguments: { file_path: "b.txt", content: "b" } },
  { name: "glob", arguments: { pattern: "*" } },
  { name: "bash", arguments: { command: "ls" } },
];

const exists = (path: string) => Deno.stat(path).then(() => true, () => false);

/** Has the working directory taken away in the middle of a turn, and gives what the calls came to. */
async function without(place: Place, lose: () => void): Promise<Record<string, string>> {
  await using server = await startScriptedServer({
    replies: [
      { calls: [{ name: "read", arguments: { file_paths: ["a.txt"] } }] },
      () => {
        lose();
        return { calls: CALLS };
      },
      { text: "Gone." },
    ],
  });
  const args = ["-p", "-A", "--output-format", "stream-json", "go"];
  const done = await runAlly(place, { args, env: { OPENAI_BASE_URL: server.url } });
  assert.equal(done.code, 0, done.stderr);
  const events = done.stdout.trim().split("\n").map((line) => JSON.parse(line));
  assert.equal(events.at(-1).text, "Gone.");
  const saved = await place.session();
  assert.equal(saved.filter(({ type }) => type === "message").length, 5 + CALLS.length);
  const ends = events.filter(({ type }) => type === "tool_end").slice(1);
  return Object.fromEntries(ends.map(({ name, result }) => [name, result.error]));
}

const LOSSES: Readonly<Record<string, (dir: string) => void>> = {
  deleted: (dir) => Deno.removeSync(dir, { recursive: true }),
  renamed: (dir) => Deno.renameSync(dir, `${dir}-elsewhere`),
};

for (const [how, lose] of Object.entries(LOSSES)) {
  Deno.test(`while the working directory is ${how}, every call says so, nothing is made in its place, and the session is saved`, async () => {
    await using place = await makePlace({ files: { "a.txt": "a\n" } });
    const errors = await without(place, () => lose(place.dir));
    for (const name of ["ls", "read", "write", "glob"]) {
      assert.match(errors[name] ?? "", /the working directory \S+ is gone/, name);
    }
    assert.match(errors.bash ?? "", /the working directory \S+ is missing/);
    assert.equal(await exists(place.dir), false);
  });
}

Deno.test({
  name: "while the working directory is unmounted, reads find nothing and the session is saved",
  ignore: !canMount(),
  async fn() {
    await using place = await makePlace();
    using disk = smallDisk(place.dir, { kilobytes: 256 });
    await place.write("a.txt", "a\n");
    const errors = await without(place, () => disk[Symbol.dispose]());
    assert.match(errors.read ?? "", /Cannot find a\.txt/);
  },
});

Deno.test({
  name: "while the working directory may not be entered, every call says so",
  ignore: Deno.uid() === 0 || Deno.build.os === "windows",
  async fn() {
    await using place = await makePlace({ files: { "a.txt": "a\n" } });
    const errors = await without(place, () => Deno.chmodSync(place.dir, 0));
    Deno.chmodSync(place.dir, 0o700);
    for (const name of ["ls", "read", "write"]) {
      assert.match(errors[name] ?? "", /permission denied/);
    }
  },
});
