/**
 * Draws the event stream for a person. What is finished is written once; what still changes (unfinished text, running
 * calls, the status line) is the live region below it. Events are drawn in order: while a library loads or a question
 * has the screen, they wait in a queue.
 */
import type { Event, EventSink } from "../core/event.ts";
import type { ItemKind } from "../core/numbered_item.ts";
import type { PromptProgress } from "../core/model.ts";
import type { Preview } from "../core/permission.ts";
import { formatCount, formatDuration } from "../lib/text.ts";
import { AgentView } from "./agent_view.ts";
import type { Clock } from "./clock.ts";
import { Frames } from "./frames.ts";
import { NumberedItems, previewItem, resultItem } from "./numbered_items.ts";
import { renderLive, type Section } from "./live_view.ts";
import { renderPreviews } from "./preview.ts";
import { PromptLines } from "./prompt_lines.ts";
import { type Remark, RenderLibraries } from "./render_libraries.ts";
import { type Passage, ReplyView, type ThinkingMode } from "./reply_view.ts";
import { Sections, type Written } from "./sections.ts";
import { Status } from "./status.ts";
import type { Terminal } from "./terminal.ts";
import type { Layout, Theme } from "./theme.ts";
import {
  announceRun,
  appendOutput,
  createToolView,
  endLines,
  headLine,
  MIN_SHOWN_MS,
  previewLines,
  resultLines,
  type ToolView,
} from "./tool_view.ts";
import { type Task, TodoView } from "./todo_view.ts";
import { footerLine, noticeLines, reasonLines } from "./turn_view.ts";
import { type QueuedInput, userLines } from "./typing_view.ts";

/** What a renderer draws on, and its clock. */
interface RendererOptions extends Partial<Clock> {
  readonly terminal: Terminal;
  readonly theme: Theme;
  /** Working directory: previews name another one. */
  readonly cwd: string;
  /** Whether nothing is to turn or change often. @default false */
  readonly isStill?: () => boolean;
}

/** Lines of a person's own command. */
interface Output {
  readonly type: "output";
  readonly lines: readonly string[];
  readonly unfinished: string;
}

type EventOf<T extends Event["type"]> = Extract<Event, { type: T }>;

/** Rows of what stands that are always seen above what changes. */
const ROWS_ABOVE = 3;
/** Thinking after which the key that ends it is named, in milliseconds. */
const LONG_MS = 10_000;
/** Work outside of turns that takes less shows no spinner, in milliseconds. */
const SPINNER_DELAY_MS = 300;

/** Draws the events of a session. */
export class Renderer {
  /** Takes the events; never throws and never waits. */
  readonly sink: EventSink = (event) => {
    this.#queue.push(event);
    this.#resume();
  };

  /** How much of the model's thinking is shown from now on. */
  thinking: ThinkingMode = "short";
  /** Whether a model that thinks can be told to answer, by Ctrl+N. */
  canAnswer: () => boolean = () => false;
  /** What was shown shortened. */
  readonly items = new NumberedItems();
  /** What comes outside of turns while a prompt has the screen. */
  readonly prompt = new PromptLines();
  /** The list of tasks of the conversation. */
  todos: () => readonly Task[] = () => [];
  /** The state of the session, in rows below what ally does. */
  stateRows: (layout: Layout) => readonly string[] = () => [];

  readonly #terminal: Terminal;
  readonly #theme: Theme;
  readonly #cwd: string;
  readonly #status: Status;
  readonly #frames: Frames;
  readonly #libraries: RenderLibraries;
  readonly #reply: ReplyView;
  readonly #agents = new AgentView(this.items);
  readonly #todos = new TodoView(() => this.todos());

  #queue: (Event | Remark | Output)[] = [];
  /** The unfinished line of a person's own command. */
  #unfinished = "";
  #draining: Promise<void> | undefined;
  #suspended = false;

  /** Milliseconds of the turn in which ally waited for a person; a list at the prompt is part of none. */
  #askedMs = 0;
  readonly #sections = new Sections();
  #tools = new Map<string, ToolView>();
  #lastHead: string | undefined;
  #contextPercent: number | undefined;
  /** Whether the status says what the server reads. */
  #isReading = false;
  #typing: QueuedInput = { queued: [] };

