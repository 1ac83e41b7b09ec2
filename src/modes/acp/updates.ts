/**
 * The event sink of a session of the Agent Client Protocol: each event of a turn as the updates that a client draws.
 */
import type { ToolCallContent, ToolCallLocation } from "@agentclientprotocol/sdk";
import { readTodos } from "../../context/todo_list.ts";
import type { State } from "../../core/conversation_access.ts";
import type { Event } from "../../core/event.ts";
import type { ToolDefinition } from "../../core/tool.ts";
import { cutEnd, takeEnd } from "../../lib/text.ts";
import {
  fenced,
  kindOf,
  locationsOf,
  previewContent,
  previewLocations,
  textContent,
  titleOf,
  toolCallIdOf,
} from "./call_view.ts";
import type { SessionClient } from "./session_client.ts";

type EventOf<T extends Event["type"]> = Extract<Event, { type: T }>;

/** Milliseconds between two updates of a running command's output, which repeat it from its beginning. */
const OUTPUT_INTERVAL_MS = 100;
/** Characters of a command's output that are shown while it runs: the last ones. */
const MAX_OUTPUT = 16_000;
/** Characters of a result that are shown. */
const MAX_RESULT = 16_000;

/** What the updates are made of beside the events. */
interface UpdatesOptions {
  readonly client: SessionClient;
  /** The tools, by the names that calls have. */
  readonly findTool: (name: string) => ToolDefinition | undefined;
  readonly cwd: string;
  /** The state of the conversation, which holds its plan; undefined before there is one. */
  readonly state: () => Pick<State, "get"> | undefined;
}

/** A call that has begun. */
interface ShownCall {
  readonly title: string;
  /** What it does, before it has run. */
  content: readonly ToolCallContent[];
  locations: readonly ToolCallLocation[];
  output: string;
  timer?: ReturnType<typeof setTimeout> | undefined;
}

/** Ready to use after `new`. */
export class SessionUpdates {
  readonly #options: UpdatesOptions;
  readonly #calls = new Map<string, ShownCall>();
  /** How the last turn of the agent that the person talks to ended. */
  lastEnd: EventOf<"turn_end"> | undefined;
  #messages = 0;
  /** Whether text of the reply has been sent as it came. */
  #hasText = false;
  #plan = "[]";
  #cost = 0;
  #fill: Pick<EventOf<"context">, "tokens" | "size"> | undefined;

  constructor(options: UpdatesOptions) {
    this.#options = options;
  }

  /** Takes an event. */
  readonly sink = (event: Event): void => {
    const isMain = event.agent.depth === 0;
    switch (event.type) {
      case "request_start":
        if (isMain) this.#beginReply();
        return;
      case "thinking_delta":
      case "text_delta":
        if (isMain) this.#sendDelta(event);
        return;
      case "message":
        if (isMain) this.#takeMessage(event);
        return;
      case "tool_start":
        return this.#startCall(event);
      case "tool_state":
        if (event.state === "executing") this.#update(event, { status: "in_progress" });
        return;
      case "tool_preview":
        return this.#preview(event);
      case "tool_output":
        return this.#addOutput(event);
      case "tool_end":
        return this.#endCall(event);
      case "context":
        if (isMain) this.#sendUsage(this.#fill = event);
        return;
      case "notice":
        return this.#notify(event);
      case "turn_end":
        if (isMain) this.#endTurn(event);
        return;
    }
  };

  /** What a call is shown as by now. */
  shownCall(id: string): Pick<ShownCall, "title" | "content" | "locations"> | undefined {
    return this.#calls.get(id);
  }

  /** What was told is told anew from its beginning: to a client that has lost it. */
  startOver(): void {
    this.#plan = "[]";
    this.#cost = 0;
  }

  /** Says something to the person that no model said; a reply that is arriving goes on after it. */
  say(text: string): void {
    this.#beginMessage();
    this.#sendText("agent_message_chunk", text);
    this.#beginMessage();
  }

  /** Warns the person. */
  warn(text: string): void {
    this.#notify({ type: "notice", level: "warning", text });
  }

