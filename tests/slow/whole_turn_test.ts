/**
 * Turns of random text, calls and typing on screens of random size: what was written stands there once, in order.
 */
import assert from "node:assert/strict";
import { EditedLine } from "../../src/ui/edited_line.ts";
import { LineInput } from "../../src/ui/line_input.ts";
import { randomNumbers, TEST_SEED, testCount } from "../support/random.ts";
import { stageRenderer } from "../support/renderer_stage.ts";
import { call, end, ended, START } from "../support/turn_facts.ts";

/** Lines of Markdown; each has a word of its own. */
const KINDS: readonly ((word: string, filler: string) => string)[] = [
  (word, filler) => `${word} ${filler}`,
  (word, filler) => `\n${word} **bold ${filler}** and \`code\``,
  (word, filler) => `- ${word} ${filler}`,
  (word, filler) => `  - nested ${word} ${filler}`,
  (word, filler) => `1. ${word} ${filler}`,
  (word) => `\n# ${word}`,
  (word, filler) => `> ${word} ${filler}`,
  (word, filler) => `\n\`\`\`ts\nconst ${word} = 1; // ${filler}\n\`\`\``,
  (word, filler) => `\n| ${word} | b |\n|---|---|\n| ${filler.slice(0, 6)} | 日本 |\n`,
  (word, filler) => `${filler}${word}日本語のテキスト`,
];

Deno.test(`whatever is typed and called meanwhile, each line of a turn is on the screen once (seed ${TEST_SEED})`, async () => {
  const next = randomNumbers(TEST_SEED);
  const upTo = (most: number) => Math.floor(next() * most);
  for (let round = 0; round < testCount(25); round++) {
    const size = { columns: 24 + upTo(96), rows: 8 + upTo(30) };
    const { terminal, theme, renderer, clock, show } = stageRenderer(size);
    let words = 0;
    const line = new EditedLine({ terminal, theme, input: new LineInput() });
    const type = () => {
      line.take({ kind: "text", text: "typed ahead "[upTo(12)] ?? " " });
      if (next() < 0.1) line.clear();
      const isEmpty = line.input.buffer.text === "";
      renderer.showTyping({ queued: [], draw: isEmpty ? undefined : (rows) => line.draw(rows) });
    };
    const say = async () => {
      const text = Array.from({ length: 1 + upTo(20) }, () => {
        const filler = "filler ".repeat(upTo(12)).trim();
        return KINDS[upTo(KINDS.length)]!(`w${words++}w`, filler);
      }).join("\n");
      for (let at = 0; at < text.length;) {
        const length = 1 + upTo(next() < 0.1 ? 200 : 12);
        clock.ms += upTo(50);
        await show([{ type: "text_delta", text: text.slice(at, at + length) }]);
        at += length;
        if (next() < 0.2) type();
      }
      const message = { role: "assistant", content: text, calls: [] } as const;
      await show([{ type: "message", message }]);
    };
    await show(START);
    for (let part = 0; part < 3; part++) {
      await say();
      const word = `w${words++}w`;
      await show([...call(word, "bash", word), ended(word, "bash", ["done"])]);
    }
    await say();
    await show([end()]);
    const said = terminal.screen.replace(/\s+/g, "").match(/w\d+w/g);
    assert.deepEqual(
      said,
      Array.from({ length: words }, (_, n) => `w${n}w`),
      `${JSON.stringify(size)}:\n${terminal.screen}`,
    );
    assert.doesNotMatch(terminal.screen, /Ctrl\+C to stop|typed/);
  }
});
