/**
 * The calls that run, within so many rows: what does not fit loses first its output, then the steps of its agents, and
 * is counted in the end. Pure.
 */
import type { AgentView } from "./agent_view.ts";
import type { Layout } from "./theme.ts";
import { liveLines, type ToolView } from "./tool_view.ts";

/** Lines of output under a call, as many as fit. */
const OUTPUT_LINES = [4, 3, 2, 1, 0] as const;

/** What runs, and how much room there is for it. */
interface RunningState {
  readonly tools: ReadonlyMap<string, ToolView>;
  readonly agents: AgentView;
  /** The call whose line is the last one on the screen. */
  readonly lastHead: string | undefined;
  readonly rows: number;
  /** By the clock of the screen. */
  readonly now: number;
  readonly line: Layout;
}

/** The calls that run, in at most `rows` lines. */
export function runningLines(state: RunningState): string[] {
  const { rows, line } = state;
  const running = [...state.tools].filter(([, view]) => view.state === "executing");
  if (running.length === 0) return [];
  let blocks: string[][] = [];
  for (const outputLines of OUTPUT_LINES) {
    blocks = running.map((call) => callLines(call, { state, outputLines, rows }));
    if (blocks.flat().length <= rows) return blocks.flat();
  }
  const share = Math.max(1, Math.floor(rows / running.length));
  blocks = running.map((call) => callLines(call, { state, outputLines: 0, rows: share }));
  if (blocks.flat().length <= rows) return blocks.flat();
  const heads = blocks.flatMap((block) => block.slice(0, 1));
  if (heads.length <= rows) return heads;
  const shown = Math.max(0, rows - 1);
  return [
    ...heads.slice(0, shown),
    line.theme.paint("dim", `+${heads.length - shown} more`),
  ];
}

/** One call with its agents, in at most `rows` lines if it has agents. */
function callLines(
  [id, view]: [string, ToolView],
  { state, outputLines, rows }: { state: RunningState; outputLines: number; rows: number },
): string[] {
  const { agents, lastHead, now, line } = state;
  const own = liveLines(view, {
    ...line,
    now,
    outputLines,
    headed: view.isPreviewed && lastHead === id,
  });
  const described = view.description;
  return [...own, ...agents.liveLines(id, { ...line, now, described, rows: rows - own.length })];
}
