/**
 * Sockets of the machine, tried from within: those that somebody listens at are not to be reached from any profile
 * without a need for them, wherever they lie and whether they have a file or not.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { standAlone } from "../../src/lib/process.ts";
import { SHAPES, type Stage, stageSandbox } from "../support/confined.ts";
import { hasBubblewrap, hasSocketScope } from "../support/sandbox.ts";
import { until } from "../support/wait.ts";

const PERL = "/usr/bin/perl";

function hasPerl(): boolean {
  try {
    return Deno.statSync(PERL).isFile;
  } catch {
    return false;
  }
}

const ignore = !hasBubblewrap() || !hasPerl();
const isScoped = hasSocketScope();

function test(name: string, fn: () => Promise<void>) {
  Deno.test({ name, fn, ignore });
}

/** Prints `REACHED n` for each socket that it can connect to; `@` stands for a name without a file. */
function attempt(paths: readonly string[]): string {
  const script = "use Socket; my $n = 0; for my $name (@ARGV) { $name =~ s/^@/\\0/;" +
    " socket(my $s, PF_UNIX, SOCK_STREAM, 0) or next;" +
    ' print "REACHED $n\\n" if connect($s, pack_sockaddr_un($name)); $n++ }; print "tried\\n";';
  return `${PERL} -e '${script}' ${paths.map((path) => `'${path}'`).join(" ")}`;
}

/** A process that listens at a name without a file. */
async function listenAbstract(name: string): Promise<AsyncDisposable> {
  const script = "use Socket; $| = 1; socket(my $s, PF_UNIX, SOCK_STREAM, 0); " +
    'bind($s, pack_sockaddr_un("\\0$ARGV[0]")) && listen($s, 9) && print "ready"; sleep 60';
  const child = new Deno.Command(PERL, { args: ["-e", script, name], stdout: "piped" }).spawn();
  const reader = child.stdout.getReader();
  await reader.read();
  return {
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await reader.cancel();
      await child.status;
    },
  };
}

/** Listens at each path, whose directories are made. */
async function listenAt(at: Stage, paths: readonly string[]): Promise<Disposable> {
  const listeners: Deno.Listener[] = [];
  for (const path of paths) {
    await at.write(`${path}.made`);
    listeners.push(Deno.listen({ transport: "unix", path }));
  }
  return { [Symbol.dispose]: () => listeners.forEach((one) => one.close()) };
}

/** A process that listens at paths: the first bound by a relative name, the others under other names. */
async function listenUnnamed(at: Stage, paths: readonly string[]): Promise<AsyncDisposable> {
  for (const path of paths) await at.write(`${path}.made`);
  const script = "use Socket; use File::Basename; $| = 1; my @all; for my $path (@ARGV) { " +
    "socket(my $s, PF_UNIX, SOCK_STREAM, 0); push @all, $s; chdir dirname($path); " +
    "my $name = @all == 1 ? basename($path) : @all == 4 ? qq($path.x7) : q(x7); " +
    "bind($s, pack_sockaddr_un($name)); listen($s, 9); " +
    "if (@all > 1) { link($name, $path); unlink($name) } } print 'ready'; sleep 60";
  const child = new Deno.Command(PERL, { args: ["-e", script, ...paths], stdout: "piped" }).spawn();
  const reader = child.stdout.getReader();
  await reader.read();
  return {
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await reader.cancel();
      await child.status;
    },
  };
}

