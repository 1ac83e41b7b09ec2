import assert from "node:assert/strict";
import { join } from "node:path";
import { createSandbox, describeSandbox } from "../../src/app/sandbox.ts";

Deno.test("two runs of one process have a directory each, and a killed run's goes at the next start", async () => {
  const home = await Deno.makeTempDir({ prefix: "ally-sandbox-" });
  const directory = join(home, "sandbox");
  const stale = join(directory, "999999999-dead", "tmp");
  await Deno.mkdir(stale, { recursive: true });
  const make = () =>
    createSandbox({
      mode: "auto",
      roots: () => [home],
      paths: { home, outputs: join(home, "outputs"), sandbox: directory },
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

Deno.test("the banner says what an active sandbox does not hold on this machine", () => {
  const active = { state: "active", means: "bubblewrap 0.8.0" } as const;
  assert.equal(describeSandbox(active), "sandbox: bubblewrap 0.8.0");
  assert.equal(
    describeSandbox({ ...active, gaps: ["no system call is filtered"] }),
    "sandbox: bubblewrap 0.8.0; no system call is filtered",
  );
});
