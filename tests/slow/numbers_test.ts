/**
 * Ctrl+O in a real terminal: the pager gets the keys, while ally works too, and every key after it is ally's again.
 */
import { startScriptedServer } from "../../src/modes/demo/scripted_server.ts";
import { startInTmux } from "../support/ally_terminal.ts";
import { makePlace } from "../support/program.ts";
import { hasTmux } from "../support/tmux.ts";

function hasLess(): boolean {
  try {
    return new Deno.Command("less", { args: ["--version"], stdout: "null" }).outputSync().success;
  } catch {
    return false;
  }
}

Deno.test({
  name: "Ctrl+O opens the pager while ally works and at the prompt, and what is typed stays",
  ignore: !hasTmux() || !hasLess(),
  async fn() {
    const bash = (command: string) => ({ calls: [{ name: "bash", arguments: { command } }] });
    await using server = await startScriptedServer({
      replies: [bash("seq 1 300"), bash("until [ -e go ]; do sleep 0.05; done"), { text: "Done." }],
    });
    await using place = await makePlace({ endpoint: server.url });
    await using session = await startInTmux(place, { args: ["-A", "go"], rows: 20 });
    await session.shows(/\/show 1[^]*until/);
    await session.keys("-l", "half");
    await session.shows("half");
    await session.keys("C-o");
    await session.shows(/1 · result · bash seq 1 300 · 300 lines[^]*\n15\n[^]*:\s*$/);
    await session.keys("G");
    await session.shows(/\n300\n/);
    await session.keys("q");
    await session.shows(/until[^]*half/);
    await place.write("go", "");
    await session.shows(/Done\.[^]*› half/);
    await session.keys("C-o");
    await session.shows(/300 lines[^]*\n15\n[^]*:\s*$/);
    await session.keys("q");
    await session.keys("-l", " and half");
    await session.shows("› half and half");
  },
});