  constructor(options: RendererOptions) {
    this.#terminal = options.terminal;
    this.#theme = options.theme;
    this.#cwd = options.cwd;
    this.#status = new Status(options);
    const { terminal, isStill = () => false } = options;
    this.#frames = new Frames({ terminal, now: this.#status.now, isStill });
    this.#libraries = new RenderLibraries(options.theme);
    const shown = { line: this.#line, thinking: () => this.thinking, items: this.items };
    this.#reply = new ReplyView(this.#libraries, { ...shown, now: this.#status.now, isStill });
  }

  /** Draws Markdown that belongs to no turn, after the events given so far. */
  say(text: string): void {
    this.#queue.push({ type: "remark", text });
    this.#resume();
  }

  /** Draws a change of files that no tool call makes. */
  showPreviews(previews: readonly Preview[]): void {
    this.#queue.push({ type: "remark", text: "", previews });
    this.#resume();
  }

  /** What stays in sight below everything else: the list of tasks, as long as there is something to do. */
  pinnedLines(): readonly string[] {
    return this.#todoLines();
  }

  /** Writes lines of a person's own command as they are, and the one that may still change below them. */
  writeLines(lines: readonly string[], unfinished = ""): void {
    this.#queue.push({ type: "output", lines, unfinished });
    this.#resume();
  }

  /** Shows what a person types while ally works, under everything else. */
  showTyping(typing: QueuedInput): void {
    this.#typing = typing;
    if (this.#status.isOn) this.#draw([], { isReplyKept: true });
  }

  /** Takes note of what somebody else wrote: whether it ends in an empty line, and what it was. */
  follow(written: Written): void {
    this.#sections.follow(written);
  }

  /** Shows a spinner for work outside of turns, once it takes long, until the returned function is called. */
  showWork(label: string): () => void {
    if (this.#status.isOn) return () => {};
    this.#sections.current = undefined;
    this.#begin(label, { delayMs: SPINNER_DELAY_MS });
    return () => {
      // A turn that started meanwhile has ended it.
      if (!this.#status.isOn) return;
      this.#status.end();
      if (this.#sections.current === undefined) return this.#frames.clear();
      this.#sections.isApart = true;
      this.#frames.clear([""]);
    };
  }

  /** Resolves when all events given so far are drawn. */
  async flush(): Promise<void> {
    while (this.#draining !== undefined) await this.#draining;
  }

  /** Clears the live lines and draws nothing until the returned function is called. */
  async suspend(): Promise<() => void> {
    await this.flush();
    this.#suspended = true;
    this.#frames.clear();
    const since = this.#status.now();
    return () => {
      const asked = this.#status.now() - since;
      if (this.#status.isOn) this.#askedMs += asked;
      this.#status.exclude(asked);
      this.#suspended = false;
      this.#resume();
      this.#draw([]);
    };
  }

  /** Erases the live lines and stops the clock, whatever the state of the turn. */
  close(): void {
    this.#status.end();
    this.#frames.clear();
  }

  #resume(): void {
    if (this.#draining !== undefined || this.#suspended || this.#queue.length === 0) return;
    const draining = this.#drain().finally(() => {
      if (this.#draining === draining) this.#draining = undefined;
      this.#resume();
    });
    this.#draining = draining;
  }

  async #drain(): Promise<void> {
    while (!this.#suspended) {
      const event = this.#queue[0];
      if (event === undefined) return;
      if (event.type === "output") {
        this.#queue.shift();
        this.#unfinished = event.unfinished;
        this.#draw(event.lines);
        continue;
      }
      const loading = this.#libraries.load(event);
      if (loading !== undefined) await loading;
      this.#queue.shift();
      if (event.type === "remark") this.#remark(event);
      else this.#show(event);
    }
  }

  #show(event: Event): void {
    if (event.type === "tool_end") this.items.endCall(event);
    if (event.agent.depth > 0) return this.#showAgent(event);
    switch (event.type) {
      case "turn_start":
        return this.#startTurn();
      case "request_start":
        return this.#startRequest();
      case "thinking_delta":
        return this.#think(event.text);
      case "text_delta":
        return this.#write(event.text);
      case "message":
        return this.#endReply(event);
      case "tool_start":
        return this.#startTool(event);
      case "tool_state":
        return this.#changeTool(event);
      case "tool_preview":
        return this.#preview(event);
      case "tool_output":
        return this.#output(event);
      case "tool_end":
        return this.#endTool(event);
      case "context":
        this.#contextPercent = event.percent;
        return;
      case "notice":
        return this.#notice(event);
      case "turn_end":
        return this.#endTurn(event);
    }
  }

  /** The work of an agent is drawn below the call it works for. */
  #showAgent(event: Event): void {
    const lines = this.#agents.handle(event, { ...this.#line(), now: this.#status.now() });
    if (lines.length === 0) this.#drawSoon();
    else this.#draw(this.#beginSection("tool", lines));
  }

  #startTurn(): void {
    this.#askedMs = 0;
    this.#sections.isApart = false;
    this.#sections.current = undefined;
    this.#tools.clear();
    this.#agents.clear();
    this.#todos.startTurn();
    this.#begin("Thinking");
    if (this.#theme.isSpoken) this.#draw(this.#beginSection("notice", ["Working."]));
  }

  #begin(label: string, options: { delayMs?: number } = {}): void {
    this.#setLabel(label);
    this.#status.begin(() => this.#draw([], { isTick: true }), options);
    this.#draw([]);
  }

  #startRequest(): void {
    const standing = this.#reply.hasStarted ? this.#voidReply() : [];
    // The text of two replies is separated even if nothing came between them.
    if (this.#sections.current === "text") this.#sections.current = undefined;
    this.#setLabel("Thinking");
    this.#draw(standing);
  }

  /** The reply broke off and is requested again; what was written of it cannot be erased. */
  #voidReply(): string[] {
    const text = "The reply broke off and is requested again: ignore the part above.";
    return [
      ...this.#standingLines(this.#reply.end()),
      ...this.#beginSection("notice", noticeLines({ level: "warning", text }, this.#line())),
    ];
  }

  #think(text: string): void {
    this.#reply.addThinking(text);
    this.#setLabel("Thinking");
    this.#drawSoon();
  }

