/**
 * Title, progress, marks and notifications: what is written when, in which terminal.
 */
import assert from "node:assert/strict";
import type { EventBody } from "../../src/core/event.ts";
import { MARKS, PROGRESS, setTitle, TITLE } from "../../src/ui/sequences.ts";
import { TerminalSignals } from "../../src/ui/terminal_signals.ts";
import { MemoryTerminal } from "../support/memory_terminal.ts";
import { end } from "../support/turn_facts.ts";

const MAIN = { id: "a1", name: "main", depth: 0 };
const GHOSTTY = { TERM_PROGRAM: "ghostty", TERM_PROGRAM_VERSION: "1.2.0" };
const PASSED = { success: true, error: "" };

interface StageOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly canRedraw?: boolean;
  readonly isOn?: boolean;
  readonly project?: string;
}

function stage(
  { env = GHOSTTY, canRedraw = true, isOn = true, project = "shop" }: StageOptions = {},
) {
  const terminal = new MemoryTerminal({ env, canRedraw });
  const release = terminal.listen({ onInput: () => {}, onEnd: () => {} });
  let passed = 0;
  const ticks = new Set<() => void>();
  const signals = new TerminalSignals({
    terminal,
    project,
    isOn: () => isOn,
    mask: (text) => text.replaceAll("hunter2", "[secret]"),
    now: () => performance.now() + passed,
    every(_ms, callback) {
      ticks.add(callback);
      return () => ticks.delete(callback);
    },
  });
  const show = (...facts: EventBody[]) => {
    for (const fact of facts) signals.sink({ ...fact, time: "", agent: MAIN });
  };
  return {
    terminal,
    signals,
    release,
    show,
    /** What a function has written. */
    written(run: () => void): string {
      const { length } = terminal.output;
      run();
      return terminal.output.slice(length);
    },
    /** Lets seconds pass, and what is to be done meanwhile be done. */
    wait(seconds: number): void {
      passed += seconds * 1000;
      for (const tick of [...ticks]) tick();
    },
  };
}

const START: EventBody = { type: "turn_start", prompt: "go" };
const DONE = end();

function callFacts(
  id: string,
  options: { description: string; edits?: number; code?: number },
): EventBody[] {
  const { description, edits = 0, code } = options;
  const preview = { kind: "new_file", path: "a", content: "" } as const;
  return [
    { type: "tool_start", call_id: id, name: "x", input: {}, description },
    { type: "tool_preview", call_id: id, previews: Array.from({ length: edits }, () => preview) },
    { type: "tool_state", call_id: id, state: "executing" },
    {
      type: "tool_end",
      call_id: id,
      name: "x",
      duration_ms: 1,
      result: code === undefined
        ? PASSED
        : { success: code === 0, error: code === 0 ? "" : "no", return_code: code },
      preview: [],
    },
  ];
}

Deno.test("the title says what goes on, and is as it was in the end; the tab shows progress", () => {
  const { signals, show, written } = stage();
  const title = (state: string) => setTitle(`ally: shop${state}`);
  assert.equal(written(() => signals.begin()), TITLE.keep + title(""));
  assert.equal(written(() => signals.markPrompt()), MARKS.prompt);
  assert.equal(written(() => signals.markOutput()), MARKS.output);
  assert.equal(written(() => show(START)), title(" · working") + PROGRESS.running);
  assert.equal(written(() => show(DONE)), PROGRESS.none + title(" · done"));
  assert.equal(written(() => signals.markPrompt()), MARKS.succeeded + MARKS.prompt);
  signals.markOutput();
  show(START, end({ reason: "error" }));
  assert.equal(written(() => signals.end()), MARKS.failed + TITLE.restore);
  assert.equal(written(() => signals.end()), "");
});

Deno.test("a question changes title and progress until it is answered; the end leaves no progress behind", () => {
  const { signals, show, written, release } = stage();
  signals.begin();
  show(START);
  let answered = () => {};
  const asked = written(() => answered = signals.ask());
  assert.equal(asked, setTitle("ally: shop · asks") + PROGRESS.waiting);
  assert.equal(written(() => answered()), setTitle("ally: shop · working") + PROGRESS.running);
  assert.equal(written(() => signals.end()), PROGRESS.none + TITLE.restore);
  release();
});

Deno.test("nothing is written where it is not wanted, not taken, or the terminal is lent", () => {
  const rows: StageOptions[] = [
    { isOn: false },
    { canRedraw: false },
    { env: { TERM: "linux" } },
  ];
  for (const options of rows) {
    const { terminal, signals, show, wait } = stage(options);
    signals.begin();
    signals.markPrompt();
    signals.markOutput();
    show(START);
    signals.ask()();
    wait(5);
    show(DONE);
    signals.end();
    assert.equal(terminal.output, "", JSON.stringify(options));
  }
  const { signals, show, terminal, written } = stage();
  signals.begin();
  terminal.isLent = true;
  assert.equal(written(() => show(START)), "");
});

