/**
 * The list of tasks that the model keeps, pinned above what changes: whole while there is room, else what is next, and
 * one line once all is done.
 */
import { cutEnd, oneLine, plural } from "../lib/text.ts";
import type { Layout } from "./theme.ts";
import { fit } from "./wrap.ts";

/** A task, as far as it is shown. */
export interface Task {
  readonly task: string;
  readonly status: "pending" | "in_progress" | "done";
}

/** Lines of the list at most. */
const MAX_LINES = 8;
/** Share of the rows that it may take. */
const MAX_SHARE = 1 / 3;
/** Characters of a task. */
const MAX_TASK = 200;

/** The list as a turn sees it. */
export class TodoView {
  readonly #read: () => readonly Task[];
  /** Whether nothing was left to do when the turn began: the list is not shown until it changes. */
  #isOver = true;

  constructor(read: () => readonly Task[]) {
    this.#read = read;
  }

  /** A list that was done before the turn is not shown in it. */
  startTurn(): void {
    this.#isOver = isDone(this.#read());
  }

  /** The list on a screen of so many rows; no lines if there is none. */
  lines({ theme, columns, screenRows }: Layout & { screenRows: number }): string[] {
    const tasks = this.#read();
    this.#isOver &&= isDone(tasks);
    if (tasks.length === 0 || this.#isOver) return [];
    const done = tasks.filter(({ status }) => status === "done").length;
    const counts = `${done} of ${plural(tasks.length, "task")} done`;
    const next = tasks.findIndex(({ status }) => status !== "done");
    const { granted, dot, ellipsis } = theme.glyphs;
    if (next < 0) return [theme.paint("dim", fit(`${granted} ${counts}`, columns))];
    const room = Math.min(MAX_LINES, Math.floor(screenRows * MAX_SHARE)) - 1;
    if (room < 2) {
      const text = `${counts} ${dot} ${oneLine(tasks[next]?.task ?? "")}`;
      return [theme.paint("dim", fit(text, columns, ellipsis))];
    }
    // The task before the next one stays in sight.
    const start = Math.max(0, Math.min(next - 1, tasks.length - room));
    const shown = tasks.slice(start, start + room);
    const hidden = tasks.length - shown.length;
    const head = hidden > 0 ? `${counts} ${dot} ${hidden} not shown` : counts;
    return [
      theme.paint("dim", fit(head, columns)),
      ...shown.map((task, index) =>
        taskLine(task, { theme, columns, isNext: start + index === next })
      ),
    ];
  }
}

function taskLine(
  { task, status }: Task,
  { theme, columns, isNext }: Layout & { isNext: boolean },
): string {
  const { granted, bullet, pending, ellipsis } = theme.glyphs;
  const text = fit(cutEnd(oneLine(task), MAX_TASK), columns - 4, ellipsis);
  if (status === "done") return theme.paint("dim", `  ${granted} ${text}`);
  if (!isNext) return theme.paint("dim", `  ${pending} ${text}`);
  return `  ${theme.paint("accent", bullet)} ${text}`;
}

function isDone(tasks: readonly Task[]): boolean {
  return tasks.every(({ status }) => status === "done");
}
