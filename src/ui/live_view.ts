/**
 * The bottom of the screen while ally works: the end of the reply, the running calls, the status, and what is typed.
 * Pure.
 */
import type { AgentView } from "./agent_view.ts";
import type { Passage } from "./reply_view.ts";
import type { Cursor } from "./row_writer.ts";
import { runningLines } from "./running_view.ts";
import type { Layout } from "./theme.ts";
import type { ToolView } from "./tool_view.ts";
import { statusLine } from "./turn_view.ts";
import { type QueuedInput, typingLines } from "./typing_view.ts";
import { fit } from "./wrap.ts";

/** Kinds of lines on the screen; an empty line separates one section from the next. */
export type Section = Passage["section"] | "tool" | "notice" | "user";

/** Everything that may change. */
interface LiveState {
  readonly tools: ReadonlyMap<string, ToolView>;
  readonly agents: AgentView;
  /** The unfinished part of the reply, in so many rows. */
  readonly reply: (rows: number) => readonly Passage[];
  readonly typing: QueuedInput;
  /** The unfinished line of a person's own command; "" if there is none. */
  readonly unfinished: string;
  /** The list of tasks. */
  readonly todos: readonly string[];
  readonly status: Parameters<typeof statusLine>[0];
  /** The last section on the screen, and the call whose line is the last one. */
  readonly section: Section | undefined;
  readonly lastHead: string | undefined;
  /** Whether text arrives: then it is all that changes, and only grows, which no change of the size disturbs. */
  readonly isFlowing: boolean;
  /** By the clock of the screen. */
  readonly now: number;
  /** Rows available. */
  readonly rows: number;
  readonly line: Layout;
  /** The state of the session, below all else. */
  readonly below: readonly string[];
}

/** The lines, fitted to the width, and where the cursor is seen in them. */
export function renderLive(
  state: LiveState,
): { readonly lines: readonly string[]; readonly cursor?: Cursor } {
  const { section, line } = state;
  const output = state.unfinished === "" ? [] : [fit(state.unfinished, line.columns)];
  const typing = typingLines(state.typing, { ...line, rows: Math.ceil(state.rows / 2) });
  const todos = state.todos.length > 0 ? ["", ...state.todos] : [];
  // The status and an empty line above it, and one before the calls.
  const below = 3 + typing.lines.length + todos.length + state.below.length;
  const tools = runningLines({ ...state, rows: Math.max(1, state.rows - below) });
  const room = Math.max(1, state.rows - tools.length - below - 1);
  const reply = state.reply(room).flatMap((passage) =>
    passage.section === section ? passage.lines : ["", ...passage.lines]
  );
  const above = tools.length > 0 && section !== "tool"
    ? [...output, ...reply, "", ...tools]
    : [...output, ...reply, ...tools];
  if (state.isFlowing && tools.length + typing.lines.length === 0) {
    return { lines: above.length > 0 ? above : [""] };
  }
  const before = [...above, ...todos, "", statusLine(state.status, line)];
  const { cursor } = typing;
  return {
    lines: [...before, ...typing.lines, ...state.below],
    ...cursor && { cursor: { ...cursor, row: before.length + cursor.row } },
  };
}
