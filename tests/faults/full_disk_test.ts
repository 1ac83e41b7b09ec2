import assert from "node:assert/strict";
import { join } from "node:path";
import type { Message } from "../../src/core/message.ts";
import { type ReplyFunction, startScriptedServer } from "../../src/modes/demo/scripted_server.ts";
import { SessionStore } from "../../src/store/sessions.ts";
import { canMount, type SmallDisk, smallDisk } from "../support/faults.ts";
import { guarded, hasBubblewrap } from "../support/sandbox.ts";
import { finish, makePlace, type Place, runAlly, spawnAlly } from "../support/program.ts";

const ignore = !canMount();
const OLD = "old\n".repeat(10_000);

const write = (content: string) => ({ name: "write", arguments: { file_path: "a.txt", content } });
const read = { name: "read", arguments: { file_paths: ["a.txt"], limit: 1 } };

async function savedMessages(place: Place): Promise<readonly Message[]> {
  const projects = join(place.home, "projects");
  const [project = ""] = await Array.fromAsync(Deno.readDir(projects), ({ name }) => name);
  const store = new SessionStore({ directory: join(projects, project, "sessions") });
  const stored = await store.load((await store.latest()) ?? "");
  assert.equal(stored.damaged, 0);
  return stored.messages;
}

/** The tool messages of the last request, which is what the model was told. */
function results(body: Record<string, unknown>): string[] {
  const messages = body.messages as { role: string; content: string }[];
  return messages.filter(({ role }) => role === "tool").map(({ content }) => content);
}

/** Names in the working directory but for those of the test itself. */
async function namesIn(place: Place): Promise<string[]> {
  const names = await Array.fromAsync(Deno.readDir(place.dir), ({ name }) => name);
  return names.filter((name) => name !== ".filler").sort();
}

interface Scene extends AsyncDisposable {
  readonly place: Place;
  readonly run: (replies: readonly ReplyFunction[]) => Promise<{ stderr: string; told: string[] }>;
}

/** A place whose home, directory or both lie on disks of 256 KB. */
async function scene(on: { home: boolean; dir: boolean }): Promise<Scene & { disks: SmallDisk[] }> {
  const stack = new AsyncDisposableStack();
  const place = stack.use(await makePlace());
  const disks = [...(on.home ? [place.home] : []), ...(on.dir ? [place.dir] : [])]
    .map((path) => stack.use(smallDisk(path, { kilobytes: 256 })));
  await place.write("a.txt", OLD);
  return {
    place,
    disks,
    async run(replies) {
      await using server = await startScriptedServer({ replies });
      const env = { OPENAI_BASE_URL: server.url };
      const done = await runAlly(place, {
        args: ["-p", "-A", "--context-size", "1000000", "go"],
        env,
      });
      assert.equal(done.stdout, "All done.\n", done.stderr);
      return { stderr: done.stderr, told: results(server.requests.at(-1)!.body) };
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

const CASES = {
  "session's disk": { home: true, dir: false },
  "workspace's disk": { home: false, dir: true },
  "session's and the workspace's disk": { home: true, dir: true },
};

for (const [name, on] of Object.entries(CASES)) {
  Deno.test({
    name: `while the ${name} is full nothing is lost, and all goes on once there is space`,
    ignore,
    async fn() {
      await using at = await scene(on);
      const { place, disks } = at;
      const { stderr, told } = await at.run([
        () => ({ calls: [read] }),
        () => {
          for (const disk of disks) disk.fill();
          return { calls: [write("new\n".repeat(12_000))] };
        },
        async () => {
          assert.equal(await place.read("a.txt"), OLD);
          assert.deepEqual(await namesIn(place), ["a.txt"]);
          for (const disk of disks) disk.free();
          return { calls: [write("newer\n")] };
        },
        () => ({ text: "All done." }),
      ]);
      assert.match(told[1] ?? "", /no space is left/i);
      assert.match(told[2] ?? "", /a\.txt/);
      assert.doesNotMatch(told[2] ?? "", /no space/i);
      assert.equal(await place.read("a.txt"), "newer\n");
      const complaints = stderr.match(/Cannot save the session/g) ?? [];
      assert.equal(complaints.length, on.home ? 1 : 0, stderr);
      const messages = await savedMessages(place);
      assert.deepEqual(
        messages.map(({ role }) => role).join(" "),
        [
          "user assistant tool",
          "assistant tool",
          "assistant tool",
          "assistant",
        ].join(" "),
      );
      assert.equal(messages.at(-1)?.content, "All done.");
    },
  });
}

Deno.test({
  name: "a session that begins on a full disk has its sandbox",
  ignore: ignore || !hasBubblewrap(),
  async fn() {
    await using at = await guarded(["touch ../outside; echo $? > made"]);
    using disk = smallDisk(at.place.home, { kilobytes: 64 });
    disk.fill();
    const { stderr } = await at.run(["-A"]);
    assert.match(stderr, /no space is left/);
    assert.equal(await at.place.read("made"), "1\n");
  },
});

Deno.test({
  name:
    "an answer that streams while the disk fills up is shown whole, and saved when there is space",
  ignore,
  async fn() {
    const words = Array.from({ length: 60 }, (_, at) => `word${at}`).join(" ");
    await using place = await makePlace();
    using disk = smallDisk(place.home, { kilobytes: 256 });
    await using server = await startScriptedServer({
      replies: [
        { text: words, delayMs: 10, calls: [{ name: "ls", arguments: {} }] },
        () => {
          disk.free();
          return { text: "After." };
        },
      ],
    });
    const args = ["-p", "--output-format", "stream-json", "go"];
    const child = spawnAlly(place, { args, env: { OPENAI_BASE_URL: server.url } });
    const [first, rest] = child.stdout.tee();
    const reader = first.pipeThrough(new TextDecoderStream()).getReader();
    for (let seen = ""; !seen.includes("text_delta");) seen += (await reader.read()).value ?? "";
    disk.fill();
    void reader.cancel();
    const text = await new Response(rest).text();
    await child.status;
    await child.stderr.cancel();
    const deltas = text.trim().split("\n").map((line) => JSON.parse(line))
      .filter(({ type }) => type === "text_delta").map((event) => event.text).join("");
    assert.equal(deltas, `${words}After.`);
    const messages = await savedMessages(place);
    assert.deepEqual(
      messages.filter(({ role }) => role === "assistant").map((one) => one.content),
      [
        words,
        "After.",
      ],
    );
  },
});

Deno.test({
  name: "with a disk that stays full the answer is given, and one notice says what is not saved",
  ignore,
  async fn() {
    await using place = await makePlace();
    using disk = smallDisk(place.home, { kilobytes: 64 });
    disk.fill();
    await using server = await startScriptedServer({ replies: [{ text: "Still here." }] });
    const env = { OPENAI_BASE_URL: server.url };
    const done = await finish(spawnAlly(place, { args: ["-p", "go"], env }));
    assert.equal(done.code, 0);
    assert.equal(done.stdout, "Still here.\n");
    assert.equal(done.stderr.match(/Cannot save the session/g)?.length, 1, done.stderr);
  },
});
