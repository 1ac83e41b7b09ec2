import assert from "node:assert/strict";
import type { EventBody } from "../../src/core/event.ts";
import { type Call, harness } from "../support/agent_harness.ts";

type End = Extract<EventBody, { type: "tool_end" }>;

/** What becomes of the last of some calls, made one a reply. */
async function outcomeOf(...calls: Call[]) {
  await using made = await harness({ replies: calls.map((call) => ({ calls: [call] })) });
  const summary = await made.agent.run("Go");
  assert.equal(summary.denied, 0);
  const ends = made.facts.filter((fact): fact is End => fact.type === "tool_end");
  assert.equal(ends.length, calls.length);
  const seen = made.saved.filter((message) => message.role === "tool").at(-1)?.content ?? "";
  return {
    ...ends.at(-1)!,
    seen,
    stored: made.agent.deps.conversation.state.get("todos"),
    notes: made.notes,
  };
}

const ADD: Call = ["todo_add", { tasks: ["Look", { task: "Mend", priority: "high" }, "Test"] }];
const DONE: Call = ["todo_complete", { index: 0 }];

Deno.test("todo_add takes texts and objects, and shows the model ids, priorities and NEXT", async () => {
  const { result, seen, stored } = await outcomeOf(ADD);
  assert.equal(result.success, true);
  assert.equal(result.total_count, 3);
  assert.equal(result.message, "Added 3 tasks. 0 of 3 tasks done. NEXT: t1 Look");
  const [first] = result.todos as Record<string, unknown>[];
  assert.deepEqual(Object.keys(first!).sort(), [
    "completed",
    "created_at",
    "id",
    "priority",
    "status",
    "task",
  ]);
  assert.equal(
    seen,
    `${result.message}\n[ ] t1 Look <- NEXT\n[ ] t2 Mend (high)\n[ ] t3 Test`,
  );
  assert.equal((stored as unknown[]).length, 3);
});

Deno.test("todo_add puts more tasks at the end, with ids that go on", async () => {
  const { seen } = await outcomeOf(ADD, ["todo_add", { tasks: "Ship\n  it" }]);
  assert.match(seen, /^Added 1 task\. [^]*\n\[ \] t4 Ship it$/);
});

Deno.test("every change of the list is shown whole to the user, and saved as a note", async () => {
  const { preview, notes } = await outcomeOf(ADD, DONE, ["todo_update", {
    id: "t2",
    status: "in_progress",
  }]);
  assert.deepEqual(preview, ["[x] t1 Look", "[>] t2 Mend (high) <- NEXT", "[ ] t3 Test"]);
  assert.deepEqual(notes.map((note) => note.type), ["state", "state", "state"]);
});

Deno.test("a list of many tasks is shown in twelve lines", async () => {
  const tasks = Array.from({ length: 40 }, (_, index) => `Task ${index}`);
  const { preview } = await outcomeOf(["todo_add", { tasks }]);
  assert.equal(preview.length, 11);
  assert.equal(preview.at(-1), "... 30 more");
});

for (const reference of [{ index: 0 }, { id: "t1" }, { id: "t1", index: 0 }]) {
  Deno.test(`todo_complete finds a task by ${Object.keys(reference).join(" and ")}`, async () => {
    const { seen, result } = await outcomeOf(ADD, ["todo_complete", reference]);
    assert.equal(seen, "Completed t1 Look. 1 of 3 tasks done. NEXT: t2 Mend");
    assert.equal((result.todos as { completed: boolean }[])[0]?.completed, true);
  });
}

const UPDATES: readonly [string, Record<string, unknown>, RegExp][] = [
  ["task", { id: "t2", task: " Mend\nit " }, /^Updated t2: task Mend it\. /],
  ["status", { index: 1, status: "in_progress" }, /^Updated t2: status in_progress\. /],
  ["status done", { id: "t1", status: "done" }, /1 of 3 tasks done\. NEXT: t2/],
  ["status pending again", { id: "t1", status: "pending" }, /so already/],
  ["priority", { id: "t3", priority: "low" }, /^Updated t3: priority low\. /],
  [
    "all fields at once",
    { id: "t3", task: "Try", status: "done", priority: "high" },
    /^Updated t3: task Try, status done, priority high\. /,
  ],
];
for (const [what, input, seen] of UPDATES) {
  Deno.test(`todo_update changes ${what}`, async () => {
    assert.match((await outcomeOf(ADD, ["todo_update", input])).seen, seen);
  });
}

