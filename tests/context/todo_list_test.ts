import assert from "node:assert/strict";
import {
  addTodos,
  findTodo,
  readTodos,
  summarizeTodos,
  type Todo,
  todoLines,
} from "../../src/context/todo_list.ts";

const list = (...states: Todo["status"][]): Todo[] =>
  addTodos([], states.map((_, index) => ({ task: `Task ${index + 1}` })))
    .map((todo, index) => ({ ...todo, status: states[index]! }));

Deno.test("addTodos() gives short ids that go on from those there are", () => {
  const first = addTodos([], [{ task: "a" }, { task: "b", priority: "high" }]);
  const all = addTodos(first, [{ task: "c" }]);
  assert.deepEqual(all.map(({ id, priority }) => [id, priority]), [
    ["t1", "medium"],
    ["t2", "high"],
    ["t3", "medium"],
  ]);
  assert.deepEqual(all.slice(0, 2), first);
});

Deno.test("readTodos() gives back what was stored, and leaves out what is no task", () => {
  const todos = list("done", "in_progress");
  const read = (stored: unknown) =>
    readTodos({ get: (key) => key === "todos" ? stored : undefined });
  assert.deepEqual(read(JSON.parse(JSON.stringify(todos))), todos);
  assert.deepEqual(read([null, 1, {}, { ...todos[0], status: "lost" }, todos[1]]), [todos[1]]);
  for (const broken of [undefined, null, {}, "t1"]) assert.deepEqual(read(broken), []);
});

Deno.test("findTodo() takes an id, an index, or both if they agree", () => {
  const todos = list("done", "pending");
  for (const reference of [{ id: "t2" }, { index: 1 }, { id: "t2", index: 1 }]) {
    assert.deepEqual(findTodo(todos, reference), { todo: todos[1] });
  }
});

const MISSING: readonly [string, Todo[], Parameters<typeof findTodo>[1], RegExp][] = [
  ["the list is empty", [], { index: 0 }, /the todo list is empty/],
  ["nothing is given", list("pending"), {}, /neither index nor id is given/],
  [
    "no task has the id",
    list("pending", "done"),
    { id: "t9" },
    /no task has the id 't9' \(.*t1, t2\)/,
  ],
  ["the index is too high", list("pending"), { index: 1 }, /no task has the index 1 \(.*0 to 0\)/],
  ["the index is negative", list("pending"), { index: -1 }, /no task has the index -1/],
  ["id and index disagree", list("done", "done"), { id: "t1", index: 1 }, /index 1 is t2, not t1/],
];
for (const [why, todos, reference, message] of MISSING) {
  Deno.test(`findTodo() says why there is no task when ${why}`, () => {
    const found = findTodo(todos, reference);
    assert.ok("missing" in found);
    assert.match(found.missing, message);
  });
}

Deno.test("summarizeTodos() counts what is done and names the first unfinished task", () => {
  assert.equal(
    summarizeTodos(list("done", "pending", "in_progress")),
    "1 of 3 tasks done. NEXT: t2 Task 2",
  );
  assert.equal(summarizeTodos(list("done")), "1 of 1 task done.");
  assert.equal(summarizeTodos([]), "The todo list is empty.");
});

Deno.test("todoLines() marks status, priority and the first unfinished task", () => {
  const todos = list("done", "in_progress", "pending");
  todos[2] = { ...todos[2]!, priority: "low" };
  assert.deepEqual(todoLines(todos), [
    "[x] t1 Task 1",
    "[>] t2 Task 2 <- NEXT",
    "[ ] t3 Task 3 (low)",
  ]);
});

Deno.test("todoLines() keeps the next task in sight when there is no room for all", () => {
  const states = Array.from({ length: 30 }, (_, index) => index < 20 ? "done" : "pending");
  const lines = todoLines(list(...states as Todo["status"][]), 12);
  assert.equal(lines.length, 12);
  assert.equal(lines[0], "... 19 before");
  assert.equal(lines[2], "[ ] t21 Task 21 <- NEXT");
  assert.equal(lines.at(-1), "... 1 more");
  const few = todoLines(list("done", "done", "pending", "pending", "pending"), 3);
  assert.deepEqual(few, ["... 2 before", "[ ] t3 Task 3 <- NEXT", "... 2 more"]);
});
