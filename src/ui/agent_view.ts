/**
 * The work of sub-agents on the screen: a line for each of their calls once it has ended, and below them what each
 * agent is doing now. Of their text a few lines of the answer are shown.
 */
import type { CallState, Event, TurnEndReason } from "../core/event.ts";
import { cutEnd, elideLines, formatDuration, oneLine, plural } from "../lib/text.ts";
import type { NumberedItems } from "./numbered_items.ts";
import { safeLines } from "./safe_text.ts";
import type { Layout } from "./theme.ts";
import { createToolView, headLine, MIN_SHOWN_MS, resultLines, type ToolView } from "./tool_view.ts";
import { noticeLines } from "./turn_view.ts";

/** One agent at work. */
interface AgentState {
  readonly name: string;
  /** The call it works for. */
  readonly callId: string | undefined;
  readonly running: Map<string, { description: string; state: CallState }>;
  calls: number;
  /** What it said last. */
  answer: string;
}

const INDENT = "  ";
/** Characters by which a task is recognized. */
const TASK_PREFIX = 60;
/** Lines shown of the error of a failed call. */
const ERROR_LINES = 2;
/** Lines shown of an agent's answer. */
const ANSWER_LINES = 3;

/** The agents at work. */
export class AgentView {
  readonly #agents = new Map<string, AgentState>();
  readonly #items: NumberedItems;

  /** What it shows shortened gets a number among the items. */
  constructor(items: NumberedItems) {
    this.#items = items;
  }

  /** Forgets all of them. */
  clear(): void {
    this.#agents.clear();
  }

  /** Takes an event of an agent that works for a call described as `call`; returns the lines that stay. */
  handle(event: Event, { call: described, ...line }: Layout & { call: string }): string[] {
    const { agent } = event;
    const worker = this.#agents.get(agent.id) ??
      { name: agent.name, callId: agent.call_id, running: new Map(), calls: 0, answer: "" };
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
      case "message":
        if (event.message.role === "assistant") worker.answer = event.message.content;
        return [];
      case "tool_end":
        return callEndLines(worker, event, { ...line, items: this.#items });
      case "notice":
        return event.level === "info" ? [] : agentNoticeLines(worker, event, line);
      case "turn_end":
        this.#agents.delete(agent.id);
        return agentEndLines(worker, event, { ...line, items: this.#items });
      default:
        return [];
    }
  }

  /** What the agents of a call are doing now, a line each. */
  liveLines(callId: string, { theme, columns }: Layout): string[] {
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
  { items, ...line }: Layout & { items: NumberedItems },
): string[] {
  const call = agent.running.get(event.call_id);
  agent.running.delete(event.call_id);
  agent.calls++;
  const { result: { suggestion: _forTheModel, ...result }, message, whole, duration_ms } = event;
  const state = call?.state === "cancelled" ? "cancelled" : result.success ? "success" : "error";
  const view = createView(agent.name, { description: call?.description ?? event.name, state });
  const note = duration_ms >= MIN_SHOWN_MS ? formatDuration(duration_ms) : "";
  const title = `${agent.name} ${view.description}`;
  const number = (text: string) =>
    items.add({ kind: "result", title, content: { form: "text", text } });
  const why = result.success ? [] : resultLines(
    view,
    { result, message, preview: [], whole, errorLines: ERROR_LINES, number },
    line,
  );
  return [headLine(view, { ...line, note }), ...why];
}

/** "  ● general is done · 3 calls · 12s" and the ends of its answer, or why it failed. */
function agentEndLines(
  { name, calls, answer }: AgentState,
  { reason, error, turns, duration_ms }: Extract<Event, { type: "turn_end" }>,
  { theme, columns, items }: Layout & { items: NumberedItems },
): string[] {
  const note = [...calls > 0 ? [plural(calls, "call")] : [], formatDuration(duration_ms)];
  const end = END_STATES[reason];
  const view = createView(name, end);
  const head = headLine(view, { theme, columns, note: note.join(` ${theme.glyphs.dot} `) });
  const why = error ?? (reason === "turn_limit" ? `after ${plural(turns, "request")}` : "");
  const isDone = end.state === "success";
  const said = safeLines(answer).filter((line) => line.trim() !== "");
  const preview = isDone ? elideLines(said, { room: ANSWER_LINES }) : [];
  if (preview.length === 0 && (isDone || why === "")) return [head];
  const outcome = {
    result: { success: isDone, error: why },
    preview,
    ...isDone && said.length > preview.length && { whole: said },
    number: (text: string) =>
      items.add(
        isDone
          ? { kind: "answer", title: name, content: { form: "markdown", text: answer } }
          : { kind: "result", title: name, content: { form: "text", text } },
      ),
  };
  return [head, ...resultLines(view, outcome, { theme, columns })];
}

/** How an agent ended, by reason. */
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
  { theme, columns }: Layout,
): string[] {
  const options = { theme, columns: columns - INDENT.length };
  return noticeLines({ level, text: `${name}: ${text}` }, options).map((line) => INDENT + line);
}

function createView(name: string, call: { description: string; state: CallState }): ToolView {
  return createToolView(name, { indent: INDENT, ...call });
}
