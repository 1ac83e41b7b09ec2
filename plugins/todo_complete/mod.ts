/**
 * Marks one task of the session's todo list as done and names the next.
 */
import {
  defineTool,
  findTodo,
  type Input,
  readTodos,
  reportTodos,
  saveTodos,
  summarizeTodos,
  todoLines,
  type TodoReport,
  ToolError,
} from "../../src/api.ts";
import { definition } from "./definition.ts";

export default defineTool<Input<typeof definition>, TodoReport>(definition, {
  describe: ({ id, index }) => id ?? (index === undefined ? "" : `number ${index + 1}`),

  async run(input, { state }) {
    const before = readTodos(state);
    const found = findTodo(before, input);
    if ("missing" in found) throw inputError(found.missing, found.suggestion);
    const { todo } = found;
    if (todo.status === "done") {
      throw inputError(`${todo.id} is done already`, summarizeTodos(before));
    }
    const todos = before.map((one) => one === todo ? { ...one, status: "done" as const } : one);
    await saveTodos(state, todos);
    const data = reportTodos(todos, `Completed ${todo.id} ${todo.task}.`);
    return { ok: true, data, text: data.message };
  },

  preview: ({ todos }, lines) => todoLines(todos, lines),
});

function inputError(why: string, suggestion: string): ToolError {
  return new ToolError(`Cannot complete a task: ${why}.`, { kind: "user", suggestion });
}
