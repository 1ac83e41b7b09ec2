/**
 * A closed sandbox that is made before its command is known: it is taken only if it shows what one shows that is made now.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { SandboxPolicy } from "../../src/core/sandbox.ts";
import { createShell } from "../../src/workspace/shell.ts";
import { type Stage, stageSandbox } from "../support/confined.ts";
import { hasBubblewrap } from "../support/sandbox.ts";
import { until } from "../support/wait.ts";
import { waitingAfter, waitingSandboxes, WHICH } from "../support/waiting_sandbox.ts";

const ignore = !hasBubblewrap();

const WORKSPACE: SandboxPolicy = { write: true, needs: [], sandboxRequired: true };
const CLOSED: SandboxPolicy = { ...WORKSPACE, write: false };

type Run = (
  command: string,
  how?: { policy?: SandboxPolicy; cwd?: string },
) => Promise<string>;

/** Runs closed commands, as the program does; what one wrote. */
function runner(at: Stage): Run {
  const shell = createShell({ cwd: at.root, env: at.env, logDir: at.home, sandbox: at.sandbox });
  return async (command, { policy = CLOSED, ...how } = {}) => {
    const signal = new AbortController().signal;
    return (await shell.run({ command, sandboxPolicy: policy, signal, ...how })).output;
  };
}

Deno.test({
  name:
    "a closed command runs in the sandbox that was made for it before, and the next one in another",
  ignore,
  async fn() {
    await using at = await stageSandbox();
    const run = runner(at);
    const seen = new Set<string>();
    for (let turn = 0; turn < 3; turn++) {
      const waiting = await waitingAfter(at, () => run("true"));
      // What one leaves in its places of its own is gone for the next.
      const output = await run(`${WHICH}cat /tmp/left; echo left >/tmp/left; pwd`);
      assert.equal(output, `${waiting}\ncat: /tmp/left: No such file or directory\n${at.root}\n`);
      seen.add(waiting);
    }
    assert.equal(seen.size, 3);
    at.sandbox.close();
    await until("the end of what waits", () => waitingSandboxes(at).length === 0);
  },
});

/** Replaces a file as editors save one. */
async function replace(path: string, text: string): Promise<void> {
  await Deno.writeTextFile(`${path}.new`, text);
  await Deno.rename(`${path}.new`, path);
}

/** Something that a user does between two commands. */
interface Change {
  /** A path of the workspace that commands may not read. @default none */
  readonly denied?: string;
  /** Where commands run. @default sub */
  readonly within?: string;
  readonly change: (at: Stage) => Promise<unknown>;
  /** Run in `sub` after it. */
  readonly command: string;
  readonly shown: string;
  /** Whether the sandbox that waits shows that. @default false */
  readonly isTaken?: boolean;
}

const CHANGES: Readonly<Record<string, Change>> = {
  "nothing at all changes": {
    denied: "denied.txt",
    change: () => Promise.resolve(),
    command: "cat ../denied.txt a.txt",
    shown: "old\n",
    isTaken: true,
  },
  "files change that are shown": {
    denied: "denied",
    async change(at) {
      await replace(join(at.root, "sub/a.txt"), "new\n");
      await at.write(join(at.root, "sub/b/c.txt"), "more\n");
      await at.write(join(at.root, "denied/more"), "plover\n");
    },
    command: "cat ../denied/* a.txt b/c.txt",
    shown: "new\nmore\n",
    isTaken: true,
  },
  "a denied file is saved by an editor": {
    denied: "denied.txt",
    change: (at) => replace(join(at.root, "denied.txt"), "plover\n"),
    command: "cat ../denied.txt",
    shown: "",
  },
  "a denied file is another name of one that was there": {
    denied: "denied.txt",
    async change(at) {
      const path = join(at.root, "denied.txt");
      await Deno.link(path, `${path}.other`);
      await Deno.remove(path);
      await Deno.link(`${path}.other`, path);
      await Deno.remove(`${path}.other`);
    },
    command: "cat ../denied.txt",
    shown: "",
  },
  "a denied directory is made anew": {
    denied: "denied",
    async change(at) {
      const path = join(at.root, "denied");
      await Deno.remove(path, { recursive: true });
      await at.write(join(path, "key"), "plover\n");
    },
    command: "ls -A ../denied",
    shown: "",
  },
  "the workspace is another directory": {
    async change(at) {
      await Deno.rename(at.root, `${at.root}.old`);
      await at.write(join(at.root, "sub/a.txt"), "new\n");
    },
    command: "cat a.txt",
    shown: "new\n",
  },
  "the directory is made anew": {
    async change(at) {
      await Deno.remove(join(at.root, "sub"), { recursive: true });
      await at.write(join(at.root, "sub/a.txt"), "new\n");
    },
    command: "cat a.txt",
    shown: "new\n",
  },
  "a denied directory is another one that was made for a moment": {
    denied: "denied",
    async change(at) {
      const path = join(at.root, "denied");
      await Deno.rename(path, `${path}.old`);
      await Deno.rename(await Deno.makeTempDir({ dir: at.home }), path);
      await Deno.remove(path);
      await Deno.rename(`${path}.old`, path);
    },
    command: "ls -A ../denied",
    shown: "",
    isTaken: true,
  },
  "the directory is a link and leads to one that was made anew": {
    within: "link",
    async change(at) {
      await Deno.remove(join(at.root, "sub"), { recursive: true });
      await at.write(join(at.root, "sub/a.txt"), "new\n");
    },
    command: "cat a.txt",
    shown: "new\n",
  },
  "the directory is a link and leads elsewhere": {
    within: "link",
    async change(at) {
      await at.write(join(at.root, "other/a.txt"), "new\n");
      await Deno.remove(join(at.root, "link"));
      await Deno.symlink("other", join(at.root, "link"));
    },
    command: "cat a.txt",
    shown: "new\n",
  },
  "a denied file appears": {
    denied: "later.txt",
    change: (at) => at.write(join(at.root, "later.txt"), "plover\n"),
    command: "cat ../later.txt",
    shown: "",
  },
};

