/**
 * The work of sub-agents on the screen, as a tree below the call they work for: while they work a row for each with its
 * task and its last step, and once the call has ended how each of them ended, with the ends of its answer. What each
 * of them called is a list behind the number of the call.
 */
import type { CallState, Event, TurnEndReason, TurnUsage } from "../core/event.ts";
import { cutEnd, elideLines, formatDuration, oneLine, plural } from "../lib/text.ts";
import type { NumberedItems } from "./numbered_items.ts";
import { safeLines } from "./safe_text.ts";
import type { Layout, Theme } from "./theme.ts";
import {
  type CallEnd,
  createToolView,
  formatSeconds,
  headLine,
  MIN_SHOWN_MS,
  resultLines,
  type ToolView,
} from "./tool_view.ts";
import { formatShortCount, noticeLines } from "./turn_view.ts";
import { fit } from "./wrap.ts";

/** One agent. */
interface AgentState {
  readonly name: string;
  readonly task: string;
  /** The call it works for. */
  readonly callId: string | undefined;
  /** When it began, by the clock of the screen. */
  readonly since: number;
  readonly running: Map<string, { description: string; state: CallState }>;
  /** The call that began last. */
  lastStep: string;
  readonly calls: EndedCall[];
  tokens: number;
  /** What it said last. */
  answer: string;
  end?: Extract<Event, { type: "turn_end" }>;
}

/** A call of an agent's own. */
interface EndedCall {
  readonly description: string;
  readonly state: CallState;
  readonly durationMs: number;
  /** The first line of its result, or why it failed. */
  readonly outcome: string;
}

const INDENT = "  ";
/** Characters by which a task is recognized. */
const TASK_PREFIX = 60;
/** Characters of a call, and of its outcome, in the list of calls. */
const LISTED_WIDTH = 160;
/** Lines shown of an agent's answer. */
const ANSWER_LINES = 3;

