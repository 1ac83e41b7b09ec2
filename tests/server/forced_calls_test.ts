/**
 * Calls that a model makes because its server's grammar leaves it no choice: that a model of random weights makes them
 * shows that the server understands every tool's schema, and ally the calls that come of it.
 */
import assert from "node:assert/strict";
import type OpenAI from "openai";
import { MANIFEST } from "../../plugins/manifest.ts";
import { violations } from "../../src/lib/schema.ts";
import { findLlamaServer, type LlamaServer, startLlamaServer } from "../support/llama_server.ts";
import { makePlace, runAlly } from "../support/program.ts";

const program = await findLlamaServer();

type Tool = OpenAI.ChatCompletionFunctionTool;
type Body = Record<string, unknown>;

/** Longer than what the penalty for repeating looks back to: the marks of a call in the prompt are not to count. */
const WORDS = "Have a look at the directory, please. ".repeat(12);

/** Has texts, lists and objects end as soon as they may, with no space between their parts. */
const BRIEF_VALUES = {
  "<|im_end|>": 400,
  ...{ '"."': 350, '"': 300, "}": 250, "]": 250, ",": 200, ":": 200, "[": 200, "{": 200 },
};

/** How much a model likes some tokens: from some number on it takes them as soon as it may. */
async function liking(
  server: LlamaServer,
  tokens: Readonly<Record<string, number>>,
): Promise<Body> {
  const bias = Object.entries(tokens).map(async ([content, amount]) => {
    const answer = await server.ask("/tokenize", { content });
    return [(answer["tokens"] as number[]).at(-1), amount];
  });
  return { logit_bias: await Promise.all(bias), max_tokens: 400 };
}

/** What has the server force a call of a tool with one argument, a text, which becomes ".". */
async function forcing(server: LlamaServer, tool: Tool): Promise<Body> {
  return {
    ...await liking(server, {
      "<tool_call>": 200,
      "\n": 275,
      '"': 140,
      '"."': 150,
      "<|im_end|>": 400,
    }),
    tools: [tool],
    tool_choice: "required",
    parallel_tool_calls: false,
    // Where the grammar takes any text, the beginning of a call comes once, and then the line's end.
    presence_penalty: 100,
    temperature: 0,
  };
}

/** Stands before a server; the first chat has to call `name`. */
function startForcing(server: LlamaServer, name: string) {
  const bodies: Body[] = [];
  const listener = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request) => {
      const url = new URL(new URL(request.url).pathname, server.url);
      const { method } = request;
      if (url.pathname !== "/v1/chat/completions") return await fetch(url, { method });
      const body: Body & { tools: Tool[] } = await request.json();
      bodies.push(body);
      const tool = body.tools.find((one) => one.function.name === name)!;
      const forced = bodies.length === 1 ? await forcing(server, tool) : {};
      return await fetch(url, { method, body: JSON.stringify({ ...body, ...forced }) });
    },
  );
  return {
    bodies,
    url: `http://127.0.0.1:${listener.addr.port}/v1`,
    [Symbol.asyncDispose]: () => listener.shutdown(),
  };
}

Deno.test(
  "a call that the server's grammar forces is run, and its result read",
  { ignore: program === undefined },
  async () => {
    await using server = await startLlamaServer(program!);
    await using front = startForcing(server, "ls");
    await using place = await makePlace({ endpoint: front.url, files: { "a.txt": "a\n" } });
    const args = ["-p", WORDS, "--max-tokens", "20", "--output-format", "stream-json"];
    const { code, stdout, stderr } = await runAlly(place, { args });
    assert.equal(code, 0, stderr);
    const events: Body[] = stdout.trim().split("\n").map((line) => JSON.parse(line));
    const [end, ...others] = events.filter(({ type }) => type === "tool_end");
    assert.deepEqual(others, []);
    assert.ok(end, stdout);
    assert.equal((end["result"] as Body)["success"], true, stdout);
    const messages = front.bodies.at(-1)!["messages"] as OpenAI.ChatCompletionMessageParam[];
    assert.match(String(messages.at(-1)!.content), /a\.txt/);
  },
);

Deno.test(
  "the server's grammar for each tool's schema lets through what the schema accepts",
  { ignore: program === undefined },
  async () => {
    await using server = await startLlamaServer(program!);
    const values = await liking(server, BRIEF_VALUES);
    for (const { definition: { name, parameters: schema } } of MANIFEST) {
      const answer = await server.ask("/v1/chat/completions", {
        ...values,
        messages: [{ role: "user", content: `Call ${name}.` }],
        response_format: { type: "json_schema", json_schema: { schema } },
      });
      const [choice] = answer["choices"] as OpenAI.ChatCompletion.Choice[];
      const text = choice!.message.content!;
      assert.equal(choice!.finish_reason, "stop", `${name}: ${text}`);
      assert.deepEqual(violations({ ...schema }, JSON.parse(text)), [], `${name}: ${text}`);
    }
  },
);
