/**
 * Agents at a server with several slots, and with one: each keeps to its own, so that the main agent finds its
 * conversation as it left it.
 */
import assert from "node:assert/strict";
import { byContent, type Script } from "../support/by_content.ts";
import { findLlamaServer } from "../support/llama_server.ts";
import { makePlace, runAlly } from "../support/program.ts";
import { startScriptedLlama } from "../support/scripted_llama.ts";

const program = await findLlamaServer();

/** Tokens that may be read beyond what is new. */
const SLACK = 100;

const ls = { calls: [{ id: "l", name: "ls", arguments: { file_path: "." } }] };
const SCRIPTS: readonly Script[] = [
  ["main", ls, {
    calls: [{
      id: "a",
      name: "agent",
      arguments: { agents: ["one", "two", "three"].map((task_prompt) => ({ task_prompt })) },
    }],
  }, { text: "All looked." }],
  ["one", ls, { text: "First." }],
  ["two", ls, { text: "Second." }],
  ["three", ls, { text: "Third." }],
];

for (const slots of [4, 2]) {
  Deno.test(
    `after three agents the main one reads only what is new, with ${slots} slots`,
    { ignore: program === undefined },
    async () => {
      const args = ["--parallel", `${slots}`];
      await using llama = await startScriptedLlama(program!, { replies: byContent(SCRIPTS), args });
      await using place = await makePlace({ endpoint: llama.url, files: { "a.txt": "a\n" } });
      const asJson = ["--output-format", "stream-json"];
      const { code, stdout } = await runAlly(place, { args: ["-p", ...asJson, "main"] });
      assert.equal(code, 0);
      const costs = llama.requests.map(({ agent, body: { id_slot }, prompt, read, added }) => (
        { agent, id_slot, prompt, read, added }
      ));
      // deno-lint-ignore no-console -- The figures to look at.
      console.table(costs);
      const main = costs.filter(({ agent }) => agent === "main");
      assert.ok(main.at(-1)!.read <= main.at(-1)!.added + SLACK);
      const others = new Set(
        costs.filter(({ agent }) => agent !== "main").map((one) => one.id_slot),
      );
      assert.equal(others.size, slots - 1);
      assert.ok(!others.has(main.at(-1)!.id_slot));
      assert.equal(/one after another|at a time/.test(stdout), slots === 2);
    },
  );
}