for (const [what, { denied, within = "sub", isTaken = false, ...row }] of Object.entries(CHANGES)) {
  Deno.test({
    name: `the sandbox that waits is ${isTaken ? "taken" : "not taken"} where meanwhile ${what}`,
    ignore,
    async fn() {
      await using at = await stageSandbox();
      const files = { "denied.txt": "plover\n", "denied/key": "plover\n", "sub/a.txt": "old\n" };
      for (const [name, text] of Object.entries(files)) await at.write(join(at.root, name), text);
      await Deno.symlink("sub", join(at.root, "link"));
      const policy = denied ? { ...CLOSED, hidden: [join(at.root, denied)] } : CLOSED;
      const how = { policy, cwd: join(at.root, within) };
      const run = runner(at);
      const waiting = await waitingAfter(at, () => run("true", how));
      await row.change(at);
      const output = await run(`${WHICH}${row.command} 2>/dev/null`, how);
      const [which, ...rest] = output.split(/(?<=\n)/);
      assert.equal(rest.join(""), row.shown);
      assert.equal(which === `${waiting}\n`, isTaken);
    },
  });
}

/** Something mounted in the workspace, gone with the test. */
function mountIn(at: Stage): Disposable {
  const place = join(at.root, "disk");
  const { success } = new Deno.Command("mount", { args: ["--bind", join(at.home, "disk"), place] })
    .outputSync();
  assert.ok(success);
  return {
    [Symbol.dispose]: () => void new Deno.Command("umount", { args: [place] }).outputSync(),
  };
}

Deno.test({
  name:
    "where a disk is mounted in the workspace, the sandbox that waits is not taken, and none waits",
  ignore: ignore || Deno.uid() !== 0,
  async fn() {
    await using at = await stageSandbox();
    await at.write("disk/a.txt", "old\n");
    await Deno.mkdir(join(at.root, "disk"));
    const run = runner(at);
    const waiting = await waitingAfter(at, () => run("true"));
    using _ = mountIn(at);
    const output = await run(`${WHICH}echo new >disk/a.txt; cat disk/a.txt`);
    assert.match(output, /Read-only.*\nold\n$/s);
    assert.ok(!output.startsWith(waiting), output);
    // It would hold on to the disk, which the user may want to take away.
    await delay(200);
    assert.deepEqual(waitingSandboxes(at), []);
  },
});

Deno.test({
  name: "no sandbox is made early, or taken, beside or after what may have written",
  ignore,
  async fn() {
    await using at = await stageSandbox();
    const run = runner(at);
    const waiting = await waitingAfter(at, () => run("true"));
    const writer = new AbortController();
    const shell = createShell({ cwd: at.root, env: at.env, logDir: at.home, sandbox: at.sandbox });
    const running = shell.run({
      command: "echo begun >begun; sleep 1000",
      sandboxPolicy: WORKSPACE,
      signal: writer.signal,
    });
    await until("the writer", () => Deno.statSync(join(at.root, "begun")));
    const beside = await run(WHICH);
    assert.notEqual(beside, `${waiting}\n`);
    writer.abort();
    await running;
    assert.deepEqual(waitingSandboxes(at), []);
    const next = await waitingAfter(at, () => run("true"));
    assert.equal(await run(WHICH), `${next}\n`);
  },
});

Deno.test({
  name: "the sandbox that waits ends with an ally that is killed",
  ignore,
  async fn() {
    await using at = await stageSandbox();
    const source = (name: string) => JSON.stringify(new URL(`../../${name}`, import.meta.url));
    const script = `
      import { createSandbox } from ${source("src/app/sandbox.ts")};
      import { createShell } from ${source("src/workspace/shell.ts")};
      const env = ${JSON.stringify(at.env)};
      const [cwd, home] = ${JSON.stringify([at.root, at.home])};
      const paths = { home, outputs: home + "/o", sandbox: home + "/s", unreviewed: home + "/u" };
      const sandbox = createSandbox({ mode: "required", roots: () => [cwd], paths, env });
      const shell = createShell({ cwd, env, logDir: home, sandbox });
      const signal = new AbortController().signal;
      const run = () =>
        shell.run({ command: "true", signal, sandboxPolicy: ${JSON.stringify(CLOSED)} });
      await run();
      setInterval(run, 1000);`;
    const file = await at.write("other.ts", script);
    const config = new URL("../../deno.json", import.meta.url).pathname;
    const other = new Deno.Command(Deno.execPath(), {
      args: ["run", "--allow-all", "--no-check", "--config", config, file],
      stdout: "null",
    }).spawn();
    await until("a sandbox that waits", () => waitingSandboxes(at).length > 0);
    other.kill("SIGKILL");
    await other.status;
    await until("the end of what waits", () => waitingSandboxes(at).length === 0);
  },
});
