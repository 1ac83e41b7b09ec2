/**
 * A program for terminal tests: the line editor, questions and the renderer in one process, driven by what is
 * typed: "ask" asks, "turn" runs until Ctrl+C, anything else is echoed as JSON.
 */
import { systemIo } from "../../src/app/system_io.ts";
import type { EventBody } from "../../src/core/event.ts";
import type { PermissionRequest } from "../../src/core/permission.ts";
import { createAsk } from "../../src/ui/ask.ts";
import { watchKeys } from "../../src/ui/keys.ts";
import { Renderer } from "../../src/ui/render.ts";
import { runRepl } from "../../src/ui/repl.ts";
import { openTerminal } from "../../src/ui/terminal.ts";
import { createTheme } from "../../src/ui/theme.ts";

const terminal = openTerminal(systemIo());
const theme = createTheme(terminal);
const agent = { id: "a1", name: "main", depth: 0 };
const renderer = new Renderer({ terminal, theme, cwd: "/" });
const ask = createAsk({ terminal, theme, cwd: "/", suspend: () => renderer.suspend() });
const show = (fact: EventBody) => renderer.sink({ ...fact, time: new Date().toISOString(), agent });
let typed = "";

const request: PermissionRequest = {
  callId: "c1",
  agent,
  tool: "bash",
  description: "deno test",
  risk: "sensitive",
  why: "runs a program",
  offers: [{ breadth: "exact", text: "run=deno test" }],
  previews: [],
};

async function runTurn(): Promise<void> {
  const stopped = Promise.withResolvers<void>();
  const keys = watchKeys(terminal, { onInterrupt: stopped.resolve });
  show({ type: "turn_start", prompt: "turn" });
  show({ type: "request_start", turn: 1, messages: 1 });
  show({ type: "text_delta", text: "Some words that are **not yet** finished, and so on" });
  await stopped.promise;
  const usage = { prompt_tokens: 1, completion_tokens: 1 };
  const counts = { turns: 1, tool_calls: 0, denied: 0, duration_ms: 10, usage };
  show({ type: "turn_end", reason: "interrupted", ...counts });
  await renderer.flush();
  typed = keys.text;
  keys.release();
}

await runRepl({
  terminal,
  theme,
  queued: () => undefined,
  banner: { version: "0", model: "m", endpoint: "e", cwd: "/", facts: { notes: [] } },
  prompt() {
    const initialText = typed;
    typed = "";
    return {
      initialText,
      history: () => ["from history"],
      suggest: ({ text, isAsked }) =>
        Promise.resolve(
          isAsked && "/help".startsWith(text)
            ? { from: 0, items: [{ label: "/help", insert: "/help" }] }
            : undefined,
        ),
    };
  },
  async onLine(text) {
    if (text === "ask") {
      const answers = await ask([request], new AbortController().signal);
      terminal.write(`answer ${JSON.stringify(answers)}\n`);
    } else if (text === "turn") await runTurn();
    else terminal.write(`got ${JSON.stringify(text)}\n`);
    return "continue";
  },
});
renderer.close();
terminal.restore();
Deno.exit(0);
