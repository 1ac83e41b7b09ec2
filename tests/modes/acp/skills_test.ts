import assert from "node:assert/strict";
import { startAcp, textOf } from "../../support/acp_client.ts";
import { stage } from "../../support/program.ts";
import { SKILL_PLACES, skillText, writeFiles } from "../../support/skill_place.ts";

Deno.test("a client is offered the skills, /NAME runs one, and a session that another process loads still holds it", async () => {
  await using at = await stage([{ text: "Released." }, { text: "Again." }, { text: "Yes." }]);
  await writeFiles(SKILL_PLACES.agents(at.place), {
    "release-notes/SKILL.md": skillText("release-notes", "BODY: list what changed."),
  });
  const first = await startAcp(at.place);
  const sessionId = await first.begin();
  const offer = await first.seen((one) => one.sessionUpdate === "available_commands_update");
  assert.ok(offer.sessionUpdate === "available_commands_update");
  const offered = offer.availableCommands.find(({ name }) => name === "release-notes");
  assert.match(offered?.description ?? "", /What release-notes is for\..*skill, yours/);

  assert.equal(await first.prompt(sessionId, "/release-notes of May"), "end_turn");
  assert.equal(textOf(first.updates, "agent_message_chunk"), "Released.");
  assert.match(at.server.requests[0]!.text, /BODY: list what changed/);
  assert.match(at.server.requests[0]!.text, /Use the skill release-notes: of May/);
  await first.prompt(sessionId, "/release-notes");
  // It is loaded once.
  assert.equal(at.server.requests[1]!.text.match(/BODY: list/g)?.length, 1);
  assert.equal(await first.leave(), 0);

  await using second = await startAcp(at.place);
  await second.agent.request("session/load", { sessionId, cwd: at.place.dir, mcpServers: [] });
  assert.equal(textOf(second.updates, "agent_message_chunk"), "Released.Again.");
  assert.match(textOf(second.updates, "user_message_chunk"), /^\/release-notes of May/);
  await second.prompt(sessionId, "was it the skill?");
  assert.equal(at.server.requests[2]!.text.match(/BODY: list/g)?.length, 1);
});

Deno.test("a client is told of a command that is not there, or is the terminal's, and the model is not asked", async () => {
  await using staged = await stage([]);
  await using client = await startAcp(staged.place);
  const sessionId = await client.begin();
  const rows: [typed: string, told: RegExp][] = [
    ["/contxt", /There is no command \/contxt\. Did you mean \/context\?/],
    ["/theme dark", /\/theme is for the terminal: start ally there and type it\./],
  ];
  for (const [typed, told] of rows) {
    await client.prompt(sessionId, typed);
    await client.seen((one) => told.test(JSON.stringify(one)));
  }
  // The answer to the first prompt, which came at once, has not overtaken what was said.
  const lines = client.written.map((one) => JSON.stringify(one));
  const at = (pattern: RegExp) => lines.findIndex((line) => pattern.test(line));
  assert.ok(at(/no command \/contxt/) < at(/"stopReason"/));
  assert.equal(staged.server.requests.length, 0);
});
