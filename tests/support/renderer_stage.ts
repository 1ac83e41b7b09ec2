/**
 * A renderer on a terminal in memory, with a clock that only a test moves.
 */
import type { EventBody } from "../../src/core/event.ts";
import type { AgentIdentity } from "../../src/core/tool.ts";
import { Renderer } from "../../src/ui/render.ts";
import { createTheme, type Theme } from "../../src/ui/theme.ts";
import { MemoryTerminal } from "./memory_terminal.ts";

/** The agent that the person talks to. */
export const MAIN: AgentIdentity = { id: "a1", name: "main", depth: 0 };

/** What is drawn, and what moves it on. */
export interface RendererStage {
  readonly terminal: MemoryTerminal;
  readonly theme: Theme;
  readonly renderer: Renderer;
  /** Milliseconds, and what is called as they pass. */
  readonly clock: { ms: number; readonly ticks: Set<() => void> };
  /** Lets time pass, a picture's if not more is said. */
  tick(ms?: number): void;
  show(facts: readonly EventBody[], agent?: AgentIdentity): Promise<void>;
}

/** Sets it up. */
export function stageRenderer(
  options: ConstructorParameters<typeof MemoryTerminal>[0] = {},
): RendererStage {
  const terminal = new MemoryTerminal(options);
  const theme = createTheme(terminal);
  const clock = { ms: 0, ticks: new Set<() => void>() };
  const renderer = new Renderer({
    terminal,
    theme,
    cwd: "/work",
    now: () => clock.ms,
    every(_ms, callback) {
      clock.ticks.add(callback);
      return () => clock.ticks.delete(callback);
    },
  });
  return {
    terminal,
    theme,
    renderer,
    clock,
    tick(ms = 100) {
      clock.ms += ms;
      for (const callback of clock.ticks) callback();
    },
    async show(facts, agent = MAIN) {
      const time = "2026-01-01T00:00:00.000Z";
      for (const fact of facts) renderer.sink({ ...fact, time, agent });
      await renderer.flush();
    },
  };
}
