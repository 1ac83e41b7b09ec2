/**
 * A working directory on a file system that takes no writes: commands run all the same.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { startScriptedServer } from "../../src/modes/demo/scripted_server.ts";
import { canMount } from "../support/faults.ts";
import { makePlace, runAlly } from "../support/program.ts";
import { hasBubblewrap } from "../support/sandbox.ts";

async function mounted(path: string): Promise<Disposable> {
  await Deno.mkdir(path);
  const args = ["-t", "tmpfs", "-o", "ro,size=64k", "tmpfs", path];
  assert.ok((await new Deno.Command("mount", { args }).output()).success);
  return {
    [Symbol.dispose]: () => void new Deno.Command("umount", { args: ["-l", path] }).outputSync(),
  };
}

Deno.test({
  name: "on a read-only disk a command runs in the sandbox, and a write fails for its own reason",
  ignore: !hasBubblewrap() || !canMount(),
  async fn() {
    const call = (command: string) => ({ calls: [{ name: "bash", arguments: { command } }] });
    await using server = await startScriptedServer({
      replies: [call("make -v >/dev/null; echo ran"), call("touch made"), { text: "Done." }],
    });
    await using place = await makePlace({ endpoint: server.url });
    const disk = join(place.dir, "disk");
    using _mount = await mounted(disk);
    const done = await runAlly(place, { args: ["-p", "-A", "-C", disk, "go"] });
    assert.equal(done.stdout, "Done.\n");
    const last = JSON.stringify(server.requests.at(-1)!.body.messages);
    assert.match(last, /ran/);
    assert.match(last, /touch: cannot touch 'made': Read-only file system/);
    assert.doesNotMatch(last, /sandbox could not be made/);
    const doctor = await runAlly(place, {
      args: ["doctor", "--quick", "--json"],
      env: { ALLY_HOME: join(disk, "home") },
    });
    const { checks } = JSON.parse(doctor.stdout);
    const home = checks.find((one: { id: string }) => one.id === "home");
    assert.equal(home.status, "failed");
  },
});
