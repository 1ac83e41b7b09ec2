/**
 * Which failures are the sandbox's doing, and which power a command lacked: what real programs print, and what tests
 * print that fail for reasons of their own.
 */
import assert from "node:assert/strict";
import type { Power, SandboxPolicy } from "../../src/core/sandbox.ts";
import { explainFailure } from "../../src/sandbox/failure.ts";

const CLOSED: SandboxPolicy = { write: false, needs: [], sandboxRequired: true };
const OPEN: SandboxPolicy = { ...CLOSED, write: true };

function explain(
  output: string,
  policies: readonly SandboxPolicy[],
  { code = 1, ownErrors = "" }: { code?: number; ownErrors?: string } = {},
) {
  return explainFailure({ code, output, ownErrors, policies, roots: ["/w"], cwd: "/w/src" });
}

/** What is printed where the workspace cannot be written. */
const WRITES: readonly string[] = [
  "/usr/bin/ld: cannot open output file main: Read-only file system\ncollect2: error: ld returned 1 exit status\nmake: *** [Makefile:2: all] Error 1",
  "Traceback (most recent call last):\n  File \"<string>\", line 1, in <module>\nOSError: [Errno 30] Read-only file system: 'o.txt'",
  "Error: EROFS: read-only file system, open 'out.json'\n    at Object.writeFileSync (node:fs:2380:20)\n  path: 'out.json'\n}\n\nNode.js v20.20.2",
  "npm error code EROFS\nnpm error syscall mkdir\nnpm error path /w/node_modules/is-odd\nnpm error EROFS: read-only file system, mkdir '/w/node_modules/is-odd'",
  "sh: 1: cannot create out.txt: Read-only file system",
  "/bin/bash: line 1: out.txt: Read-only file system",
  "E       OSError: [Errno 30] Read-only file system: 'out.txt'\n\ntest_w.py:2: OSError\nFAILED test_w.py::test_a - OSError: [Errno 30] Read-only file system: 'out.txt'\n1 failed in 3.56s",
  'Error: unable to open database "a.db": unable to open database file',
  "Error: in prepare, attempt to write a readonly database (8)",
  "sqlite3.OperationalError: attempt to write a readonly database",
  'Exception in thread "main" java.io.FileNotFoundException: out.txt (Read-only file system)\n\tat java.base/java.io.FileOutputStream.open0(Native Method)',
  "* What went wrong:\nCould not create directory '/w/.gradle': Read-only file system",
  "error: failed to open: /w/target/debug/.cargo-lock\n\nCaused by:\n  Read-only file system (os error 30)",
  "go: writing go.mod: open /w/go.mod: read-only file system",
  "fatal: could not create work tree dir 'b': Read-only file system",
  "touch: cannot touch 'src': Read-only file system",
  "mkdir: cannot create directory ‘a’: Read-only file system",
  "sed: couldn't open temporary file ./sed2eqkPU: Read-only file system",
  "tee: x: Read-only file system",
  "tar: a.tar: Cannot open: Read-only file system\ntar: Error is not recoverable: exiting now",
  "chmod: changing permissions of 'main.c': Read-only file system",
  "main.rb:1:in `initialize': Read-only file system @ rb_sysopen - out.txt (Errno::EROFS)",
];

/** What is printed where there is no network. */
const NETWORK: readonly string[] = [
  "curl: (6) Could not resolve host: example.com",
  "wget: unable to resolve host address ‘example.com’",
  "warning: spurious network error (1 try remaining): [6] Could not resolve hostname (Could not resolve host: index.crates.io)\nerror: failed to get `itoa`",
  "WARNING: Retrying after connection broken by 'NewConnectionError('Failed to establish a new connection: [Errno -3] Temporary failure in name resolution')': /simple/requests/\nERROR: No matching distribution found for requests",
  "urllib.error.URLError: <urlopen error [Errno -3] Temporary failure in name resolution>",
  "OSError: [Errno 101] Network is unreachable",
  "TypeError: fetch failed\n  [cause]: Error: getaddrinfo EAI_AGAIN example.com\n    code: 'EAI_AGAIN',",
  "npm error code EAI_AGAIN\nnpm error request to https://registry.npmjs.org/x failed, reason: getaddrinfo EAI_AGAIN registry.npmjs.org",
  'go: example.com/m: Get "https://proxy.golang.org/x": dial tcp: lookup proxy.golang.org on 10.0.0.1:53: dial udp 10.0.0.1:53: connect: network is unreachable',
  "fatal: unable to access 'https://github.com/a/b/': Could not resolve host: github.com",
  "ssh: Could not resolve hostname github.com: Temporary failure in name resolution\nfatal: Could not read from remote repository.",
  "   > Could not GET 'https://repo1.maven.org/x'.\n      > java.net.UnknownHostException: repo1.maven.org",
];

