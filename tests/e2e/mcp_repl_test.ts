/**
 * MCP servers in a real terminal: what is asked about a call and about a server that changed, prompts as commands,
 * resources completed.
 */
import assert from "node:assert/strict";
import { startInTerminal } from "../support/ally_terminal.ts";
import { calling, mcpStage, scripted, toolsOf, writeServers } from "../support/mcp_place.ts";
import { runAlly } from "../support/program.ts";
import { hasTmux } from "../support/tmux.ts";

const BIG = ["--context-size", "200000"];
const ECHO = calling("s__echo", { text: "hi" });
const END = { text: "Done." };

Deno.test({
  name:
    "at the prompt: a call shows what is sent, Always holds for it, /mcp and a server's prompt work",
  ignore: !hasTmux(),
  async fn() {
    await using at = await mcpStage({ s: scripted("good") }, [ECHO, END, ECHO, END, END]);
    await using tmux = await startInTerminal(at.place, { args: BIG, columns: 80 });
    await tmux.shows("›");
    await tmux.keys("go", "Enter");
    await tmux.shows(/❯ Deny/);
    const asked = await tmux.screen();
    assert.match(asked, /● s__echo \{\n +"text": "hi"\n +\}/);
    assert.match(asked, /"text": "hi"/);
    assert.match(asked, /Always allow net=mcp:s\/echo/);
    await tmux.keys("w");
    await tmux.shows("Done.");
    await tmux.keys("go on", "Enter");
    await tmux.shows(/Done\.[^]*Done\./);
    await tmux.keys("/mcp", "Enter");
    await tmux.shows(/s running, 3 tools, 1 prompt/);
    await tmux.keys("/s:greet who=Ann", "Enter");
    await tmux.shows(/Done\.[^]*Done\.[^]*Done\./);
    const messages = at.server.requests.at(-1)?.body.messages as { content: string }[];
    assert.equal(messages.at(-1)?.content, "Say hello to Ann.");
  },
});

Deno.test({
  name: "at the prompt: a server and its resources are completed after an @",
  ignore: !hasTmux(),
  async fn() {
    await using at = await mcpStage({ docs: scripted("good") }, [END]);
    await using tmux = await startInTerminal(at.place, { args: BIG, columns: 80 });
    await tmux.shows("›");
    await tmux.keys("see @do", "Tab");
    await tmux.shows("see @docs:");
    await tmux.keys("d", "Tab");
    await tmux.shows("see @docs:demo://");
    await tmux.keys("o", "Tab");
    await tmux.shows("see @docs:demo://one");
    await tmux.keys("Enter");
    await tmux.shows("Done.");
    const [request] = at.server.requests;
    assert.match(JSON.stringify(request?.body.messages), /what it holds/);
  },
});

Deno.test({
  name:
    "at the prompt: a server whose entry changed is asked about before the next turn, and used on Yes",
  ignore: !hasTmux(),
  async fn() {
    await using at = await mcpStage({ s: scripted("good") }, [END, END, END]);
    await runAlly(at.place, { args: [...BIG, "-p", "go"] });
    await writeServers(at.place.home, { s: scripted("progress") });
    await using tmux = await startInTerminal(at.place, { args: BIG, columns: 100 });
    await tmux.shows("›");
    await tmux.keys("go", "Enter");
    await tmux.shows(/❯ No/);
    assert.match(
      (await tmux.screen()).replace(/\s+/g, " "),
      /It was .*good.* It is .*progress.*Use the server s as it is now\?/,
    );
    await tmux.keys("y");
    await tmux.shows("Done.");
    assert.ok(toolsOf(at).includes("s__echo"));
  },
});

Deno.test({
  name: "at the prompt: Ctrl+C gives up a server that does not come back from a restart",
  ignore: !hasTmux(),
  async fn() {
    await using at = await mcpStage({ s: scripted("silent") }, [END]);
    await using tmux = await startInTerminal(at.place, { args: BIG, columns: 80 });
    await tmux.shows("›");
    await tmux.keys("/mcp restart s", "Enter");
    await tmux.shows(/\/mcp… /);
    await tmux.keys("C-c");
    await tmux.shows(/! Interrupted\./);
    await tmux.keys("/mcp", "Enter");
    await tmux.shows(/s starting, tools not known yet/);
  },
});
