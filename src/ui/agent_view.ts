/**
 * What agents do that work for a call, as a person sees it: a line for each of their calls once it has ended,
 * and under those what each of them does now. Their words are not shown. The renderer keeps one.
 */
import type { CallState, Event, TurnEndReason } from "../core/event.ts";
import { cutEnd, formatDuration, oneLine, plural } from "../lib/text.ts";
import type { Theme } from "./theme.ts";
import { createToolView, headLine, resultLines, type ToolView } from "./tool_view.ts";
import { noticeLines } from "./turn_view.ts";

/** How it is drawn. */
interface LineOptions {
  readonly theme: Theme;
  readonly columns: number;
}

/** One agent at work. */
interface AgentState {
  readonly name: string;
  /** The call for which it works. */
  readonly callId: string | undefined;
  readonly running: Map<string, { description: string; state: CallState }>;
  calls: number;
}

const INDENT = "  ";
/** Characters of a task by which it is recognized. */
const TASK_PREFIX = 60;
/** Lines of an error under a call that failed. */
const ERROR_LINES = 2;
/** Calls that took less are not worth a number, in milliseconds. */
const MIN_SHOWN_MS = 1000;

/** The agents at work. */
export class AgentView {
  readonly #agents = new Map<string, AgentState>();

  /** Forgets all of them. */
  clear(): void {
    this.#agents.clear();
  }

  /** Takes an event of an agent's that works for a call described as `call`; the lines that stay of it. */
  handle(event: Event, { call: described, ...line }: LineOptions & { call: string }): string[] {
    const { agent } = event;
    const worker = this.#agents.get(agent.id) ??
      { name: agent.name, callId: agent.call_id, running: new Map(), calls: 0 };
    this.#agents.set(agent.id, worker);
    switch (event.type) {
      case "turn_start":
        return described.includes(cutEnd(oneLine(event.prompt), TASK_PREFIX).slice(0, -1)) ? [] : [
          headLine(
            createView(worker.name, { description: event.prompt, state: "scheduled" }),
            line,
          ),
        ];
      case "tool_start": {
        const description = `${event.name} ${event.description}`;
        worker.running.set(event.call_id, { description, state: "validating" });
        return [];
      }
      case "tool_state": {
        const call = worker.running.get(event.call_id);
        if (call) call.state = event.state;
        return [];
      }
      case "tool_end":
        return callEndLines(worker, event, line);
      case "notice":
        return event.level === "info" ? [] : agentNoticeLines(worker, event, line);
      case "turn_end":
        this.#agents.delete(agent.id);
        return agentEndLines(worker, event, line);
      default:
        return [];
    }
  }

  /** What the agents of a call do now, a line each. */
  liveLines(callId: string, { theme, columns }: LineOptions): string[] {
    const workers = [...this.#agents.values()].filter((one) => one.callId === callId);
    return workers.map(({ name, running, calls }) => {
      const now = [...running.values()];
      const call = now.find(({ state }) => state === "awaiting_approval") ??
        now.find(({ state }) => state === "executing") ?? now[0];
      const doing = call === undefined
        ? `is thinking${theme.glyphs.ellipsis}`
        : call.state === "awaiting_approval"
        ? `asks for ${call.description}`
        : call.description;
      const view = createView(name, { description: doing, state: call?.state ?? "scheduled" });
      return headLine(view, { theme, columns, note: calls > 0 ? plural(calls, "call") : "" });
    });
  }
}

/** "  ● general read src/main.ts", and why it failed if it did. */
function callEndLines(
  agent: AgentState,
  event: Extract<Event, { type: "tool_end" }>,
  line: LineOptions,
): string[] {
  const call = agent.running.get(event.call_id);
  agent.running.delete(event.call_id);
  agent.calls++;
  const { result, message, duration_ms } = event;
  const state = call?.state === "cancelled" ? "cancelled" : result.success ? "success" : "error";
  const view = createView(agent.name, { description: call?.description ?? event.name, state });
  const note = duration_ms >= MIN_SHOWN_MS ? formatDuration(duration_ms) : "";
  const why = result.success ? [] : resultLines(view, { result, message, preview: [] }, line);
  return [headLine(view, { ...line, note }), ...why.slice(0, ERROR_LINES)];
}

/** "  ● general complete · 3 calls · 12s", or what it failed of. */
function agentEndLines(
  { name, calls }: AgentState,
  { reason, error, turns, duration_ms }: Extract<Event, { type: "turn_end" }>,
  { theme, columns }: LineOptions,
): string[] {
  const note = [...calls > 0 ? [plural(calls, "call")] : [], formatDuration(duration_ms)];
  const end = END_STATES[reason];
  const view = createView(name, end);
  const head = headLine(view, { theme, columns, note: note.join(` ${theme.glyphs.dot} `) });
  const why = error ?? (reason === "turn_limit" ? `after ${plural(turns, "request")}` : "");
  if (why === "" || end.state === "success") return [head];
  const result = { success: false, error: why };
  return [head, ...resultLines(view, { result, preview: [] }, { theme, columns })];
}

/** How an agent ended, by the reason. */
const END_STATES: Readonly<Record<TurnEndReason, { description: string; state: CallState }>> = {
  done: { description: "is done", state: "success" },
  denied: { description: "is done, as far as it was allowed", state: "success" },
  turn_limit: { description: "stopped at its limit", state: "error" },
  context: { description: "stopped: its context is full", state: "error" },
  interrupted: { description: "was interrupted", state: "cancelled" },
  error: { description: "failed", state: "error" },
};

function agentNoticeLines(
  { name }: AgentState,
  { level, text }: Extract<Event, { type: "notice" }>,
  { theme, columns }: LineOptions,
): string[] {
  const options = { theme, columns: columns - INDENT.length };
  return noticeLines({ level, text: `${name}: ${text}` }, options).map((line) => INDENT + line);
}

function createView(name: string, call: { description: string; state: CallState }): ToolView {
  return createToolView(name, { indent: INDENT, ...call });
}