/** What a command prints that fails for reasons of its own. */
const OWN: readonly string[] = [
  "AssertionError: 1 !== 2",
  "cat: missing.txt: No such file or directory",
  "Error: EPERM: operation not permitted, open '/w/src/a'",
  "PermissionError: [Errno 13] Permission denied: 'locked'",
  "E       assert 1 == 2\n  /x/cacheprovider.py:475: PytestCacheWarning: could not create cache path /w/.pytest_cache/v: [Errno 30] Read-only file system: '/w/pytest-cache-files-x'\nFAILED test_x.py::test_a - assert 1 == 2",
  "not ok 3 - asks for a name\n  Error: getaddrinfo ENOTFOUND nowhere.invalid",
  "Expected: 'network'\nReceived: 'disk'",
];

function missingOf(output: string, policy: SandboxPolicy): readonly Power[] | undefined {
  return explain(output, [policy])?.missing;
}

Deno.test("a command that ran closed lacks the workspace where it cannot write it", () => {
  for (const output of WRITES) assert.deepEqual(missingOf(output, CLOSED), ["write"], output);
});

Deno.test("a command lacks the network where no name can be found", () => {
  for (const output of NETWORK) {
    assert.deepEqual(missingOf(output, CLOSED), ["network"], output);
    assert.deepEqual(missingOf(output, OPEN), ["network"], output);
    assert.equal(explain(output, [{ ...OPEN, needs: ["network"] }]), undefined, output);
  }
});

Deno.test("a command that fails for a reason of its own lacks nothing", () => {
  for (const output of OWN) assert.equal(explain(output, [CLOSED]), undefined, output);
});

Deno.test("what cannot be written anyway needs no power that could be asked for", () => {
  for (
    const output of [
      "touch: cannot touch '/etc/x': Read-only file system",
      "EROFS: read-only file system, open '/home/me/.npmrc'",
      "go: open /w2/go.mod: read-only file system",
    ]
  ) {
    const block = explain(output, [CLOSED]);
    assert.match(block?.why ?? "", /the sandbox keeps \/(etc|home|w2)\S* as it is/);
    assert.equal(block?.missing, undefined, output);
  }
  assert.equal(missingOf("touch: cannot touch 'a': Read-only file system", OPEN), undefined);
});

Deno.test("git's own directory, keys and services are powers of their own", () => {
  const lock = "fatal: Unable to create '/w/.git/index.lock': Read-only file system";
  assert.deepEqual(missingOf(lock, CLOSED), ["write", "repository"]);
  assert.deepEqual(missingOf(lock, OPEN), ["repository"]);
  assert.deepEqual(
    missingOf("error: cannot open '.git/FETCH_HEAD': Read-only file system", OPEN),
    ["repository"],
  );
  assert.deepEqual(missingOf("git@github.com: Permission denied (publickey).", OPEN), ["keys"]);
  const docker = "Cannot connect to the Docker daemon at unix:///var/run/docker.sock";
  assert.deepEqual(missingOf(docker, OPEN), ["services"]);
});

