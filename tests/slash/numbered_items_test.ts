/**
 * The commands that take a number, with numbers of every kind and with what is none.
 */
import assert from "node:assert/strict";
import type { CommandContext } from "../../src/slash/command.ts";
import { COMMANDS, route } from "../../src/slash/table.ts";
import { NumberedItems } from "../../src/ui/numbered_items.ts";

const NAMES = ["show", "copy", "save", "run", "diff", "undo"];

/** One item of each kind: 1 to 8; the content of 1 was given up, 8 is still being written. */
function createItems(): NumberedItems {
  const items = new NumberedItems({ maxCharacters: 100 });
  const text = (length: number) => ({ form: "text", text: "x".repeat(length) }) as const;
  items.add({ kind: "result", title: "bash seq", content: text(90) });
  const preview = { kind: "new_file", path: "a", content: "1\n" } as const;
  items.add({ kind: "diff", title: "a", content: { form: "preview", preview, text: "1\n" } });
  items.add({ kind: "message", title: "", content: text(5) });
  items.add({ kind: "thought", title: "", content: text(5) });
  items.add({ kind: "answer", title: "general", content: { form: "markdown", text: "hi" } });
  items.add({
    kind: "code",
    title: "rust",
    content: { form: "code", text: "x", language: "rust" },
  });
  items.add({ kind: "command", title: "bash make", content: text(5) });
  items.add({ kind: "code", title: "sh" });
  return items;
}

function createContext(items: NumberedItems): { context: CommandContext; done: string[] } {
  const done: string[] = [];
  const none = () => Promise.resolve([]);
  const refuse = () => Promise.reject(new Error("There is no such file."));
  const context: Partial<CommandContext> = {
    items,
    mask: (text) => text,
    say: (text) => void done.push(text),
    show: () => {},
    showWhole: (_contents, { facts }) => Promise.resolve(void done.push(facts.join(" · "))),
    copy: () => Promise.resolve({ terminal: true }),
    confirm: () => Promise.resolve(false),
    shell: { run: () => Promise.resolve(), has: () => Promise.resolve(false) },
    workspace: {
      resolve: refuse,
      preview: refuse,
      listPatches: none,
      listChanges: none,
      recordTasks: none,
    } as never,
    agent: { deps: { conversation: { messages: [], covered: [] } } } as never,
  };
  return { context: context as CommandContext, done };
}

/** What a line brings: what was shown or said, or its error. */
async function typed(line: string, items = createItems()): Promise<string> {
  const routed = route(line, COMMANDS);
  assert.equal(routed.kind, "command", line);
  if (routed.kind !== "command") return "";
  const { context, done } = createContext(items);
  try {
    await routed.command.run(routed.argument, context);
  } catch (error) {
    assert.ok(error instanceof Error && error.constructor === Error, `${line}: ${error}`);
    return error.message;
  }
  return done.join("\n");
}

const ROWS: readonly (readonly [line: string, brings: RegExp])[] = [
  ["/show 1", /^1 is the result of bash seq \(1 line\), which is too long ago to be kept\.$/],
  ["/show 2", /^2 · change · a · 1 line$/],
  ["/show 8", /^8 is code in sh, which is still being written\.$/],
  ["/show 9", /^Nothing has the number 9: they go from 1 to 8\. \/show lists the newest\.$/],
  ["/show 0", /'0' is not a number/],
  ["/show 99999999999999999999", /is not a number/],
  ["/show", /no longer kept[^]*thought/],
  ["/diff 4", /^4 is a thought \(1 line\), which changed no file\.$/],
  ["/diff 1", /^1 is the result of bash seq \(1 line\), which is too long ago to be kept\.$/],
  ["/undo 2", /^2 is the change of a \(1 line\), which was not made\. \/undo last 2 takes back/],
  ["/undo 5", /^5 is the answer of general \(1 line\), which changed no file\. \/undo last 5/],
  ["/undo 12", /^Nothing has the number 12: they go from 1 to 8\. \/undo last 12 takes back/],
  ["/run 3", /^3 is a message to a server \(1 line\), which is no code\.$/],
  ["/run 6", /^Code 6 is rust, which ally does not run\. \/save 6 FILE writes it/],
  ["/run 7", /^7 is the command of bash make \(1 line\), which is no code\.$/],
  ["/save 2 x", /^There is no such file\.$/],
  ["/save 2", /^Say what is saved, and where: \/save N FILE\./],
  ["/copy 5", /^Copied 2 characters by the terminal \(OSC 52\), unless/],
  ["/copy", /^There is no answer yet to copy\.$/],
];

Deno.test("a number of another kind, given up, unfinished or unknown brings what it is", async () => {
  for (const [line, brings] of ROWS) assert.match(await typed(line), brings, line);
  for (const name of NAMES) {
    const line = name === "save" ? "/save 3 x" : `/${name} 3`;
    const nothing = await typed(line, new NumberedItems());
    assert.match(nothing, /^Nothing has the number 3: numbers stand beside what is shown/, line);
  }
});

Deno.test("whatever follows these commands, they say something", async () => {
  const parts = [
    "1",
    "2",
    "8",
    "9",
    "-1",
    "0",
    "1e3",
    "٣",
    "last",
    "list",
    "#1",
    "code",
    "--pager",
    "--force",
    "\x1b[2J",
    "",
  ];
  for (const name of NAMES) {
    for (const first of parts) {
      for (const second of parts) {
        const line = `/${name} ${first} ${second}`;
        assert.notEqual(await typed(line), "", line);
      }
    }
  }
});
