/**
 * A tool that comes after the first request has a server read nothing twice.
 */
import assert from "node:assert/strict";
import { addLateServer, LATE_FLAGS, lateToolScript } from "../support/late_tools.ts";
import { findLlamaServer } from "../support/llama_server.ts";
import { makePlace, runAlly } from "../support/program.ts";
import { startScriptedLlama } from "../support/scripted_llama.ts";

const program = await findLlamaServer();

/** Tokens that may be read beyond what is new. */
const SLACK = 100;

Deno.test(
  "where a tool comes late, each request reads only what is new",
  { ignore: program === undefined },
  async () => {
    await using place = await makePlace();
    await using llama = await startScriptedLlama(program!, { replies: lateToolScript(place) });
    await addLateServer(place);
    const env = { OPENAI_BASE_URL: llama.url };
    const { code, stderr } = await runAlly(place, { args: LATE_FLAGS, env });
    assert.equal(code, 0, stderr);
    const costs = llama.requests.map(({ prompt, read, added }) => ({ prompt, read, added }));
    // deno-lint-ignore no-console -- The figures to look at.
    console.table(costs);
    assert.match(llama.requests.at(-1)!.rendered, /echo: hi/);
    for (const { read, added } of costs) assert.ok(read <= added + SLACK);
  },
);
