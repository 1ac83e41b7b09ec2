/**
 * Random edits of random texts by the tools, against a reference of a few lines; then all are undone, and made again.
 * The seed is in the test's name; `ALLY_TEST_SEED` repeats it.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import edit from "../../plugins/edit/mod.ts";
import lineEdit from "../../plugins/line_edit/mod.ts";
import write from "../../plugins/write/mod.ts";
import type { ToolInput } from "../../src/core/tool.ts";
import { randomNumbers, TEST_SEED } from "./random.ts";
import { makeToolContext, planAndRun, type TestContext } from "./tool_context.ts";

const CHANGES = 5;

const WORDS = ["a", "b", "ab", "x = 1;", " ", "  ", "\t", "é", "🙂", "👩‍👧", "“q”", "{", "}", "…"];
const LINE_ENDS = ["\n", "\r\n", "\r", "mixed"] as const;

/** A change as a tool is asked for it, and the text that must come of it. */
interface Change {
  readonly input: Readonly<Record<string, unknown>>;
  readonly run: (test: TestContext) => Promise<unknown>;
  readonly expected: string;
}

/** Makes the test of so many texts. */
export function testRandomEdits(texts: number): void {
  Deno.test(
    `random edits of ${texts} texts equal the reference, undo gives the first bytes, redo the last (seed ${TEST_SEED})`,
    () => compareEdits(texts),
  );
}

async function compareEdits(texts: number): Promise<void> {
  await using test = await makeToolContext();
  for (let index = 0; index < texts; index++) {
    const random = new Random(TEST_SEED + index);
    const bom = random.below(4) === 0 ? "\ufeff" : "";
    let text = random.below(10) === 0 ? null : random.text();
    const states: (string | null)[] = [];
    const file = join(test.cwd, "f");
    if (text !== null) await Deno.writeTextFile(file, bom + text);
    for (let count = 0; count < CHANGES; count++) {
      const change = changeOf(text, random);
      if (change.expected === (text ?? "")) continue;
      states.push(text === null ? null : await Deno.readTextFile(file));
      const what =
        `seed ${TEST_SEED + index}, change ${count}: ${JSON.stringify(change.input)} on ` +
        JSON.stringify(text);
      await assert.doesNotReject(change.run(test), what);
      // A new file has no byte order mark.
      const mark = states[0] === null ? "" : bom;
      assert.equal(await rawText(file), mark + change.expected, what);
      text = change.expected;
    }
    const last = await rawText(file);
    for (const state of states.toReversed()) {
      await test.workspace.undo();
      assert.equal(await rawText(file), state, `seed ${TEST_SEED + index}, undo`);
    }
    for (const state of [...states.slice(1), last].slice(0, states.length)) {
      await test.workspace.redo();
      assert.equal(await rawText(file), state, `seed ${TEST_SEED + index}, redo`);
    }
    await Deno.remove(file).catch(() => {});
  }
}

function changeOf(text: string | null, random: Random): Change {
  if (text === null) return random.pick([writing, filling])("", random);
  const makers = [writing, text === "" ? filling : editing, text === "" ? writing : lineEditing];
  return random.pick(makers)(text, random);
}

function writing(text: string, random: Random): Change {
  const content = random.piece(isMixed(text) ? [] : ["\n"]);
  const input = { file_path: "f", content };
  return { input, run: (test) => call(write, input, test), expected: withEnds(content, text) };
}

function filling(_text: string, random: Random): Change {
  const input = { file_path: "f", old_string: "", new_string: `${random.piece(["\n"])}z` };
  return { input, run: (test) => call(edit, input, test), expected: input.new_string };
}

function editing(text: string, random: Random): Change {
  const seen = isMixed(text) ? text : text.replaceAll(/\r\n?/g, "\n");
  const letters = [...(isMixed(text) ? random.pick(text.match(/[^\r\n]+/g) ?? ["\n"]) : seen)];
  const start = random.below(letters.length);
  const old_string = letters.slice(start, start + 1 + random.below(8)).join("");
  const new_string = random.piece(isMixed(text) ? [] : ["\n"]);
  const replace_all = seen.indexOf(old_string) !== seen.lastIndexOf(old_string);
  const input = { file_path: "f", old_string, new_string, replace_all };
  return {
    input,
    run: (test) => call(edit, input, test),
    expected: withEnds(seen.split(old_string).join(new_string), text),
  };
}