for (const [name, policy] of Object.entries(SHAPES)) {
  test(`in the ${name} profile no socket of the machine is reached`, async () => {
    await using at = await stageSandbox();
    const temporary = await Deno.makeTempDir({ prefix: "ally-sockets-" });
    try {
      const paths = [
        join(temporary, "s"),
        join(at.root, "tmp/in the workspace"),
        join(at.home, ".docker/desktop/docker.sock"),
        join(at.home, ".colima/default/docker.sock"),
        join(at.home, ".config/agent.sock"),
        join(at.home, "agent.sock"),
        join(at.home, ".cargo/bin/s"),
      ];
      using _ = await listenAt(at, paths);
      const { output } = await at.run(policy, attempt(paths));
      assert.equal(output, "tried\n");
    } finally {
      await Deno.remove(temporary, { recursive: true });
    }
  });
  test(`in the ${name} profile no socket is reached that was made below a link`, async () => {
    await using at = await stageSandbox();
    await at.write("disk/cache/daemon/other");
    await Deno.symlink(join(at.home, "disk/cache"), join(at.home, ".cache"));
    const listed = join(at.home, ".cache/daemon/s");
    using _ = await listenAt(at, [listed]);
    const real = join(at.home, "disk/cache/daemon/s");
    const { output } = await at.run(policy, attempt([listed, real]));
    assert.equal(output, "tried\n");
  });
  test(`in the ${name} profile no socket is reached whose name the system does not tell`, async () => {
    await using at = await stageSandbox();
    await at.write("project/a/.git/HEAD", "ref: refs/heads/main\n");
    const [relative, renamed, elsewhere] = ["a/.git/annex/ssh/relative", "a/renamed", "b/linked"]
      .map((path) => join(at.root, path));
    const outside = join(at.home, ".config/control");
    await using _ = await listenUnnamed(at, [relative!, renamed!, elsewhere!, outside]);
    const paths = [relative!, renamed!, elsewhere!, outside];
    const { output } = await at.run(policy, attempt(paths));
    assert.equal(output, "tried\n");
  });
  Deno.test({
    name: `in the ${name} profile no socket without a file is reached`,
    ignore: ignore || name === "network" && !isScoped,
    async fn() {
      await using at = await stageSandbox();
      const abstract = `ally-test-${crypto.randomUUID()}`;
      await using _ = await listenAbstract(abstract);
      const { output } = await at.run(policy, attempt([`@${abstract}`]));
      assert.equal(output, "tried\n");
    },
  });
}

test("that sockets without a file are reached is told, and only where the kernel cannot prevent it", async () => {
  await using at = await stageSandbox();
  const { gaps = [] } = await at.sandbox.status();
  assert.equal(gaps.some((gap) => gap.includes("a name without a file")), !isScoped);
});

test("a command that is to have services reaches them, one with keys the user's agent", async () => {
  await using at = await stageSandbox({ env: (home) => ({ SSH_AUTH_SOCK: `${home}/run/agent` }) });
  const paths = [join(at.home, "run/agent"), join(at.home, ".gnupg/S"), join(at.home, ".x/s")];
  using _ = await listenAt(at, paths);
  const all = await at.run({ write: true, needs: ["services", "keys"] }, attempt(paths));
  assert.equal(all.output, "REACHED 0\nREACHED 1\nREACHED 2\ntried\n");
  const keys = await at.run(
    { write: true, needs: ["keys", "network"] },
    `${attempt(paths)}; echo $SSH_AUTH_SOCK`,
  );
  assert.equal(keys.output, `REACHED 0\nREACHED 1\ntried\n${paths[0]}\n`);
  const none = await at.run(SHAPES.workspace, `${attempt(paths)}; echo $SSH_AUTH_SOCK`);
  assert.equal(none.output, "tried\n\n");
});

test("a directory that serves a socket alone is hidden with it, one with other files is not", async () => {
  await using at = await stageSandbox();
  await at.write(".config/settings", "shown");
  await at.write(".service/other", "HUSH");
  using _ = await listenAt(at, [join(at.home, ".config/s"), join(at.home, ".service/s")]);
  const { output } = await at.run(SHAPES.workspace, "cat ~/.config/settings; ls -A ~/.service");
  assert.equal(output, "shown");
});

test("where container engines and editors listen is hidden before they do", async () => {
  await using at = await stageSandbox();
  const places = [".colima/default", ".lima/vm", ".rd", ".docker/run", ".emacs.d/server"];
  for (const place of places) await at.write(`${place}/there`, "HUSH");
  const list = `cd; ls -A ${places.join(" ")} 2>/dev/null; true`;
  for (const policy of [SHAPES.workspace, SHAPES.network]) {
    assert.doesNotMatch((await at.run(policy, list)).output, /there/);
  }
  const { output } = await at.run({ write: true, needs: ["services"] }, list);
  assert.equal(output.match(/there/g)?.length, places.length);
});

