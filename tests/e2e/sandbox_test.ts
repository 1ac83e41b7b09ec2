/**
 * The OS sandbox through the front door: what a model's commands try in it must fail, what is ordinary
 * work must not, and where there is no sandbox it must be said.
 */
import assert from "node:assert/strict";
import { writeProgram } from "../../scripts/program_file.ts";
import { hasTmux } from "../support/tmux.ts";
import { join } from "node:path";
import { startInTmux } from "../support/ally_terminal.ts";
import { runningWith, uniqueDuration } from "../support/processes.ts";
import { allyCommand, spawnAlly } from "../support/program.ts";
import { guarded, hasBubblewrap, programsOnly } from "../support/sandbox.ts";
import { until } from "../support/wait.ts";

const exists = (path: string) => Deno.lstat(path).then(() => true, () => false);

function test(name: string, fn: () => Promise<void>, more: { ignore?: boolean } = {}) {
  Deno.test({ name, fn, ignore: (more.ignore ?? false) || !hasBubblewrap() });
}

/** Each line is tried; what succeeds says so. */
const ATTEMPTS = [
  "echo x > ~/escaped",
  "echo x > /etc/ally-escaped",
  "echo x > ../escaped",
  "echo x > /usr/local/bin/ally-escaped",
  "echo x > $HOMEDIR/config.json",
  "echo x > .git/hooks/pre-commit",
  "echo x >> .git/config",
  "mkdir -p .ally && echo x > .ally/config.json",
  "mv .git .git.old",
  "mv .ally .ally.old",
  "rm -rf .git/objects",
  "mkdir .git/evil",
  "ln -s / link; echo x > link/etc/ally-escaped",
  "echo x > /proc/1/root/etc/ally-escaped",
  "echo x > /proc/sys/kernel/hostname",
  "echo x > /proc/sysrq-trigger",
  "mount -t tmpfs none /mnt",
  "mount -o remount,rw /",
  "umount .git",
  "cat ~/.ssh/id_test",
  "cat $HOMEDIR/config.json",
  "exec 3<>/dev/tcp/127.0.0.1/$PORT",
  "exec 3<>/dev/tcp/1.1.1.1/53",
  "test -S /run/docker.sock",
  "test -d /run/user",
  "echo x > /dev/tty",
  "chroot / true",
  "mknod block b 8 0",
];

const script = (lines: readonly string[]) =>
  lines.map((line, index) => `if ( ${line} ) 2>/dev/null; then echo "ESCAPED ${index}"; fi`)
    .join("\n") + "\necho tried all\n";

test("nothing that a script tries leaves the workspace, and ally works on", async () => {
  await using at = await guarded(["bash attack.sh", "kill -9 -1; echo still here"], {
    files: { "attack.sh": "" },
    repository: true,
  });
  const { place } = at;
  const home = place.env.HOME!;
  await Deno.mkdir(join(home, ".ssh"));
  await Deno.writeTextFile(join(home, ".ssh", "id_test"), "HUSH");
  await Deno.mkdir(join(place.dir, ".ally"));
  await Deno.mkdir(place.home, { recursive: true });
  await Deno.writeTextFile(join(place.home, "config.json"), "{}");
  const variables = `PORT=${at.port}\nHOMEDIR=${place.home}\n`;
  await place.write("attack.sh", variables + script(ATTEMPTS));
  const done = await at.run(["--allow-run"]);
  const [output] = at.results();
  const escaped = [...output!.matchAll(/ESCAPED (\d+)/g)].map(([, index]) =>
    ATTEMPTS[Number(index)]
  );
  assert.deepEqual(escaped, []);
  assert.match(output!, /tried all/);
  assert.doesNotMatch(output!, /HUSH/);
  assert.match(done.stdout, /ally lives/);
  assert.equal(await exists(join(home, "escaped")), false);
  assert.equal(await exists("/etc/ally-escaped"), false);
  assert.equal(await Deno.readTextFile(join(place.home, "config.json")), "{}");
  assert.match(await at.git("log", "--oneline"), /first/);
});

