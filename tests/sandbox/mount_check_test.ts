/**
 * A sandbox in which a place of the workspace was exchanged for a link after it was decided, and before it was made, runs
 * nothing: neither a command nor a plugin's program.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { runProcess } from "../../src/lib/process.ts";
import { bubblewrapCommand } from "../../src/sandbox/bubblewrap.ts";
import { pluginCommand } from "../../src/sandbox/plugin_profile.ts";
import { hasBubblewrap } from "../support/sandbox.ts";

const OPTIONS = { program: "/usr/bin/bwrap", owner: Deno.pid, isRoot: false, processes: 500 };
const SHOW = ["/bin/sh", "-c", "cat part/*; echo x > part/new; echo ran"];

/** A command line in a sandbox, which shows a part of a directory, and writes there. */
type MakeCommand = (directory: string) => readonly string[];

const WAYS: Readonly<Record<string, MakeCommand>> = {
  "a command": (directory) =>
    bubblewrapCommand(SHOW, {
      profile: {
        base: "disk",
        abstractSockets: false,
        environment: { clear: false, unset: [], set: {} },
        network: false,
        mounts: [{ kind: "writable", path: directory }, {
          kind: "writable",
          path: join(directory, "part"),
        }],
      },
      cwd: directory,
      options: OPTIONS,
    }).argv,
  "a plugin": (directory) =>
    pluginCommand(SHOW, {
      profile: {
        network: false,
        readable: [],
        writable: [join(directory, "part")],
        scratch: [],
        hidden: [],
        unwritable: [],
      },
      cwd: directory,
      hidden: [],
      options: OPTIONS,
    }),
};

for (const [what, makeCommand] of Object.entries(WAYS)) {
  Deno.test({
    name: `${what} does not begin where a link took the place of a directory meanwhile`,
    ignore: !hasBubblewrap(),
    async fn() {
      const top = await Deno.realPath(await Deno.makeTempDir({ prefix: "ally mounts-" }));
      const [directory, part, outside] = [
        join(top, "work"),
        join(top, "work/part"),
        join(top, "x"),
      ];
      for (const path of [directory, part, outside]) await Deno.mkdir(path);
      await Deno.writeTextFile(join(part, "a.txt"), "inside\n");
      await Deno.writeTextFile(join(outside, "a.txt"), "plover\n");
      const argv = makeCommand(directory) as [string, ...string[]];
      const run = () =>
        runProcess(argv, {
          cwd: directory,
          env: { PATH: "/usr/bin:/bin" },
          signal: AbortSignal.timeout(10_000),
          maxOutput: 10_000,
        });
      assert.match((await run()).output, /inside\nran/);

      await Deno.remove(part, { recursive: true });
      await Deno.symlink("../x", part);
      const { code, output } = await run();
      assert.equal(code, 1);
      assert.match(output, /exchanged meanwhile/);
      assert.doesNotMatch(output, /plover|ran/);
      assert.deepEqual(Array.from(Deno.readDirSync(outside), ({ name }) => name), ["a.txt"]);
      await Deno.remove(top, { recursive: true });
    },
  });
}
