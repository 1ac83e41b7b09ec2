/**
 * A scripted server that has a window: it counts each request with the encoder, checks that it is valid,
 * and reports what it counted as usage, the way a real server does.
 */
import { Tiktoken } from "js-tiktoken/lite";
import cl100k from "js-tiktoken/ranks/cl100k_base";
import {
  type RecordedRequest,
  type ScriptedReply,
  type ScriptedServer,
  startScriptedServer,
} from "../../src/modes/demo/scripted_server.ts";

export interface WireMessage {
  readonly role: string;
  readonly content: string;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly { id: string; function: { name: string; arguments: string } }[];
}

/** One request as the server saw it. */
export interface SeenRequest {
  readonly messages: readonly WireMessage[];
  readonly tokens: number;
  /** What is wrong with it; empty if it is valid. */
  readonly faults: readonly string[];
  /** Whether it asks for the summary of a compaction. */
  readonly asksForSummary: boolean;
}

export interface WindowServer extends AsyncDisposable {
  readonly url: string;
  readonly seen: readonly SeenRequest[];
}

const ENCODER = new Tiktoken(cl100k);

export const SUMMARY =
  "## Goal\nRead all of it.\n## State\nSome was read, and SUMMARY_MARK says so.";

/** Starts one; `answer` says what the model says to each request that asks for no summary. */
export async function startWindowServer(options: {
  answer: (seen: SeenRequest, index: number) => ScriptedReply;
  /** @default a good summary */
  summary?: () => ScriptedReply;
  /** @default true */
  reportsUsage?: boolean;
}): Promise<WindowServer> {
  const { answer, summary = () => ({ text: SUMMARY }), reportsUsage = true } = options;
  const seen: SeenRequest[] = [];
  let answered = 0;
  const reply = (request: RecordedRequest): ScriptedReply => {
    const one = look(request, (text) => ENCODER.encode(text, [], []).length);
    seen.push(one);
    const said: ScriptedReply = one.asksForSummary ? summary() : answer(one, answered++);
    const usage = { prompt_tokens: reportsUsage ? one.tokens : 0, completion_tokens: 20 };
    return said.status === undefined ? { usage, ...said } : said;
  };
  const server: ScriptedServer = await startScriptedServer({ replies: Array(500).fill(reply) });
  return { url: server.url, seen, [Symbol.asyncDispose]: () => server.close() };
}

function look({ body }: RecordedRequest, count: (text: string) => number): SeenRequest {
  const messages = body.messages as WireMessage[];
  const ofMessages = messages.reduce(
    (sum, { content, tool_calls = [] }) =>
      sum + 4 + count(content) +
      tool_calls.reduce(
        (all, call) => all + count(call.function.name) + count(call.function.arguments) + 4,
        0,
      ),
    0,
  );
  return {
    messages,
    tokens: ofMessages + count(JSON.stringify(body.tools ?? [])),
    faults: faultsIn(messages),
    asksForSummary: messages.at(-1)?.content.includes("Write only the summary") ?? false,
  };
}

/** Each call answered once, right after the reply that made it, in order. */
function faultsIn(messages: readonly WireMessage[]): string[] {
  const faults: string[] = [];
  let open: string[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role === "tool") {
      const expected = open.shift();
      if (expected !== message.tool_call_id) {
        faults.push(`${index}: answers ${message.tool_call_id}`);
      }
      continue;
    }
    if (open.length > 0) faults.push(`${index}: ${open.join()} unanswered`);
    open = (message.tool_calls ?? []).map(({ id }) => id);
  }
  if (open.length > 0) faults.push(`end: ${open.join()} unanswered`);
  if (messages[0]?.role !== "system") faults.push("no system prompt");
  return faults;
}