/** The agents of a turn. */
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

  /** Takes an event of an agent, at a time of the clock; returns the lines that stand at once. */
  handle(event: Event, { now, ...line }: Layout & { now: number }): string[] {
    const { agent } = event;
    const worker = this.#agents.get(agent.id) ?? createAgent(event, now);
    this.#agents.set(agent.id, worker);
    switch (event.type) {
      case "tool_start": {
        const description = `${event.name} ${event.description}`;
        worker.running.set(event.call_id, { description, state: "validating" });
        worker.lastStep = description;
        return [];
      }
      case "tool_state": {
        const call = worker.running.get(event.call_id);
        if (call) call.state = event.state;
        return [];
      }
      case "message":
        if (event.message.role === "assistant") worker.answer = event.message.content;
        worker.tokens += countTokens(event.usage);
        return [];
      case "tool_end":
        worker.calls.push(toEndedCall(event, worker.running.get(event.call_id)));
        worker.running.delete(event.call_id);
        return [];
      case "notice":
        return event.level === "info" ? [] : agentNoticeLines(worker, event, line);
      case "turn_end":
        worker.end = event;
        return [];
      default:
        return [];
    }
  }

  /** What the agents of a call are doing, in at most `rows` lines: with their last steps if there is room. */
  liveLines(
    callId: string,
    { rows, now, described, ...line }: Layout & { rows: number; now: number; described: string },
  ): string[] {
    const workers = this.#workersOf(callId);
    if (workers.length === 0 || rows < 1) return [];
    const withSteps = workers.flatMap((one) => [
      agentLine(one, { ...line, now, described }),
      ...stepLines(one, line),
    ]);
    if (withSteps.length <= rows) return withSteps;
    // Those that still work come first: how the others ended is told at the end.
    const ordered = workers.toSorted((a, b) =>
      Number(a.end !== undefined) - Number(b.end !== undefined)
    );
    const shown = workers.length <= rows ? workers : ordered.slice(0, rows - 1);
    const left = workers.length - shown.length;
    return [
      ...shown.map((one) => agentLine(one, { ...line, now, described })),
      ...(left > 0 ? [line.theme.paint("dim", `${INDENT}+${left} more`)] : []),
    ];
  }

  /** How the agents of a call ended, and the call's own result; no line if none of them ended. They are forgotten. */
  endLines(
    callId: string,
    { view, outcome, ...line }: Layout & { view: ToolView; outcome: CallEnd },
  ): string[] {
    const workers = this.#workersOf(callId);
    for (const [id, { callId: own }] of this.#agents) if (own === callId) this.#agents.delete(id);
    const options = { ...line, described: view.description, items: this.#items };
    const ends = workers.flatMap((one) => agentEndLines(one, options));
    const calls = workers.flatMap((one) => callList(one, line.theme));
    if (ends.length === 0) return [];
    const whole = calls.length > 0
      ? [...outcome.whole ?? outcome.preview, ...calls]
      : outcome.whole;
    return [...ends, ...resultLines(view, { ...outcome, whole }, line)];
  }

  #workersOf(callId: string): AgentState[] {
    return [...this.#agents.values()].filter((one) => one.callId === callId);
  }
}

function createAgent(event: Event, now: number): AgentState {
  const { name, call_id: callId } = event.agent;
  const task = event.type === "turn_start" ? oneLine(event.prompt) : "";
  const begun = { running: new Map(), calls: [], lastStep: "", tokens: 0, answer: "" };
  return { name, task, callId, since: now, ...begun };
}

function toEndedCall(
  { name, duration_ms: durationMs, result, message, preview }: Extract<Event, { type: "tool_end" }>,
  call: { description: string; state: CallState } | undefined,
): EndedCall {
  const ended = result.success ? "success" : "error";
  const outcome = result.success ? preview[0] ?? "" : message || result.error;
  return {
    description: cutEnd(oneLine(call?.description ?? name), LISTED_WIDTH),
    state: call?.state === "cancelled" ? call.state : ended,
    durationMs,
    outcome: cutEnd(oneLine(outcome), LISTED_WIDTH),
  };
}

/** What an agent called, in order, each with how it ended; nothing if it called nothing. */
function callList({ name, task, calls }: AgentState, theme: Theme): string[] {
  if (calls.length === 0) return [];
  const { bullet, failed, cancelled, result, dot } = theme.glyphs;
  const lines = calls.flatMap(({ description, state, durationMs, outcome }) => {
    const mark = state === "success" ? bullet : state === "cancelled" ? cancelled : failed;
    const time = durationMs < MIN_SHOWN_MS ? "" : ` ${dot} ${formatDuration(durationMs)}`;
    return [
      `${INDENT}${mark} ${description}${time}`,
      ...outcome === "" ? [] : [`${INDENT}${INDENT}${result} ${outcome}`],
    ];
  });
  return ["", `${name} ${cutEnd(task, LISTED_WIDTH)}`.trim(), ...lines];
}

function countTokens(usage: TurnUsage | undefined): number {
  return usage === undefined ? 0 : usage.prompt_tokens + usage.completion_tokens;
}

/** The task, unless the line of the call tells it already. */
function untoldTask({ task }: AgentState, described: string): string {
  return described.includes(cutEnd(task, TASK_PREFIX).replace(/…$/, "")) ? "" : task;
}

/** "  ● explore find the bug · 3 calls · 1.2k tokens · 12s" */
function agentLine(
  agent: AgentState,
  { theme, columns, now, described }: Layout & { now: number; described: string },
): string {
  const { name, end, running, since } = agent;
  const state = end ? END_STATES[end.reason].state : running.size > 0 ? "executing" : "scheduled";
  const view = createView(name, { description: describeAgent(agent, described), state });
  const seconds = Math.floor((now - since) / 1000);
  const time = end ? formatDuration(end.duration_ms) : seconds < 1 ? "" : formatSeconds(seconds);
  const note = [...countNotes(agent), time].filter((one) => one !== "");
  return headLine(view, { theme, columns, note: note.join(` ${theme.glyphs.dot} `) });
}

function countNotes({ calls, tokens }: AgentState): string[] {
  return [
    ...(calls.length > 0 ? [plural(calls.length, "call")] : []),
    ...(tokens > 0 ? [`${formatShortCount(tokens)} tokens`] : []),
  ];
}

/** The task, and how it ended unless it simply was done. */
function describeAgent(agent: AgentState, described: string): string {
  const { end } = agent;
  const parts = [untoldTask(agent, described), end ? END_STATES[end.reason].text : ""];
  return parts.filter((one) => one !== "").join(": ");
}

/** What an agent is doing, or why it failed. */
function stepLines(
  { running, lastStep, end }: AgentState,
  { theme, columns }: Layout,
): string[] {
  if (end !== undefined) {
    const why = end.error === undefined ? "" : oneLine(end.error);
    return why === "" ? [] : [theme.paint("error", `${INDENT}  ${fit(why, columns - 4)}`)];
  }
  const now = [...running.values()];
  const asking = now.find(({ state }) => state === "awaiting_approval");
  const call = asking ?? now.find(({ state }) => state === "executing") ?? now[0];
  const doing = asking
    ? `asks for ${asking.description}`
    : call?.description ?? (lastStep === "" ? "thinking" : `thinking, after ${lastStep}`);
  const text = fit(oneLine(doing), columns - 4, theme.glyphs.ellipsis);
  return [theme.paint("dim", `${INDENT}  ${text}`)];
}

/** "  ● explore find the bug · 3 calls · 12s" and the ends of its answer, or why it failed. */
function agentEndLines(
  agent: AgentState,
  { theme, columns, described, items }: Layout & { described: string; items: NumberedItems },
): string[] {
  const { name, end, answer } = agent;
  if (end === undefined) return [];
  const { state } = END_STATES[end.reason];
  const head = agentLine(agent, { theme, columns, described, now: 0 });
  const view = createView(name, { description: "", state });
  const why = end.error ??
    (end.reason === "turn_limit" ? `after ${plural(end.turns, "request")}` : "");
  const isDone = state === "success";
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
const END_STATES: Readonly<Record<TurnEndReason, { text: string; state: CallState }>> = {
  done: { text: "", state: "success" },
  denied: { text: "as far as it was allowed", state: "success" },
  turn_limit: { text: "stopped at its limit", state: "error" },
  context: { text: "stopped: its context is full", state: "error" },
  budget: { text: "stopped: its budget is spent", state: "error" },
  interrupted: { text: "was interrupted", state: "cancelled" },
  error: { text: "failed", state: "error" },
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