Deno.test("settings of the user's in a home that is the workspace are none of its repository", () => {
  for (
    const [output, path] of [
      ["error: could not lock config file /w/.gitconfig: Read-only file system", "/w/.gitconfig"],
      [
        "error: could not write config file /w/.gitconfig: Device or resource busy",
        "/w/.gitconfig",
      ],
      ["/bin/bash: line 1: .bashrc: Read-only file system", "/w/src/.bashrc"],
      ["sh: 1: cannot create .bashrc: Read-only file system", "/w/src/.bashrc"],
      ["tee: .bashrc: Read-only file system", "/w/src/.bashrc"],
    ] as const
  ) {
    const block = explain(output, [OPEN]);
    assert.deepEqual([block?.why, block?.missing], [
      `the sandbox keeps ${path} as it is`,
      undefined,
    ]);
  }
});

Deno.test("git's configuration is a power beside its directory, and its hooks are none", () => {
  const config = "error: could not lock config file .git/config: Read-only file system";
  assert.deepEqual(missingOf(config, OPEN), ["repository", "repository_config"]);
  const busy = "error: could not write config file .git/config: Device or resource busy";
  assert.deepEqual(missingOf(busy, OPEN), ["repository", "repository_config"]);
  const hooks = "OSError: [Errno 30] Read-only file system: '/w/.git/hooks/pre-commit'";
  assert.match(explain(hooks, [OPEN])?.why ?? "", /keeps the hooks of git as they are/);
  assert.equal(missingOf(hooks, OPEN), undefined);
});

Deno.test("what is called .git elsewhere is none of the workspace's", () => {
  const tree =
    "fatal: could not create leading directories of '../../other/.git': Read-only file system";
  const block = explain(tree, [OPEN]);
  assert.equal(block?.why, "the sandbox keeps /other/.git as it is");
  assert.equal(block?.missing, undefined);
});

Deno.test("Node.js does not say that the place is read-only where it makes a directory with others", () => {
  const store = "ENOENT  ENOENT: no such file or directory, mkdir '/home/me/.local/share/pnpm'";
  assert.match(explain(store, [OPEN])?.why ?? "", /keeps \/home\/me\/.local\/share\/pnpm as it is/);
  const inside = "Error: ENOENT: no such file or directory, mkdir '/w/a/b'";
  assert.equal(explain(inside, [OPEN]), undefined);
  assert.deepEqual(missingOf(inside, CLOSED), ["write"]);
});

Deno.test("a program that goes on without what git could not do hides it from nobody", () => {
  const swallowed = "> prepare\n> husky\n\nerror: could not lock config file .git/config: " +
    "Read-only file system\n\nadded 1 package\n";
  const how = { code: 0 };
  const block = explain(swallowed, [OPEN], how);
  assert.equal(block?.why, "the sandbox keeps .git as it is");
  assert.deepEqual(block?.missing, ["repository", "repository_config"]);
  assert.equal(block?.doubtful, undefined);
  for (const policy of [CLOSED, { ...OPEN, needs: ["network", "registries"] as const }]) {
    const told = explain(swallowed, [policy], how);
    assert.deepEqual([told?.missing, told?.doubtful], [undefined, true]);
    assert.match(told?.instead ?? "", /npx husky/);
  }
  for (const words of [`ci.log: ${swallowed.split("\n")[3]}`, ...WRITES, ...NETWORK, ...OWN]) {
    assert.equal(explain(words, [CLOSED], how), undefined, words);
  }
});

Deno.test("what could not be written is asked for though all ends well, where nobody knew what would run", () => {
  const policy: SandboxPolicy = { ...CLOSED, tentative: true };
  const how = { code: 0 };
  for (const output of WRITES) {
    assert.deepEqual(explain(output, [policy], how)?.missing, ["write"], output);
    assert.equal(explain(output, [OPEN], how), undefined, output);
  }
  // They may be words of a file that is shown beside it.
  const told = explain(WRITES[0]!, [{ ...policy, showsFiles: true }], how);
  assert.deepEqual([told?.missing, told?.doubtful], [undefined, true]);
  assert.match(told?.instead ?? "", /^Run the part of the command that failed by itself/);
  for (
    const words of [
      "src/a.ts:7: if (code === 'EROFS') throw error; // Read-only file system",
      "ok 3 - tells 'Read-only file system' (2 ms)",
      "ok 3 - writes: Read-only file system",
      "  ✔ handles EROFS: read-only file system, open 'a' (2ms)",
      "caching failed: Error: EROFS: read-only file system, mkdir '/w/node_modules/.cache'",
      "touch: cannot touch '/etc/x': Read-only file system",
      ...NETWORK,
      ...OWN,
    ]
  ) assert.equal(explain(words, [policy], how), undefined, words);
});

