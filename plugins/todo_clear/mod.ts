/** Empties the session's todo list. Loaded on the first call of `todo_clear`. */
import {
  defineTool,
  type Input,
  plural,
  readTodos,
  reportTodos,
  saveTodos,
  type TodoReport,
} from "../../src/api.ts";
import { definition } from "./definition.ts";

export default defineTool<Input<typeof definition>, TodoReport>(definition, {
  describe: () => "",

  async run(_input, { state }) {
    const count = readTodos(state).length;
    await saveTodos(state, []);
    const data = reportTodos([], `Removed ${plural(count, "task")}.`);
    return { ok: true, data, text: data.message };
  },

  preview: ({ message }) => [message],
});
