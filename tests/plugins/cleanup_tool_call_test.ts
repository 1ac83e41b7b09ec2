import assert from "node:assert/strict";
import type { EventBody } from "../../src/core/event.ts";
import type { ToolMessage } from "../../src/core/message.ts";
import type { ModelRequest } from "../../src/core/model.ts";
import { type Call, type Harness, harness, type HarnessOptions } from "../support/agent_harness.ts";

const FILES = {
  "big.txt": "not found here\n".repeat(200),
  "more.txt": "something else\n".repeat(200),
  "small.txt": "small\n",
};
const READ: Call = ["read", { file_paths: ["big.txt"] }, "big"];
const SMALL: Call = ["read", { file_paths: ["small.txt"] }, "small"];
const CLEAN = (input: Record<string, unknown>): Call => ["cleanup_tool_call", input, "clean"];

async function run(calls: readonly Call[], options: HarnessOptions = {}): Promise<Harness> {
  const replies = [...calls.map((call) => ({ calls: [call] })), { text: "Done." }];
  const made = await harness({ files: FILES, replies, ...options });
  await made.agent.run("Go");
  return made;
}

function lastEnd(made: Harness) {
  return made.facts.filter((fact): fact is Extract<EventBody, { type: "tool_end" }> =>
    fact.type === "tool_end"
  ).at(-1)!;
}

/** What a request says is the result of a call. */
function shown(request: ModelRequest | undefined, id: string): string | undefined {
  return request?.messages.find((message): message is ToolMessage =>
    message.role === "tool" && message.call_id === id
  )?.content;
}

Deno.test("cleanup_tool_call reports the tool and the tokens saved, and saves a note", async () => {
  await using made = await run([
    READ,
    CLEAN({ tool_call_ids: "big", summary: "Only\nnoise.", reason: "not found" }),
  ]);
  const { result, preview } = lastEnd(made);
  assert.equal(result.success, true);
  assert.equal(result.message, "Cleaned up 1 result (read).");
  assert.equal(result.original_tool, "read");
  assert.deepEqual(result.original_tools, ["read"]);
  assert.ok(Number(result.tokens_saved) > 500);
  assert.deepEqual(preview, [`Cleaned up 1 result (read). ${result.tokens_saved} tokens saved.`]);
  assert.deepEqual(made.notes, [{
    type: "cleanup",
    call_ids: ["big"],
    content: "[Cleaned up - not found]: Only noise.",
  }]);
});

Deno.test("a clean-up waits for the next prompt, and then stands in the result's place", async () => {
  await using made = await run([READ, CLEAN({ tool_call_ids: ["big"] })]);
  const before = made.agent.deps.budget.used;
  assert.match(shown(made.requests[2], "big")!, /not found here/);
  await made.agent.run("Again");
  assert.equal(shown(made.requests[3], "big"), "[Cleaned up - not relevant to task]");
  assert.ok(made.agent.deps.budget.used < before - 500);
});

Deno.test("a clean-up is applied at once when it frees an eighth of the window", async () => {
  const more: Call = ["read", { file_paths: ["more.txt"] }, "more"];
  const calls = [
    READ,
    more,
    ["cleanup_tool_call", { tool_call_ids: ["big"] }, "first"],
    ["cleanup_tool_call", { tool_call_ids: ["more"] }, "second"],
  ] as const;
  await using made = await run(calls, { contextSize: 16_384 });
  assert.match(shown(made.requests[3], "big")!, /not found here/);
  for (const id of ["big", "more"]) {
    assert.equal(shown(made.requests[4], id), "[Cleaned up - not relevant to task]");
  }
});

Deno.test("a clean-up is applied at once when the window fills", async () => {
  const usage = { promptTokens: 75_000, completionTokens: 10 };
  await using made = await harness({
    files: FILES,
    replies: [
      { calls: [READ] },
      { calls: [CLEAN({ tool_call_ids: ["big"] })], usage },
      { text: "Done." },
    ],
  });
  await made.agent.run("Go");
  assert.equal(shown(made.requests[2], "big"), "[Cleaned up - not relevant to task]");
});

Deno.test("several results are cleaned up by one call, each once", async () => {
  await using made = await run([
    READ,
    SMALL,
    CLEAN({ tool_call_ids: ["big, small", "big"], summary: "x".repeat(400) }),
  ]);
  const { result } = lastEnd(made);
  assert.deepEqual(result.original_tools, ["read", "read"]);
  assert.equal("original_tool" in result, false);
  await made.agent.run("Again");
  const content = shown(made.requests.at(-1), "small")!;
  assert.equal(content, shown(made.requests.at(-1), "big"));
  assert.match(content, /^\[Cleaned up - not relevant to task\]: x{299}…$/);
});

const REFUSED: readonly [string, Call[], string, RegExp][] = [
  ["without an id", [CLEAN({})], "validation", /Missing required parameter 'tool_call_ids'/],
  ["with an empty id", [CLEAN({ tool_call_ids: [" "] })], "validation", /no id is given/],
  ["of an unknown id", [READ, CLEAN({ tool_call_ids: ["huge"] })], "user", /has the id 'huge'/],
  [
    "of a result cleaned up before",
    [
      READ,
      ["cleanup_tool_call", { tool_call_ids: ["big"] }, "first"],
      CLEAN({ tool_call_ids: ["big"] }),
    ],
    "user",
    /'big' was cleaned up already/,
  ],
  ["of itself", [CLEAN({ tool_call_ids: ["clean"] })], "user", /has the id 'clean'/],
];
for (const [what, calls, kind, message] of REFUSED) {
  Deno.test(`cleanup_tool_call ${what} is refused, with what to do instead`, async () => {
    await using made = await run(calls);
    const { result } = lastEnd(made);
    assert.equal(result.error_type, `${kind}_error`);
    assert.match(result.error, message);
    assert.ok(result.suggestion);
  });
}

Deno.test("cleanup_tool_call cleans up all ids or none, and names what could be cleaned up", async () => {
  await using made = await run([READ, CLEAN({ tool_call_ids: ["big", "huge"] })]);
  assert.match(lastEnd(made).result.suggestion!, /big \(read, \d+ tokens\)/);
  assert.deepEqual(made.notes, []);
  assert.equal(made.agent.deps.conversation.reclaimableTokens, 0);
});

Deno.test("a large result that found nothing carries its id and how to give it up", async () => {
  await using made = await run([READ, SMALL]);
  assert.match(
    shown(made.requests.at(-1), "big")!,
    /\n\n\[tool_call_id: big\]\nIf this result is of no help.*cleanup_tool_call\(tool_call_ids="big", .*reason="not found"\)$/,
  );
  assert.doesNotMatch(shown(made.requests.at(-1), "small")!, /tool_call_id/);
});

for (
  const [what, content] of [
    ["small, though it found nothing", "No matches found\n"],
    ["large, but holds something", "something\n".repeat(300)],
  ] as const
) {
  Deno.test(`a result that is ${what}, carries no id`, async () => {
    await using made = await run([READ], { files: { "big.txt": content } });
    assert.doesNotMatch(shown(made.requests.at(-1), "big")!, /tool_call_id/);
  });
}
