import assert from "node:assert/strict";
import { COMMANDS, route } from "../../src/slash/table.ts";

Deno.test("route() tells commands, shell lines and words apart", () => {
  assert.equal(route("  ").kind, "nothing");
  assert.equal(route("!").kind, "nothing");
  assert.equal(route("!!").kind, "nothing");
  assert.deepEqual(route("!ls -la"), { kind: "shell", command: "ls -la", foreground: false });
  assert.deepEqual(route("!! less a"), { kind: "shell", command: "less a", foreground: true });
  assert.deepEqual(route("fix /etc"), { kind: "prompt", text: "fix /etc" });
  const undo = route("/undo 3");
  assert.ok(undo.kind === "command" && undo.command.name === "undo" && undo.argument === "3");
  const quit = route("/QUIT");
  assert.ok(quit.kind === "command" && quit.command.name === "exit");
});

Deno.test("route() takes a line that begins with a path for words", () => {
  assert.equal(route("/usr/bin/env is missing").kind, "prompt");
});

Deno.test("route() names the commands that an unknown one could mean", () => {
  assert.deepEqual(route("/undu"), { kind: "unknown", name: "undu", near: ["undo"] });
  assert.deepEqual(route("/cl"), { kind: "unknown", name: "cl", near: ["clear"] });
});

Deno.test("every command has a name of its own and a summary", () => {
  const names = COMMANDS.flatMap((command) => [command.name, ...command.aliases ?? []]);
  assert.equal(new Set(names).size, names.length);
  assert.ok(COMMANDS.every((command) => command.summary.length > 0));
});
