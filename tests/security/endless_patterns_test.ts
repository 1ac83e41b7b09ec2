/**
 * Patterns of others that match by backtracking in exponential time, in schemas of answers and of tools' arguments, in
 * searches, in globs and in files of a project: a text made for them does not hold ally up, and patterns mean what they
 * mean elsewhere.
 */
import assert from "node:assert/strict";
import { Ally, defineTool, type ToolDefinition } from "ally-agent";
import { writeHooks } from "../support/hooks.ts";
import { askBySchema } from "../support/output_schema.ts";
import {
  finish,
  type Finished,
  type Place,
  spawnAlly,
  type Stage,
  stage,
} from "../support/program.ts";

/** Milliseconds after which ally is held to match for ever. */
const DEADLINE_MS = 120_000;
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

/** Runs ally in a process of its own, which has to end by itself: nothing else would act on one that matches for ever. */
async function runToItsEnd(place: Place, args: readonly string[]): Promise<Finished> {
  const child = spawnAlly(place, { args: [...args, "go"] });
  let killed = false;
  const timer = setTimeout(() => {
    killed = true;
    child.kill("SIGKILL");
  }, DEADLINE_MS);
  const ended = await finish(child);
  clearTimeout(timer);
  assert.ok(!killed, `ally came to no end: ${args.join(" ")}`);
  return ended;
}

const call = (name: string, input: Readonly<Record<string, unknown>>) => ({
  calls: [{ name, arguments: input }],
});

/** What the model was told of each call, in order. */
function toldBy({ server }: Stage): string[] {
  const { messages } = server.requests.at(-1)!.body as {
    messages: { role: string; content: string }[];
  };
  return messages.filter(({ role }) => role === "tool").map(({ content }) => content);
}

Deno.test("no pattern of a search takes for ever where ripgrep does not run", async () => {
  const searches = [
    { pattern: "(x+x+)+z" },
    { pattern: "(x+x+)+z", whole_words: true },
    { pattern: "(x*)*y|x$", replace: "y", preview_replace: true },
    { pattern: "(?:x?){300}x{300}z" },
  ];
  for (const args of [["-p", "--plan"], ["-p", "--deny-run"]]) {
    await using at = await stage(
      [...searches.map((input) => call("grep", input)), { text: "Done." }],
      { "x.txt": `${"x".repeat(100_000)}\ny\n`, "y.txt": "y" },
    );
    const { code, stderr } = await runToItsEnd(at.place, args);
    assert.equal(code, 0, stderr);
    const told = toldBy(at);
    assert.equal(told.length, searches.length);
    for (const which of [0, 1, 3]) assert.match(told[which]!, /Found 0 matches/);
    assert.match(told[2]!, /Preview: 1 match in 1 file/);
  }
});

Deno.test("a replacement whose time grows with the square of a line ends when the time is up", async () => {
  await using at = await stage(
    [call("grep", { pattern: "x.*z|x", replace: "y", preview_replace: true }), { text: "Done." }],
    { "x.txt": "x".repeat(500_000) },
  );
  const { code } = await runToItsEnd(at.place, ["-p", "--plan", "--max-time", "2"]);
  assert.equal(code, 4);
  assert.equal(at.server.requests.length, 1);
});

Deno.test("a line that takes too long for a pattern is refused by its number", async () => {
  await using at = await stage(
    [call("grep", { pattern: "(?:x?){400}z" }), { text: "Done." }],
    { "x.txt": `\n${"x".repeat(300_000)}` },
  );
  await runToItsEnd(at.place, ["-p", "--plan"]);
  assert.match(toldBy(at)[0]!, /line 2 of x\.txt is too long for one of its size/);
  assert.match(toldBy(at)[0]!, /Leave the file out with exclude/);
});

Deno.test("no glob of a call takes for ever", async () => {
  const name = "a".repeat(250);
  const stars = `${"*a".repeat(40)}b`;
  const group = "@(*a*a*a*a*a*a*a*a*a*)b";
  const calls = [
    call("ls", { file_path: ".", ignore: [stars] }),
    call("grep", { pattern: "x", exclude: stars }),
    call("grep", { pattern: "x", include: stars }),
    call("glob", { pattern: `{${stars},*}` }),
    call("glob", { pattern: stars }),
    call("glob", { pattern: group }),
    call("glob", { pattern: "+(+(+(a)))b" }),
    call("glob", { pattern: "!(!(*a*a)*a)b" }),
  ];
  for (const args of [["-p"], ["-p", "--plan"]]) {
    await using at = await stage([...calls, { text: "Done." }], { [name]: "x" });
    const { code, stderr } = await runToItsEnd(at.place, args);
    assert.equal(code, 0, stderr);
    const told = toldBy(at);
    for (const which of [0, 1, 3]) assert.ok(told[which]!.includes(name), told[which]);
    for (const which of [2, 4, 5, 6, 7]) assert.match(told[which]!, /^(No files|Found 0)/);
  }
});

Deno.test("globs that are too long are refused, with what would do", async () => {
  const calls = [
    call("ls", { file_path: ".", ignore: ["*a".repeat(2_100)] }),
    call("glob", { pattern: `{${"*a,".repeat(3_000)}b}` }),
    call("glob", { pattern: "@(".repeat(60) + "a" + ")".repeat(60) }),
  ];
  await using at = await stage([...calls, { text: "Done." }], { a: "" });
  await runToItsEnd(at.place, ["-p"]);
  for (const told of toldBy(at)) {
    assert.match(told, /are too long to be matched in time\. Write fewer or shorter ones/);
  }
});

Deno.test("no pattern in a file of the project takes for ever", async () => {
  const deep = `${"a/".repeat(60)}${"a".repeat(200)}`;
  const stars = `${"*a".repeat(40)}b`;
  const files = {
    ".gitignore": `${"**/a/".repeat(20)}b\n${stars}\n${"\n".repeat(300_000)}`,
    Makefile: `include ${stars}\nall:\n\techo made\n`,
    [deep]: "found",
    ["a".repeat(250)]: "",
  };
  // A search has three seconds for its first match, which a busy machine may take: one of several finds it.
  const searches = Array.from({ length: 5 }, () => call("grep", { pattern: "found" }));
  const others = [
    call("bash", { command: "make" }),
    call("write", { file_path: "a.txt", content: "a" }),
  ];
  for (const args of [["-p", "--allow-all"], ["-p", "--plan"]]) {
    const calls = args.includes("--plan") ? searches : [...searches, ...others];
    await using at = await stage([...calls, { text: "Done." }], files);
    const { code, stderr } = await runToItsEnd(at.place, args);
    assert.equal(code, 0, stderr);
    const told = toldBy(at);
    assert.ok(told.some((text) => text.includes("Found 1 match")), told.join("\n"));
  }
});

Deno.test("no pattern of a hook takes for ever", async () => {
  const stars = `${"*a".repeat(40)}b`;
  const name = "a".repeat(250);
  await using at = await stage([call("read", { file_paths: [name] }), { text: "Done." }], {
    [name]: "x",
  });
  const hook = { command: ["false"], required: true };
  await writeHooks(at.place, {
    before_tool: [{ ...hook, paths: [stars] }, { ...hook, tools: [`*r*e*a*d${"*".repeat(500)}b`] }],
  });
  const { code, stderr } = await runToItsEnd(at.place, ["-p"]);
  assert.equal(code, 0, stderr);
  assert.match(toldBy(at)[0]!, /x/);
});