test("a command sees no process but its own", async () => {
  await using at = await guarded(["ls -d /proc/[0-9]* | wc -l"]);
  await at.run(["-A"]);
  assert.ok(Number(at.results()[0]!.trim()) < 10, at.results()[0]);
});

test("what forks away with a session of its own ends with its command", async () => {
  const duration = uniqueDuration();
  await using at = await guarded([
    `(setsid sh -c 'setsid sleep ${duration} & ' &) ; echo started`,
    "echo next",
  ]);
  const done = await at.run(["-A"]);
  assert.equal(done.code, 0, done.stderr);
  assert.match(at.results()[0]!, /What the command left running was ended with it[^]*started/);
  assert.deepEqual(runningWith(duration), []);
});

test("what a command has ended itself is not said to be left running", async () => {
  await using at = await guarded([
    "perl -e '$SIG{TERM} = sub { select undef, undef, undef, 0.05; exit }; sleep 9' & sleep 0.3; kill %1",
  ]);
  await at.run(["-A"]);
  assert.equal(at.results()[0], "(no output)");
});

test("background tasks do not outlive an ally that is killed", async () => {
  const duration = uniqueDuration();
  await using at = await guarded([
    { command: `sleep ${duration}`, run_in_background: true },
    { text: "so far", hang: true },
  ]);
  const child = spawnAlly(at.place, { args: ["-p", "-A", "go"] });
  await until("the task", () => runningWith(duration).length > 0 && at.results().length === 1);
  child.kill("SIGKILL");
  await child.output();
  await until("its end", () => runningWith(duration).length === 0);
});

test("a command may write the workspace, its own /tmp and caches, and use pipes", async () => {
  await using at = await guarded([
    "echo one > made && echo two > /tmp/kept && mktemp && echo $TMPDIR",
    "cat /tmp/kept made; mkdir -p $npm_config_cache && cat <(echo three) | tr a-z A-Z",
  ]);
  await at.run(["-A"]);
  const [first, second] = at.results();
  assert.match(first!, /^\/tmp\/\S+\n\/tmp\n$/);
  assert.equal(second, "two\none\nTHREE\n");
  const [project] = await Array.fromAsync(Deno.readDir(join(at.place.home, "projects")));
  const left = await Array.fromAsync(
    Deno.readDir(join(at.place.home, "projects", project!.name, "sandbox")),
  );
  assert.deepEqual(left.map(({ name }) => name).sort(), ["cache", "keyed-cache"]);
});

test("git reads run unasked, and what the repository's configuration runs changes nothing", async () => {
  await using at = await guarded(["git status --short", "git diff"], {
    files: { "a.txt": "one\n", ".gitattributes": "*.txt filter=x\n" },
    repository: true,
  });
  await at.git("config", "filter.x.clean", `touch ${at.place.dir}/pwned; cat`);
  await at.git("config", "core.fsmonitor", `touch ${at.place.dir}/pwned; false`);
  await at.place.write("a.txt", "two\n");
  const done = await at.run([]);
  assert.equal(done.code, 0, done.stderr);
  assert.match(at.results()[0]!, /M a\.txt/);
  assert.match(at.results()[1]!, /\+two/);
  assert.equal(await exists(join(at.place.dir, "pwned")), false);
});

