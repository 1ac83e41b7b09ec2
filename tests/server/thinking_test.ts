/**
 * What ally does about thinking at a real llama-server: says how much there is to be, ends it in the middle, and shows
 * what is read before it.
 */
import assert from "node:assert/strict";
import { startInTerminal } from "../support/ally_terminal.ts";
import { findLlamaServer, RANDOM_MODEL, startLlamaServer } from "../support/llama_server.ts";
import { makePlace, runAlly } from "../support/program.ts";

const program = await findLlamaServer();
const ENV = { ALLY_MODEL: RANDOM_MODEL };

/** A model that always thinks first, unless it is told not to; a random one does not stop by itself. */
const THINKS = {
  templateText: `{%- for message in messages %}
{{- '<|im_start|>' + message.role + '\\n' }}
{%- if message.role == 'assistant' and message.reasoning_content %}
{{- '<think>\\n' + message.reasoning_content + '\\n</think>\\n\\n' }}
{%- endif %}
{{- (message.content or '') + '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}
{%- if enable_thinking is defined and enable_thinking is false %}{{- '<think>\\n\\n</think>\\n\\n' }}
{%- else %}{{- '<think>\\n' }}{%- endif %}
{%- endif %}`,
  args: ["--ignore-eos", "--ctx-size", "32768"],
};

function withServer(name: string, run: (found: NonNullable<typeof program>) => Promise<void>) {
  Deno.test(name, { ignore: program === undefined }, () => run(program!));
}

withServer("Ctrl+N ends the thinking of a model that would think for ever", async (found) => {
  await using server = await startLlamaServer(found, THINKS);
  await using place = await makePlace({ endpoint: server.url });
  // An earlier run has asked the server what it is.
  await runAlly(place, { args: ["-p", "--effort", "low", "--max-tokens", "4", "hi"], env: ENV });
  await using screen = startInTerminal(place, { env: ENV });
  await screen.keys("What is it?", "Enter");
  await screen.shows("Thinking…");
  await screen.shows(/\n {2}\S/);
  await screen.keys("C-n");
  // It is told once the server has said that it does.
  await screen.shows(/The thinking ends here, as you asked\.[^]*\n\n\S/);
  await screen.keys("C-c");
});

withServer("the least effort has the model answer without thinking", async (found) => {
  await using server = await startLlamaServer(found, THINKS);
  await using place = await makePlace({ endpoint: server.url });
  const kindsOf = async (effort: string) => {
    const args = ["-p", "--effort", effort, "--max-tokens", "40", "--output-format", "stream-json"];
    const { stdout } = await runAlly(place, { args: [...args, "hi"], env: ENV });
    const events = stdout.trim().split("\n").map((line) => JSON.parse(line));
    return new Set(events.map(({ type }) => type));
  };
  const high = await kindsOf("high");
  assert.ok(high.has("thinking_delta") && !high.has("text_delta"), [...high].join());
  const minimal = await kindsOf("minimal");
  assert.ok(minimal.has("text_delta") && !minimal.has("thinking_delta"), [...minimal].join());
});

withServer("a long prompt is told while it is read, and what of it was cached", async (found) => {
  await using server = await startLlamaServer(found, THINKS);
  await using place = await makePlace({ endpoint: server.url });
  const args = ["-p", "--max-tokens", "4", "--output-format", "stream-json", "--effort", "low"];
  const { stdout } = await runAlly(place, {
    args: [...args, "hi"],
    input: "word and more ".repeat(2_500),
    env: ENV,
  });
  const events = stdout.trim().split("\n").map((line) => JSON.parse(line));
  const told = events.filter(({ reading }) => reading);
  assert.ok(told.length > 1, stdout.slice(0, 2_000));
  const [{ prompt_tokens, cached_tokens, read_tokens }] = events.at(-1).requests;
  assert.equal(read_tokens, prompt_tokens - cached_tokens);
  assert.equal(told[0].reading.total, prompt_tokens);
});
