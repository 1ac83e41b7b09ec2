import assert from "node:assert/strict";
import { join } from "node:path";
import { allyPaths } from "../../src/store/paths.ts";
import { prune } from "../../src/store/prune.ts";
import { SessionStore } from "../../src/store/sessions.ts";
import { runAlly, stage } from "../support/program.ts";
import { until } from "../support/wait.ts";

const fail = (text: string) => assert.fail(text);

async function namesIn(directory: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(directory), ({ name }) => name)).sort();
}

Deno.test("prune() keeps the sessions used last, those in use, and the newest patches and outputs", async () => {
  const home = await Deno.makeTempDir({ prefix: "ally-prune-" });
  const paths = allyPaths("/w", { get: (name) => name === "ALLY_HOME" ? home : undefined });
  const store = new SessionStore({ directory: paths.sessions });
  const sessions = [];
  for (let at = 0; at < 5; at++) {
    const session = store.create({ cwd: "/w", onError: fail });
    await session.append({ role: "user", content: `${at}` });
    sessions.push(session);
  }
  for (const session of sessions.slice(1)) session.close();
  const [inUse, old] = sessions.map(({ header }) => header.id);
  await Deno.writeTextFile(join(paths.sessions, `${old}.jsonl.damaged`), "");
  const pictured = [old, sessions[4]?.header.id].map((id) => `${id}.images`);
  for (const name of pictured) {
    await Deno.mkdir(join(paths.sessions, name));
    await Deno.writeTextFile(join(paths.sessions, name, "0"), "");
  }
  await Deno.mkdir(paths.patches);
  for (let number = 1; number <= 2_010; number++) {
    const state = number === 3 ? ".pending" : number === 2_010 ? ".undone" : "";
    const name = `${String(number).padStart(6, "0")}${state}.json`;
    await Deno.writeTextFile(join(paths.patches, name), "{}");
  }
  await prune(paths, { sessions: 2 });
  const left = [inUse, ...sessions.slice(3).map(({ header }) => header.id)];
  const kept = [...left.map((id) => `${id}.jsonl`), ...pictured.slice(1)];
  assert.deepEqual(await namesIn(paths.sessions), kept.sort());
  const patches = await namesIn(paths.patches);
  assert.equal(patches.length, 2_001);
  assert.deepEqual([patches[0], patches[1]], ["000003.pending.json", "000011.json"]);
  sessions[0]?.close();
  await Deno.remove(home, { recursive: true });
});

Deno.test("a run that takes a while removes the oldest sessions beyond keep_sessions, not its own", async () => {
  await using at = await stage([
    { text: "One." },
    { text: "Two." },
    { calls: [{ name: "bash", arguments: { command: "until [ -e done ]; do sleep 0.05; done" } }] },
    { text: "Three." },
  ]);
  const { place } = at;
  await Deno.mkdir(place.home, { recursive: true });
  await Deno.writeTextFile(join(place.home, "config.json"), '{"keep_sessions": 1}');
  await runAlly(place, { args: ["-p", "one"] });
  await runAlly(place, { args: ["-p", "two"] });
  const projects = join(place.home, "projects");
  const directory = join(projects, (await namesIn(projects))[0] ?? "", "sessions");
  const run = runAlly(place, { args: ["-p", "-A", "three"] });
  await until("the pruning", async () => (await namesIn(directory)).length === 1);
  await place.write("done", "");
  assert.equal((await run).stdout, "Three.\n");
  const [saved] = (await place.session()).filter(({ type }) => type === "message");
  assert.deepEqual(saved?.message, { role: "user", content: "three", change: 0 });
});
