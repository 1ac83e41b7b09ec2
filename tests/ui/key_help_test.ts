import assert from "node:assert/strict";
import { LINE_KEYS } from "../../src/ui/key_bindings.ts";
import { keyHelpLines } from "../../src/ui/key_help.ts";
import { editLine } from "../../src/ui/line_editor.ts";
import { createTheme } from "../../src/ui/theme.ts";
import { cellWidth } from "../../src/ui/wrap.ts";
import { MemoryTerminal } from "../support/memory_terminal.ts";

const theme = createTheme({ depth: "none", unicode: true });

Deno.test("`?` alone on the line shows the keys below it, and the next key takes them away", async () => {
  const terminal = new MemoryTerminal({ columns: 100, rows: 30 });
  const entered = editLine(terminal, { theme });
  terminal.type("?");
  assert.match(terminal.screen, /^› \?\n[^]*Shift\+Enter +begins another line/);
  assert.match(terminal.screen, /Ctrl\+R +searches what you said before/);
  assert.ok(terminal.lines.length < 30, terminal.screen);
  terminal.type("\x7f");
  assert.equal(terminal.screen, "›");
  terminal.type("? why\r");
  assert.deepEqual(await entered, { kind: "line", text: "? why" });
});

for (const [columns, room] of [[100, 28], [200, 40], [60, 18], [20, 8], [5, 3], [40, 1]] as const) {
  Deno.test(`the keys fit ${columns} columns and ${room} rows, and say where the rest is`, () => {
    const lines = keyHelpLines({ theme, columns }, room);
    assert.ok(lines.length <= room && lines.length > 0, lines.join("\n"));
    for (const line of lines) assert.ok(cellWidth(line) <= columns, line);
    const isWhole = lines.join("\n").includes("Ctrl+T");
    if (columns > 20) assert.equal(/and \d+ more: \/help keys/.test(lines.at(-1)!), !isWhole);
  });
}

Deno.test("with room for them all, every key of a line is there", () => {
  const text = keyHelpLines({ theme, columns: 100 }, 38).join("\n");
  for (const { keys } of LINE_KEYS) assert.ok(text.includes(keys[0]!), keys[0]);
});

Deno.test("no explanation is cut: where there are few rows, fewer keys are explained", () => {
  for (const [columns, room] of [[99, 38], [99, 24], [99, 11], [79, 22], [59, 13]] as const) {
    const text = keyHelpLines({ theme, columns }, room).join("\n");
    assert.doesNotMatch(text, /…/);
    assert.match(text.replace(/\s+/g, " "), /sends the message/);
  }
});