Deno.test("a file that git could not write is named from the top of its tree, and told of though all ends well", async () => {
  const top = await Deno.realPath(await Deno.makeTempDir());
  await Deno.mkdir(`${top}/.git/objects`, { recursive: true });
  const at = { roots: [`${top}/a`], cwd: `${top}/a`, ownErrors: "" };
  const policies = [{ ...OPEN, needs: ["repository"] as const }];
  for (
    const line of [
      "warning: unable to unlink 'b/g': Read-only file system",
      "error: unable to unlink old 'b/g': Read-only file system",
      "error: unable to create file b/g: Read-only file system",
      "fatal: cannot create directory at 'b/g': Read-only file system",
    ]
  ) {
    const output = `${line}\nSwitched to branch 'main'\n`;
    const block = explainFailure({ ...at, code: 0, output, policies });
    assert.equal(block?.why, `the sandbox keeps ${top}/b/g as it is`, line);
    assert.match(block?.instead ?? "", /^Git went on without it: look with `git status`/);
    assert.equal(block?.doubtful, true);
    // What may not change the repository shows the words of others.
    const shown = explainFailure({ ...at, code: 0, output, policies: [CLOSED] });
    assert.equal(shown, undefined);
  }
  const output = "error: unable to unlink old 'b/g': Read-only file system\n";
  const failed = explainFailure({ ...at, code: 1, output, policies });
  assert.equal(failed?.why, `the sandbox keeps ${top}/b/g as it is`);
});

Deno.test("a limit is told of whatever the last command of a script made of it", () => {
  const sanitizer = "==7==ERROR: AddressSanitizer failed to allocate 0xdfff bytes\n1\n";
  assert.match(explain(sanitizer, [OPEN], { code: 0 })?.why ?? "", /sanitizer reserves/);
  const shell = "/bin/bash: line 1: 4 File size limit exceeded dd of=big\n153\n";
  assert.match(explain(shell, [OPEN], { code: 0 })?.why ?? "", /larger file/);
  assert.match(explain("", [OPEN], { code: 153 })?.why ?? "", /larger file/);
});

Deno.test("what nobody named lacks keys, where it fails as what wants a login", () => {
  const unnamed: SandboxPolicy = { ...OPEN, withheld: ["keys"], unnamed: ["gh"] };
  const block = explain("To get started, please run: gh auth login", [unnamed]);
  assert.deepEqual(block?.missing, ["keys"]);
  assert.match(block?.instead ?? "", /--allow-run=gh/);
  assert.equal(explain("boom", [unnamed])?.doubtful, true);
  assert.equal(explain("bash: line 1: gh: command not found", [unnamed]), undefined);
  assert.equal(explain("please log in", [OPEN]), undefined);
});

Deno.test("a server of this machine that does not answer may be the command's own", () => {
  const block = explain("bash: connect: Connection refused", [OPEN]);
  assert.equal(block?.doubtful, true);
  assert.match(block?.why ?? "", /does not reach servers of this machine/);
});

Deno.test("of a command in parts the one that failed is to be run by itself", () => {
  const output = "OSError: [Errno 30] Read-only file system: 'o.txt'";
  const block = explain(output, [{ ...OPEN, needs: ["repository"] }, CLOSED]);
  assert.equal(block?.missing, undefined);
  assert.match(block?.instead ?? "", /^Run the part of the command that failed by itself/);
});

Deno.test("what git bisect runs is to be a script where it is more than one program", () => {
  const policy: SandboxPolicy = { ...OPEN, withheld: ["repository"] };
  const output = "error: cannot open file '.git/BISECT_RUN' for writing: Read-only file system";
  assert.match(explain(output, [policy])?.instead ?? "", /`git bisect run \.\/check\.sh`/);
});

