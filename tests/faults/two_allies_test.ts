import assert from "node:assert/strict";
import { join } from "node:path";
import { startScriptedServer } from "../../src/modes/demo/scripted_server.ts";
import { figure } from "../support/faults.ts";
import { finish, makePlace, type Place, runAlly, spawnAlly, stage } from "../support/program.ts";
import { until } from "../support/wait.ts";

const PROCESSES = figure({ small: 4, full: 8 });
const ROUNDS = 10;

async function project(place: Place): Promise<string> {
  const projects = join(place.home, "projects");
  const [name = ""] = await Array.fromAsync(Deno.readDir(projects), ({ name }) => name);
  return join(projects, name);
}

async function sessionFiles(place: Place): Promise<string[]> {
  const directory = join(await project(place), "sessions");
  return await Array.fromAsync(Deno.readDir(directory), ({ name }) => join(directory, name));
}

Deno.test(`${PROCESSES} allies at once in one directory have a session each, no torn line, and changes that all can be undone`, async () => {
  await using server = await startScriptedServer({
    replies: Array.from({ length: PROCESSES * (ROUNDS + 1) }, () => ({ body }) => {
      const messages = body.messages as { role: string; content: string }[];
      const mine = messages.find(({ role }) => role === "user")!.content;
      const round = messages.filter(({ role }) => role === "tool").length;
      const file_path = `${mine}-${round}.txt`;
      return round < ROUNDS
        ? { calls: [{ name: "write", arguments: { file_path, content: "x\n".repeat(100) } }] }
        : { text: `${mine} done` };
    }),
  });
  await using place = await makePlace({ endpoint: server.url });
  const runs = await Promise.all(
    Array.from({ length: PROCESSES }, (_, at) => runAlly(place, { args: ["-p", "-A", `p${at}`] })),
  );
  assert.deepEqual(runs.map(({ stdout }) => stdout), runs.map((_, at) => `p${at} done\n`));
  const files = await sessionFiles(place);
  assert.equal(files.length, PROCESSES);
  for (const file of files) {
    const lines = (await Deno.readTextFile(file)).trimEnd().split("\n");
    const types = lines.map((line) => JSON.parse(line).type);
    assert.equal(types.filter((type) => type === "message").length, 1 + 2 * ROUNDS + 1);
  }
  const patches = await Array.fromAsync(
    Deno.readDir(join(await project(place), "patches")),
    ({ name }) => name,
  );
  assert.equal(patches.length, PROCESSES * ROUNDS);
  for (const name of patches) assert.match(name, /^\d{6}\.json$/);
});

Deno.test("a second ally on one session is refused by name, and goes on with it after the first was killed", async () => {
  await using at = await stage([{ text: "One." }, { stall: true }, { text: "Three." }]);
  const { place, server } = at;
  await runAlly(place, { args: ["-p", "one"] });
  const first = spawnAlly(place, { args: ["-p", "--continue", "two"] });
  await until("the second request", () => server.requests.length === 2);
  const before = await sessionFiles(place);
  const refused = await runAlly(place, { args: ["-p", "--continue", "three"] });
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /another ally has it open\. .*another session \(--resume lists/);
  assert.deepEqual(await sessionFiles(place), before);
  first.kill("SIGKILL");
  await finish(first);
  const after = await runAlly(place, { args: ["-p", "--continue", "three"] });
  assert.equal(after.stdout, "Three.\n");
});
