/**
 * Random lists and pipelines, cut at random, against the bash that runs them whole. What runs at once in a pipe says
 * its errors in any order, so only the standard output is compared.
 */
import assert from "node:assert/strict";
import { HAS_BASH, makeDirectory, partedBy, runParted, runWhole } from "../support/parted.ts";
import { randomNumbers, TEST_SEED } from "../support/random.ts";

/** What a script may tell its shell first; not `pipefail`, with which the status hangs on who is quicker. */
const SETUPS = ["", "", "set -e; ", "set -e && ", "X=1; set -eu\n"];

Deno.test({
  name: "random lists cut at random give the output and the exit code of bash",
  ignore: !HAS_BASH,
  async fn() {
    await using directory = await makeDirectory();
    const cwd = directory.path;
    const random = randomNumbers(TEST_SEED);
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
    const atom = () =>
      pick([
        "true",
        "false",
        "echo a",
        "cat f",
        "cat",
        "(exit 3)",
        "echo $?",
        "cd d",
        "cd ..",
        "pwd",
        "ls",
        "exit",
        "exit 7",
        "grep -q a f",
        "head -1",
        "nothing-here",
        "test -d d",
      ]);
    const list = (depth: number): string =>
      Array.from({ length: 1 + Math.floor(random() * 4) }, (_, index) => {
        const group = depth > 0 && random() < 0.2;
        const simple = group
          ? pick([(text: string) => `( ${text} )`, (text: string) => `{ ${text}; }`])(
            list(depth - 1),
          )
          : atom();
        const piped = random() < 0.25
          ? `${random() < 0.3 ? "! " : ""}${simple} | ${atom()}`
          : simple;
        return index === 0 ? piped : ` ${pick(["&&", "||", ";", ";", "\n"])} ${piped}`;
      }).join("");
    let cuts = 0;
    for (let count = 0; count < 250; count++) {
      const source = `${pick(SETUPS)}${list(2)}`;
      const places = Math.floor(random() * 1000);
      const form = pick(["written", "canonical"] as const);
      const parted = partedBy(source, { form, cut: (at) => (at * 7 + places) >> 2, cwd });
      if (!parted) continue;
      cuts++;
      const expected = await runWhole(source, cwd, { stderr: false });
      const message = `seed ${TEST_SEED}, ${form}: ${source}`;
      assert.deepEqual(await runParted(parted, cwd, { stderr: false }), expected, message);
    }
    assert.ok(cuts > 100, `seed ${TEST_SEED}: only ${cuts} were cut`);
  },
});
