import assert from "node:assert/strict";
import type { CommandContext } from "../../src/slash/command.ts";
import { COMMANDS, route } from "../../src/slash/table.ts";

Deno.test("route() tells commands, shell lines and words apart", () => {
  assert.equal(route("  ").kind, "nothing");
  assert.equal(route("!").kind, "nothing");
  assert.equal(route("!!").kind, "nothing");
  assert.equal(route("/ ").kind, "nothing");
  assert.equal(route("#").kind, "nothing");
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

Deno.test("a command without arguments refuses words and does nothing", () => {
  for (const line of ["/clear the cache of npm", "/exit now", "/todo write tests"]) {
    const routed = route(line);
    assert.ok(routed.kind === "command");
    const context = {} as CommandContext;
    assert.throws(
      () => routed.command.run(routed.argument, context),
      /^Error: \/\w+ takes no words/,
    );
  }
});
