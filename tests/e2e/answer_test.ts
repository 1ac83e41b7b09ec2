/**
 * /answer and Ctrl+N: a model that thinks too long answers, in the same reply where the server can end thinking, else
 * in another one.
 */
import assert from "node:assert/strict";
import type { ScriptedReply } from "../../src/modes/demo/scripted_server.ts";
import { startInTerminal } from "../support/ally_terminal.ts";
import { makePlace, stage } from "../support/program.ts";
import { featuresOf, knowModel } from "../support/server_features.ts";

const THINKS: ScriptedReply = { thinking: "Or maybe not. ".repeat(5000), delayMs: 20 };
const ANSWER: ScriptedReply = { text: "Forty-two." };

function chunk(delta: Record<string, unknown>, finish_reason: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason }];
  return `data: ${JSON.stringify({ id: "chatcmpl-7", choices })}\n\n`;
}

/** A server that thinks until it is told to answer: by a request, as llama-server is, or by the test. */
function startThinker() {
  const bodies: Record<string, unknown>[] = [];
  const ended = Promise.withResolvers<void>();
  const encoder = new TextEncoder();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { pathname } = new URL(request.url);
    if (!pathname.startsWith("/v1/chat/completions")) return new Response("{}", { status: 404 });
    const body = await request.json();
    bodies.push({ pathname, ...body });
    if (pathname.endsWith("/control")) {
      ended.resolve();
      return Response.json({ success: body.id === "chatcmpl-7" });
    }
    let isOver = false;
    void ended.promise.then(() => isOver = true);
    const stream = new ReadableStream({
      async pull(controller) {
        if (!isOver) {
          controller.enqueue(encoder.encode(chunk({ reasoning_content: "Or not. " })));
          return void await Promise.race([ended.promise, new Promise((go) => setTimeout(go, 20))]);
        }
        const end = chunk({ content: "Forty-two." }) + chunk({}, "stop") + "data: [DONE]\n\n";
        controller.enqueue(encoder.encode(end));
        controller.close();
      },
    });
    return new Response(stream, { headers: { "content-type": "text/event-stream" } });
  });
  const url = `http://127.0.0.1:${server.addr.port}/v1`;
  return { url, bodies, answer: ended.resolve, [Symbol.asyncDispose]: () => server.shutdown() };
}

Deno.test("Ctrl+N ends the thinking at llama-server, and the reply goes on with its answer", async () => {
  await using server = startThinker();
  await using place = await makePlace({ endpoint: server.url });
  await knowModel(place, { url: server.url, features: featuresOf({ keepsReasoning: false }) });
  await using screen = startInTerminal(place);
  await screen.keys("What is it?", "Enter");
  await screen.shows("Or not. Or not.");
  await screen.keys("C-n");
  await screen.shows("Forty-two.");
  const shown = await screen.shows(/Forty-two\.[^]*›/);
  assert.match(shown, /The thinking ends here, as you asked\./);
  assert.doesNotMatch(shown, /requested again/);
  const [chat, control, ...more] = server.bodies;
  assert.equal(chat?.["reasoning_control"], true);
  assert.deepEqual(control, {
    pathname: "/v1/chat/completions/control",
    id: "chatcmpl-7",
    action: "reasoning_end",
    model: "scripted",
  });
  assert.deepEqual(more, []);
});

Deno.test("/answer asks again without thinking where the server can only be told so", async () => {
  await using at = await stage([THINKS, ANSWER]);
  const features = featuresOf({ keepsReasoning: false, kind: "ollama" });
  await knowModel(at.place, { url: at.server.url, features });
  await using screen = startInTerminal(at.place);
  await screen.keys("What is it?", "Enter");
  await screen.shows("Or maybe not.");
  await screen.keys("/answer", "Enter");
  await screen.shows("It is asked again, to answer without thinking.");
  await screen.shows("Forty-two.");
  const efforts = at.server.requests.map(({ body }) => body["reasoning_effort"]);
  assert.deepEqual(efforts, [undefined, "none"]);
  assert.equal(at.server.closedEarly, 1);
  assert.equal("reasoning_control" in at.server.requests[0]!.body, false);
});

Deno.test("/answer says so where nothing can be done, and the model goes on", async () => {
  await using server = startThinker();
  await using place = await makePlace({ endpoint: server.url });
  await using screen = startInTerminal(place);
  await screen.keys("What is it?", "Enter");
  await screen.shows("Or not. Or not.");
  await screen.keys("/answer", "Enter");
  await screen.shows("scripted cannot be told to answer");
  server.answer();
  await screen.shows("Forty-two.");
  assert.equal(server.bodies.length, 1);
});

Deno.test("/answer between turns says that nothing is being thought", async () => {
  await using at = await stage([]);
  await using screen = startInTerminal(at.place);
  await screen.keys("/answer", "Enter");
  await screen.shows("Nothing is being thought");
});