Deno.test("a long turn that ends while nobody looks is told of, with what it has done, as the terminal takes it", () => {
  const rows: [env: Record<string, string>, notification: string][] = [
    [GHOSTTY, "\x1b]777;notify;ally: shop;12 min: 4 edits, tests failed\x1b\\"],
    [
      { TERM: "xterm-kitty" },
      "\x1b]99;i=ally:d=0;ally: shop\x1b\\\x1b]99;i=ally:p=body;12 min: 4 edits, tests failed\x1b\\",
    ],
    [{ TERM_PROGRAM: "iTerm.app" }, "\x1b]9;ally: shop: 12 min: 4 edits, tests failed\x1b\\"],
    [{ WT_SESSION: "1" }, "\x07"],
    [{ TMUX: "x", TERM: "tmux-256color" }, "\x07"],
  ];
  for (const [env, notification] of rows) {
    const { terminal, signals, show, written, wait } = stage({ env });
    signals.begin();
    show(START);
    show(...callFacts("c1", { description: "src", edits: 4 }));
    show(...callFacts("c2", { description: "npm test", code: 1 }));
    terminal.type("\x1b[O");
    wait(720);
    const output = written(() => show(DONE));
    assert.ok(output.endsWith(notification), JSON.stringify([env, output]));
  }
});

Deno.test("nobody is told of a short turn, an interrupted one, or while they look", () => {
  const told = (options: { seconds: number; typed?: string; reason?: "interrupted" }) => {
    const { terminal, signals, show, written, wait } = stage();
    signals.begin();
    show(START);
    wait(options.seconds);
    if (options.typed !== undefined) terminal.type(options.typed);
    return written(() => show(end({ reason: options.reason ?? "done" }))).includes(
      "]777;",
    );
  };
  assert.equal(told({ seconds: 60, typed: "\x1b[O" }), true);
  assert.equal(told({ seconds: 9, typed: "\x1b[O" }), false);
  assert.equal(told({ seconds: 60, typed: "\x1b[I" }), false);
  assert.equal(told({ seconds: 60, typed: "\x1b[O", reason: "interrupted" }), false);
  // A terminal that does not tell: nobody is there if no key comes for ten seconds.
  assert.equal(told({ seconds: 60 }), true);
});

Deno.test("a question that waits is told of once: at once where nobody looks, else after ten seconds without a key", () => {
  const count = (text: string) => text.split("]777;").length - 1;
  for (const known of [true, false]) {
    const { terminal, signals, show, written, wait } = stage();
    signals.begin();
    show(START, ...callFacts("c1", { description: "npm install" }).slice(0, 2));
    show({ type: "tool_state", call_id: "c1", state: "awaiting_approval" });
    if (known) terminal.type("\x1b[O");
    const atOnce = written(() => signals.ask());
    assert.equal(count(atOnce), known ? 1 : 0);
    const later = written(() => [9, 2, 20].forEach(wait));
    assert.equal(count(later), known ? 0 : 1);
    assert.ok((atOnce + later).includes("waits for npm install\x1b\\"));
  }
  const { terminal, signals, show, written, wait } = stage();
  signals.begin();
  show(START);
  terminal.type("\x1b[I");
  assert.equal(count(written(() => [signals.ask(), wait(60)])), 0);
});

Deno.test("names bring neither secrets nor control sequences into titles and notifications", () => {
  const evil = "a\x1b]0;t\x07b\x9c;hunter2\n\u202e";
  const { terminal, signals, show, wait } = stage({ project: evil });
  signals.begin();
  show(START, ...callFacts("c1", { description: evil }).slice(0, 2));
  show({ type: "tool_state", call_id: "c1", state: "awaiting_approval" });
  terminal.type("\x1b[O");
  signals.ask();
  wait(1);
  const own = terminal.output.replaceAll("\x1b\\", "").replaceAll("\x1b[22;2t", "");
  for (const payload of own.split("\x1b]").slice(1)) {
    // deno-lint-ignore no-control-regex
    assert.doesNotMatch(payload, /[\x00-\x1f\x9c\u202e]|hunter2/);
  }
  assert.ok(terminal.output.includes("[secret]"));
});

Deno.test("progress is told again while a turn runs, and no more afterwards", () => {
  const { signals, show, written, wait } = stage();
  signals.begin();
  show(START);
  assert.equal(written(() => wait(5)), PROGRESS.running);
  show(DONE);
  assert.equal(written(() => wait(5)), "");
});
