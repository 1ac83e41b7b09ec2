/**
 * Patterns in the schemas of others, of an answer or of a tool's arguments, that match by backtracking in exponential
 * time: a text made for them does not hold ally up, and patterns mean what they mean elsewhere.
 */
import assert from "node:assert/strict";
import { Ally, defineTool, type ToolDefinition } from "ally-agent";
import { askBySchema } from "../support/output_schema.ts";
import { stage } from "../support/program.ts";

const LONG = `${"a".repeat(60)}!`;

/** Schemas, an answer that must not hold ally up, and one that fits. */
const ENDLESS: readonly (readonly [object, unknown, unknown])[] = [
  ...["^(a+)+$", "^(a|aa)+$", "^(a|a)*$", "^([a-zA-Z]+)*$", "^(.*a){20}$"].map((pattern) =>
    [{ type: "string", pattern }, LONG, "a".repeat(30)] as const
  ),
  [
    { type: "object", patternProperties: { "^(a+)+$": { type: "string" } }, minProperties: 1 },
    { [LONG]: 1, aaa: 1 },
    { [LONG]: 1, aaa: "x" },
  ],
  [
    { type: "object", propertyNames: { pattern: "^(a+)+$" } },
    { [LONG]: 1 },
    { aaa: 1 },
  ],
  [
    { anyOf: [{ type: "number" }, { items: { not: { pattern: "^(a+)+$" } }, type: "array" }] },
    [LONG, "aaa"],
    [LONG],
  ],
  [
    { type: "array", items: { type: "string", pattern: "^x", format: "uri" } },
    ["x y", "y:z", `xa${"ab/c".repeat(1_000)}`],
    [`x:${"ab/c".repeat(1_000)}`],
  ],
  [
    { type: "string", format: "url" },
    `http://${LONG} x`,
    "https://example.org/a?b",
  ],
  [
    { $ref: "#/definitions/name", definitions: { name: { pattern: "^(a+)+$" } } },
    LONG,
    "aaa",
  ],
];

Deno.test("no pattern of a schema takes for ever on an answer", async () => {
  for (const [schema, bad, good] of ENDLESS) {
    const [first, second] = [bad, good].map((value) => ({ text: JSON.stringify(value) }));
    await using at = await stage([first!, second!]);
    const { code, stdout, stderr } = await askBySchema(at, { schema });
    assert.deepEqual([code, stdout], [0, `${JSON.stringify(good)}\n`], stderr);
    assert.equal(at.server.requests.length, 2, JSON.stringify(schema));
  }
});

Deno.test("a fault names the pattern as the schema has it, and patterns keep their meaning", async () => {
  const schema = {
    type: "object",
    properties: {
      pattern: { type: "string", pattern: "^\\d{4}-\\d{2}$" },
      sign: { type: "string", pattern: "[$(]{2}" },
    },
    patternProperties: { "^x": { type: "integer" }, "^.y$": { type: "integer", minimum: 3 } },
    required: ["pattern"],
  };
  const good = { pattern: "2026-11", sign: "a$(b|/\\", xy: 3 };
  const wrong = [{ ...good, pattern: "2026-11\n" }, { ...good, xy: 2 }];
  await using at = await stage([...wrong, good].map((one) => ({ text: JSON.stringify(one) })));
  const { code, stdout, stderr } = await askBySchema(at, { schema });
  assert.deepEqual([code, JSON.parse(stdout)], [0, good], stderr);
  const told = at.server.requests.map(({ body }) => {
    const messages = body.messages as { content: string }[];
    return messages.at(-1)!.content;
  });
  assert.match(
    told[1]!,
    /Schema: pattern: It must match the pattern \^\\d\{4\}-\\d\{2\}\$\.\. Answer/,
  );
  assert.match(told[2]!, /Schema: xy: 2 is less than 3\.\. Answer/);
});

Deno.test("a pattern without a bound is refused before anything is sent", async () => {
  for (const pattern of ["^(?=a)a", "(?<!a)b", "(a)\\1"]) {
    await using at = await stage([]);
    const { code, stderr } = await askBySchema(at, { schema: { pattern } });
    assert.equal(code, 2);
    assert.match(stderr, /which could take for ever to match\. Write it without lookahead/);
    assert.deepEqual(at.server.requests, []);
  }
});

