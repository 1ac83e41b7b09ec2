/** What programs find in the environment of a sandbox: where they keep what they fetch, and how long they try. */
import assert from "node:assert/strict";
import { SHAPES, stageSandbox } from "../support/confined.ts";
import { hasBubblewrap } from "../support/sandbox.ts";

const INSTALLS = { ...SHAPES.workspace, needs: ["network", "registries"] as const };

function test(name: string, fn: () => Promise<void>) {
  Deno.test({ name, fn, ignore: !hasBubblewrap() });
}

for (const variable of ["PNPM_HOME", "YARN_GLOBAL_FOLDER", "BUN_INSTALL_CACHE_DIR"]) {
  test(`what installs packages may write the store that ${variable} names; what runs them has the user's`, async () => {
    await using at = await stageSandbox();
    const install = await at.run(INSTALLS, `mkdir -p "$${variable}/store" && echo made`);
    assert.equal(install.output, "made\n");
    const run = await at.run(SHAPES.workspace, `echo "<$${variable}>"`);
    assert.equal(run.output, "<>\n");
  });
}

test("where the user has a store of pnpm's, its projects keep to that", async () => {
  await using at = await stageSandbox();
  await at.write(".local/share/pnpm/store/v10/files/00/a");
  assert.equal((await at.run(INSTALLS, 'echo "<$PNPM_HOME>"')).output, "<>\n");
});

test("gradle has a home that it may write", async () => {
  await using at = await stageSandbox();
  for (const shape of [SHAPES.closed, SHAPES.workspace]) {
    const { output } = await at.run(shape, 'mkdir -p "$GRADLE_USER_HOME/wrapper" && echo made');
    assert.equal(output, "made\n");
  }
});

test("nothing tries again where there is no network", async () => {
  await using at = await stageSandbox();
  const tries = 'echo "<$npm_config_fetch_retries$PIP_RETRIES>"';
  for (const shape of [SHAPES.closed, SHAPES.workspace]) {
    assert.equal((await at.run(shape, tries)).output, "<00>\n");
  }
  assert.equal((await at.run(INSTALLS, tries)).output, "<>\n");
});

test("npm tells nothing of its own versions", async () => {
  await using at = await stageSandbox();
  for (const shape of [SHAPES.closed, SHAPES.workspace, INSTALLS]) {
    assert.equal((await at.run(shape, 'echo "<$npm_config_update_notifier>"')).output, "<false>\n");
  }
});
