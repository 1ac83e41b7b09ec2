import assert from "node:assert/strict";
import { writeProgram } from "../../scripts/program_file.ts";
import { createMessageEditor } from "../../src/ui/external_editor.ts";
import { showLines } from "../../src/ui/pager.ts";
import { MemoryTerminal } from "../support/memory_terminal.ts";

/** A project with a program of its own of that name, which leaves a file, and the person's one, which does not. */
async function planted(name: string) {
  const home = await Deno.realPath(await Deno.makeTempDir({ prefix: "ally-programs-" }));
  const [project, tools] = [`${home}/project`, `${home}/tools`];
  const programs = [`${project}/node_modules/.bin`, `${project}/bin`];
  const mark = `${home}/mark`;
  for (const directory of [...programs, tools]) await Deno.mkdir(directory, { recursive: true });
  for (const directory of programs) {
    for (const program of [name, "sh"]) {
      const text = `#!/bin/sh\necho theirs >> ${mark}\n`;
      await writeProgram(`${directory}/${program}`, text);
    }
  }
  const own = `#!/bin/sh\necho mine >> ${mark}\ncat > /dev/null < /dev/null\n`;
  await writeProgram(`${tools}/${name}`, own);
  const path = ["bin", ...programs, tools, "/usr/bin", "/bin"].join(":");
  return {
    env: (more: Readonly<Record<string, string>>) =>
      new Map(Object.entries({ PATH: path, HOME: home, ...more })),
    roots: () => [project],
    started: () => Deno.readTextFile(mark),
    [Symbol.asyncDispose]: () => Deno.remove(home, { recursive: true }),
  };
}

Deno.test("the pager is never one of the workspace", async () => {
  await using at = await planted("less");
  const terminal = new MemoryTerminal({ columns: 40, rows: 5 });
  const where = { terminal, env: at.env({}), roots: at.roots };
  await showLines(["one", "two"], { ...where, alwaysPaged: true });
  assert.equal(await at.started(), "mine\n");
});

Deno.test("the editor is never one of the workspace, nor the shell that starts it", async () => {
  await using at = await planted("some-editor");
  const terminal = new MemoryTerminal({ columns: 40, rows: 5 });
  const edit = createMessageEditor({
    terminal,
    env: at.env({ EDITOR: "some-editor --wait" }),
    roots: at.roots,
  });
  const edited = await edit("words", new AbortController().signal);
  assert.deepEqual(edited, { kind: "text", text: "words" });
  assert.equal(await at.started(), "mine\n");
});
