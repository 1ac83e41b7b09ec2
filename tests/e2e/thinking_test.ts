/**
 * Thinking on its way back: to the server that gave it, within the turn, and no further than that server wants it.
 */
import assert from "node:assert/strict";
import type { ReplyFunction, ScriptedReply } from "../../src/modes/demo/scripted_server.ts";
import { runAlly, type Stage, stage } from "../support/program.ts";
import { featuresOf, knowModel } from "../support/server_features.ts";

const LS = { id: "c1", name: "ls", arguments: { file_path: "." } };
const LOOK: ScriptedReply = { thinking: "Look first.\n", calls: [LS] };
const FOUND: ScriptedReply = { thinking: "Found it.", text: "Done." };

/** The thoughts in each request, reply by reply. */
function thoughtsIn({ server }: Stage): unknown[][] {
  return server.requests.map(({ body }) =>
    (body.messages as Record<string, unknown>[]).filter(({ role }) => role === "assistant")
      .map(({ reasoning_content }) => reasoning_content)
  );
}

Deno.test("thinking goes back within the turn, to the byte, and not in the next one", async () => {
  await using at = await stage([LOOK, FOUND, { calls: [{ ...LS, id: "c2" }] }, FOUND]);
  await runAlly(at.place, { args: ["-p", "look"] });
  await runAlly(at.place, { args: ["-p", "--continue", "again"] });
  const none = [undefined, undefined];
  assert.deepEqual(thoughtsIn(at), [[], ["Look first.\n"], none, [...none, undefined]]);
  const saved = await at.place.session();
  assert.equal(saved.filter(({ type }) => type === "reasoning_dropped").length, 1);
});

Deno.test("thinking of earlier turns goes back to a model whose template shows it", async () => {
  await using at = await stage([LOOK, FOUND, FOUND]);
  await knowModel(at.place, { url: at.server.url, features: featuresOf({ keepsReasoning: true }) });
  await runAlly(at.place, { args: ["-p", "look"] });
  await runAlly(at.place, { args: ["-p", "--continue", "again"] });
  assert.deepEqual(thoughtsIn(at).at(-1), ["Look first.\n", "Found it."]);
});

Deno.test("a template that keeps thinking only where it is told to is told so; other servers are told nothing", async () => {
  const template_arguments = ["enable_thinking", "preserve_thinking", "clear_thinking"];
  const rows = [
    { known: {}, sent: undefined },
    { known: { features: featuresOf({ keepsReasoning: true }) }, sent: undefined },
    {
      known: { features: featuresOf({ keepsReasoning: false, template_arguments }) },
      sent: undefined,
    },
    {
      known: { features: featuresOf({ keepsReasoning: true, template_arguments }) },
      sent: { preserve_thinking: true, clear_thinking: false },
    },
  ];
  for (const { known, sent } of rows) {
    await using at = await stage([FOUND]);
    await knowModel(at.place, { url: at.server.url, ...known });
    await runAlly(at.place, { args: ["-p", "look"] });
    assert.deepEqual(at.server.requests[0]!.body.chat_template_kwargs, sent);
  }
});

Deno.test("a server that refuses thinking gets none, and later runs know it", async () => {
  const refuse: ReplyFunction = () => ({
    status: 400,
    text: "property 'reasoning_content' is unsupported",
  });
  await using at = await stage([LOOK, refuse, FOUND, LOOK, FOUND]);
  const { code } = await runAlly(at.place, { args: ["-p", "look"] });
  assert.equal(code, 0);
  await runAlly(at.place, { args: ["-p", "look"] });
  assert.deepEqual(thoughtsIn(at), [[], ["Look first.\n"], [undefined], [], [undefined]]);
});

Deno.test("a secret in thinking goes back as its placeholder, and a signed thought not at all", async () => {
  const key = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
  const detail = (rest: Record<string, unknown>) => ({ type: "reasoning.text", index: 0, ...rest });
  const chunk = (delta: unknown, finish: string | null = null) =>
    JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] });
  const call = { index: 0, id: "c2", type: "function", function: { name: "ls", arguments: "{}" } };
  const signed: ScriptedReply = {
    sse: [
      chunk({ reasoning_details: [detail({ text: `Use ${key}.` })] }),
      chunk({ reasoning_details: [detail({ signature: "abc=" })], tool_calls: [call] }),
      chunk({}, "tool_calls"),
      "[DONE]",
    ],
  };
  await using at = await stage([{ ...LOOK, thinking: `Use ${key}.` }, signed, FOUND]);
  await runAlly(at.place, { args: ["-p", "look"] });
  const last = at.server.requests.at(-1)!;
  assert.ok(!last.text.includes(key));
  assert.match(String(thoughtsIn(at).at(-1)![0]), /^Use \[secret:\w+:[0-9a-f]{8}\]\.$/);
  assert.doesNotMatch(last.text, /reasoning_details/);
});
