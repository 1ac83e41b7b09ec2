/**
 * What `allowed-tools` of a project's own command, skill or agent lets run may have changed since the file was trusted: it
 * runs unasked in the sandbox alone, with nothing of the machine beyond the workspace. The user's own files are trusted.
 */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { writeProgram } from "../../scripts/program_file.ts";
import { runAlly, stage } from "../support/program.ts";
import { hasBubblewrap } from "../support/sandbox.ts";

const bash = (command: string) => ({ calls: [{ name: "bash", arguments: { command } }] });

/** Files that approve programs, below `.ally` of a project or ally's home, and how each is used. */
const KINDS: Readonly<Record<string, { path: string; head: string; prompt: string }>> = {
  command: { path: "commands/x.md", head: "description: x", prompt: "/x" },
  skill: { path: "skills/x/SKILL.md", head: "name: x\ndescription: x", prompt: "/x" },
  agent: { path: "agents/x.md", head: "description: x", prompt: "@x go" },
};

/** Whether a script of the project ran and reached a server, and what the model was told, where a file allows it and two other programs. */
async function approve(
  { path, head, prompt }: { path: string; head: string; prompt: string },
  { command, isUsers, flags }: { command: string; isUsers: boolean; flags: readonly string[] },
): Promise<{ ran: boolean; reached: boolean; told: string }> {
  await using at = await stage([bash(command), { text: "done" }]);
  const { place } = at;
  const file = join(isUsers ? place.home : join(place.dir, ".ally"), path);
  await Deno.mkdir(dirname(file), { recursive: true });
  const tools =
    "allowed-tools: [bash(./s.sh:*), bash(make:*), bash(gcc:*), bash(curl:*), bash(sed:*), bash(git:*)]";
  await Deno.writeTextFile(file, `---\n${head}\n${tools}\n---\ngo\n`);
  const { port } = new URL(at.server.url);
  const reach = `(exec 3<>/dev/tcp/127.0.0.1/${port}) && echo x > reached`;
  await writeProgram(join(place.dir, "s.sh"), `#!/bin/bash\necho x > ran\n${reach}\n`);
  await place.write("words", "-wrapper ./s.sh");
  await place.write("c.c", "int x;\n");
  await place.write("Makefile", "all:\n\techo x > ran\n");
  await runAlly(place, { args: ["-p", "--trust-project", ...flags, prompt] });
  const isThere = (name: string) => Deno.stat(join(place.dir, name)).then(() => true, () => false);
  const told = JSON.stringify(at.server.requests.at(-1)?.body);
  return { ran: await isThere("ran"), reached: await isThere("reached"), told };
}

for (const [name, kind] of Object.entries(KINDS)) {
  Deno.test(`without a sandbox a project's ${name} lets no program run unasked, the user's does`, async () => {
    for (
      const [command, isUsers] of [
        ["./s.sh", false],
        ["make", false],
        ["gcc @words -c c.c", false],
        ["sed 's_int x;_echo x > ran_e' c.c", false],
        ["sed -n 'w ran' c.c", false],
        ["git init -q && git config alias.x '!echo x > ran' && git x", false],
        ["./s.sh", true],
      ] as const
    ) {
      const how = { command, isUsers, flags: ["--no-sandbox"] };
      const { ran, told } = await approve(kind, how);
      assert.equal(ran, isUsers, `${command} ${isUsers}: ${told}`);
    }
  });

  Deno.test({
    name: `in the sandbox a project's ${name} lets programs write the workspace, and no more`,
    ignore: !hasBubblewrap(),
    async fn() {
      const { ran } = await approve(kind, { command: "./s.sh", isUsers: false, flags: [] });
      assert.ok(ran);
      for (const isUsers of [false, true]) {
        const command = "curl -s http://127.0.0.1:9/";
        const { told } = await approve(kind, { command, isUsers, flags: [] });
        assert.match(told, isUsers ? /exited with code/ : /Permission denied/);
      }
    },
  });
  Deno.test({
    name: `the network for all commands is not for what a project's ${name} alone lets run`,
    ignore: !hasBubblewrap(),
    async fn() {
      for (
        const [isUsers, ...flags] of [
          [false, "--allow-net"],
          [true, "--allow-net"],
          [false, "--allow-net", "--allow-run=./s.sh"],
        ] as const
      ) {
        const { ran, reached, told } = await approve(kind, { command: "./s.sh", isUsers, flags });
        assert.ok(ran, told);
        assert.equal(reached, isUsers || flags.length > 1, told);
      }
    },
  });
}
