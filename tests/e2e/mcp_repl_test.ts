/**
 * MCP servers in a real terminal: what is asked about a call and about a server that changed, prompts as commands,
 * resources completed.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { startInTerminal } from "../support/ally_terminal.ts";
import { calling, mcpStage, scripted, toolsOf, writeServers } from "../support/mcp_place.ts";
import { runAlly } from "../support/program.ts";
import { until } from "../support/wait.ts";

const BIG = ["--context-size", "200000"];
const ECHO = calling("s__echo", { text: "hi" });
const END = { text: "Done." };

Deno.test("at the prompt: a call shows what is sent, Always holds for it, /mcp and a server's prompt work", async () => {
  await using at = await mcpStage({ s: scripted("good") }, [ECHO, END, ECHO, END, END]);
  await runAlly(at.place, { args: ["mcp", "test", "s"] });
  await using session = startInTerminal(at.place, { args: BIG, columns: 80 });
  await session.shows("›");
  await session.keys("go", "Enter");
  await session.shows(/❯ Deny/);
  const asked = await session.screen();
  assert.match(asked, /● s__echo \{\n +"text": "hi"\n +\}/);
  assert.match(asked, /"text": "hi"/);
  assert.match(asked, /Always allow net=mcp:s\/echo/);
  await session.keys("w");
  await session.shows("Done.");
  await session.keys("go on", "Enter");
  await session.shows(/Done\.[^]*Done\./);
  await session.keys("/mcp", "Enter");
  await session.shows(/s running, 3 tools, 1 prompt/);
  await session.keys("/s:greet who=Ann", "Enter");
  await session.shows(/Done\.[^]*Done\.[^]*Done\./);
  const messages = at.server.requests.at(-1)?.body.messages as { content: string }[];
  assert.equal(messages.at(-1)?.content, "Say hello to Ann.");
});

Deno.test("at the prompt: a server and its resources are completed after an @", async () => {
  await using at = await mcpStage({ docs: scripted("good") }, [END]);
  await using session = startInTerminal(at.place, { args: BIG, columns: 80 });
  await session.shows("›");
  await session.keys("see @do", "Tab");
  await session.shows("see @docs:");
  await session.keys("one", "Tab");
  await session.shows("see @docs:demo://one");
  await session.keys("Enter");
  await session.shows("Done.");
  const [request] = at.server.requests;
  assert.match(JSON.stringify(request?.body.messages), /what it holds/);
});

Deno.test("at the prompt: Ctrl+C stops the reading of what the words name, and they are in the line again", async () => {
  await using at = await mcpStage({ s: scripted("silent") }, [END]);
  await using session = startInTerminal(at.place, { args: BIG, columns: 80 });
  await session.shows("›");
  await session.keys("see @s:demo://one", "Enter");
  await session.shows(/Reading… /);
  await session.keys("then", "Enter");
  await session.keys("C-c");
  await session.shows(/· Stopped before anything was sent\.\s+› see @s:demo:\/\/one\n +then$/);
  assert.equal(at.server.requests.length, 0);
});

Deno.test("at the prompt: a server whose entry changed is asked about before the next turn, and used on Yes", async () => {
  await using at = await mcpStage({ s: scripted("good") }, [END, END, END]);
  await runAlly(at.place, { args: [...BIG, "-p", "go"] });
  await writeServers(at.place.home, { s: scripted("progress") });
  await using session = startInTerminal(at.place, { args: BIG, columns: 100 });
  await session.shows("›");
  await session.keys("go", "Enter");
  await session.shows(/❯ No/);
  assert.match(
    (await session.screen()).replace(/\s+/g, " "),
    /It was .*good.* It is .*progress.*Use the server s as it is now\?/,
  );
  await session.keys("y");
  await session.shows("Done.");
  assert.ok(toolsOf(at).includes("s__echo"));
});

Deno.test("at the prompt: a turn does not wait for a server, whose tools come once it answers", async () => {
  await using at = await mcpStage({}, [END, END]);
  const note = join(at.place.dir, "note");
  await writeServers(at.place.home, { s: scripted("late", { note }) });
  await using session = startInTerminal(at.place, { args: BIG, columns: 100 });
  await session.shows("›");
  await session.keys("go", "Enter");
  await session.shows(/MCP server s is starting for the first time[^]*Done\./);
  await Deno.writeTextFile(`${note}.go`, "");
  await until("a turn that is told of its tools", async () => {
    const { length } = at.server.requests;
    await session.keys("go on", "Enter");
    await until("the next request", () => at.server.requests.length > length);
    const messages = JSON.stringify(at.server.requests.at(-1)?.body.messages);
    return messages.includes("mcp_call can call these");
  });
});

Deno.test("at the prompt: Ctrl+C gives up a server that does not come back from a restart", async () => {
  await using at = await mcpStage({ s: scripted("silent") }, [END]);
  await using session = startInTerminal(at.place, { args: BIG, columns: 80 });
  await session.shows("›");
  await session.keys("/mcp restart s", "Enter");
  await session.shows(/\/mcp… /);
  await session.keys("C-c");
  await session.shows(/! Interrupted\./);
  await session.keys("/mcp", "Enter");
  await session.shows(/s starting, tools not known yet/);
});
