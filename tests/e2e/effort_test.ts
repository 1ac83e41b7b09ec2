/**
 * How much a model is told to think: by whom it can be said, and in which field each server reads it.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { ScriptedReply } from "../../src/modes/demo/scripted_server.ts";
import { startInTerminal } from "../support/ally_terminal.ts";
import { runAlly, type Stage, stage } from "../support/program.ts";
import { featuresOf, knowModel } from "../support/server_features.ts";

const FIELDS = ["reasoning_effort", "chat_template_kwargs", "thinking", "thinking_budget_tokens"];

/** What each request says of it. */
function toldIn({ server }: Stage): Record<string, unknown>[] {
  return server.requests.map(({ body }) =>
    Object.fromEntries(Object.entries(body).filter(([name]) => FIELDS.includes(name)))
  );
}

async function configure({ place }: Stage, config: Record<string, unknown>): Promise<void> {
  await Deno.mkdir(place.home, { recursive: true });
  await Deno.writeTextFile(join(place.home, "config.json"), JSON.stringify(config));
}

const HELLO: ScriptedReply = { text: "Hello." };

Deno.test("nothing is said of the effort unless somebody says it; --effort is OpenAI's field", async () => {
  await using at = await stage([HELLO, HELLO]);
  await runAlly(at.place, { args: ["-p", "hi"] });
  await runAlly(at.place, { args: ["-p", "--effort", "low", "hi"] });
  assert.deepEqual(toldIn(at), [{}, { reasoning_effort: "low" }]);
});

Deno.test("an effort that there is not is refused, and the levels are named", async () => {
  await using at = await stage([]);
  const { code, stderr } = await runAlly(at.place, { args: ["-p", "--effort", "huge", "hi"] });
  assert.equal(code, 2);
  assert.match(stderr, /minimal.*low.*medium.*high/);
});

Deno.test("a server gets the effort in the field that it has shown to read", async () => {
  const thinks = { keepsReasoning: false, template_arguments: ["enable_thinking"] };
  const rows = [
    {
      known: { features: featuresOf(thinks) },
      low: { thinking_budget_tokens: 1_024, chat_template_kwargs: { enable_thinking: true } },
      minimal: { thinking_budget_tokens: 0, chat_template_kwargs: { enable_thinking: false } },
    },
    {
      known: {
        features: featuresOf({
          keepsReasoning: false,
          template_arguments: [],
          template_caps: ["supports_reasoning_effort"],
        }),
      },
      low: { reasoning_effort: "low" },
      minimal: { reasoning_effort: "minimal" },
    },
    {
      known: { features: featuresOf({ keepsReasoning: false }) },
      low: { thinking_budget_tokens: 1_024 },
      minimal: { thinking_budget_tokens: 0 },
    },
    {
      known: { features: featuresOf({ keepsReasoning: false, kind: "ollama" }) },
      low: { reasoning_effort: "low" },
      minimal: { reasoning_effort: "none" },
    },
    {
      known: { features: featuresOf({ keepsReasoning: false, kind: "vllm" }) },
      low: {
        reasoning_effort: "low",
        chat_template_kwargs: { enable_thinking: true, thinking: true },
      },
      minimal: { chat_template_kwargs: { enable_thinking: false, thinking: false } },
    },
  ];
  for (const { known, low, minimal } of rows) {
    await using at = await stage([HELLO, HELLO]);
    await knowModel(at.place, { url: at.server.url, ...known });
    await runAlly(at.place, { args: ["-p", "--effort", "low", "hi"] });
    await runAlly(at.place, { args: ["-p", "--effort", "minimal", "hi"] });
    assert.deepEqual(toldIn(at), [low, minimal], JSON.stringify(known));
  }
});

Deno.test("a refused effort is left out from then on, and told once", async () => {
  const refusal = { status: 400, text: "Unrecognized request argument supplied: reasoning_effort" };
  await using at = await stage([refusal, HELLO, HELLO]);
  const args = ["-p", "--effort", "high", "hi"];
  const first = await runAlly(at.place, { args });
  const second = await runAlly(at.place, { args });
  assert.deepEqual([first.code, first.stdout, second.stdout], [0, "Hello.\n", "Hello.\n"]);
  assert.deepEqual(toldIn(at), [{ reasoning_effort: "high" }, {}, {}]);
  assert.match(first.stderr, /scripted cannot be told how much to think/);
  assert.doesNotMatch(second.stderr, /think/);
});

