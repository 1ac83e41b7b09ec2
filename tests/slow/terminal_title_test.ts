/**
 * The title of a real terminal while ally works, asks, and is gone.
 */
import assert from "node:assert/strict";
import { startInTmux } from "../support/ally_terminal.ts";
import { stage } from "../support/program.ts";
import { hasTmux } from "../support/tmux.ts";
import { until } from "../support/wait.ts";

Deno.test({
  name: "the title says what goes on, and is what it was before once ally is gone",
  ignore: !hasTmux(),
  async fn() {
    await using at = await stage([
      { calls: [{ name: "write", arguments: { file_path: "new.txt", content: "x\n" } }] },
      { text: "Done." },
    ]);
    await using session = await startInTmux(at.place);
    const before = await session.title();
    const says = (title: string) =>
      until(`the title ${title}`, async () => await session.title() === title);
    await session.shows(/›$/);
    await says("ally: work");
    await session.keys("go", "Enter");
    await session.shows("Allow write?");
    await says("ally: work · asks");
    await session.shows(/❯ Deny/);
    await session.keys("a");
    await session.shows(/›$/);
    await session.title().then((title) => assert.match(title, /^ally: work · (done|stopped)$/));
    await session.keys("/exit", "Enter");
    await session.shows("left 0");
    await says(before);
  },
});