test("in its own sandbox a command listens and connects, also without a file", async () => {
  await using at = await stageSandbox();
  const own = `use Socket; for my $name ("s", "\\0own") {
    socket(my $l, PF_UNIX, SOCK_STREAM, 0); bind($l, pack_sockaddr_un($name)); listen($l, 1);
    socket(my $s, PF_UNIX, SOCK_STREAM, 0);
    print connect($s, pack_sockaddr_un($name)) ? "yes\\n" : "no: $!\\n" }`;
  for (const policy of [SHAPES.workspace, SHAPES.network]) {
    const { output } = await at.run(policy, `rm -f s; ${PERL} -e '${own}'`);
    assert.equal(output, "yes\nyes\n");
  }
});

test("a socket that a command makes in the workspace is reached by the next one, and one that nobody serves may be made anew", async () => {
  await using at = await stageSandbox();
  const listen = "use Socket; socket(my $l, PF_UNIX, SOCK_STREAM, 0); " +
    'unlink "s"; bind($l, pack_sockaddr_un("s")) or print "no: $!\\n"; listen($l, 9); $| = 1; ' +
    'print "ready\\n"; sleep 60';
  // What a program left that has ended.
  const left =
    `use Socket; socket(my $l, PF_UNIX, SOCK_STREAM, 0); bind($l, pack_sockaddr_un("s"))`;
  await new Deno.Command(PERL, { args: ["-e", left], cwd: at.root }).output();
  // Another one in the same second may be the same for all that the system tells.
  const { ctime } = await Deno.lstat(join(at.root, "s"));
  await until("the next second", () => Date.now() > ctime!.getTime() + 1100);
  await at.run(SHAPES.workspace, "true");
  const policy = { ...SHAPES.workspace, sandboxRequired: true };
  const server = (await at.sandbox.confine([PERL, "-e", listen], { policy, cwd: at.root }))!;
  const [program, ...args] = standAlone(server);
  const child = new Deno.Command(program, { args, stdout: "piped", clearEnv: true, env: at.env })
    .spawn();
  const reader = child.stdout.getReader();
  assert.equal(new TextDecoder().decode((await reader.read()).value), "ready\n");
  for (const shape of Object.values(SHAPES)) {
    assert.equal((await at.run(shape, attempt(["s"]))).output, "REACHED 0\ntried\n");
  }
  child.kill("SIGKILL");
  await reader.cancel();
  await child.status;
  await server.finish();
});

test("a socket that is bound before a command, and listened at after it, is not reached", async () => {
  await using at = await stageSandbox();
  const script = "use Socket; socket(my $l, PF_UNIX, SOCK_STREAM, 0); " +
    'bind($l, pack_sockaddr_un("s")); $| = 1; print "bound\n"; <STDIN>; listen($l, 9); ' +
    'print "listens\n"; <STDIN>';
  await using server = new Deno.Command(PERL, {
    args: ["-e", script],
    cwd: at.root,
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const [reader, writer] = [server.stdout.getReader(), server.stdin.getWriter()];
  const said = async () => new TextDecoder().decode((await reader.read()).value);
  assert.equal(await said(), "bound\n");
  for (const shape of Object.values(SHAPES)) {
    assert.equal((await at.run(shape, attempt(["s"]))).output, "tried\n");
  }
  await writer.write(new TextEncoder().encode("\n"));
  assert.equal(await said(), "listens\n");
  for (const shape of Object.values(SHAPES)) {
    assert.equal((await at.run(shape, attempt(["s"]))).output, "tried\n");
  }
  await writer.close();
  await reader.cancel();
});

test("the calls that lead out are refused in every profile", async () => {
  await using at = await stageSandbox();
  const calls = {
    x86_64: { keyctl: 250, io_uring: 425, bpf: 321, socket: 41 },
    aarch64: { keyctl: 219, io_uring: 425, bpf: 280, socket: 198 },
  }[Deno.build.arch as "x86_64" | "aarch64"];
  const script = `for my $call ([${calls.keyctl}, 0, -3, 1], [${calls.io_uring}, 1, 0], ` +
    `[${calls.bpf}, 0, 0, 0], [${calls.socket}, 40, 1, 0]) { ` +
    `my $r = syscall(shift @$call, @$call); print $r < 0 ? $! + 0 : "DONE", " " }`;
  for (const policy of Object.values(SHAPES)) {
    const { output } = await at.run(policy, `${PERL} -e '${script}'`);
    assert.equal(output, "1 38 1 97 ");
  }
});