Deno.test("what was withheld because of other code is not asked for", () => {
  const policy: SandboxPolicy = { ...OPEN, withheld: ["repository", "network"] };
  for (
    const output of [
      NETWORK[0]!,
      "fatal: Unable to create '/w/.git/index.lock': Read-only file system",
    ]
  ) {
    const block = explain(output, [policy]);
    assert.equal(block?.missing, undefined);
    assert.match(block?.instead ?? "", /other code in the same shell/);
  }
});

for (
  const [output, why] of [
    ["Unable to locate credentials. You can configure them", /hides the user's logins/],
    ["npm error code ENEEDAUTH", /hides the user's logins/],
    ["bash: fork: retry: Resource temporarily unavailable", /more processes/],
    [
      "==7==ERROR: AddressSanitizer failed to allocate 0xdfff0001000 (15392894357504) bytes at address 2008fff7000 (errno: 12)",
      /sanitizer reserves more memory than the sandbox allows \(4 GB\)/,
    ],
    ["FATAL: ThreadSanitizer: can not mmap 0x1000 bytes", /sanitizer reserves more memory/],
    ["MemoryError", /wanted more memory than the sandbox allows/],
    ["terminate called after throwing an instance of 'std::bad_alloc'", /wanted more memory/],
    ["cat: /tmp/mine: No such file or directory", /a \/tmp of their own/],
    ["mount: /mnt: permission denied.", /no rights over the system/],
  ] as const
) {
  Deno.test(`a failure is the sandbox's: ${output}`, () => {
    assert.match(explain(`${output}\n`, [OPEN])?.why ?? "", why);
  });
}

Deno.test("a signature fails for want of the keys, and with them for want of an agent", () => {
  const output = "error: gpg failed to sign the data\nfatal: failed to write commit object";
  assert.deepEqual(explain(output, [OPEN])?.missing, ["keys"]);
  const block = explain(output, [{ ...OPEN, needs: ["repository", "keys"] }]);
  assert.equal(block?.missing, undefined);
  assert.match(block?.why ?? "", /gpg-agent does not run/);
  assert.match(block?.instead ?? "", /`gpgconf --launch gpg-agent`/);
});

Deno.test("a repository that a push does not reach is the sandbox's doing only on this disk", () => {
  const pushed = (to: string) =>
    explain(
      `error: remote unpack failed: unable to create temporary object directory\nTo ${to}\n ! [remote rejected] a`,
      [OPEN],
    )?.why;
  assert.match(pushed("../up.git") ?? "", /keeps \.\.\/up\.git, a repository of this disk,/);
  assert.match(pushed("file:///srv/a b") ?? "", /keeps \/srv\/a b, a repository/);
  assert.equal(pushed("github.com:a/b.git"), undefined);
  assert.equal(pushed("https://github.com/a/b"), undefined);
});

Deno.test("only what a sandbox itself can have written says that it could not be made", () => {
  const output = "bwrap: Can't mkdir /x: Permission denied\n";
  assert.equal(explain(output, [OPEN]), undefined);
  const block = explain(output, [OPEN], { ownErrors: output });
  assert.equal(block?.why, "the sandbox could not be made: Can't mkdir /x: Permission denied");
  assert.equal(block?.doubtful, undefined);
  for (
    const passing of [
      "bwrap: Can't find source path /w/a: No such file or directory\n",
      "bwrap: Can't mkdir parents for /h/d/s: Read-only file system\n",
      "bwrap: Can't mount tmpfs on /newroot/h/d: No such file or directory\n",
      "bwrap: a place of the workspace was exchanged meanwhile\n",
    ]
  ) {
    const again = explain(passing, [OPEN, CLOSED], { ownErrors: passing });
    assert.match(again?.why ?? "", /the sandbox of a part could not be made: .* meanwhile/);
    assert.deepEqual([again?.instead, again?.doubtful], ["Run it again.", true]);
  }
});