Deno.test("todo_clear empties the list, and is no error on an empty one", async () => {
  const cleared = await outcomeOf(ADD, ["todo_clear", {}]);
  assert.equal(cleared.seen, "Removed 3 tasks. The todo list is empty.");
  assert.deepEqual(cleared.stored, []);
  const again = await outcomeOf(["todo_clear", {}]);
  assert.equal(again.result.success, true);
  assert.equal(again.seen, "Removed 0 tasks. The todo list is empty.");
});

const REFUSED: readonly [string, Call[], string, RegExp][] = [
  [
    "todo_add without tasks",
    [["todo_add", {}]],
    "validation",
    /Missing required parameter 'tasks'/,
  ],
  ["todo_add of no tasks", [["todo_add", { tasks: [] }]], "validation", /there are none/],
  [
    "todo_add of an empty task",
    [["todo_add", { tasks: ["a", " "] }]],
    "validation",
    /tasks\[1\] has no text/,
  ],
  [
    "todo_add of a task that is no text",
    [["todo_add", { tasks: [[1]] }]],
    "validation",
    /tasks\[0\] has no text/,
  ],
  [
    "todo_add with an unknown priority",
    [["todo_add", { tasks: [{ task: "a", priority: "urgent" }] }]],
    "validation",
    /must be high, medium, low/,
  ],
  [
    "todo_add with an unknown field",
    [["todo_add", { tasks: [{ task: "a", due: "now" }] }]],
    "validation",
    /unknown field 'due'/,
  ],
  ["todo_complete on an empty list", [["todo_complete", { index: 0 }]], "user", /list is empty/],
  [
    "todo_complete without index and id",
    [ADD, ["todo_complete", {}]],
    "user",
    /neither index nor id/,
  ],
  [
    "todo_complete with an unknown id",
    [ADD, ["todo_complete", { id: "x" }]],
    "user",
    /no task has the id 'x'/,
  ],
  [
    "todo_complete with an index out of range",
    [ADD, ["todo_complete", { index: 3 }]],
    "user",
    /index 3 \(they are 0 to 2\)/,
  ],
  [
    "todo_complete of a task that is done",
    [ADD, DONE, ["todo_complete", { id: "t1" }]],
    "user",
    /t1 is done already/,
  ],
  [
    "todo_update of nothing",
    [ADD, ["todo_update", { id: "t1" }]],
    "validation",
    /none of task, status and priority/,
  ],
  [
    "todo_update to an empty text",
    [ADD, ["todo_update", { id: "t1", task: " " }]],
    "validation",
    /no text/,
  ],
  [
    "todo_update to an unknown status",
    [ADD, ["todo_update", { id: "t1", status: "lost" }]],
    "validation",
    /'status'/,
  ],
  [
    "todo_update to an unknown priority",
    [ADD, ["todo_update", { id: "t1", priority: "x" }]],
    "validation",
    /'priority'/,
  ],
  [
    "todo_update of an unknown id",
    [ADD, ["todo_update", { id: "t7", status: "done" }]],
    "user",
    /no task has the id 't7'/,
  ],
  [
    "todo_update on an empty list",
    [["todo_update", { id: "t1", status: "done" }]],
    "user",
    /list is empty/,
  ],
  [
    "todo_clear with an argument",
    [["todo_clear", { all: true }]],
    "validation",
    /Unknown parameter 'all'/,
  ],
];
for (const [what, calls, kind, message] of REFUSED) {
  Deno.test(`${what} is refused, with what to do instead`, async () => {
    const { result } = await outcomeOf(...calls);
    assert.equal(result.error_type, `${kind}_error`);
    assert.match(result.error, message);
    assert.ok(result.suggestion);
  });
}

Deno.test("the definitions of the todo tools are small", async () => {
  const { MANIFEST } = await import("../../plugins/manifest.ts");
  const { createToolEncoder } = await import("../../src/model/wire.ts");
  const encode = createToolEncoder();
  const bytes = MANIFEST.filter((entry) => entry.definition.name.startsWith("todo_"))
    .map((entry) => JSON.stringify(encode(entry.definition)).length);
  assert.equal(bytes.length, 4);
  assert.ok(bytes.reduce((sum, one) => sum + one) <= 1000, `${bytes}`);
});
