/**
 * What runs in a sandbox ends with the process it runs for, whatever is being done when that is killed.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { exists } from "../../src/lib/fs.ts";
import { runProcess } from "../../src/lib/process.ts";
import { bubblewrapCommand, type BubblewrapOptions } from "../../src/sandbox/bubblewrap.ts";
import { pluginCommand } from "../../src/sandbox/plugin_profile.ts";
import { hasBubblewrap } from "../support/sandbox.ts";

const ignore = !hasBubblewrap();

/** A command line in a sandbox, which writes `ran` into a directory. */
type MakeCommand = (directory: string, options: BubblewrapOptions) => readonly string[];

const WAYS: Readonly<Record<string, MakeCommand>> = {
  "a command": (directory, options) =>
    bubblewrapCommand(["sh", "-c", "echo >ran"], {
      profile: {
        base: "disk",
        abstractSockets: false,
        environment: { clear: false, unset: [], set: {} },
        network: false,
        mounts: [{ kind: "writable", path: directory }],
      },
      cwd: directory,
      options,
    }).argv,
  "a plugin": (directory, options) =>
    pluginCommand(["sh", "-c", "echo >ran"], {
      profile: {
        network: false,
        readable: [directory],
        writable: [directory],
        scratch: [],
        hidden: [],
        unwritable: [],
      },
      cwd: directory,
      hidden: [],
      options,
    }),
};

for (const [what, makeCommand] of Object.entries(WAYS)) {
  Deno.test({
    name: `${what} whose owner is killed while the sandbox is made does not begin`,
    ignore,
    async fn() {
      const directory = await Deno.realPath(await Deno.makeTempDir({ prefix: "ally-owner-" }));
      const owner = new Deno.Command("sleep", { args: ["1000"] }).spawn();
      const options = {
        program: "/usr/bin/bwrap",
        owner: owner.pid,
        isRoot: false,
        processes: 500,
      };
      // The shell in the sandbox waits where bubblewrap may be when the owner is killed.
      const argv = makeCommand(directory, options).map((word) =>
        word.startsWith("exec 3>&")
          ? `echo made; until [ -e go ]; do sleep 0.01; done\n${word}`
          : word
      );
      const [program = "", ...args] = argv;
      const { code, output } = await runProcess([program, ...args], {
        cwd: directory,
        env: { PATH: Deno.env.get("PATH") ?? "" },
        signal: new AbortController().signal,
        maxOutput: 1000,
        async onOutput(text) {
          if (text !== "made\n") return;
          owner.kill("SIGKILL");
          await owner.status;
          await Deno.writeTextFile(join(directory, "go"), "");
        },
      });
      assert.equal(code, 1);
      assert.match(output, /the process it was to run for has ended/);
      assert.equal(exists(join(directory, "ran")), false);
      await Deno.remove(directory, { recursive: true });
    },
  });
}
