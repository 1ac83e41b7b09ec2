/**
 * Ctrl+C in every rhythm and at every moment, those of saving and of leaving too: ally ends, nothing that it started
 * goes on, and the session is whole. Needs tmux.
 */
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { quoteWord } from "../../src/lib/text.ts";
import { figure } from "../support/faults.ts";
import { runningWith, uniqueDuration } from "../support/processes.ts";
import { allyCommand, makePlace, type Place, runAlly } from "../support/program.ts";
import { randomNumbers, TEST_SEED } from "../support/random.ts";
import { hasTmux, TmuxSession } from "../support/tmux.ts";
import { until } from "../support/wait.ts";
import { startWindowServer } from "../support/window_server.ts";

const ROUNDS = figure({ small: 12, full: 150 });
const random = randomNumbers(TEST_SEED);
const SIZE = ["--context-size", "10000000"];

/** A shell that outlives each Ctrl+C, with ally in it. */
function start(place: Place, args: readonly string[]): Promise<TmuxSession> {
  const ally = [...allyCommand(), ...args].map(quoteWord).join(" ");
  const command = `trap : INT; cd ${quoteWord(place.dir)}; ${ally}; echo "left $?"; ` +
    "while :; do read -r line; done";
  const env = { ...place.env, TMPDIR: place.dir, LANG: "C.UTF-8" };
  return TmuxSession.start(command, { columns: 80, rows: 40, env });
}

/** Presses three times, fast, slower or with pauses, and then at each prompt until ally has left. */
async function pressUntilLeft(session: TmuxSession, round: number): Promise<void> {
  await delay(random() * 400);
  for (let press = 0; press < 3; press++) {
    await session.keys("C-c");
    await delay(random() * 200 * (round % 3));
  }
  let screen = "";
  for (let press = 0; press < 200 && !/left \d+$/m.test(screen); press++) {
    if (screen.endsWith("›")) await session.keys("C-c");
    screen = await session.shows(/left \d+$|›$/m);
  }
  assert.match(screen, /left (0|130)$/m);
}

Deno.test({
  name:
    `after ${ROUNDS} bursts of Ctrl+C ally has left each time, and the session goes on (seed ${TEST_SEED})`,
  ignore: !hasTmux(),
  async fn() {
    const seconds = uniqueDuration();
    const todo = (text: string) => ({ name: "todo_add", arguments: { tasks: [text] } });
    const sleep = { name: "bash", arguments: { command: `sleep ${seconds}` } };
    let ending = false;
    await using server = await startWindowServer({
      answer: (_seen, index) =>
        ending ? { text: "Whole." } : {
          text: "Saving. ".repeat(40),
          delayMs: 1,
          calls: index % 3 === 2
            ? [sleep]
            : [todo(`${index} ${"words ".repeat(80)}`), todo("more")],
        },
    });
    await using place = await makePlace({ endpoint: server.url });
    for (let round = 0; round < ROUNDS; round++) {
      const args = ["--allow-run", ...SIZE, ...round > 0 ? ["-c"] : [], "go"];
      await using session = await start(place, args);
      await session.shows("Saving.");
      await pressUntilLeft(session, round);
      await until("the end of all it started", () => runningWith(seconds).length === 0);
    }
    ending = true;
    const { code, stdout, stderr } = await runAlly(place, {
      args: ["-p", "-c", ...SIZE, "and now?"],
    });
    assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: "Whole.\n", stderr: "" });
    assert.deepEqual(server.seen.flatMap(({ faults }) => faults), []);
  },
});
