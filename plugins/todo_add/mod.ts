/**
 * Adds tasks to the session's todo list; they keep their order, and the first unfinished one is NEXT.
 */
import {
  addTodos,
  defineTool,
  type Input,
  isObject,
  plural,
  PRIORITIES,
  type Priority,
  readTodos,
  reportTodos,
  saveTodos,
  todoLines,
  type TodoReport,
  ToolError,
} from "../../src/api.ts";
import { definition } from "./definition.ts";

export default defineTool<Input<typeof definition>, TodoReport>(definition, {
  describe: ({ tasks }) => plural(tasks.length, "task"),

  async run({ tasks }, { state }) {
    if (tasks.length === 0) throw inputError("there are none");
    const todos = addTodos(readTodos(state), tasks.map(readTask));
    await saveTodos(state, todos);
    const data = reportTodos(todos, `Added ${plural(tasks.length, "task")}.`);
    return { ok: true, data, text: [data.message, ...todoLines(todos)].join("\n") };
  },

  preview: ({ todos }, lines) => todoLines(todos, lines),
});

/** A task as the model gave it: a text, or an object with more. */
function readTask(given: unknown, index: number): { task: string; priority?: Priority } {
  const where = `tasks[${index}]`;
  const { task, priority, ...rest }: Record<string, unknown> = isObject(given)
    ? given
    : { task: given };
  const text = typeof task === "string" ? task.replace(/\s+/g, " ").trim() : "";
  if (text === "") throw inputError(`${where} has no text`);
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw inputError(`${where} has an unknown field '${unknown}'`);
  if (priority === undefined) return { task: text };
  const known = PRIORITIES.find((one) => one === priority);
  if (known === undefined) {
    throw inputError(`the priority of ${where} must be ${PRIORITIES.join(", ")}`);
  }
  return { task: text, priority: known };
}

function inputError(why: string): ToolError {
  return new ToolError(`Cannot add tasks: ${why}.`, {
    kind: "validation",
    suggestion: `Example: todo_add(tasks=${JSON.stringify(definition.example.tasks)})`,
  });
}