test("an allowed commit works, and its hook cannot change hooks or configuration", async () => {
  const hook = "#!/bin/sh\necho evil >> .git/config\necho evil > .git/hooks/post-commit\n" +
    "mv .git/hooks .git/h; mv .git g; echo ../evil > .git/commondir; exit 0\n";
  await using at = await guarded([
    "git add -A && git commit -q -m second",
    "git checkout -q -b topic && git branch",
    "git remote add origin https://example.com/x.git",
    "bash tests.sh && git commit -q --allow-empty -m third",
    "x=$(pwd); bash tests.sh; git commit -q --allow-empty -m fourth",
  ], { files: { "tests.sh": "true\n" }, repository: true });
  const hooks = join(at.place.dir, ".git", "hooks");
  await Deno.mkdir(hooks, { recursive: true });
  await writeProgram(join(hooks, "pre-commit"), hook);
  const config = await at.place.read(".git/config");
  await at.place.write("new.txt", "new\n");
  await at.run(["--allow-run"]);
  const [commit, branch, remote, apart, mixed] = at.results();
  assert.equal(await exists(join(hooks, "post-commit")), false);
  assert.equal(await exists(join(at.place.dir, ".git", "commondir")), false);
  assert.match(await at.git("log", "--oneline", "topic"), /second/, commit);
  assert.match(branch!, /\* topic/);
  assert.match(remote!, /no output/);
  assert.equal((await at.place.read(".git/config")).startsWith(config), true);
  assert.match(await at.git("log", "--oneline", "topic"), /third/, apart);
  assert.match(mixed!, /the sandbox keeps \.git as it is\. Run the part [^.]* by itself/);
});

test("git that fetches all remotes, of which one is on this disk, is told how that one is fetched", async () => {
  await using at = await guarded(["git fetch --all", "git fetch near"], { repository: true });
  await at.git("clone", "-q", "--bare", ".", "near.git");
  await at.git("remote", "add", "near", "./near.git");
  await at.git("remote", "add", "far", "https://far.invalid/x.git");
  await at.run(["--allow-run", "--allow-net"]);
  const [all, near] = at.results();
  assert.match(all!, /or it is a repository of this disk, which may name hooks, so that git/);
  assert.match(all!, /`git fetch NAME` for a remote in place of --all/);
  assert.match(near!, /new branch/);
  assert.match(await at.git("branch", "-r"), /near\/main/);
});

test("what a command prints is not taken for an error of the sandbox itself", async () => {
  const says = `bash -c 'echo "bwrap: x" >&2; exit 1'`;
  await using at = await guarded([says, `${says} | cat`, `true; ${says}`]);
  await at.run(["-A"]);
  for (const result of at.results()) {
    assert.match(result, /bwrap: x/);
    assert.doesNotMatch(result, /sandbox/);
  }
});

test("what bubblewrap itself cannot do is told as that, also for a part", async () => {
  const fetches = "git ls-remote https://nowhere.invalid/x";
  await using at = await guarded([fetches, `${fetches} | cat`, "true"], { repository: true });
  const PATH = await programsOnly(at.place, [...PROGRAMS, "readlink"]);
  const real = await new Deno.Command("sh", { args: ["-c", "command -v bwrap"] }).output();
  const fails = 'case " $* " in *" --share-net "*) echo "bwrap: no such luck" >&2; exit 1;; esac';
  const body = `${fails}\nexec ${new TextDecoder().decode(real.stdout).trim()} "$@"`;
  await writeProgram(join(PATH, "bwrap"), `#!/bin/sh\n${body}\n`);
  await at.run(["-A"], { env: { PATH } });
  const [alone, part, without] = at.results();
  assert.match(alone!, /because the sandbox could not be made: no such luck/);
  assert.match(part!, /because the sandbox of a part could not be made: no such luck/);
  for (const result of [alone, part]) assert.match(result!, /bwrap: no such luck/);
  assert.equal(without, "(no output)");
});

test("git reaches bundles and repositories of the workspace by names without a slash", async () => {
  const commands = [
    ...[
      "git clone x.bundle one",
      "git clone x two",
      "git clone sub three",
      "git fetch x.bundle main",
    ],
    ...["git fetch sub main", "git -C sub fetch y.bundle main", "cd sub && git pull y.bundle main"],
  ];
  await using at = await guarded(commands, { repository: true });
  await at.git("bundle", "create", "-q", "x.bundle", "main");
  await at.git("clone", "-q", ".", "sub");
  await Deno.copyFile(join(at.place.dir, "x.bundle"), join(at.place.dir, "sub", "y.bundle"));
  const done = await at.run(["-A"]);
  assert.equal(done.code, 0, done.stderr);
  for (const [index, result] of at.results().entries()) {
    assert.match(result, /^(?:Cloning into|From )/, `${commands[index]}: ${result}`);
  }
});

