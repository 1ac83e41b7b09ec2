import assert from "node:assert/strict";
import { startScriptedServer } from "../../src/modes/demo/scripted_server.ts";
import { figure, peakMemory } from "../support/faults.ts";
import { finish, makePlace, spawnAlly } from "../support/program.ts";

const MB = 1_000_000;
const BYTES = figure({ small: 100 * MB, full: 1_000 * MB });
const LINES = figure({ small: 1_000_000, full: 10_000_000 });
const MAX_MEMORY = 200 * MB;
const LINUX = Deno.build.os === "linux";

interface Flood {
  readonly command: string;
  /** What is kept of its beginning and its end. */
  readonly head: RegExp;
  readonly tail: RegExp;
}

const FLOODS: Readonly<Record<string, Flood>> = {
  [`${BYTES / MB} MB of lines`]: {
    command: `echo first; yes | head -c ${BYTES}; echo last`,
    head: /^first\ny\n/,
    tail: /y\nlast$/m,
  },
  [`${LINES} numbered lines`]: {
    command: `seq ${LINES}`,
    head: /^1\n2\n/,
    tail: new RegExp(`^${LINES}$`, "m"),
  },
  [`one line of ${BYTES / MB} MB`]: {
    command: `printf first; head -c ${BYTES} /dev/zero | tr '\\0' x; printf last`,
    head: /^firstxxx/,
    tail: /xxxlast/,
  },
  [`${BYTES / MB} MB that are no text`]: {
    // A carriage return begins its line anew: "first" would be overwritten, as a terminal shows it.
    command: `printf first; head -c ${BYTES} /dev/urandom | tr '\\r' .; printf last`,
    head: /^first/,
    tail: /last/,
  },
  "a slow drip": {
    command: "for i in $(seq 20); do echo drip $i; sleep 0.05; done",
    head: /^drip 1\ndrip 2\n/,
    tail: /drip 20$/m,
  },
};

/** Runs one command, and gives its result and the most memory ally took. */
async function run(command: string): Promise<{ output: string; memory: number }> {
  let memory = 0;
  const pid = { value: 0 };
  await using server = await startScriptedServer({
    replies: [
      { calls: [{ name: "bash", arguments: { command, timeout: 600 } }] },
      () => {
        memory = peakMemory(pid.value);
        return { text: "Done." };
      },
    ],
  });
  await using place = await makePlace({ endpoint: server.url });
  const args = ["-p", "-A", "--context-size", "1000000", "--output-format", "json", "go"];
  const child = spawnAlly(place, { args });
  pid.value = child.pid;
  const { stdout, stderr } = await finish(child);
  assert.equal(JSON.parse(stdout).text, "Done.", stderr);
  const messages = server.requests.at(-1)!.body.messages as { role: string; content: string }[];
  const told = messages.find(({ role }) => role === "tool")!.content;
  return { output: told, memory };
}

for (const [name, { command, head, tail }] of Object.entries(FLOODS)) {
  Deno.test({
    name: `${name} from a command cost less than ${MAX_MEMORY / MB} MB, and head and tail are kept`,
    ignore: !LINUX,
    async fn() {
      const { output, memory } = await run(command);
      assert.match(output, head);
      assert.match(output, tail);
      assert.ok(output.length < 100_000, `${output.length} characters`);
      assert.ok(memory > 30 * MB && memory < MAX_MEMORY, `${memory / MB} MB`);
    },
  });
}

Deno.test({
  name: "a grandchild that goes on writing does not hold a command that has ended",
  ignore: !LINUX,
  async fn() {
    const { output } = await run("echo first; (sleep 1000; echo late) & (yes drip; true) & exit 0");
    assert.match(output, /first/);
    assert.doesNotMatch(output, /late/);
  },
});
