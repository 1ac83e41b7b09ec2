/**
 * What a few letters find at the prompt: commands, files, agents, and what was typed before in any project.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { startInTerminal, startInTmux } from "../support/ally_terminal.ts";
import { type Place, stage } from "../support/program.ts";
import type { TerminalSession } from "../support/terminal_session.ts";
import { hasTmux } from "../support/tmux.ts";

const FILES = [
  "README.md",
  "setup.sh",
  "src/ui/line_editor.ts",
  "src/ui/markdown.ts",
  "src/ui/markdown_table.ts",
  "src/ui/my notes.md",
  "src/modes/interactive/interactive_session.ts",
  "文書/報告書の一覧表.md",
];

async function lay(place: Place): Promise<void> {
  for (const name of FILES) {
    const path = join(place.dir, name);
    await Deno.mkdir(join(path, ".."), { recursive: true });
    await Deno.writeTextFile(path, `the content of ${name}\n`);
  }
}

/** The last message that the model was sent. */
function lastMessage(requests: readonly { readonly body: Record<string, unknown> }[]): string {
  return JSON.stringify((requests.at(-1)?.body.messages as unknown[] | undefined)?.at(-1));
}

Deno.test("a file is found by a few letters, taken with Tab and attached", async () => {
  await using at = await stage([{ text: "Seen." }]);
  await lay(at.place);
  await using terminal = startInTerminal(at.place);
  await terminal.shows("›");
  await terminal.keys("see @lied");
  await terminal.shows(/› see @lied\n❯ src\/ui\/line_editor\.ts$/);
  await terminal.keys("Tab", " and @mynot");
  await terminal.shows("❯ src/ui/my notes.md");
  await terminal.keys("Tab", "Enter");
  await terminal.shows("Seen.");
  const sent = lastMessage(at.server.requests);
  assert.match(sent, /the content of src\/ui\/line_editor\.ts/);
  assert.match(sent, /the content of src\/ui\/my notes\.md/);
});

Deno.test("what was read in this session comes first, and what a command made is found at once", async () => {
  await using at = await stage([
    { calls: [{ name: "read", arguments: { file_paths: ["src/ui/markdown_table.ts"] } }] },
    { text: "Read it." },
  ]);
  await lay(at.place);
  await using terminal = startInTerminal(at.place);
  await terminal.shows("›");
  await terminal.keys("@mark");
  await terminal.shows("❯ src/ui/markdown.ts");
  await terminal.keys("C-u", "go", "Enter");
  await terminal.shows("Read it.");
  await terminal.keys("@mark");
  await terminal.shows("❯ src/ui/markdown_table.ts");
  await terminal.keys("C-u", "!touch brand_new.md", "Enter");
  await terminal.shows(/touch brand_new\.md[^]*›$/);
  await terminal.keys("@brnew");
  await terminal.shows("❯ brand_new.md");
});

Deno.test("a command is found by its letters, told in a line, and Enter sends what was typed", async () => {
  await using at = await stage([]);
  await using terminal = startInTerminal(at.place);
  await terminal.shows("›");
  await terminal.keys("/pms");
  await terminal.shows(/› \/pms\n❯ \/permissions {2}\S.*$/);
  await terminal.keys("C-u", "/todo", "Enter");
  const screen = await terminal.shows(/› \/todo\n[^]*›$/);
  assert.doesNotMatch(screen, /❯/);
});

Deno.test("Ctrl+R finds what was typed in other projects, named, and this one's first", async () => {
  await using at = await stage([{ text: "One." }, { text: "Two." }]);
  const history = join(at.place.home, "history");
  const others = [
    { project: "/home/me/website", text: "deploy the parser" },
    { project: at.place.dir, text: "explain the parser" },
    { project: "/home/me/website", text: "run all tests" },
  ];
  await Deno.mkdir(at.place.home, { recursive: true });
  await Deno.writeTextFile(history, others.map((one) => `${JSON.stringify(one)}\n`).join(""));
  await using terminal = startInTerminal(at.place);
  await terminal.shows("›");
  await terminal.keys("go on", "Enter");
  await terminal.shows(/One\.[^]*›$/);
  await terminal.keys("half", "C-a", "C-r");
  await terminal.shows(/earlier › half\n {2}nothing matches$/);
  await terminal.keys("C-g");
  await terminal.shows(/\n› half$/);
  await terminal.keys("C-u", "C-k", "C-r");
  await terminal.shows(/earlier ›\n❯ go on\n {2}explain the parser\n {2}run all tests +website\n/);
  await terminal.keys("parser");
  await terminal.shows(/❯ explain the parser\n {2}deploy the parser +website$/);
  await terminal.keys("C-r", "C-s", "C-r", "Enter");
  await terminal.shows(/› deploy the parser$/);
  await terminal.keys("Enter");
  await terminal.shows("Two.");
  assert.match(lastMessage(at.server.requests), /deploy the parser/);
});

/** What stands on the screen from the line on, once its last line is there. */
async function listOf(terminal: TerminalSession, typed: string, last: string): Promise<string> {
  await terminal.keys("-l", typed);
  const screen = await terminal.shows((text) => text.includes(`› ${typed}`) && text.includes(last));
  return screen.slice(screen.lastIndexOf("›"));
}

const ROWS = `❯ src/ui/line_editor.ts
  setup.sh
  README.md
  src/modes/
  src/modes/interactive/
  src/modes/interactive/interactive_session.ts
  src/ui/my notes.md
  src/ui/markdown_table.ts`;

Deno.test({
  name: "the list keeps to the screen of a real terminal, at 100x30 and at 40x12",
  ignore: !hasTmux(),
  async fn() {
    await using at = await stage([]);
    await lay(at.place);
    await using terminal = await startInTmux(at.place, { columns: 100, rows: 30 });
    await terminal.shows("›");
    assert.equal(await listOf(terminal, "see @e", "markdown_table.ts"), `› see @e\n${ROWS}`);
    await terminal.keys("Escape");
    await terminal.shows((screen) => screen.endsWith("› see @e"));
    await terminal.keys("C-u");
    await terminal.resize(40, 12);
    await terminal.shows(/›$/);
    const narrow = `${ROWS.split("\n").slice(0, 4).join("\n")}\n  4 more: type on`;
    assert.equal(await listOf(terminal, "or @e", "4 more: type on"), `› or @e\n${narrow}`);
  },
});
