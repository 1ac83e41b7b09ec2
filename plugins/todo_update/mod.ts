/**
 * Changes the text, status or priority of one task of the session's todo list.
 */
import {
  defineTool,
  findTodo,
  type Input,
  readTodos,
  reportTodos,
  saveTodos,
  type Todo,
  todoLines,
  type TodoReport,
  ToolError,
} from "../../src/api.ts";
import { definition } from "./definition.ts";

type UpdateInput = Input<typeof definition>;

export default defineTool<UpdateInput, TodoReport>(definition, {
  describe({ id, index, status, priority }) {
    const which = id ?? (index === undefined ? undefined : `number ${index + 1}`);
    return [which, status, priority].filter((part) => part !== undefined).join(" ");
  },

  async run(input, { state }) {
    const before = readTodos(state);
    const found = findTodo(before, input);
    if ("missing" in found) {
      throw inputError(found.missing, { kind: "user", suggestion: found.suggestion });
    }
    const { todo } = found;
    const changed = { ...todo, ...changesOf(input) };
    const fields = (["task", "status", "priority"] as const).filter((key) =>
      changed[key] !== todo[key]
    );
    if (fields.length === 0) {
      throw inputError(`${todo.id} is so already`, {
        kind: "user",
        suggestion: "Nothing is left to do for it.",
      });
    }
    const todos = before.map((one) => one === todo ? changed : one);
    await saveTodos(state, todos);
    const now = fields.map((key) => `${key} ${changed[key]}`).join(", ");
    const data = reportTodos(todos, `Updated ${todo.id}: ${now}.`);
    return { ok: true, data, text: data.message };
  },

  preview: ({ todos }, lines) => todoLines(todos, lines),
});

/** The fields to change; at least one. */
function changesOf({ task, status, priority }: UpdateInput): Partial<Todo> {
  if (task === undefined && status === undefined && priority === undefined) {
    throw inputError("none of task, status and priority is given", {
      kind: "validation",
      suggestion: 'Example: todo_update(id="t1", status="in_progress")',
    });
  }
  const text = task?.replace(/\s+/g, " ").trim();
  if (text === "") {
    throw inputError("the task has no text", {
      kind: "validation",
      suggestion: "Use todo_complete for a task that is not needed any more.",
    });
  }
  return {
    ...(text === undefined ? {} : { task: text }),
    ...(status === undefined ? {} : { status }),
    ...(priority === undefined ? {} : { priority }),
  };
}

function inputError(
  why: string,
  options: { kind: "user" | "validation"; suggestion: string },
): ToolError {
  return new ToolError(`Cannot update a task: ${why}.`, options);
}