test("a commit in a working tree whose repository lies elsewhere works", async () => {
  await using at = await guarded(["git add -A && git commit -q -m inside && git log --oneline"], {
    repository: true,
  });
  const tree = join(at.place.dir, "..", "tree");
  await at.git("worktree", "add", "-q", tree);
  await Deno.writeTextFile(join(tree, "new.txt"), "new\n");
  await at.run(["--allow-run", "-C", tree]);
  assert.match(at.results()[0]!, /inside/);
});

test("a commit in a submodule works, and a .git file that names another place opens none", async () => {
  await using other = await guarded([], { repository: true });
  await using at = await guarded([
    "git add -A && git commit -q -m inside && git log --oneline",
  ], { repository: true });
  const clone = [
    "-c",
    "protocol.file.allow=always",
    "submodule",
    "-q",
    "add",
    other.place.dir,
    "sub",
  ];
  await at.git(...clone);
  const sub = join(at.place.dir, "sub");
  await Deno.writeTextFile(join(sub, "new.txt"), "new\n");
  await at.git("-C", "sub", "config", "user.name", "a");
  await at.git("-C", "sub", "config", "user.email", "a@b.c");
  await at.run(["--allow-run", "-C", sub]);
  assert.match(at.results()[0]!, /inside/);

  await using lying = await guarded(["git add -A"], { files: { "a": "a" } });
  await lying.place.write(".git", `gitdir: ${other.place.dir}/.git\n`);
  await lying.run(["--allow-run"]);
  assert.match(lying.results()[0]!, /"success":false/);
  assert.equal(await other.git("diff", "--cached", "--name-only"), "");
});

test("where no repository is, only git makes one, and nothing stays of the attempt", async () => {
  await using at = await guarded(["bash make.sh"], {
    files: { "make.sh": "mkdir -p .git/hooks && echo x > .git/hooks/post-commit && echo ESCAPED" },
  });
  await at.run(["--allow-run"]);
  assert.match(at.results()[0]!, /"success":false/);
  assert.equal(await exists(join(at.place.dir, ".git")), false);
  await using other = await guarded(["git init -q ."]);
  await other.run(["--allow-run"]);
  assert.equal(await exists(join(other.place.dir, ".git", "HEAD")), true);
});

test("a repository that a script makes is set aside, and the result says so", async () => {
  await using at = await guarded(["bash make.sh"], {
    files: { "make.sh": "git init -q inner && echo made\n" },
    repository: true,
  });
  await at.run(["--allow-run"]);
  assert.match(at.results()[0]!, /It made a repository[^]*inner\/\.git-set-aside[^]*made/);
  assert.equal(await exists(join(at.place.dir, "inner", ".git-set-aside", "HEAD-set-aside")), true);
  assert.equal(await exists(join(at.place.dir, "inner", ".git")), false);
});

test("a linter of the project runs in the sandbox", async () => {
  const lint = { calls: [{ name: "lint", arguments: { file_paths: ["a.js"] } }] };
  await using at = await guarded([lint], {
    files: { "a.js": "let a;\n", "eslint.config.js": "export default [];\n", "package.json": "{}" },
  });
  const bin = join(at.place.dir, "node_modules", ".bin");
  await Deno.mkdir(bin, { recursive: true });
  const body = "#!/bin/sh\ntouch ran; touch ~/escaped; echo '[]'\n";
  await writeProgram(join(bin, "eslint"), body);
  await at.run(["-A"]);
  assert.equal(await exists(join(at.place.dir, "ran")), true, at.results()[0]);
  assert.equal(await exists(join(at.place.env.HOME!, "escaped")), false);
});

test("the network is there for what was allowed to use it, and for nothing else", async () => {
  const files = { "call.sh": "exec 3<>/dev/tcp/127.0.0.1/$1 && echo REACHED" };
  await using at = await guarded([], { files });
  await using other = await guarded([`bash call.sh ${at.port}`], { files });
  await other.run(["--allow-run"]);
  assert.match(other.results()[0]!, /it has no network in the sandbox/);
  await using free = await guarded([`bash call.sh ${at.port}`], { files });
  await free.run(["-A"]);
  assert.equal(free.results()[0], "REACHED\n");
});

