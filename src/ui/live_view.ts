/**
 * What stands at the bottom of the screen while something goes on: the end of the reply, the calls that run, the
 * status, and what is typed. Pure; the renderer draws it many times a second.
 */
import type { AgentView } from "./agent_view.ts";
import type { Passage, ReplyView } from "./reply_view.ts";
import type { Theme } from "./theme.ts";
import { liveLines, type ToolView } from "./tool_view.ts";
import { statusLine } from "./turn_view.ts";
import { type QueuedInput, typingLines } from "./typing_view.ts";

/** What stands on the screen, by what it is: an empty line parts one section from the next. */
export type Section = Passage["section"] | "tool" | "notice" | "said";

/** All that may move. */
export interface LiveState {
  readonly tools: ReadonlyMap<string, ToolView>;
  readonly agents: AgentView;
  readonly reply: ReplyView;
  readonly typing: QueuedInput;
  readonly status: Parameters<typeof statusLine>[0];
  /** The section that stands last, and the call whose line does. */
  readonly section: Section | undefined;
  readonly lastHead: string | undefined;
  /** Rows there are. */
  readonly rows: number;
  readonly line: { readonly theme: Theme; readonly columns: number };
}

/** The lines, none of them longer than there are columns. */
export function renderLive(state: LiveState): string[] {
  const { section, line } = state;
  const running = [...state.tools].filter(([, view]) => view.state === "executing");
  const tools = running.flatMap(([id, view]) => [
    ...liveLines(view, { ...line, headed: view.isPreviewed && state.lastHead === id }),
    ...state.agents.liveLines(id, line),
  ]);
  const typing = typingLines(state.typing, line);
  const room = Math.max(1, state.rows - tools.length - typing.length - 4);
  const reply = state.reply.live(room).flatMap((passage) =>
    passage.section === section ? passage.lines : ["", ...passage.lines]
  );
  const above = tools.length > 0 && section !== "tool"
    ? [...reply, "", ...tools]
    : [...reply, ...tools];
  return [...above, "", statusLine(state.status, line), ...typing];
}