Deno.test("a server that knows no minimal effort gets low", async () => {
  const text = "Unsupported value: 'minimal' is not supported with the 'scripted' model. " +
    "Supported values are: 'low', 'medium', and 'high'.";
  await using at = await stage([{ status: 400, text }, HELLO]);
  const { code } = await runAlly(at.place, { args: ["-p", "--effort", "minimal", "hi"] });
  assert.equal(code, 0);
  assert.deepEqual(toldIn(at), [{ reasoning_effort: "minimal" }, { reasoning_effort: "low" }]);
});

Deno.test("the setting holds for all, an endpoint's own for its models, a flag before both", async () => {
  await using at = await stage([HELLO, HELLO, HELLO]);
  const lab = { url: at.server.url, effort: "low", effort_by: "thinking_budget" };
  await configure(at, { effort: "high", endpoints: { lab } });
  const env = { OPENAI_BASE_URL: "" };
  await runAlly(at.place, { args: ["-p", "--endpoint", "lab", "hi"], env });
  await configure(at, { effort: "high", endpoints: { lab: { url: at.server.url } } });
  await runAlly(at.place, { args: ["-p", "--endpoint", "lab", "hi"], env });
  await runAlly(at.place, { args: ["-p", "--endpoint", "lab", "--effort", "medium", "hi"], env });
  assert.deepEqual(toldIn(at), [
    { thinking: { type: "enabled", budget_tokens: 2_048 } },
    { reasoning_effort: "high" },
    { reasoning_effort: "medium" },
  ]);
});

Deno.test("an agent has the effort of its profile", async () => {
  const task = { agent_name: "quick", task_prompt: "look" };
  await using at = await stage([
    { calls: [{ name: "agent", arguments: { agents: [task] } }] },
    { text: "Looked." },
    HELLO,
  ]);
  const agents = join(at.place.home, "agents");
  await Deno.mkdir(agents, { recursive: true });
  await Deno.writeTextFile(join(agents, "quick.md"), "---\neffort: minimal\n---\nBe quick.\n");
  await runAlly(at.place, { args: ["-p", "--effort", "high", "hi"] });
  const efforts = toldIn(at).map(({ reasoning_effort }) => reasoning_effort);
  assert.deepEqual(efforts, ["high", "minimal", "high"]);
});

Deno.test("/effort holds from the next request on, and says what is in use", async () => {
  await using at = await stage([HELLO, HELLO, HELLO]);
  await using screen = startInTerminal(at.place, { args: ["--effort", "low"] });
  await screen.keys("hi", "Enter");
  await screen.shows("Hello.");
  await screen.keys("/effort high", "Enter");
  await screen.shows("The effort is high.");
  await screen.keys("hi", "Enter");
  await screen.shows(/Hello\.[^]*Hello\./);
  await screen.keys("/effort huge", "Enter");
  await screen.shows("There is no effort 'huge'");
  await screen.keys("/effort default", "Enter");
  await screen.shows("The effort is up to the server.");
  await screen.keys("hi", "Enter");
  await screen.shows(/Hello\.[^]*Hello\.[^]*Hello\./);
  assert.deepEqual(toldIn(at), [{ reasoning_effort: "low" }, { reasoning_effort: "high" }, {}]);
});

Deno.test("a recording holds the effort", async () => {
  await using at = await stage([HELLO]);
  await runAlly(at.place, { args: ["-p", "--effort", "low", "--record", "r.jsonl", "hi"] });
  const other = await runAlly(at.place, {
    args: ["-p", "--effort", "high", "--replay", "r.jsonl", "hi"],
  });
  assert.match(other.stderr, /reasoning_effort/);
  const same = await runAlly(at.place, { args: ["replay", "r.jsonl", "--no-sandbox"] });
  assert.equal(same.code, 0, same.stderr + same.stdout);
});
