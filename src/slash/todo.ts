/**
 * `/todo`: the list of tasks of the session.
 */
import { readTodos, summarizeTodos, todoLines } from "../context/todo_list.ts";
import type { SlashCommand } from "./command.ts";

/** `/todo` */
export const todo: SlashCommand = {
  name: "todo",
  duringTurn: true,
  summary: "show the todo list of this session",
  run(_argument, context) {
    const todos = readTodos(context.agent.deps.conversation.state);
    const list = todos.length === 0 ? [] : ["", "```text", ...todoLines(todos), "```"];
    context.say([summarizeTodos(todos), ...list].join("\n"));
    return Promise.resolve("continue");
  },
};