  #beginMessage(): void {
    this.#messages++;
  }

  #beginReply(): void {
    this.#beginMessage();
    this.#hasText = false;
  }

  #sendText(
    sessionUpdate: "agent_message_chunk" | "agent_thought_chunk" | "user_message_chunk",
    text: string,
  ): void {
    const messageId = `${sessionUpdate.split("_")[1]}_${this.#messages}`;
    this.#options.client.send({ sessionUpdate, messageId, content: { type: "text", text } });
  }

  #sendDelta({ type, text }: EventOf<"thinking_delta" | "text_delta">): void {
    if (type === "text_delta") this.#hasText = true;
    this.#sendText(type === "text_delta" ? "agent_message_chunk" : "agent_thought_chunk", text);
  }

  /** What was said earlier, or came at once. */
  #takeMessage({ message }: EventOf<"message">): void {
    if (message.role === "user" && message.steering) {
      this.#beginMessage();
      this.#sendText("user_message_chunk", message.content);
      this.#beginMessage();
    } else if (message.role === "assistant") {
      if (!this.#hasText && message.content !== "") {
        this.#sendText("agent_message_chunk", message.content);
      }
      this.#beginReply();
    }
  }

  #startCall(event: EventOf<"tool_start">): void {
    const { findTool, cwd, client } = this.#options;
    const definition = findTool(event.name);
    const id = toolCallIdOf(event.agent, event.call_id);
    const title = titleOf(event);
    const locations = locationsOf(definition, { input: event.input, cwd });
    this.#calls.set(id, { title, content: [], locations, output: "" });
    client.send({
      sessionUpdate: "tool_call",
      toolCallId: id,
      title,
      name: event.name,
      kind: kindOf(definition),
      status: "pending",
      ...locations.length > 0 && { locations },
      rawInput: event.input,
    });
  }

  #preview({ agent, call_id, previews, changes }: EventOf<"tool_preview">): void {
    const call = this.#calls.get(toolCallIdOf(agent, call_id));
    if (call === undefined) return;
    const { cwd } = this.#options;
    call.content = previewContent(previews, { changes, cwd });
    const locations = previewLocations(previews, cwd);
    if (locations.length > 0) call.locations = locations;
    this.#update({ agent, call_id }, {
      content: [...call.content],
      ...locations.length > 0 && { locations },
    });
  }

  #addOutput(event: EventOf<"tool_output">): void {
    const call = this.#calls.get(toolCallIdOf(event.agent, event.call_id));
    if (call === undefined) return;
    const isFirst = call.output === "";
    call.output = takeEnd(`${call.output}${event.text}`, MAX_OUTPUT);
    const send = () => {
      call.timer = undefined;
      this.#update(event, { content: [textContent(fenced(call.output))] });
    };
    if (isFirst) send();
    else call.timer ??= setTimeout(send, OUTPUT_INTERVAL_MS);
  }

  #endCall(event: EventOf<"tool_end">): void {
    const id = toolCallIdOf(event.agent, event.call_id);
    const call = this.#calls.get(id);
    clearTimeout(call?.timer);
    this.#calls.delete(id);
    const { success, error, suggestion } = event.result;
    const diffs = success ? (call?.content ?? []).filter(({ type }) => type === "diff") : [];
    const lines = cutEnd((event.whole ?? event.preview).join("\n"), MAX_RESULT);
    const shown = call?.output || lines;
    const problem = [event.message ?? error, suggestion].filter(Boolean).join("\n\n");
    this.#update(event, {
      status: success ? "completed" : "failed",
      content: [
        ...diffs,
        ...shown.trim() === "" ? [] : [textContent(fenced(shown))],
        ...success ? [] : [textContent(problem)],
      ],
      rawOutput: event.result,
    });
    this.#sendPlan();
  }

  #update(
    { agent, call_id }: Pick<EventOf<"tool_output">, "agent" | "call_id">,
    fields: Omit<Parameters<SessionClient["ask"]>[0], "toolCallId">,
  ): void {
    const toolCallId = toolCallIdOf(agent, call_id);
    this.#options.client.send({ sessionUpdate: "tool_call_update", toolCallId, ...fields });
  }

  /** The todo list, if it has changed. */
  #sendPlan(): void {
    const state = this.#options.state();
    const entries = (state === undefined ? [] : readTodos(state)).map((one) => ({
      content: one.task,
      priority: one.priority,
      status: one.status === "done" ? "completed" as const : one.status,
    }));
    const plan = JSON.stringify(entries);
    if (plan === this.#plan) return;
    this.#plan = plan;
    this.#options.client.send({ sessionUpdate: "plan", entries });
  }

  #sendUsage({ tokens, size }: Pick<EventOf<"context">, "tokens" | "size">): void {
    this.#options.client.send({
      sessionUpdate: "usage_update",
      used: Math.max(0, Math.round(tokens)),
      size,
      ...this.#cost > 0 && { cost: { amount: this.#cost, currency: "credits" } },
    });
  }

  /** What goes wrong is said in any case; the rest only where a client has a place for it. */
  #notify({ level, text, waiting_ms, reading }: Omit<EventOf<"notice">, "time" | "agent">): void {
    const { client } = this.#options;
    if (client.capabilities.session?.notices) {
      if (waiting_ms !== undefined || reading !== undefined || text === "") return;
      client.send({ sessionUpdate: "notice", severity: level, title: text });
    } else if (level !== "info") {
      this.say(`${level === "error" ? "Error" : "Warning"}: ${text}\n\n`);
    }
  }

  #endTurn(event: EventOf<"turn_end">): void {
    this.lastEnd = event;
    const cost = (event.usage.cost ?? 0) + (event.delegated?.usage.cost ?? 0);
    this.#cost += cost;
    if (cost > 0 && this.#fill) this.#sendUsage(this.#fill);
  }
}
