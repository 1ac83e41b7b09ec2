/**
 * The event sinks of print mode, one for each output format: the answer on standard output with progress on standard
 * error, warnings alone, or each event as a line of JSON. The final result object is added elsewhere.
 */
import type { Event, EventSink, TurnEndReason } from "../core/event.ts";
import { formatDuration, jsonLine, oneLine, plural, stripControls } from "../lib/text.ts";

/** How print mode answers. */
export type OutputFormat = "text" | "json" | "stream-json";

/** Write lines; the line end is added by the writer. */
interface LineWriters {
  stdout(line: string): void;
  stderr(line: string): void;
}

/** The sink of an output format; it falls silent when its reader is gone. */
export function createHeadlessSink(format: OutputFormat, writers: LineWriters): EventSink {
  switch (format) {
    case "text":
      return textSink(ignoreClosedPipes(writers));
    case "json": {
      const { stderr } = ignoreClosedPipes(writers);
      return (event) => {
        if (isCut(event)) stderr(GO_ON);
        if (event.type !== "notice" || event.level !== "warning") return;
        for (const line of progressLines(event, new Map())) stderr(line);
      };
    }
    case "stream-json": {
      const { stdout } = ignoreClosedPipes(writers);
      return (event) => stdout(eventLine(event));
    }
  }
}

/** An event as a line of JSON, without what only a screen shows. */
export function eventLine(event: Event): string {
  return jsonLine({ ...event, whole: undefined, changes: undefined });
}

function textSink(writers: LineWriters): EventSink {
  const descriptions = new Map<string, string>();
  const denied = new Set<string>();
  let answer = "";
  return (event) => {
    if (event.type === "tool_end" && denied.delete(keyOf(event))) {
      // The denial was reported with its reason.
      descriptions.delete(keyOf(event));
    } else if (event.type === "tool_start") {
      const by = event.agent.depth === 0 ? "" : `${event.agent.name}: `;
      descriptions.set(keyOf(event), `${by}${event.name} ${event.description}`);
    } else if (event.type === "message" && event.message.role === "assistant") {
      if (event.agent.depth === 0) answer = event.message.content;
    } else if (event.type === "turn_end" && event.agent.depth === 0) {
      const why = event.error
        ? `error: ${stripControls(event.error)}`
        : STOP_MESSAGES[event.reason]?.(event);
      if (why !== undefined) writers.stderr(why);
      if (event.reason === "budget") writers.stderr(NEW_BUDGET);
      if (isCut(event)) writers.stderr(GO_ON);
      if ("structured" in event) writers.stdout(jsonLine(event.structured));
      else if (answer.trim() !== "") writers.stdout(stripControls(answer).trimEnd());
      answer = "";
    } else {
      if (event.type === "permission" && isDenial(event)) denied.add(keyOf(event));
      for (const line of progressLines(event, descriptions)) writers.stderr(line);
    }
  };
}

/** How an answer that is cut off is continued. */
const GO_ON = 'To continue the answer: ally -p --continue "go on"';

/** How a run goes on whose budget is spent. */
const NEW_BUDGET = "ally -p --continue goes on; --max-tokens-total, --max-cost and --max-time " +
  "set another budget";

function isCut(event: Event): boolean {
  return event.type === "turn_end" && event.agent.depth === 0 && event.cut === "length";
}

/** Why a turn ended early, where its error does not say. */
const STOP_MESSAGES: Partial<Record<TurnEndReason, (end: { turns: number }) => string>> = {
  turn_limit: ({ turns }) =>
    `stopped: at the limit of ${plural(turns, "request")}; --max-turns N sets another, ` +
    "ally -p --continue goes on",
  interrupted: () => "interrupted",
};

function progressLines(event: Event, descriptions: Map<string, string>): string[] {
  const indent = "  ".repeat(event.agent.depth);
  switch (event.type) {
    case "tool_end": {
      const what = oneLine(descriptions.get(keyOf(event)) ?? event.name);
      descriptions.delete(keyOf(event));
      const { success, error, suggestion } = event.result;
      const mark = success ? "ok" : "failed";
      return [
        `${indent}${mark}: ${what} (${formatDuration(event.duration_ms)})`,
        ...(success ? [] : [`${indent}  ${oneLine(event.message ?? error)}`]),
        ...(suggestion ? [`${indent}  ${oneLine(suggestion)}`] : []),
      ];
    }
    case "permission":
      return isDenial(event)
        ? [
          `${indent}denied: ${oneLine(descriptions.get(keyOf(event)) ?? "")} (${
            oneLine(event.why)
          })`,
        ]
        : [];
    case "turn_end":
      return event.error ? [`${indent}failed: ${event.agent.name}: ${oneLine(event.error)}`] : [];
    case "notice":
      return event.reading ? [] : [`${indent}${event.level}: ${oneLine(event.text)}`];
    default:
      return [];
  }
}

function isDenial({ decision }: Extract<Event, { type: "permission" }>): boolean {
  return decision === "deny" || decision === "instead";
}

/** Identifies a call: parallel agents may use the same call ids. */
function keyOf({ agent, call_id }: Event & { call_id: string }): string {
  return JSON.stringify([agent.id, call_id]);
}

/** Stops writing to a stream once it fails: a closed pipe is no reason to end a turn. */
function ignoreClosedPipes(writers: LineWriters): LineWriters {
  const guard = (write: (line: string) => void) => {
    let closed = false;
    return (line: string) => {
      if (closed) return;
      try {
        write(line);
      } catch {
        closed = true;
      }
    };
  };
  return {
    stdout: guard((line) => writers.stdout(line)),
    stderr: guard((line) => writers.stderr(line)),
  };
}
