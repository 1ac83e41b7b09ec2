/**
 * The todo list as plain data: how it is read back from storage, found in, summed up and drawn. It is kept with
 * the conversation, and survives its compaction.
 */
import type { State } from "../core/conversation_access.ts";
import { cutEnd, plural } from "../lib/text.ts";

/** How much a task matters. */
export const PRIORITIES = ["high", "medium", "low"] as const;

/** One of `PRIORITIES`. */
export type Priority = typeof PRIORITIES[number];
/** How far a task has come. */
export type Status = "pending" | "in_progress" | "done";

const STATUSES: readonly Status[] = ["pending", "in_progress", "done"];

/** A task. */
export interface Todo {
  /** Short, and the same as long as the list lives. */
  readonly id: string;
  /** One line. */
  readonly task: string;
  /** How far it has come. */
  readonly status: Status;
  /** How much it matters. */
  readonly priority: Priority;
  /** ISO 8601. */
  readonly created_at: string;
}

/** What a change of the list came to, for programs and for the model. */
export interface TodoReport extends Readonly<Record<string, unknown>> {
  /** The whole list. */
  readonly todos: readonly (Todo & { readonly completed: boolean })[];
  /** How many tasks there are. */
  readonly total_count: number;
  /** What has changed, and what is next. */
  readonly message: string;
}

/** The key under which the list is kept with the conversation. */
const KEY = "todos";

/** The list that is kept with a conversation; what is no task is left out. */
export function readTodos(state: Pick<State, "get">): Todo[] {
  const stored = state.get(KEY);
  return Array.isArray(stored) ? stored.filter(isTodo) : [];
}

/** Keeps a list with a conversation. */
export async function saveTodos(state: Pick<State, "set">, todos: readonly Todo[]): Promise<void> {
  await state.set(KEY, todos);
}

function isTodo(value: unknown): value is Todo {
  if (typeof value !== "object" || value === null) return false;
  const { id, task, status, priority, created_at } = value as Record<string, unknown>;
  return typeof id === "string" && typeof task === "string" && typeof created_at === "string" &&
    STATUSES.some((one) => one === status) && PRIORITIES.some((one) => one === priority);
}

/** The list with tasks added at its end, pending. */
export function addTodos(
  todos: readonly Todo[],
  added: readonly { task: string; priority?: Priority | undefined }[],
): Todo[] {
  const created_at = new Date().toISOString();
  const fresh = added.map(({ task, priority = "medium" }, index): Todo => ({
    id: `t${todos.length + index + 1}`,
    task,
    status: "pending",
    priority,
    created_at,
  }));
  return [...todos, ...fresh];
}

/** Why a task was not found, and what to do instead. */
export interface MissingTodo {
  /** The reason. */
  readonly missing: string;
  /** What the model should do. */
  readonly suggestion: string;
}

/** The task with an id or at a 0-based index, or why there is none. */
export function findTodo(
  todos: readonly Todo[],
  { id, index }: { id?: string | undefined; index?: number | undefined },
): { todo: Todo } | MissingTodo {
  const none = (missing: string): MissingTodo => ({
    missing,
    suggestion: todos.length === 0 ? "Add tasks with todo_add first." : summarizeTodos(todos),
  });
  const named = todos.find((one) => one.id === id);
  const placed = index === undefined ? undefined : todos[index];
  const ids = todos.map((todo) => todo.id).join(", ");
  if (todos.length === 0) return none("the todo list is empty");
  if (id === undefined && index === undefined) return none("neither index nor id is given");
  if (id !== undefined && named === undefined) {
    return none(`no task has the id '${id}' (there are ${ids})`);
  }
  if (index !== undefined && placed === undefined) {
    return none(`no task has the index ${index} (they are 0 to ${todos.length - 1})`);
  }
  if (named && placed && named !== placed) {
    return none(`index ${index} is ${placed.id}, not ${named.id}`);
  }
  return { todo: (named ?? placed)! };
}

/** The task to do next: the first that is not done. */
function nextTodo(todos: readonly Todo[]): Todo | undefined {
  return todos.find((todo) => todo.status !== "done");
}

/** "1 of 3 tasks done. NEXT: t2 Write the test" */
export function summarizeTodos(todos: readonly Todo[]): string {
  if (todos.length === 0) return "The todo list is empty.";
  const done = todos.filter((todo) => todo.status === "done").length;
  const next = nextTodo(todos);
  const counts = `${done} of ${plural(todos.length, "task")} done.`;
  return next ? `${counts} NEXT: ${next.id} ${next.task}` : counts;
}

/** Reports a change, said in one sentence. */
export function reportTodos(todos: readonly Todo[], change: string): TodoReport {
  return {
    todos: todos.map((todo) => ({ ...todo, completed: todo.status === "done" })),
    total_count: todos.length,
    message: `${change} ${summarizeTodos(todos)}`,
  };
}

const MARKS: Readonly<Record<Status, string>> = { pending: "[ ]", in_progress: "[>]", done: "[x]" };
const MAX_TASK = 200;

/** One line a task; if there are more than `most`, which is 3 or more, those about the next task. */
export function todoLines(todos: readonly Todo[], most = Infinity): string[] {
  const next = nextTodo(todos);
  const lines = todos.map((todo) => {
    const priority = todo.priority === "medium" ? "" : ` (${todo.priority})`;
    const mark = todo === next ? " <- NEXT" : "";
    return `${MARKS[todo.status]} ${todo.id} ${cutEnd(todo.task, MAX_TASK)}${priority}${mark}`;
  });
  if (lines.length <= most) return lines;
  const at = next ? todos.indexOf(next) : lines.length;
  // One line for what is left out before, and one for what is left out behind.
  const room = Math.max(1, most - 2);
  const start = Math.max(0, Math.min(room > 1 ? at - 1 : at, lines.length - room));
  const end = start + room;
  return [
    ...(start > 0 ? [`... ${start} before`] : []),
    ...lines.slice(start, end),
    ...(end < lines.length ? [`... ${lines.length - end} more`] : []),
  ];
}
