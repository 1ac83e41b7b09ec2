import assert from "node:assert/strict";
import { isRecorded, UserActionRecorder } from "../../src/app/user_action_recorder.ts";
import type { RunLine } from "../../src/recording/traffic.ts";
import type { CommandContext, SlashCommand } from "../../src/slash/command.ts";
import { route } from "../../src/slash/table.ts";

/** Runs what was typed as a recorded session does, with Yes to every question. */
async function record(line: string, commands: readonly SlashCommand[]) {
  const lines: RunLine[] = [];
  const warnings: string[] = [];
  const recorder = new UserActionRecorder({
    record: (one) => lines.push(one),
    requests: () => 0,
    warn: (text) => warnings.push(text),
  });
  const routed = route(line, commands);
  assert.ok(routed.kind === "command");
  const context: Partial<CommandContext> = { confirm: () => Promise.resolve(true) };
  const command = recorder.wrapCommand(routed.command);
  await command.run(routed.argument, context as CommandContext);
  return { lines, warnings };
}

/** A command that asks one question. */
function asking(changes: SlashCommand["changes"]): SlashCommand {
  return {
    name: "ask",
    summary: "ask",
    ...changes && { changes },
    async run(_argument, { confirm }) {
      assert.equal(await confirm("Go on?"), true);
      return "continue";
    },
  };
}

Deno.test("a command that changes the session is recorded with what was chosen in it", async () => {
  const { lines, warnings } = await record("/ask a b", [asking("session")]);
  assert.deepEqual(lines, [
    { type: "prompt", command: "/ask a b" },
    { type: "choice", value: true },
  ]);
  assert.deepEqual(warnings, []);
});

Deno.test("a command that a replay does not run leaves no choice for the next one that it runs", async () => {
  for (const changes of ["machine", undefined] as const) {
    const { lines } = await record("/ask", [asking(changes)]);
    assert.deepEqual(lines, []);
  }
});

Deno.test("a change that a recording does not hold is warned of", async () => {
  const { warnings } = await record("/ask more", [asking("machine")]);
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? "", /\/ask is not recorded/);
});

Deno.test("the recorded line leads back to its command", () => {
  for (const line of ["#use tabs", "/undo last 2", "/clear"]) {
    const routed = route(line);
    assert.ok(routed.kind === "command" && isRecorded(routed.command), line);
  }
});

Deno.test("a number that stands on this screen alone is recorded as what it stands for", async () => {
  const ran: string[] = [];
  const command: SlashCommand = {
    name: "back",
    summary: "back",
    changes: "session",
    recorded: (argument) => argument === "12" ? "#57" : argument,
    run(argument) {
      ran.push(argument);
      return Promise.resolve("continue");
    },
  };
  const { lines } = await record("/back 12", [command]);
  assert.deepEqual([ran, lines], [["12"], [{ type: "prompt", command: "/back #57" }]]);
});