  #write(text: string): void {
    this.#setLabel("Writing");
    this.#drawSoon(this.#standingLines(this.#reply.addText(text)));
  }

  #endReply({ message }: EventOf<"message">): void {
    if (message.role === "user" && message.steering) {
      return this.#draw(this.#beginSection("user", userLines(message.content, this.#line()), true));
    }
    if (message.role !== "assistant") return;
    const unseen = this.#reply.hasStarted ? [] : this.#reply.addText(message.content);
    const standing = this.#standingLines([...unseen, ...this.#reply.end()]);
    this.#setLabel("Working");
    this.#draw(standing);
  }

  #startTool(event: EventOf<"tool_start">): void {
    this.#tools.set(event.call_id, createToolView(event.name, event));
    this.#setLabel("Working");
    this.#draw([]);
  }

  #changeTool(event: EventOf<"tool_state">): void {
    const view = this.#tools.get(event.call_id);
    if (view === undefined) return;
    if (event.state === "executing") {
      this.#setLabel("Running");
      view.since ??= this.#status.now();
    }
    const begins = event.state === "executing" && view.state !== "executing";
    view.state = event.state;
    if (event.state === "awaiting_approval") this.#showPreviewsOf(event.call_id, view);
    else if (begins && this.#theme.isSpoken) {
      this.#draw(this.#beginSection("tool", announceRun(view, this.#line())));
    } else this.#draw([]);
  }

  #preview(event: EventOf<"tool_preview">): void {
    const view = this.#tools.get(event.call_id);
    if (view === undefined || event.previews.length === 0) return;
    view.previews = event.previews;
    // A command that nobody is asked about is named by the line of its call.
    const isNamed = event.previews.every(({ kind }) => kind === "command");
    if (!isNamed || view.state === "awaiting_approval") this.#showPreviewsOf(event.call_id, view);
  }

  /** Shows what a call is about to do, unless that is on the screen. */
  #showPreviewsOf(id: string, view: ToolView): void {
    const { previews } = view;
    if (previews.length === 0) return this.#draw([]);
    const body = this.#previewLines(previews, { columns: this.#line().columns - 2, callId: id });
    const joins = body.length === 1 || previews[0]?.kind !== "command";
    const lines = previewLines(view, { body, joins, ...this.#line() });
    view.previews = [];
    view.isPreviewed = true;
    const standing = this.#beginSection("tool", lines, this.#sections.current === "tool");
    this.#lastHead = id;
    this.#draw(standing);
  }

  #previewLines(
    previews: readonly Preview[],
    { columns, callId }: { columns: number; callId?: string },
  ): string[] {
    const { highlight } = this.#libraries;
    const number = (preview: Preview) => this.items.add(previewItem(preview, callId));
    const layout = { theme: this.#theme, columns, cwd: this.#cwd, screenRows: this.#terminal.rows };
    return renderPreviews(previews, { ...layout, highlight, number });
  }

  #output(event: EventOf<"tool_output">): void {
    const view = this.#tools.get(event.call_id);
    if (view === undefined) return;
    appendOutput(view, event.text);
    this.#drawSoon();
  }

  #endTool(event: EventOf<"tool_end">): void {
    const view = this.#tools.get(event.call_id);
    if (view === undefined) return;
    this.#tools.delete(event.call_id);
    const { result, message, whole } = event;
    const isPinned = this.#terminal.canRedraw && Array.isArray(result.todos);
    // The list itself is seen below.
    const preview = isPinned ? [String(result.message)] : event.preview;
    const duration = event.duration_ms >= MIN_SHOWN_MS ? event.duration_ms : undefined;
    if (view.state !== "cancelled") view.state = result.success ? "success" : "error";
    const number = (text: string, kind?: ItemKind) =>
      this.items.add(resultItem(event, { text, description: view.description, kind }));
    const ended = { result, message, preview, number, ...!isPinned && { whole } };
    const outcome = { ...ended, duration };
    const line = this.#line();
    const below = view.isPreviewed && this.#lastHead === event.call_id;
    const agents = this.#agents.endLines(event.call_id, { ...line, view, outcome: ended });
    if (agents.length > 0) {
      const note = duration === undefined ? "" : formatDuration(duration);
      const head = below ? [] : [headLine(view, { ...line, note })];
      return this.#draw(this.#beginSection("tool", [...head, ...agents]));
    }
    this.#draw(
      below
        ? resultLines(view, outcome, line)
        : this.#beginSection("tool", endLines(view, outcome, line)),
    );
  }

  #notice(event: EventOf<"notice">): void {
    if (event.reading !== undefined) return this.#showReading(event.reading);
    if (event.waiting_ms !== undefined && this.#terminal.canRedraw) return this.#showWaiting(event);
    const lines = noticeLines(event, this.#line());
    this.#draw(
      this.#status.isOn ? this.#beginSection("notice", lines) : this.#sections.setApart(lines),
    );
  }

  /** Says what is going on now, and no longer what the server reads. */
  #setLabel(label: string): void {
    this.#isReading = false;
    this.#status.setLabel(label);
  }

  #showReading({ total, cached, read, ms }: PromptProgress): void {
    const label = `Reading ${formatCount(read)} of ${formatCount(total)} tokens`;
    const detail = `, ${formatCount(cached)} cached`;
    const leftMs = read === 0 ? undefined : ((total - cached - read) * ms) / read;
    this.#isReading = true;
    this.#status.set(label, ms, { detail, ...leftMs !== undefined && { leftMs } });
    this.#draw([]);
  }

  /** Shows silence in the status line, which counts the seconds. */
  #showWaiting({ waiting_ms: ms = 0, loading }: EventOf<"notice">): void {
    if (this.#isReading) return;
    const awaited = this.#reply.hasStarted ? "more" : "the model";
    this.#status.set(loading ? "The server loads its model" : `Waiting for ${awaited}`, ms);
  }

  #remark({ text, previews = [] }: Remark): void {
    if (previews.length > 0) {
      return this.#draw(["", ...this.#previewLines(previews, this.#line())]);
    }
    const view = new ReplyView(this.#libraries, { line: this.#line });
    const lines = [...view.addText(text), ...view.end()].flatMap((passage) => passage.lines);
    this.#draw(
      this.#status.isOn
        ? this.#beginSection("notice", lines, true)
        : this.#sections.setApart(lines),
    );
  }

  #endTurn(event: EventOf<"turn_end">): void {
    const standing = this.#standingLines(this.#reply.end());
    const hasAnswered = this.#sections.current === "text";
    const reason = reasonLines(event, { ...this.#line(), hasAnswered });
    if (reason.length > 0) standing.push(...this.#beginSection("notice", reason));
    const worked = { ...event, duration_ms: Math.max(0, event.duration_ms - this.#askedMs) };
    this.#askedMs = 0;
    standing.push("", footerLine(worked, { ...this.#line(), percent: this.#contextPercent }), "");
    this.#sections.isApart = true;
    this.#tools.clear();
    this.#status.end();
    this.#frames.clear(standing);
  }

  #standingLines(passages: readonly Passage[]): string[] {
    return passages.flatMap(({ section, lines }) => this.#beginSection(section, lines));
  }

  #beginSection(section: Section, lines: readonly string[], apart = false): string[] {
    const above = section === "text" ? [] : this.#reply.endRow();
    this.#lastHead = undefined;
    return [...above, ...this.#sections.begin(section, lines, apart)];
  }

  /** Draws with the next frame, which is the next event after its time, or the next tick. */
  #drawSoon(standing: readonly string[] = []): void {
    if (this.#frames.hold(standing)) this.#draw([]);
  }

  /** Draws; a key does not wait for text that arrived after the last frame: the reply may be kept as it is. */
  #draw(standing: readonly string[], { isReplyKept = false, isTick = false } = {}): void {
    if (this.#suspended || (!this.#status.isOn && this.prompt.hold(standing))) return;
    const isForKey = isReplyKept && !this.#frames.isHolding;
    if (!this.#status.isShown) return this.#frames.draw(standing, { lines: [], isForKey });
    const isWhole = this.#terminal.canRedraw && this.#unfinished === "";
    const rows = isWhole && !isForKey ? this.#reply.settle() : [];
    const open = isWhole ? this.#reply.begun : "";
    const text = rows.length > 0 || open !== "" ? this.#beginSection("text", rows) : [];
    const live = this.#renderLive({ isKept: isForKey, isTick });
    this.#frames.draw([...standing, ...text], { ...live, open, isForKey });
  }

  #renderLive(reply: { isKept: boolean; isTick: boolean }): ReturnType<typeof renderLive> {
    return renderLive({
      tools: this.#tools,
      agents: this.#agents,
      reply: (rows) => this.#reply.live(rows, reply),
      typing: this.#typing,
      unfinished: this.#unfinished,
      todos: this.#todoLines(),
      section: this.#sections.current,
      lastHead: this.#lastHead,
      isFlowing: this.#reply.isFlowing,
      now: this.#status.now(),
      status: { ...this.#status.view, answers: this.#isThinkingLong() },
      rows: Math.max(1, this.#terminal.rows - ROWS_ABOVE),
      line: this.#line(),
      below: this.stateRows(this.#line()),
    });
  }

  #todoLines(): string[] {
    return this.#todos.lines({ ...this.#line(), screenRows: this.#terminal.rows });
  }

  #isThinkingLong(): boolean {
    return this.#reply.isThinking && this.#status.view.elapsedMs > LONG_MS && this.canAnswer();
  }

  /** One column stays free: a full row would wrap on some terminals. */
  readonly #line = () => ({
    theme: this.#theme,
    columns: Math.max(1, this.#terminal.columns - 1),
  });
}
