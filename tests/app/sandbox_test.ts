import assert from "node:assert/strict";
import { join } from "node:path";
import { writeProgram } from "../../scripts/program_file.ts";
import { createSandbox, describeSandbox } from "../../src/app/sandbox.ts";
import type { SandboxProofs } from "../../src/core/sandbox.ts";
import { findProgram, SYSTEM_PATH } from "../../src/lib/find_program.ts";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import { hasBubblewrap } from "../support/sandbox.ts";

Deno.test("two runs of one process have a directory each, and a killed run's goes at the next start", async () => {
  const home = await Deno.makeTempDir({ prefix: "ally-sandbox-" });
  const directory = join(home, "sandbox");
  const stale = join(directory, "999999999-dead", "tmp");
  await Deno.mkdir(stale, { recursive: true });
  const make = () =>
    createSandbox({
      mode: "auto",
      roots: () => [home],
      paths: {
        home,
        outputs: join(home, "outputs"),
        sandbox: directory,
        unreviewed: join(home, "unreviewed"),
      },
      env: { PATH: Deno.env.get("PATH") ?? "" },
    });
  const own = () =>
    Array.from(Deno.readDirSync(directory), ({ name }) => name).filter((name) => /^\d/.test(name));
  try {
    const [first, second] = [make(), make()];
    await first.status();
    assert.equal(own().length, 1);
    await second.status();
    assert.equal(own().length, 2);
    first.close();
    assert.equal(own().length, 1);
    assert.ok(own()[0]?.startsWith(`${Deno.pid}-`));
    second.close();
    assert.deepEqual(own(), []);
  } finally {
    await Deno.remove(home, { recursive: true });
  }
});

Deno.test({
  name: "a process proves a sandbox once, anew for another bwrap, and when it has failed",
  ignore: !hasBubblewrap(),
  async fn() {
    const home = await Deno.realPath(await Deno.makeTempDir({ prefix: "ally-sandbox-" }));
    const [bin, log, project] = ["bin", "log", "project"].map((name) => join(home, name)) as [
      string,
      string,
      string,
    ];
    const real = await findProgram("bwrap", { path: Deno.env.get("PATH") ?? "", cwd: home });
    const replaceProgram = async (comment: string) => {
      const script = `#!/bin/sh\n# ${comment}\necho x >>${log}\nexec '${real}' "$@"\n`;
      await writeProgram(join(bin, "bwrap"), script);
    };
    const started = async () => (await Deno.readTextFile(log)).length / 2;
    const proofs = new Map();
    const stateOf = async (known?: SandboxProofs) => {
      const sandbox = createSandbox({
        mode: "auto",
        roots: () => [project],
        paths: {
          home,
          outputs: join(home, "outputs"),
          sandbox: join(home, "sandbox"),
          unreviewed: join(home, "unreviewed"),
        },
        // Without the system's directories, where ally looks first.
        env: { PATH: bin },
        proofs: known,
      });
      const { state } = await sandbox.status();
      assert.equal(state, "active");
      return sandbox;
    };
    try {
      for (const directory of [bin, project]) await Deno.mkdir(directory);
      const readlink = await findProgram("readlink", { path: SYSTEM_PATH, cwd: home });
      await Deno.symlink(readlink!, join(bin, "readlink"));
      await replaceProgram("first");
      using _first = closing(await stateOf(proofs));
      const once = await started();
      using _second = closing(await stateOf(proofs));
      assert.equal(await started(), once);
      using _alone = closing(await stateOf());
      assert.equal(await started(), 2 * once);
      await replaceProgram("another one");
      using _third = closing(await stateOf(proofs));
      assert.equal(await started(), 3 * once);
    } finally {
      await Deno.remove(home, { recursive: true });
    }
  },
});

function closing(sandbox: Sandbox): Disposable & { readonly sandbox: Sandbox } {
  return { sandbox, [Symbol.dispose]: () => sandbox.close() };
}

Deno.test("the banner says what an active sandbox does not hold on this machine", () => {
  const active = { state: "active", means: "bubblewrap 0.8.0" } as const;
  assert.equal(describeSandbox(active), "sandbox: bubblewrap 0.8.0");
  assert.equal(
    describeSandbox({ ...active, gaps: ["no system call is filtered"] }),
    "sandbox: bubblewrap 0.8.0; no system call is filtered",
  );
});