test("headless, a command that the sandbox stopped says so and does not run outside", async () => {
  await using at = await guarded(["bash write.sh"], {
    files: { "write.sh": 'echo x > "$HOME/outside"\n' },
  });
  const done = await at.run(["--allow-run"]);
  const record = JSON.parse(at.results()[0]!);
  assert.match(record.suggestion, /the sandbox keeps \S+\/outside as it is/);
  assert.match(done.stderr, /the sandbox keeps/);
  assert.equal(await exists(join(at.place.env.HOME!, "outside")), false);
});

test("at the terminal it may run outside once, after a question of its own", async () => {
  await using at = await guarded(["bash write.sh", "bash write.sh"], {
    files: { "write.sh": 'echo x >> "$HOME/outside"\n' },
  });
  const outside = join(at.place.env.HOME!, "outside");
  const session = await startInTmux(at.place);
  try {
    await session.shows(/sandbox: bubblewrap[^]*^›$/m);
    await session.keys("go", "Enter");
    await session.shows(/run\s+it\s+once\s+more[^]*❯ Deny/);
    assert.equal(await exists(outside), false);
    await session.keys("a");
    await session.shows(/✓ Allowed[^]*run\s+it\s+once\s+more[^]*❯ Deny/);
    assert.equal(await Deno.readTextFile(outside), "x\n");
    await session.keys("d");
    await session.shows(/ally lives/);
    assert.equal(await Deno.readTextFile(outside), "x\n");
  } finally {
    await session[Symbol.asyncDispose]();
  }
  assert.match(at.results()[0]!, /It ran outside of the sandbox/);
  assert.match(at.results()[1]!, /did not let it run outside/);
}, { ignore: !hasTmux() });

/** What a limit that is set in no namespace of its own would change. */
const machineLimit = () => Deno.readTextFile("/proc/sys/kernel/pid_max").catch(() => "");

const PROGRAMS = ["bash", "sh", "git", "ls", "cat", "env", "touch", "sed"];

Deno.test("without bubblewrap git reads ask, plain reads run, and it says why", async () => {
  await using at = await guarded(["git status", "ls"], { repository: true });
  const PATH = await programsOnly(at.place, PROGRAMS);
  const done = await at.run([], { env: { PATH } });
  assert.equal(done.code, 3);
  assert.match(at.results()[0]!, /Permission denied/);
  assert.match(
    done.stderr,
    /without a sandbox: bubblewrap is not installed, or not in PATH\..*Install it/,
  );
  await using strict = await guarded(["ls"]);
  const refused = await strict.run(["--sandbox"], { env: { PATH } });
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /sandbox: bubblewrap is not installed.*Install it/);
});

Deno.test("with an empty PATH there are the shell and the programs of the system", async () => {
  await using at = await guarded(["echo hi; no-such-program"]);
  const done = await at.run(["-A"], { env: { PATH: "" } });
  assert.match(at.results()[0]!, /hi\\n[^]*not found/);
  if (hasBubblewrap()) assert.doesNotMatch(done.stderr, /sandbox/);
});

Deno.test({
  name: "with hardly any file descriptors ally does its work or says why not",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    await using at = await guarded(["echo hi"]);
    const limit = ["-c", 'ulimit -n 32; exec "$@"', "sh", ...allyCommand(), "-p", "-A", "go"];
    const command = new Deno.Command("sh", {
      args: limit,
      cwd: at.place.dir,
      clearEnv: true,
      env: { ...at.place.env },
    });
    const { code, stdout, stderr } = await command.output();
    const said = new TextDecoder().decode(stderr);
    // How many it takes differs from run to run: either all of it ran, or it is said why not, be it of the command, of
    // the next request, or of a part of ally that had still to be loaded.
    if (code !== 0) return assert.match(said, /Too many open files/);
    assert.match(new TextDecoder().decode(stdout), /ally lives/);
    assert.match(at.results()[0]!, /^hi\n$|Too many open files/);
  },
});

