/**
 * Nothing is read twice: whatever happens in a conversation, what a server computed for a request and its reply is what
 * the next request begins with. A template that strips old thinking does so at the user's next words, ally or not: there
 * the rule holds up to the turn that has ended.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { ScriptedReply } from "../../src/modes/demo/scripted_server.ts";
import { agentOf, assertNothingChanges, type RenderedRequest } from "../support/cache_rule.ts";
import { CACHE_SCENARIOS } from "../support/cache_scenarios.ts";
import {
  renderMessages,
  renderReply,
  renderRequest,
  type TemplateKind,
} from "../support/chat_template.ts";
import { recordReplies } from "../support/by_content.ts";
import { type Stage, stage } from "../support/program.ts";
import { featuresOf } from "../support/server_features.ts";

for (const { name, replies, files, requests: count, keeps, run } of CACHE_SCENARIOS) {
  for (const kind of ["strips", "keeps"] as const) {
    Deno.test(`what was computed is what the next request begins with: ${name}; a template that ${kind}`, async () => {
      const { script, given } = recordReplies(replies);
      await using at = await stage(script, files);
      await tellTemplate(at, kind);
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

function renderedRequest({ body, reply, kind }: {
  body: Record<string, unknown>;
  reply: ScriptedReply;
  kind: TemplateKind;
}): RenderedRequest {
  const rendered = renderRequest(body, kind);
  return { body, rendered, answered: rendered + renderReply(reply) };
}

/** What llama-server would say of its template. */
async function tellTemplate({ server, place }: Stage, kind: TemplateKind): Promise<void> {
  const profile = {
    checked: new Date().toISOString(),
    features: featuresOf({ keepsReasoning: kind === "keeps" }),
  };
  await Deno.mkdir(place.home, { recursive: true });
  const known = { [`${server.url} scripted`]: profile };
  await Deno.writeTextFile(join(place.home, "models.json"), JSON.stringify(known));
}