/** Parameters, arguments that must not hold ally up, and some that fit. */
const TOOLS: readonly (readonly [object, object, object])[] = [
  [{ properties: { x: { type: "string", pattern: "^(a+)+$" } } }, { x: LONG }, { x: "aaa" }],
  [
    { properties: { x: { type: "array", items: { pattern: "^(a|aa)+$" } } } },
    { x: [LONG] },
    { x: ["aa"] },
  ],
  [
    { properties: { x: { anyOf: [{ type: "number" }, { pattern: "^(a+)+$", type: "string" }] } } },
    { x: LONG },
    { x: 7 },
  ],
  [{ properties: { x: { not: { pattern: "^b(a+)+$" } } } }, { x: "ba" }, { x: `b${LONG}` }],
  [
    {
      properties: { x: { $ref: "#/definitions/x" } },
      definitions: { x: { type: "string", pattern: "^(a+)+$" } },
    },
    { x: LONG },
    { x: "a" },
  ],
  [
    {
      properties: {},
      patternProperties: { "^(a+)+$": { type: "integer" } },
      additionalProperties: false,
    },
    { [LONG]: 1 },
    { aaa: 1 },
  ],
  [{ properties: {}, propertyNames: { pattern: "^(a+)+$" } }, { [LONG]: 1 }, { aaa: 1 }],
  [
    { properties: { x: { type: "string", format: "url" } } },
    { x: `http://${LONG} x` },
    { x: "http://example.org" },
  ],
];

function ownTool(parameters: object, got: unknown[]) {
  const definition = {
    name: "own",
    description: "x",
    parameters: { type: "object", ...parameters } as ToolDefinition["parameters"],
    effects: [],
    example: {},
  } satisfies ToolDefinition;
  return defineTool(definition, {
    describe: () => "",
    run: (input) => {
      got.push(input);
      return Promise.resolve({ ok: true, data: {} });
    },
  });
}

Deno.test("no pattern of a caller's tool takes for ever on a call, made or written as text", async () => {
  for (const [parameters, bad, good] of TOOLS) {
    const call = (input: object) => ({ calls: [{ name: "own", arguments: { ...input } }] });
    const written = `<tool_call>${JSON.stringify({ name: "own", arguments: bad })}</tool_call>`;
    await using at = await stage([call(bad), call(good), { text: written }, { text: "Done." }]);
    const got: unknown[] = [];
    const ally = new Ally({ cwd: at.place.dir, env: at.place.env });
    const { reason } = await ally.run("go", { tools: [ownTool(parameters, got)] });
    assert.deepEqual([reason, got], ["done", [good]], JSON.stringify(parameters));
    const { tools } = at.server.requests[0]!.body as { tools: { function: { name: string } }[] };
    const sent = JSON.stringify(tools.find((one) => one.function.name === "own"));
    assert.doesNotMatch(sent, /"pattern|"propertyNames/);
  }
});

Deno.test("a pattern of a caller's tool is told as it stands, and one without a bound is refused", async () => {
  await using at = await stage([
    { calls: [{ name: "own", arguments: { x: "b" } }] },
    { text: "Done." },
  ]);
  const ally = new Ally({ cwd: at.place.dir, env: at.place.env });
  const bounded = { properties: { x: { type: "string", pattern: "^a+$", description: "As" } } };
  await ally.run("go", { tools: [ownTool(bounded, [])] });
  const [first, second] = at.server.requests;
  assert.match(first!.text, /"description":"As\. Matches \^a\+\$"/);
  assert.match(second!.text, /Invalid 'x': It must match the pattern \^a\+\$\./);
  const unbounded = { properties: { x: { type: "string", pattern: "(?=a)a" } } };
  await assert.rejects(
    async () => await ally.run("go", { tools: [ownTool(unbounded, [])] }),
    /The schema of the tool own has the pattern \(\?=a\)a, which could take for ever/,
  );
});