for (
  const [what, body, why] of [
    [
      "may not make one",
      "echo 'bwrap: No permissions to create new namespace' >&2; exit 1",
      /user namespaces/,
    ],
    [
      "is too old",
      "echo 'bwrap: Unknown option --size' >&2; exit 1",
      /too old.*Install bubblewrap 0\.8/,
    ],
    [
      "does not hold",
      `while [ "$1" != -- ]; do shift; done
       script=$(printf %s "$4" | sed 's,/dev/ally,/proc/self/comm,')
       shift 4; exec /bin/sh -c "$script" "$@"`,
      /trial run/,
    ],
  ] as const
) {
  Deno.test(`a bubblewrap that ${what} counts as none, and it says so`, async () => {
    await using at = await guarded(["touch made"]);
    const PATH = await programsOnly(at.place, PROGRAMS);
    await writeProgram(join(PATH, "bwrap"), `#!/bin/sh\n${body}\n`);
    const refused = await at.run(["-A", "--sandbox"], { env: { PATH } });
    assert.equal(refused.code, 2, refused.stderr);
    assert.match(refused.stderr, why);
    assert.equal(await exists(join(at.place.dir, "made")), false);
    const limit = await machineLimit();
    const done = await at.run(["-A"], { env: { PATH } });
    assert.equal(await machineLimit(), limit);
    assert.equal(done.code, 0, done.stderr);
    assert.match(done.stderr, /without a sandbox/);
    assert.equal(await exists(join(at.place.dir, "made")), true);
  });
}

test("--no-sandbox runs commands outside without a word", async () => {
  await using at = await guarded(["touch ~/outside"]);
  const done = await at.run(["-A", "--no-sandbox"]);
  assert.equal(done.code, 0);
  assert.doesNotMatch(done.stderr, /sandbox/);
  assert.equal(await exists(join(at.place.env.HOME!, "outside")), true);
});

test("a part of a list whose directory another one has removed does not run, and says why", async () => {
  await using at = await guarded(["mkdir d; cd d; rmdir ../d; touch ../made; git fetch"], {
    repository: true,
  });
  await at.run(["-A"]);
  assert.match(at.results()[0]!, /ally: not run: its directory is gone, \S+\/d/);
  assert.doesNotMatch(at.results()[0]!, /bwrap|spawn/);
});

test("a closed git knows who the user is, unless the repository says it", async () => {
  await using at = await guarded([
    "git config user.name; git config user.email",
    "git config user.name someone",
    "git config user.name; env | grep -c GIT_CONFIG",
  ], { repository: true });
  await at.git("config", "--unset", "user.name");
  await at.git("config", "--unset", "user.email");
  const settings =
    '[core]\n\tname = x\n[user]\n\tname = "A B" \n\tEmail = a@b.example # mine\n[x]\n';
  await Deno.writeTextFile(join(at.place.env.HOME!, ".gitconfig"), settings);
  await at.run(["-A"]);
  const [own, , local] = at.results();
  assert.equal(own, "A B\na@b.example\n");
  assert.match(local!, /someone/);
});

test("in a workspace reached through a link, each part of a list begins in the workspace", async () => {
  const command = "echo a > new.txt && cat new.txt; git add -A && git commit -q -m new; git log";
  await using at = await guarded([command], { repository: true });
  const link = join(at.place.env.HOME!, "link");
  await Deno.symlink("work", link);
  await at.run(["-A"], { env: { PWD: link } });
  assert.match(at.results()[0]!, /^a\n[^]*\n +new\n/);
});

test("a push to a repository of this disk says that the sandbox keeps that as it is", async () => {
  await using at = await guarded(["git push -q origin main"], { repository: true });
  await at.git("init", "-q", "--bare", "../up.git");
  await at.git("remote", "add", "origin", "../up.git");
  await at.run(["-A"]);
  const { suggestion } = JSON.parse(at.results()[0]!);
  assert.match(
    suggestion,
    /because the sandbox keeps \.\.\/up\.git, a repository of this disk, as it is/,
  );
});
