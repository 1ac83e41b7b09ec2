/**
 * The receipt of a run, `--receipt`: what the model answered, which calls it made, who decided about each and by
 * which rule, which commands ran and how they ended, and what every file held before and after. It decorates the
 * sink, the log of decisions, the commands and the changes to files, which know nothing of it.
 */
import { basename, dirname, join } from "node:path";
import type { FileEvent, LogCommand } from "../core/action_log.ts";
import type { LogDecision } from "../core/decision.ts";
import type { Event, EventSink } from "../core/event.ts";
import type { AssistantMessage } from "../core/message.ts";
import { NO_MASKING, type Secrets } from "../core/secrets.ts";
import { realPathOrSame, sha256 } from "../lib/fs.ts";
import { mapStrings } from "../lib/json_strings.ts";
import type { JsonObject } from "../lib/schema.ts";
import { formatCount, plural } from "../lib/text.ts";
import { RECEIPT_VERSION, type ReceiptSummary } from "../receipt/lines.ts";
import { ReceiptFile } from "../receipt/receipt_file.ts";
import { type Bootstrap, createVault } from "./bootstrap.ts";
import { VERSION } from "./version.ts";

/** Characters of a text in a receipt; of a longer one its beginning and its hash are kept. */
const MAX_TEXT = 2_000;

/** What a receipt tells of its run beside what happens. */
interface ReceiptFacts {
  /** Id of the session; undefined without one. */
  readonly session: string | undefined;
  readonly model: string;
}

/** The receipt of one run. */
export class RunReceipt implements Disposable {
  readonly #path: string;
  readonly #file: ReceiptFile;
  readonly #secrets: Secrets;
  readonly #emit: Bootstrap["events"]["emit"];
  #hasEnded = false;

  /** Begins the file. @throws {UsageError} it cannot be written, or holds something */
  constructor(path: string, bootstrap: Bootstrap, { session, model }: ReceiptFacts) {
    const { cwd, events, storage, workspace } = bootstrap;
    const id = crypto.randomUUID();
    this.#path = join(realPathOrSame(dirname(path)), basename(path));
    this.#emit = events.emit;
    // What is handed on is masked, whatever the person wants to see.
    this.#secrets = bootstrap.secrets === NO_MASKING ? createVault(bootstrap) : bootstrap.secrets;
    this.#file = new ReceiptFile(this.#path, {
      hashes: storage.isPersistent ? join(storage.paths.receipts, id) : undefined,
      onProblem: events.warn,
    });
    workspace.setListener((event) => this.#add(lineOfFiles(event)), this.#path);
    this.#add({
      type: "start",
      receipt: RECEIPT_VERSION,
      id,
      ally: VERSION,
      cwd,
      roots: workspace.roots,
      session: session ?? null,
      model,
    });
  }

  /** Why the receipt is not whole; undefined if it is. */
  get problem(): string | undefined {
    return this.#file.problem;
  }

  get summary(): ReceiptSummary {
    const { link: { line, hash }, problem } = this.#file;
    return {
      file: this.#path,
      lines: line,
      sha256: hash,
      ...problem !== undefined && { problem },
    };
  }

  /** A sink that takes note of what belongs into a receipt, and passes every event on. */
  wrapSink(sink: EventSink): EventSink {
    return (event) => {
      const line = lineOfEvent(event, (text) => this.#secrets.remask(text));
      if (line !== undefined) this.#add({ agent: event.agent.id, ...line });
      sink(event);
    };
  }

  /** The log of decisions, with the receipt before it. */
  wrapLog(log: LogDecision | undefined): LogDecision {
    return (decision) => {
      const { agent, tool, callId, kinds, what, risk, reasons, by } = decision;
      this.#add({
        type: "decision",
        agent,
        call_id: callId,
        tool,
        kinds,
        what,
        class: risk,
        reasons,
        decision: decision.decision,
        by,
      });
      log?.(decision);
    };
  }

  readonly logCommand: LogCommand = ({ agent, callId, options, result }) => {
    const { command, script, cwd } = options;
    const { code, ended, taskId, durationMs, output } = result;
    this.#add({
      type: "command",
      agent,
      call_id: callId,
      command,
      ...script !== undefined && script !== command && { ran: script },
      ...cwd !== undefined && { cwd },
      // A task goes on: how it ends is in the result of a later call.
      ...taskId === undefined ? { exit_code: code } : { task: taskId },
      ...ended !== undefined && { ended },
      duration_ms: Math.round(durationMs),
      output_sha256: hashOf(this.#secrets.remask(output)),
    });
  };

  /** Writes the last line. */
  finish(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#file.close({ type: "end", time: new Date().toISOString() });
    const { file, lines, sha256 } = this.summary;
    const text = `The receipt ${file} has ${plural(lines, "line")}. Its hash is ${sha256}.`;
    if (this.problem === undefined) this.#emit({ type: "notice", level: "info", text });
  }

  [Symbol.dispose](): void {
    this.finish();
  }

  #add(body: JsonObject): void {
    const { type, ...rest } = mapStrings(body, (text) => shorten(this.#secrets.remask(text)));
    this.#file.append({ type, time: new Date().toISOString(), ...rest });
  }
}

/** What a receipt says of an event; undefined if nothing. */
function lineOfEvent(event: Event, mask: (text: string) => string): JsonObject | undefined {
  switch (event.type) {
    case "turn_start":
      return { type: "turn", prompt: event.prompt };
    case "message":
      return event.message.role === "assistant" ? lineOfAnswer(event.message, mask) : undefined;
    case "tool_start":
      return { type: "call", call_id: event.call_id, tool: event.name, input: event.input };
    case "tool_end": {
      const { call_id, name: tool, duration_ms, result } = event;
      const { success, error, error_type } = result;
      return {
        type: "result",
        call_id,
        tool,
        success,
        ...!success && { error, error_type },
        duration_ms,
        sha256: hashOf(JSON.stringify(mapStrings(result, mask))),
      };
    }
    case "turn_end": {
      const { reason, turns, tool_calls, denied, duration_ms } = event;
      return { type: "turn_end", reason, turns, tool_calls, denied, duration_ms };
    }
    default:
      return undefined;
  }
}

function lineOfAnswer(
  { content, calls }: AssistantMessage,
  mask: (text: string) => string,
): JsonObject {
  const answer = { content, calls: calls.map(({ name, arguments: text }) => [name, text]) };
  return {
    type: "answer",
    calls: calls.map(({ id }) => id),
    sha256: hashOf(JSON.stringify(mapStrings(answer, mask))),
  };
}

function lineOfFiles(event: FileEvent): JsonObject {
  if (event.kind !== "changed") return { type: event.kind, change: event.number };
  const { number, time, tool, callId, paths } = event;
  return { type: "change", change: number, made: time, call_id: callId, tool, paths };
}

/** Long texts are told by their beginning and their hash. */
function shorten(text: string): string {
  if (text.length <= MAX_TEXT) return text;
  const rest = `… (${formatCount(text.length)} characters, SHA-256 ${hashOf(text)})`;
  return text.slice(0, MAX_TEXT) + rest;
}

function hashOf(text: string): string {
  return sha256(new TextEncoder().encode(text));
}
