import assert from "node:assert/strict";
import { userInfo } from "node:os";
import { join } from "node:path";
import { homeDirectory } from "../../src/store/paths.ts";
import { denoDir } from "../support/deno_dir.ts";
import { makePlace, runAllyProcess } from "../support/program.ts";

Deno.test("homeDirectory() takes HOME, then USERPROFILE", () => {
  const homeIn = (values: Record<string, string>) => homeDirectory({ get: (name) => values[name] });
  assert.equal(homeIn({ HOME: "/a", USERPROFILE: "/b" }), "/a");
  assert.equal(homeIn({ HOME: "", USERPROFILE: "/b" }), "/b");
  assert.equal(homeIn({}), "");
});

/** What the system's list of users says; undefined for a user who is not in it, as in some containers. */
function listedHome(): string | undefined {
  try {
    return userInfo().homedir;
  } catch {
    return undefined;
  }
}

Deno.test({
  name: "a process without an environment has the home that the system's list of users says",
  ignore: listedHome() === undefined,
  async fn() {
    await using place = await makePlace();
    const { code, stdout, stderr } = await runAllyProcess(place, {
      args: ["config", "path"],
      env: { DENO_DIR: denoDir() },
      bare: true,
    });
    assert.equal(code, 0, stderr);
    assert.equal(stdout, `${join(listedHome()!, ".ally", "config.json")}\n`);
  },
});
