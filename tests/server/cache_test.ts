/**
 * What of a conversation a real server reads again. The rule: the server has what it read and said, so that of each
 * request only what is new is read, but for a few tokens where texts meet.
 */
import assert from "node:assert/strict";
import type OpenAI from "openai";
import { readFeatures } from "../../src/model/server_features.ts";
import { agentOf, assertNothingChanges } from "../support/cache_rule.ts";
import { CACHE_SCENARIOS, type CacheScenario } from "../support/cache_scenarios.ts";
import { findLlamaServer, type LlamaServerOptions } from "../support/llama_server.ts";
import { makePlace } from "../support/program.ts";
import { type CachedRequest, startScriptedLlama } from "../support/scripted_llama.ts";
import { knowModel } from "../support/server_features.ts";

const program = await findLlamaServer();

/** Tokens that may be read again where a reply ends and the next text begins. */
const SEAM = 8;

for (const scenario of CACHE_SCENARIOS) {
  withServer(
    `${scenario.name}; a template that strips thinking`,
    () => hold(scenario, { template: "strips", slots: scenario.agents }),
  );
}

for (const scenario of CACHE_SCENARIOS.slice(0, 2)) {
  withServer(
    `${scenario.name}; a template that keeps thinking`,
    () => hold(scenario, { template: "keeps" }),
  );
  for (const template of ["none", "toolless"] as const) {
    withServer(`${scenario.name}; a template "${template}"`, () => hold(scenario, { template }));
  }
  withServer(
    `${scenario.name}; a recurrent model`,
    () => hold(scenario, { template: "keeps", architecture: "mamba" }),
  );
}

function withServer(name: string, run: () => Promise<void>): void {
  Deno.test(`a server reads nothing twice: ${name}`, { ignore: program === undefined }, run);
}

async function hold(scenario: CacheScenario, options: LlamaServerOptions): Promise<void> {
  const { replies, files = {}, requests: count = replies.length, keeps, run } = scenario;
  await using llama = await startScriptedLlama(program!, { ...options, replies });
  await using place = await makePlace({ endpoint: llama.url, files });
  // As after `ally init`: the first request of all is that of a server that is known.
  const features = readFeatures(await llama.server.ask("/props"));
  await knowModel(place, { url: llama.url, features });
  await run(place);
  showCosts(llama.requests);
  assert.equal(llama.requests.length, count);
  llama.requests.forEach(assertAllIsShown);
  for (const [agent, requests] of Map.groupBy(llama.requests, agentOf)) {
    const kept = await assertNothingChanges(requests, {
      renderFirst: llama.renderFirst,
      strips: options.template === "strips",
      ...agent === "main" && keeps && { keeps },
    });
    for (const [index, text] of kept.entries()) {
      const { cached } = requests[index + 1]!;
      const least = await llama.countTokens(text) - SEAM;
      assert.ok(cached >= least, `${agent}, request ${index + 1}: ${cached} cached, not ${least}`);
    }
  }
}

/** What the model sees: every message once, calls with their arguments, results with their text. */
function assertAllIsShown({ body, rendered }: CachedRequest): void {
  const messages = body["messages"] as OpenAI.ChatCompletionMessageParam[];
  const contents = (role: string) =>
    messages.filter((message) => message.role === role).map(({ content }) => content);
  const calls = messages.flatMap((message) =>
    message.role === "assistant" ? message.tool_calls ?? [] : []
  ).filter((call) => call.type === "function");
  const shown = (pattern: RegExp) => [...rendered.matchAll(pattern)].map(([, text]) => text!);
  assert.deepEqual(
    shown(/<tool_call>\n(\{"name": "[^]*?\})\n<\/tool_call>/g).map((text) => JSON.parse(text)),
    calls.map(({ function: { name, arguments: given } }) => (
      { name, arguments: JSON.parse(given) }
    )),
  );
  const results = shown(/<tool_response>\n([^]*?)\n<\/tool_response>/g);
  assert.deepEqual(results, contents("tool"));
  assert.ok(results.every((text) => text.trim() !== ""));
  assert.deepEqual(
    shown(/<\|im_start\|>user\n(?!<tool_response>)([^]*?)<\|im_end\|>/g),
    contents("user"),
  );
}

/** The figures to look at. */
function showCosts(requests: readonly CachedRequest[]): void {
  // deno-lint-ignore no-console -- For people.
  console.table(
    requests.map(({ agent, prompt, cached, read, added, reply }) => (
      { agent: agent.slice(0, 12), prompt, cached, read, added, reply }
    )),
  );
}
