/**
 * A closed sandbox that is made before its command is known: it is taken only if it shows what one shows that is made now.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { SandboxPolicy } from "../../src/core/sandbox.ts";
import { createShell } from "../../src/workspace/shell.ts";
import { type Stage, stageSandbox } from "../support/confined.ts";
import { idsWith } from "../support/processes.ts";
import { hasBubblewrap } from "../support/sandbox.ts";
import { until } from "../support/wait.ts";

const ignore = !hasBubblewrap();

const WORKSPACE: SandboxPolicy = { write: true, needs: [], sandboxRequired: true };
const CLOSED: SandboxPolicy = { ...WORKSPACE, write: false };

/** What the first shell of such a sandbox reads. */
const READS = ". /dev/fd/8";
/** Tells which sandbox it is: the moment at which its first process began. */
const WHICH = "cut -d ' ' -f 22 /proc/1/stat; ";

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

/** The sandboxes of a stage that wait, as `WHICH` tells them. */
function waitingSandboxes(at: Stage): string[] {
  const outer = idsWith(READS).filter((pid) => idsWith(at.home).includes(pid));
  const read = (path: string) => Deno.readTextFileSync(path).trim().split(" ");
  return outer.flatMap((pid) => read(`/proc/${pid}/task/${pid}/children`))
    .filter((pid) => pid !== "")
    .map((pid) => read(`/proc/${pid}/stat`)[21] ?? "");
}

/** Has a command run in a sandbox, until another one waits for the next: none does in the second in which a place changed. */
async function waitingAfter(at: Stage, runFirst: () => Promise<unknown>): Promise<string> {
  return await until("a sandbox that waits", async () => {
    await runFirst();
    await delay(100);
    return waitingSandboxes(at)[0];
  });
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
  readonly change: (at: Stage) => Promise<unknown>;
  /** Run in `sub` after it. */
  readonly command: string;
  readonly shown: string;
}

const CHANGES: Readonly<Record<string, Change>> = {
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
  "a denied file appears": {
    denied: "later.txt",
    change: (at) => at.write(join(at.root, "later.txt"), "plover\n"),
    command: "cat ../later.txt",
    shown: "",
  },
};

for (const [what, { denied, change, command, shown }] of Object.entries(CHANGES)) {
  Deno.test({
    name: `the sandbox that waits is not taken where meanwhile ${what}`,
    ignore,
    async fn() {
      await using at = await stageSandbox();
      const files = { "denied.txt": "plover\n", "denied/key": "plover\n", "sub/a.txt": "old\n" };
      for (const [name, text] of Object.entries(files)) await at.write(join(at.root, name), text);
      const policy = denied ? { ...CLOSED, hidden: [join(at.root, denied)] } : CLOSED;
      const how = { policy, cwd: join(at.root, "sub") };
      const run = runner(at);
      const waiting = await waitingAfter(at, () => run("true", how));
      await change(at);
      const output = await run(`${WHICH}${command} 2>/dev/null`, how);
      const [which, ...rest] = output.split(/(?<=\n)/);
      assert.equal(rest.join(""), shown);
      assert.notEqual(which, `${waiting}\n`);
    },
  });
}

Deno.test({
  name: "where a disk is mounted in the workspace, the sandbox that waits is not taken",
  ignore: ignore || !mayMount(),
  async fn() {
    await using at = await stageSandbox();
    await at.write("disk/a.txt", "old\n");
    await Deno.mkdir(join(at.root, "disk"));
    const run = runner(at);
    const waiting = await waitingAfter(at, () => run("true"));
    bind(join(at.home, "disk"), join(at.root, "disk"));
    try {
      const output = await run(`${WHICH}echo new >disk/a.txt; cat disk/a.txt`);
      assert.match(output, /Read-only.*\nold\n$/s);
      assert.ok(!output.startsWith(waiting), output);
    } finally {
      new Deno.Command("umount", { args: [join(at.root, "disk")] }).outputSync();
    }
  },
});

function bind(source: string, path: string): boolean {
  return new Deno.Command("mount", { args: ["--bind", source, path] }).outputSync().success;
}

function mayMount(): boolean {
  const directory = Deno.makeTempDirSync();
  const may = Deno.uid() === 0 && bind(directory, directory);
  if (may) new Deno.Command("umount", { args: [directory] }).outputSync();
  Deno.removeSync(directory);
  return may;
}

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
      await shell.run({ command: "true", signal, sandboxPolicy: ${JSON.stringify(CLOSED)} });
      setInterval(() => {}, 1000);`;
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
