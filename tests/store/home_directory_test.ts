import assert from "node:assert/strict";
import { homeDirectory } from "../../src/store/paths.ts";
import { denoDir } from "../support/deno_dir.ts";
import { makePlace, runAllyProcess } from "../support/program.ts";

Deno.test("homeDirectory() takes HOME, then USERPROFILE", () => {
  const homeIn = (values: Record<string, string>) => homeDirectory({ get: (name) => values[name] });
  assert.equal(homeIn({ HOME: "/a", USERPROFILE: "/b" }), "/a");
  assert.equal(homeIn({ HOME: "", USERPROFILE: "/b" }), "/b");
  assert.equal(homeIn({}), "");
});

Deno.test("a process without an environment has the home that the system's list of users says", async () => {
  await using place = await makePlace();
  const env = { DENO_DIR: denoDir() };
  const { code, stdout, stderr } = await runAllyProcess(place, {
    args: ["config", "path"],
    env,
    bare: true,
  });
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^\/.+\/\.ally\/config\.json\n$/);
});
