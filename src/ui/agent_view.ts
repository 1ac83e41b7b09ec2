/**
 * What agents do that work for a call, as a person sees it: a line for each of their calls once it has ended,
 * and under those what each of them does now. Their words are not shown. The renderer keeps one.
 */
import type { CallState, Event, Reason } from "../core/event.ts";
import { cutEnd, formatDuration, plural } from "../lib/text.ts";
import { oneLine } from "./safe_text.ts";
import type { Theme } from "./theme.ts";
import { headLine, resultLines, type ToolView, toolView } from "./tool_view.ts";
import { noticeLines } from "./turn_view.ts";

/** How it is drawn. */
interface Line {
  readonly theme: Theme;
  readonly columns: number;
}

/** One agent at work. */
interface Worker {
  readonly name: string;
  /** The call for which it works. */
  readonly callId: string | undefined;
  readonly running: Map<string, { description: string; state: CallState }>;
  calls: number;
}

const INDENT = "  ";
/** Characters of a task by which it is recognized. */
const TASK_BEGIN = 60;
/** Lines of an error under a call that failed. */
const ERROR_LINES = 2;
/** Calls that took less are not worth a number, in milliseconds. */
const NOTED_MS = 1000;

/** The agents at work. */
export class AgentView {
  readonly #workers = new Map<string, Worker>();

  /** Forgets all of them. */
  clear(): void {
    this.#workers.clear();
  }

  /** Takes an event of an agent's that works for a call described as `call`; the lines that stay of it. */
  take(event: Event, { call: described, ...line }: Line & { call: string }): string[] {
    const { agent } = event;
    const worker = this.#workers.get(agent.id) ??
      { name: agent.name, callId: agent.call_id, running: new Map(), calls: 0 };
    this.#workers.set(agent.id, worker);
    switch (event.type) {
      case "turn_start":
        return described.includes(cutEnd(oneLine(event.prompt), TASK_BEGIN).slice(0, -1)) ? [] : [
          headLine(viewOf(worker.name, { description: event.prompt, state: "scheduled" }), line),
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
        return ended(worker, event, line);
      case "notice":
        return event.level === "info" ? [] : noticed(worker, event, line);
      case "turn_end":
        this.#workers.delete(agent.id);
        return finished(worker, event, line);
      default:
        return [];
    }
  }

  /** What the agents of a call do now, a line each. */
  live(callId: string, { theme, columns }: Line): string[] {
    const workers = [...this.#workers.values()].filter((one) => one.callId === callId);
    return workers.map(({ name, running, calls }) => {
      const now = [...running.values()];
      const call = now.find(({ state }) => state === "awaiting_approval") ??
        now.find(({ state }) => state === "executing") ?? now[0];
      const doing = call === undefined
        ? `is thinking${theme.glyphs.ellipsis}`
        : call.state === "awaiting_approval"
        ? `asks for ${call.description}`
        : call.description;
      const view = viewOf(name, { description: doing, state: call?.state ?? "scheduled" });
      return headLine(view, { theme, columns, note: calls > 0 ? plural(calls, "call") : "" });
    });
  }
}

/** "  ● general read src/main.ts", and why it failed if it did. */
function ended(
  worker: Worker,
  event: Extract<Event, { type: "tool_end" }>,
  line: Line,
): string[] {
  const call = worker.running.get(event.call_id);
  worker.running.delete(event.call_id);
  worker.calls++;
  const { result, message, duration_ms } = event;
  const state = call?.state === "cancelled" ? "cancelled" : result.success ? "success" : "error";
  const view = viewOf(worker.name, { description: call?.description ?? event.name, state });
  const note = duration_ms >= NOTED_MS ? formatDuration(duration_ms) : "";
  const why = result.success ? [] : resultLines(view, { result, message, preview: [] }, line);
  return [headLine(view, { ...line, note }), ...why.slice(0, ERROR_LINES)];
}

/** "  ● general complete · 3 calls · 12s", or what it failed of. */
function finished(
  { name, calls }: Worker,
  { reason, error, turns, duration_ms }: Extract<Event, { type: "turn_end" }>,
  { theme, columns }: Line,
): string[] {
  const note = [...calls > 0 ? [plural(calls, "call")] : [], formatDuration(duration_ms)];
  const end = ENDS[reason];
  const view = viewOf(name, end);
  const head = headLine(view, { theme, columns, note: note.join(` ${theme.glyphs.dot} `) });
  const why = error ?? (reason === "turn_limit" ? `after ${plural(turns, "request")}` : "");
  if (why === "" || end.state === "success") return [head];
  const result = { success: false, error: why };
  return [head, ...resultLines(view, { result, preview: [] }, { theme, columns })];
}

/** How an agent ended, by the reason. */
const ENDS: Readonly<Record<Reason, { description: string; state: CallState }>> = {
  done: { description: "is done", state: "success" },
  denied: { description: "is done, as far as it was allowed", state: "success" },
  turn_limit: { description: "stopped at its limit", state: "error" },
  context: { description: "stopped: its context is full", state: "error" },
  interrupted: { description: "was interrupted", state: "cancelled" },
  error: { description: "failed", state: "error" },
};

function noticed(
  { name }: Worker,
  { level, text }: Extract<Event, { type: "notice" }>,
  { theme, columns }: Line,
): string[] {
  const options = { theme, columns: columns - INDENT.length };
  return noticeLines({ level, text: `${name}: ${text}` }, options).map((line) => INDENT + line);
}

function viewOf(name: string, call: { description: string; state: CallState }): ToolView {
  return toolView(name, { indent: INDENT, ...call });
}
