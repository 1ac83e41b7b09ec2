/**
 * The closed profile, tried with the real bubblewrap: what a command that was given no power reads, finds and cannot
 * change.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { SHAPES, stageSandbox } from "../support/confined.ts";
import { hasBubblewrap } from "../support/sandbox.ts";

const { closed } = SHAPES;

function test(name: string, fn: () => Promise<void>) {
  Deno.test({ name, fn, ignore: !hasBubblewrap() });
}

test("closed, a command reads the workspace and changes nothing", async () => {
  await using at = await stageSandbox();
  await at.write("project/a.txt", "one\n");
  const { output } = await at.run(
    closed,
    "cat a.txt; for place in . ~ / /usr /etc /opt /dev /var /sys /proc; do" +
      " touch $place/x 2>/dev/null && echo WROTE $place; done; rm -f a.txt; cat a.txt",
  );
  assert.match(output, /^one\none\n/);
  assert.doesNotMatch(output, /WROTE/);
});

test("closed, there is no home but the way to the workspace and what holds programs", async () => {
  await using at = await stageSandbox();
  await at.write(".bashrc", "HUSH");
  await at.write(".cargo/credentials.toml", "HUSH");
  await at.write(".cargo/bin/tool", "#!/bin/sh\necho tool\n", 0o755);
  await at.write(".rustup/settings.toml", "x");
  await at.write(".local/lib/python3.11/site-packages/m.py", "");
  await at.write(".local/share/keyrings/k", "HUSH");
  await at.write("other/secret", "HUSH");
  const { output } = await at.run(closed, "cd; find . -type f -o -type l; grep -r HUSH . && echo");
  assert.deepEqual(output.trim().split("\n").sort(), [
    "./.cargo/bin/tool",
    "./.local/lib/python3.11/site-packages/m.py",
    "./.rustup/settings.toml",
  ]);
});

test("closed, programs of PATH in the home run, also where a link of PATH leads", async () => {
  const path = (home: string) => [`${home}/tools/current`, `${home}/more/bin`, home].join(":");
  await using at = await stageSandbox({
    env: (home) => ({ PATH: `${path(home)}:${Deno.env.get("PATH")}` }),
  });
  await at.write(
    "tools/v1/bin/mine",
    '#!/bin/sh\ncat "${0%/*}/../lib/words"; cat ~/.hidden',
    0o755,
  );
  await at.write("tools/v1/lib/words", "words\n");
  await at.write("more/bin/other", "#!/bin/sh\necho other\n", 0o755);
  await at.write(".hidden", "HUSH");
  await Deno.symlink("v1/bin", join(at.home, "tools", "current"));
  const { output } = await at.run(closed, "mine; other; ls -A ~");
  assert.match(output, /words\n/);
  assert.match(output, /other\n/);
  assert.doesNotMatch(output, /HUSH/);
  assert.match(output, /more\nproject\ntools\n/);
});

test("closed, links of the workspace that lead out of it lead to nothing", async () => {
  await using at = await stageSandbox();
  const secret = await at.write("elsewhere/notes.md", "HUSH");
  await at.write(".ssh/id_rsa", "HUSH");
  await Deno.symlink(secret, join(at.root, "notes.md"));
  await Deno.symlink("../.ssh", join(at.root, "keys"));
  const { output } = await at.run(closed, "cat *.md keys/*; ls keys/ notes.md");
  assert.doesNotMatch(output, /HUSH|id_rsa/);
});

test("closed, /tmp is private, takes files to a limit, and is gone with the command", async () => {
  await using at = await stageSandbox();
  const outside = await Deno.makeTempFile({ prefix: "ally-outside-" });
  try {
    const first = await at.run(
      closed,
      `ls ${outside}; echo x > /tmp/made && cat /tmp/made; df -k --output=size /tmp | tail -1`,
    );
    assert.match(first.output, /No such file[^]*|x\n/);
    assert.ok(Number(/\d+\n/.exec(first.output)![0]) <= 1024 * 1024, first.output);
    const second = await at.run(closed, "cat /tmp/made");
    assert.match(second.output, /No such file/);
  } finally {
    await Deno.remove(outside);
  }
});

test("closed, nothing of the environment is left but language, terminal and the ways to programs", async () => {
  await using at = await stageSandbox({
    env: () => ({
      LANG: "C.UTF-8",
      LC_ALL: "C.UTF-8",
      MY_SETTING: "HUSH",
      SSH_AUTH_SOCK: "/tmp/agent",
      DOCKER_HOST: "unix:///x",
      PYENV_ROOT: "/nowhere",
    }),
  });
  const { output } = await at.run(closed, "env | cut -d= -f1 | sort; echo $HOME");
  const names = output.trim().split("\n");
  assert.equal(names.pop(), at.home);
  for (const name of ["LANG", "LC_ALL", "PATH", "TERM", "HOME", "TMPDIR"]) {
    assert.ok(names.includes(name), name);
  }
  for (const name of ["MY_SETTING", "SSH_AUTH_SOCK", "DOCKER_HOST", "PYENV_ROOT"]) {
    assert.ok(!names.includes(name), name);
  }
});

test("closed, there is no network, no process of others and no place of services", async () => {
  await using at = await stageSandbox();
  const server = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  try {
    const { output } = await at.run(
      closed,
      `(exec 3<>/dev/tcp/127.0.0.1/${server.addr.port}) 2>/dev/null && echo REACHED; ` +
        "ls /run /home /mnt /media /srv /var/lib/postgresql /var/run 2>/dev/null; " +
        "ls -d /proc/[0-9]* | wc -l",
    );
    assert.doesNotMatch(output, /REACHED/);
    assert.ok(Number(output.trim().split("\n").at(-1)) < 6, output);
  } finally {
    server.close();
  }
});

test("closed, what it leaves running is ended, and it says so", async () => {
  await using at = await stageSandbox();
  const { output } = await at.run(closed, "sleep 100 >/dev/null 2>&1 & echo over");
  assert.match(output, /^over\n.*left running was ended/);
});

test("closed, git reads the repository that the workspace lies in", async () => {
  await using at = await stageSandbox({ roots: ["project/packages/one"] });
  await at.write("project/secret", "HUSH");
  await at.write("project/packages/one/a.txt", "one");
  const top = join(at.home, "project");
  for (
    const args of [["init", "-q"], ["add", "."], [
      "-c",
      "user.name=a",
      "-c",
      "user.email=a@b.c",
      "commit",
      "-qm",
      "first",
    ]]
  ) await new Deno.Command("git", { args, cwd: top }).output();
  const log = await at.run(closed, "git log --oneline; cat ../../secret");
  assert.match(log.output, /first/);
  assert.doesNotMatch(log.output, /HUSH/);
  const status = await at.run({ write: false, needs: ["repository"] }, "git status --short");
  assert.deepEqual([status.code, status.output], [0, ""]);
});
