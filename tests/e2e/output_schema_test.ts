/**
 * `ally -p --output-schema`: an answer by a JSON Schema, whoever holds the model to it, or exit code 6.
 */
import assert from "node:assert/strict";
import type { ScriptedReply } from "../../src/modes/demo/scripted_server.ts";
import { DIALECTS } from "../support/dialect_rows.ts";
import { askBySchema as ask, FITS, SCHEMA, testDialects } from "../support/output_schema.ts";
import { type Stage, stage } from "../support/program.ts";

const REFUSED = (message: string): ScriptedReply => ({
  status: 400,
  body: JSON.stringify({ error: { message } }),
});
const CALLED = (input: Record<string, unknown>): ScriptedReply => ({
  calls: [{ name: "final_answer", arguments: input }],
});

/** By which fields each request holds the model to the schema. */
function heldIn({ server }: Stage): unknown[] {
  return server.requests.map(({ body }) => {
    const { response_format: format, tool_choice: choice } = body as Record<string, unknown>;
    return format === undefined ? choice : { format: (format as { type: string }).type, choice };
  });
}

for (
  const text of [
    '{"n": 7, "why": "so"}',
    'Here:\n```json\n{"n": "7", "why": "so"}\n```\nThat is it.',
  ]
) {
  Deno.test(`an answer that fits is printed as bare JSON: ${JSON.stringify(text)}`, async () => {
    await using at = await stage([{ text }]);
    const { code, stdout, stderr } = await ask(at);
    assert.equal(code, 0, stderr);
    assert.equal(stdout, '{"n":7,"why":"so"}\n');
    assert.deepEqual(heldIn(at), [undefined]);
    assert.match(JSON.stringify(at.server.requests[0]!.body), /fits this JSON Schema/);
  });
}

Deno.test("the result names the value; tools are called before as ever; the schema may be a file", async () => {
  await using at = await stage(
    [{ calls: [{ name: "read", arguments: { file_paths: ["a.txt"] } }] }, FITS],
    { "a.txt": "seven\n", "schema.json": JSON.stringify(SCHEMA) },
  );
  const { code, stdout } = await ask(at, {
    schema: "schema.json",
    args: ["--output-format", "json"],
  });
  assert.equal(code, 0);
  const { structured, text, reason, tool_calls } = JSON.parse(stdout);
  assert.deepEqual(structured, { n: 7, why: "so" });
  assert.deepEqual([JSON.parse(text), reason, tool_calls], [structured, "done", 1]);
});

Deno.test("an answer that does not fit is asked for again, by the server's grammar, then by a tool", async () => {
  await using at = await stage([{ text: "Seven." }, { text: '{"n": "many"}' }, CALLED({ n: 7 })]);
  const { code, stdout, stderr } = await ask(at);
  assert.equal(code, 0, stderr);
  assert.equal(stdout, '{"n":7}\n');
  const tool = { type: "function", function: { name: "final_answer" } };
  assert.deepEqual(heldIn(at), [undefined, { format: "json_schema", choice: "none" }, tool]);
  const [, second, third] = at.server.requests.map(({ body }) => JSON.stringify(body));
  assert.match(second!, /does not fit the JSON Schema: it is not JSON/);
  assert.match(third!, /does not fit the JSON Schema: n: /);
});

Deno.test("a server that refuses a schema, or the choice of a tool, is asked in another way at once", async () => {
  await using at = await stage([
    { text: "Seven." },
    REFUSED("response_format of type json_schema is not supported"),
    REFUSED("tool_choice must be auto"),
    CALLED({ n: 7 }),
  ]);
  const { code, stdout, stderr } = await ask(at);
  assert.equal(code, 0, stderr);
  assert.equal(stdout, '{"n":7}\n');
  assert.deepEqual(heldIn(at).slice(-1), [undefined]);
});

for (const schema of [{ type: "array", items: { type: "string" } }, { enum: [["a"], "b"] }]) {
  Deno.test(`what is no object is asked for as the argument of the tool: ${JSON.stringify(schema)}`, async () => {
    await using at = await stage([{ text: "x" }, { text: "y" }, CALLED({ answer: ["a"] })]);
    const { code, stdout } = await ask(at, { schema });
    assert.deepEqual([code, stdout], [0, '["a"]\n']);
  });
}

Deno.test("where no answer fits after two more requests, the exit code is 6", async () => {
  await using at = await stage([{ text: "a" }, { text: "b" }, CALLED({ n: "many" })]);
  const { code, stdout } = await ask(at, { args: ["--output-format", "json"] });
  assert.equal(code, 6);
  const result = JSON.parse(stdout);
  assert.equal(result.reason, "error");
  assert.ok(!("structured" in result));
  assert.match(result.error, /No answer fits the schema; of the last one: n: /);
  assert.equal(at.server.requests.length, 3);
});

for (
  const [schema, problem] of [
    ["{no json", /is not a JSON object/],
    ["missing.json", /Cannot read .*missing\.json/],
    ['{"type": "objekt"}', /no JSON Schema at type: .*one of string/],
  ] as const
) {
  Deno.test(`a schema that cannot be used is refused before anything is asked: ${schema}`, async () => {
    await using at = await stage([FITS]);
    const { code, stderr } = await ask(at, { schema });
    assert.equal(code, 2);
    assert.match(stderr, problem);
    assert.equal(at.server.requests.length, 0);
  });
}

Deno.test("an answer by a schema is had from several dialects; among the slow tests from all", async () => {
  await testDialects(DIALECTS.filter((_, index) => index % 12 === 0));
});