function lineEditing(text: string, random: Random): Change {
  const lines = text.match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g) ?? [];
  const edits: { start_line: number; end_line: number; new_content: string | string[] }[] = [];
  for (let line = 1 + random.below(3); line <= lines.length; line += 1 + random.below(4)) {
    const put = Array.from({ length: isMixed(text) ? 1 : random.below(3) }, () => random.piece([]));
    const new_content = put.length > 0 && random.below(2) === 0 ? `${put.join("\n")}\n` : put;
    const end_line = isMixed(text) ? line : Math.min(lines.length, line + random.below(2));
    edits.push({ start_line: line, end_line, new_content });
    line = end_line;
  }
  if (edits.length === 0) return writing(text, random);
  let result = lines.map((line) => line.replace(/[\r\n]+$/, ""));
  const ends = lines.map((line) => /[\r\n]*$/.exec(line)?.[0] ?? "");
  for (const { start_line, end_line, new_content } of edits.toReversed()) {
    const put = typeof new_content === "string"
      ? new_content.slice(0, -1).split("\n")
      : new_content;
    result = [...result.slice(0, start_line - 1), ...put, ...result.slice(end_line)];
  }
  const final = ends.at(-1) !== "" && result.length > 0 ? "\n" : "";
  const input = { file_path: "f", edits: random.shuffled(edits) };
  return {
    input,
    run: (test) => call(lineEdit, input, test),
    expected: isMixed(text)
      ? result.map((line, index) => line + ends[index]).join("")
      : withEnds(result.join("\n") + final, text),
  };
}

/** Calls a tool on `f` as it was just read. */
async function call<I extends ToolInput>(
  tool: Parameters<typeof planAndRun<I, Record<string, unknown>>>[0],
  input: I,
  test: TestContext,
): Promise<void> {
  const path = await test.workspace.resolve("f");
  if (await test.workspace.info(path) !== undefined) {
    await test.workspace.lines(path, { offset: 1, limit: 0 });
  }
  await planAndRun(tool, input, { context: test.context });
}

async function rawText(file: string): Promise<string | null> {
  const bytes = await Deno.readFile(file).catch(() => undefined);
  return bytes === undefined ? null : new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

function lineEndsOf(text: string): Set<string> {
  return new Set(text.match(/\r\n|\n|\r/g));
}

function isMixed(text: string): boolean {
  return lineEndsOf(text).size > 1;
}

/** What a model writes, with the line ends of a text that has but one kind. */
function withEnds(content: string, text: string): string {
  const [only = "\n", ...others] = lineEndsOf(text);
  return others.length > 0 ? content : content.replaceAll("\n", only);
}

/** Pseudo-random choices that a seed repeats (mulberry32). */
class Random {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = randomNumbers(seed);
  }

  below(limit: number): number {
    return Math.floor(this.#next() * limit);
  }

  pick<T>(choices: readonly T[]): T {
    const choice = choices[this.below(choices.length)];
    assert.ok(choice !== undefined);
    return choice;
  }

  shuffled<T>(list: readonly T[]): T[] {
    return list.map((item) => ({ item, at: this.below(1_000) }))
      .sort((a, b) => a.at - b.at).map(({ item }) => item);
  }

  /** Up to six words, or others, in a row. */
  piece(others: readonly string[]): string {
    const words = [...WORDS, ...others, ...others, ...others];
    return Array.from({ length: this.below(7) }, () => this.pick(words)).join("");
  }

  /** Up to eight lines, which may all be empty. */
  text(): string {
    const kind = this.pick(LINE_ENDS);
    const end = () => kind === "mixed" ? this.pick(["\n", "\r\n", "\r"]) : kind;
    const lines = Array.from({ length: this.below(9) }, () => this.piece([]) + end()).join("");
    return this.below(3) === 0 ? lines + this.piece([]) : lines;
  }
}
