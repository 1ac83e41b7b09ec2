/**
 * The sandbox's parts as text: what bubblewrap is told, what the self-test proves.
 */
import assert from "node:assert/strict";
import { bubblewrapCommand, limitScript } from "../../src/sandbox/bubblewrap.ts";
import { exists } from "../../src/lib/fs.ts";
import { standAlone } from "../../src/lib/process.ts";
import type { SandboxProfile } from "../../src/sandbox/mount.ts";
import { evaluateSelfTest, selfTestScript } from "../../src/sandbox/selftest.ts";
import { socketPathsIn } from "../../src/sandbox/sockets.ts";

const PROFILE: SandboxProfile = {
  base: "disk",
  abstractSockets: false,
  environment: { clear: false, unset: ["SSH_AUTH_SOCK"], set: { TMPDIR: "/tmp" } },
  network: false,
  mounts: [
    { kind: "empty", path: "/home/me/.ally" },
    { kind: "writable", path: "/work" },
    { kind: "readonly", path: "/work/.git" },
    { kind: "blank", path: '/home/me/.net"rc' },
  ],
};
const OPTIONS = {
  program: "/usr/bin/bwrap",
  owner: 7,
  isRoot: true,
  processes: 500,
};
const HOW = { profile: PROFILE, cwd: "/work", leftBehind: "/tmp/.left", options: OPTIONS };

Deno.test("bubblewrap gets all namespaces, no rights, and the mounts in their order", () => {
  const { argv, inputs } = bubblewrapCommand(["bash", "-c", "ls"], HOW);
  const text = argv.join(" ");
  assert.equal(argv[0], "/usr/bin/bwrap");
  assert.deepEqual(inputs, {});
  assert.match(text, / --unsetenv SSH_AUTH_SOCK --setenv TMPDIR \/tmp --ro-bind \/ \/ /);
  for (const flag of ["--unshare-all", "--unshare-user", "--cap-drop ALL", "--die-with-parent"]) {
    assert.ok(text.includes(flag), flag);
  }
  assert.match(text, /--tmpfs \/home\/me\/\.ally --bind \/work \/work --ro-bind \/work\/\.git/);
  assert.match(text, /--remount-ro \/home\/me\/\.ally --chdir \/work -- /);
  assert.ok(text.endsWith(" sh bash -c ls"), text);
  assert.match(text, / --dev \/dev --ro-bind \/proc\/7\/comm \/dev\/ally /);
  assert.doesNotMatch(text, /--share-net|pid_max/);
});

Deno.test("bubblewrap shares the network only on demand, and changes no limit of the machine", () => {
  const profile = { ...PROFILE, network: true };
  const options = { ...OPTIONS, processCount: "/s/processes" };
  const { argv, inputs } = bubblewrapCommand(["true"], { ...HOW, profile, options });
  const text = argv.join(" ");
  assert.match(text, /--share-net/);
  assert.match(text, / --file 7 \/proc\/sys\/kernel\/pid_max --ro-bind \/proc\/sys \/proc\/sys /);
  assert.deepEqual(inputs, { 7: "/s/processes" });
});

for (const [shell, option] of [["dash", "p"], ["bash", "u"]] as const) {
  Deno.test({
    name: `where sh is ${shell}, it limits processes`,
    ignore: Deno.build.os !== "linux" || !exists(`/bin/${shell}`),
    async fn() {
      const script = `exec 2>/dev/null; ${limitScript(OPTIONS)}; ulimit -${option}`;
      const { stdout } = await new Deno.Command(`/bin/${shell}`, { args: ["-c", script] }).output();
      assert.equal(new TextDecoder().decode(stdout), "500\n");
    },
  });
}

Deno.test("bubblewrap gets the filter of system calls from a descriptor that a shell opens", () => {
  const options = { ...OPTIONS, filter: "/s/it's" };
  const launch = bubblewrapCommand(["true"], { ...HOW, options });
  assert.deepEqual(launch.argv.slice(0, 3), ["/usr/bin/bwrap", "--seccomp", "9"]);
  const alone = standAlone(launch);
  assert.deepEqual(alone.slice(0, 2), ["/bin/sh", "-c"]);
  assert.equal(alone[2], `exec "$@" 9<'/s/it'\\''s'`);
});

Deno.test("where a command reads no input, bubblewrap gets all that is the command's own from there", () => {
  const options = { ...OPTIONS, filter: "/s/filter" };
  const launch = (argv: string[]) =>
    bubblewrapCommand(argv, { ...HOW, options, hasInput: false, profile: { ...PROFILE } });
  const { argv, inputs, input } = launch(["echo", "a b"]);
  assert.deepEqual(argv, launch(["true"]).argv);
  assert.deepEqual(argv.slice(0, 5), [
    ...["/usr/bin/bwrap", "--seccomp", "9"],
    ...["--unshare-all", "--unshare-user"],
  ]);
  assert.deepEqual(argv.slice(-6, -3), ["--args", "8", "--"]);
  assert.deepEqual(inputs, { 9: "/s/filter" });
  assert.equal(input?.descriptor, 8);
  const words = input!.text.split("\0");
  assert.ok(words.includes("a b"));
  assert.match(words.at(-2)!, /\(exec "\$@" <\/dev\/null 2>&3 3>&-\)/);
  assert.equal(words.at(-1), "");
});

