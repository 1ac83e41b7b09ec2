/**
 * What of a conversation a real server reads again. The rule: the server has what it read and said, so that of each
 * request only what is new is read, but for a few tokens where texts meet.
 */
import assert from "node:assert/strict";
import type { ScriptedReply } from "../../src/modes/demo/scripted_server.ts";
import { TEMPLATE_KINDS, type TemplateKind } from "../support/chat_templates.ts";
import { findLlamaServer, RANDOM_MODEL, startLlamaServer } from "../support/llama_server.ts";
import { makePlace, runAlly } from "../support/program.ts";
import { type CachedRequest, startScriptedLlama } from "../support/scripted_llama.ts";

const program = await findLlamaServer();

/** Tokens that may be read again where a reply ends and the next text begins. */
const SEAM = 8;
const FILES = 4;

for (const template of TEMPLATE_KINDS) {
  Deno.test(
    `a turn of calls and the next message are read once, by a template of the kind "${template}"`,
    { ignore: program === undefined },
    async () => {
      const requests = await converse(template);
      // deno-lint-ignore no-console -- The figures to look at.
      console.table(requests.map(({ rendered: _, ...tokens }) => tokens));
      assert.equal(requests.length, FILES + 2);
      for (const [index, { prompt, reply }] of requests.slice(0, -1).entries()) {
        const { cached } = requests[index + 1]!;
        const isNextMessage = index === requests.length - 2;
        // The template drops the thinking of the turn that has ended: from its first reply on, all is another text.
        const kept = template === "strips" && isNextMessage ? requests[0]!.prompt : prompt + reply;
        const least = kept - SEAM;
        assert.ok(cached >= least, `request ${index + 1}: ${cached} cached, not ${least}`);
      }
      const { rendered } = requests.at(-1)!;
      for (let file = 0; file < FILES; file++) {
        const call = `"file_path": "f${file}.txt"`;
        assert.equal(rendered.split(call).length, 2, `${call} is to be seen once`);
      }
      assert.equal(rendered.split("<tool_response>").length, FILES + 1);
      assert.doesNotMatch(rendered, /<tool_response>\s*<\/tool_response>/);
    },
  );
}

/** Writes files in one turn, and says one thing more in the next. */
async function converse(template: TemplateKind): Promise<readonly CachedRequest[]> {
  const thinking = template === "none" ? {} : { thinking: "Which file comes next? ".repeat(20) };
  const replies: ScriptedReply[] = [
    ...Array.from({ length: FILES }, (_, file) => ({
      ...thinking,
      calls: [{
        name: "write",
        arguments: { file_path: `f${file}.txt`, content: `a line of ${file}\n`.repeat(100) },
      }],
    })),
    { ...thinking, text: "All are written." },
    { ...thinking, text: "You are welcome." },
  ];
  // A reply is rendered as a last message, which is otherwise taken for the beginning of an answer.
  const args = ["--no-prefill-assistant"];
  await using server = await startLlamaServer(program!, { template, args });
  await using front = await startScriptedLlama(server, replies);
  await using place = await makePlace({ endpoint: front.url });
  const env = { ALLY_MODEL: RANDOM_MODEL };
  for (const words of [["write the files"], ["--continue", "thank you"]]) {
    const { code, stderr } = await runAlly(place, { args: ["-p", "-A", ...words], env });
    assert.equal(code, 0, stderr);
  }
  return front.requests;
}
