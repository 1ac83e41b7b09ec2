/**
 * Nothing is read twice: whatever happens in a conversation, what a server computed for a request and its reply is what
 * the next request begins with. A template that strips old thinking does so at the user's next words, ally or not: there
 * the rule holds up to the turn that has ended.
 */
import assert from "node:assert/strict";
import type { ScriptedReply } from "../../src/modes/demo/scripted_server.ts";
import { agentOf, assertNothingChanges, type RenderedRequest } from "../support/cache_rule.ts";
import { CACHE_SCENARIOS } from "../support/cache_scenarios.ts";
import {
  renderMessages,
  renderReply,
  renderRequest,
  type TemplateKind,
} from "../support/chat_template.ts";
import { messagesOf, recordReplies } from "../support/by_content.ts";
import { runAlly, stage } from "../support/program.ts";
import { featuresOf, knowModel } from "../support/server_features.ts";

for (const { name, replies, files, requests: count, keeps, run } of CACHE_SCENARIOS) {
  for (const kind of ["strips", "keeps"] as const) {
    Deno.test(`what was computed is what the next request begins with: ${name}; a template that ${kind}`, async () => {
      const { script, given } = recordReplies(replies);
      await using at = await stage(script, files);
      const features = featuresOf({ keepsReasoning: kind === "keeps" });
      await knowModel(at.place, { url: at.server.url, features });
      await run(at.place);
      const requests = at.server.requests.map(({ body }, index) =>
        renderedRequest({ body, reply: given[index]!, kind })
      );
      assert.equal(requests.length, count ?? replies.length);
      for (const [agent, ofOne] of Map.groupBy(requests, agentOf)) {
        await assertNothingChanges(ofOne, {
          renderFirst: (body, first) => renderMessages(body, { kind, count: first }),
          strips: kind === "strips",
          ...agent === "main" && keeps && { keeps },
        });
      }
    });
  }
}

Deno.test("tools that a template does not show are told in the prompt, and calls stay as they were written", async () => {
  const written =
    'I look.\n\n<tool_call>\n{ "arguments" :{"file_path":"."}, "name":"ls"}\n</tool_call>\n';
  await using at = await stage([{ text: written }, { text: "Done." }], { "a.txt": "a\n" });
  const features = featuresOf({ keepsReasoning: false, template_caps: ["supports_system_role"] });
  await knowModel(at.place, { url: at.server.url, features });
  const { stdout, stderr } = await runAlly(at.place, { args: ["-p", "go"] });
  assert.equal(stdout, "Done.\n", stderr);
  const [first, second] = at.server.requests.map(({ body }) => body);
  assert.deepEqual([first!.tools, second!.tools], [undefined, undefined]);
  const [system, ...told] = messagesOf({ body: second! });
  assert.match(system!.content, /# Tools[^]*"name":"ls"/);
  assert.deepEqual(told.slice(0, 2), [
    { role: "user", content: "go" },
    { role: "assistant", content: written },
  ]);
  assert.match(told[2]!.content, /^<tool_response name="ls">[^]*a\.txt/);
});

function renderedRequest({ body, reply, kind }: {
  body: Record<string, unknown>;
  reply: ScriptedReply;
  kind: TemplateKind;
}): RenderedRequest {
  const rendered = renderRequest(body, kind);
  return { body, rendered, answered: rendered + renderReply(reply) };
}
