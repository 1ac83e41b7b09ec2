/**
 * `ally replay` of hostile recordings, where it takes many replays or many programs: see `tests/security`.
 */
import assert from "node:assert/strict";
import {
  describeHome,
  type HostileRecording,
  makeHome,
  replayAll,
  TOKEN,
} from "../support/hostile_recording.ts";
import { hasBubblewrap } from "../support/sandbox.ts";

const ignore = !hasBubblewrap();

const bash = (command: string) => ({ name: "bash", arguments: { command } });

Deno.test({
  name: "a hostile recording's commands change nothing of the user's, and see no key",
  ignore,
  async fn() {
    await using place = await makeHome();
    const home = place.env.HOME!;
    const before = await describeHome(place);
    const commands = [
      `echo evil >> ${home}/.bashrc`,
      `echo evil > ~/.bash_profile; echo begun`,
      `echo evil > ${place.dir}/mine.txt`,
      `ln -s ${home} out; echo evil > out/.profile`,
      `mkdir -p d; cd d; ln -s ../../../../.. up; echo evil > up/..${home}/.zshrc`,
      `git fetch origin; cat ${home}/.ssh/id_rsa`,
      `ssh -o BatchMode=yes 127.0.0.1; cat ~/.ssh/id_rsa; env`,
      `docker ps; env; cat ${home}/.ssh/*`,
      `(setsid sleep 1; echo evil > ${home}/.late) &`,
    ];
    const { updated, stderr } = await replayAll(place, {
      files: { "a.txt": { text: "a\n" } },
      calls: commands.map(bash),
    });
    assert.ok(updated.includes(`"id":${commands.length + 1}`), `all calls were made: ${stderr}`);
    for (const secret of ["mine-mine", TOKEN, "[secret:private_key"]) {
      assert.ok(!updated.includes(secret), secret);
    }
    assert.deepEqual(await describeHome(place), before);
  },
});

Deno.test({
  name: "headers and lines that lie end in a message, never in a crash",
  ignore,
  async fn() {
    await using place = await makeHome();
    const before = await describeHome(place);
    const rules = (value: unknown) => ({ options: { maxTurns: 5, rules: value } });
    const rows: readonly HostileRecording[] = [
      { header: { directories: { cwd: 5 } } },
      { header: { directories: { cwd: "/" } } },
      { header: { directories: { cwd: "" } } },
      { header: { directories: { cwd: "/a/.." } } },
      { header: { directories: { cwd: `/a/${"x".repeat(5000)}` } } },
      { header: { directories: { cwd: "/a/b\u001b[2Jc\nd" } } },
      { header: { endpoint: "file:///etc/passwd" } },
      { header: { time: "never", platform: "\u001b]0;x\u0007" } },
      { run: { named: { x: 5 }, home: "x", facts: "none" } },
      { run: rules({ allow: { run: 5 }, deny: {} }) },
      { run: rules({ allow: { write: [5] }, deny: {} }) },
      { run: rules({ allow: {}, deny: { read: "x" } }) },
      { run: rules([]) },
      { git: { commit: "--upload-pack=touch x", prefix: "" } },
      { git: { commit: "0000000", prefix: "../.." } },
      { git: { prefix: "", branch: "--template=/" } },
      { git: { prefix: "/etc/", branch: "x" } },
    ];
    for (const [index, row] of rows.entries()) {
      const files = { "a.txt": { text: "a\n" } };
      const { code, stderr } = await replayAll(place, { files, calls: [bash("echo ran")], ...row });
      assert.ok(code === 0 || code === 2, `row ${index}: ${code} ${stderr}`);
      assert.doesNotMatch(stderr, /TypeError|\n +at |internal error/i, `row ${index}`);
      assert.ok(!stderr.includes("\u001b"), `row ${index}`);
      assert.deepEqual(await describeHome(place), before, `row ${index}`);
    }
  },
});