for (const [what, word] of [["NUL", "a\0--bind\0/\0/"], ["130 kB", "x".repeat(130_000)]] as const) {
  Deno.test(`a command with an argument of ${what} is told as arguments, which fails as with any program`, () => {
    const { argv, input } = bubblewrapCommand(["echo", word], { ...HOW, hasInput: false });
    assert.equal(input, undefined);
    assert.equal(argv.at(-1), word);
  });
}

Deno.test("a command's errors go where its output goes only if they are to be merged", () => {
  const merged = bubblewrapCommand(["true"], { ...HOW, merge: true });
  assert.equal(merged.merges, true);
  assert.match(merged.argv.join(" "), /\nexec 3>&1\n/);
  const apart = bubblewrapCommand(["true"], HOW);
  assert.equal(apart.merges, false);
  assert.match(apart.argv.join(" "), /exec 3>&2 2>\/dev\/null/);
});

Deno.test("a command with the network is confined to abstract sockets of its own, unless it is to have services", () => {
  const options = { ...OPTIONS, scope: "/usr/bin/perl" };
  const network = { ...PROFILE, network: true };
  const perl = (profile: SandboxProfile) =>
    bubblewrapCommand(["true"], { ...HOW, profile, options }).argv.includes("/usr/bin/perl");
  assert.equal(perl(network), true);
  assert.equal(perl({ ...network, abstractSockets: true }), false);
  assert.equal(perl(PROFILE), false);
});

Deno.test("a profile that begins with nothing binds no disk", () => {
  const profile: SandboxProfile = {
    ...PROFILE,
    base: "nothing",
    environment: { clear: true, unset: [], set: { PATH: "/bin" } },
  };
  const text = bubblewrapCommand(["true"], { ...HOW, profile }).argv.join(" ");
  assert.match(text, /--clearenv --setenv PATH \/bin --dev \/dev/);
  assert.match(text, /--dir \/work --remount-ro \/ --chdir \/work/);
  assert.doesNotMatch(text, /--ro-bind \/ \//);
});

Deno.test("the table of sockets gives those that listen or take datagrams, by their paths", () => {
  const table = `Num       RefCount Protocol Flags    Type St Inode Path
000000008889ae43: 00000002 00000000 00010000 0001 01 12 /home/me/a socket
000000008889ae44: 00000002 00000000 00010000 0001 01 13 @/tmp/.X11-unix/X0
000000008889ae45: 00000003 00000000 00000000 0001 03 14 /home/me/connected
000000008889ae46: 00000002 00000000 00000000 0002 01 15 /var/lib/datagrams
000000008889ae47: 00000003 00000000 00000000 0001 03 16
`;
  assert.deepEqual(socketPathsIn(table), ["/home/me/a socket", "/var/lib/datagrams"]);
});

const HELD = "inside\nnet:[2]\npid:[2]\nseccomp 2\nend\n";
const NAMESPACES = { net: "net:[1]", pid: "pid:[1]" };

for (
  const [what, output, escaped, fault] of [
    ["everything fails that must", HELD, [], undefined],
    ["a file was made outside", `wrote 0\n${HELD}`, [], /could write to \/home\/x/],
    ["a file is there that was not", HELD, ["/ally/x"], /could write to \/ally\/x/],
    ["the network is the machine's", HELD.replace("net:[2]", "net:[1]"), [], /network/],
    ["the processes are the machine's", HELD.replace("pid:[2]", "pid:[1]"), [], /processes/],
    ["a namespace is not told", HELD.replace("net:[2]\n", ""), [], /network/],
    ["the kernel's settings can be changed", `wrote kernel\n${HELD}`, [], /kernel/],
    ["nothing can be written at all", HELD.replace("inside\n", ""), [], /own directory/],
    ["it did not come to its end", "bwrap: no", [], /failed: bwrap: no/],
    ["a repository can be changed", `wrote repository\n${HELD}`, [], /change \.git/],
    ["system calls are not filtered", HELD.replace("seccomp 2", "seccomp 0"), [], /system call/],
  ] as const
) {
  Deno.test(`the self-test ${fault ? "fails" : "passes"} when ${what}`, () => {
    const outside = ["/home/x", "/ally/x"];
    const found = evaluateSelfTest(output, {
      outside,
      escaped,
      unseen: ["/run/agent"],
      filtered: true,
      namespaces: NAMESPACES,
      shape: "workspace",
    });
    if (fault === undefined) assert.equal(found, undefined);
    else assert.match(found ?? "", fault);
  });
}

for (
  const [what, output, fault] of [
    ["nothing is written or seen", HELD.replace("inside\n", ""), undefined],
    ["the workspace can be written", HELD, /could write to its own directory/],
    ["a socket is seen", HELD.replace("inside", "sees 0"), /could see \/run\/agent/],
  ] as const
) {
  Deno.test(`the closed self-test ${fault ? "fails" : "passes"} when ${what}`, () => {
    const found = evaluateSelfTest(output, {
      outside: [],
      escaped: [],
      unseen: ["/run/agent"],
      filtered: true,
      namespaces: NAMESPACES,
      shape: "closed",
    });
    if (fault === undefined) assert.equal(found, undefined);
    else assert.match(found ?? "", fault);
  });
}

Deno.test("the self-test quotes the paths that it tries", () => {
  assert.match(selfTestScript({ outside: ["/it's"], unseen: [] }), /echo x >'\/it'\\''s'/);
});
