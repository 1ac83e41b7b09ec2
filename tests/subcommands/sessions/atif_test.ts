import assert from "node:assert/strict";
import { renderTrajectory } from "../../../src/context/atif.ts";
import type { Message } from "../../../src/core/message.ts";
import { trajectoryProblems } from "../../support/atif.ts";
import { runAlly, stage } from "../../support/program.ts";

const SECRET = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD";

interface Step {
  readonly source: string;
  readonly message: string;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly {
    readonly tool_call_id: string;
    readonly function_name: string;
  }[];
  readonly observation?: { readonly results: readonly { readonly content: string }[] };
  readonly extra?: Readonly<Record<string, unknown>>;
}

Deno.test("ally sessions export --format atif writes a trajectory by the rules of the format, secrets masked", async () => {
  await using at = await stage([
    {
      thinking: "I look first.",
      text: "Let me look.",
      calls: [
        { name: "read", arguments: { file_paths: ["a.txt"] } },
        { name: "read", arguments: { file_paths: ["nothing.txt"] } },
      ],
      usage: { prompt_tokens: 100, completion_tokens: 7 },
    },
    { text: `It says ${SECRET}.`, usage: { prompt_tokens: 150, completion_tokens: 9 } },
  ], { "a.txt": `key ${SECRET}\n` });
  await runAlly(at.place, { args: ["-p", "what is in a.txt?"] });
  const done = await runAlly(at.place, {
    args: ["sessions", "export", "last", "t.json", "--format", "atif"],
  });
  assert.equal(done.code, 0, done.stderr);
  const text = await at.place.read("t.json");
  assert.equal(text.includes(SECRET), false);
  const trajectory = JSON.parse(text);
  assert.deepEqual(trajectoryProblems(trajectory), []);
  assert.equal(trajectory.agent.model_name, "scripted");
  const { total_prompt_tokens: sent, total_completion_tokens: got } = trajectory.final_metrics;
  assert.deepEqual([sent, got], [250, 16]);
  const steps: Step[] = trajectory.steps;
  assert.deepEqual(steps.map(({ source }) => source), ["system", "user", "agent", "agent"]);
  const [, user, first] = steps;
  assert.equal(user?.message, "what is in a.txt?");
  assert.equal(first?.reasoning_content, "I look first.");
  assert.deepEqual(first.tool_calls?.map((call) => call.function_name), ["read", "read"]);
  assert.equal(first.observation?.results.length, 2);
  assert.deepEqual(first.extra, { failed_calls: [first.tool_calls?.[1]?.tool_call_id] });
});

Deno.test("renderTrajectory() keeps to the rules whatever a conversation holds", () => {
  const messages: Message[] = [
    { role: "user", content: "" },
    {
      role: "assistant",
      content: "",
      calls: [
        { id: "a", name: "read", arguments: "not JSON" },
        { id: "b", name: "read", arguments: "[1]" },
        { id: "c", name: "read", arguments: "" },
      ],
      interrupted: true,
    },
    {
      role: "tool",
      call_id: "b",
      name: "read",
      content: "x\u2028",
      success: false,
      status: "full",
    },
    { role: "tool", call_id: "lost", name: "read", content: "y", success: true },
    { role: "user", content: "a summary" },
  ];
  const text = renderTrajectory({
    id: "s",
    title: "",
    cwd: "/work",
    created: undefined,
    version: "1",
    prompt: "",
    messages,
    turns: [],
  });
  assert.equal(text.split("\n").length, 2);
  const trajectory = JSON.parse(text);
  assert.deepEqual(trajectoryProblems(trajectory), []);
  assert.deepEqual(trajectory.steps[1].extra.unread_arguments.length, 3);
  assert.equal(trajectory.steps[1].observation.results[0].content, "x\u2028\n\n[full]");
});
