/**
 * Patterns in the schema of an answer that match by backtracking in exponential time: an answer made for them does not
 * hold ally up, and patterns mean what they mean elsewhere.
 */
import assert from "node:assert/strict";
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
