// deno-lint-ignore-file no-console
/**
 * Writes .github/demo.svg, the picture of the README: runs the demo at a terminal in memory, answers its questions as a
 * person would, and draws what stood on the screen at each of them and at the end. Paths and times are made alike, so
 * that only a change of what is shown changes the picture.
 */
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { run } from "../src/cli/run.ts";
import { createMemoryIo } from "../tests/support/memory_io.ts";
import { MemoryTerminal, type StyledRun } from "../tests/support/memory_terminal.ts";
import { makePlace } from "../tests/support/program.ts";
import { renderAnimation, type Scene } from "./terminal_svg.ts";

const SIZE = { columns: 84, rows: 28 };
/** Seconds for which a question and the end are looked at. */
const QUESTION_SECONDS = 2.2;
const END_SECONDS = 6;
const QUESTION = /❯ Deny/;
const NOTICE_MS = 600;
/** What the demo says after the story. */
const FAREWELL = "The scratch project is in";

/** Runs the demo and draws it. */
export async function drawDemo(): Promise<string> {
  const terminal = new MemoryTerminal(SIZE);
  await using place = await makePlace();
  const env = { ...place.env, TERM: "xterm", TMPDIR: place.dir, LANG: "C.UTF-8" };
  const io = createMemoryIo({ env, cwd: place.dir, terminal });
  const finished = run(["demo"], io);
  const scenes: Scene[] = [];
  const asks = () => terminal.shown(QUESTION).then(() => true);
  while (await Promise.race([asks(), finished.then(() => false)])) {
    scenes.push({ lines: linesOf(terminal), holdSeconds: QUESTION_SECONDS });
    // A key that comes with the question would not be taken for an answer.
    await delay(NOTICE_MS);
    io.type("a");
    await terminal.shown((screen) => !QUESTION.test(screen));
  }
  io.end();
  scenes.push({ lines: linesOf(terminal), holdSeconds: END_SECONDS });
  return renderAnimation(scenes, { ...SIZE, title: "ally finds and fixes a failing test" });
}

/** The lines as they are drawn: without the farewell, and without what differs from run to run. */
function linesOf({ styledRuns }: MemoryTerminal): readonly (readonly StyledRun[])[] {
  const end = styledRuns.findIndex((runs) => runs.some(({ text }) => text.includes(FAREWELL)));
  const lines = (end < 0 ? styledRuns : styledRuns.slice(0, end)).map((runs) =>
    runs.map((run) => ({ ...run, text: normalize(run.text) }))
  );
  while (lines.at(-1)?.length === 0) lines.pop();
  return lines;
}

function normalize(text: string): string {
  return text.replace(/\/\S*\/(ally-demo-)\w+/g, "/tmp/$1")
    .replace("ally-demo-/", "ally-demo/")
    .replace(/\b\d+\.\d+s/g, "0.4s");
}

if (import.meta.main) {
  const path = join(import.meta.dirname!, "..", ".github", "demo.svg");
  const svg = await drawDemo();
  await Deno.writeTextFile(path, svg);
  console.log(`${path}: ${Math.ceil(svg.length / 1000)} kB`);
}
