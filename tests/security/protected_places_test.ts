/**
 * Files that are git's or ally's own by what lies around them, whatever they are called: a bare repository, which git
 * obeys where it comes upon it, and ally's home below the workspace. The file tools change them only where they are named.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type Guarded, guarded, hasBubblewrap } from "../support/sandbox.ts";

const CONFIG = "[core]\n\tbare = false\n\tworktree = ..\n\tfsmonitor = ../evil.sh\n";
const HEAD = "ref: refs/heads/main\n";

const write = (file_path: string, content: string) => ({
  calls: [{ name: "write", arguments: { file_path, content } }],
});

/** What is written one after the other so that `d` would be a repository; `last` is not written. */
const WAYS: Readonly<Record<string, { there?: readonly string[]; writes: readonly string[] }>> = {
  "all of it": { writes: ["d/config", "d/objects/x", "d/refs/x", "d/HEAD"] },
  "all but HEAD in other letters": { writes: ["d/config", "d/objects/x", "d/refs/x", "d/Head"] },
  "what HEAD lacks": { there: ["d/HEAD", "d/config"], writes: ["d/refs/x", "d/objects/x"] },
  "what leads to another": { there: ["d/HEAD"], writes: ["d/commondir"] },
  "the settings of one that is there": {
    there: ["d/HEAD", "d/objects/x", "d/refs/x"],
    writes: ["d/config"],
  },
  "what others share": { writes: ["d/config", "d/objects/x", "d/refs/x"] },
  "the settings of what others share": {
    there: ["d/objects/x", "d/refs/x"],
    writes: ["d/config"],
  },
  "a hook of one that is there": {
    there: ["d/HEAD", "d/objects/x", "d/refs/x"],
    writes: ["d/hooks/pre-commit"],
  },
};

async function plant({ place }: Guarded, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await Deno.mkdir(join(place.dir, path, ".."), { recursive: true });
    await place.write(path, HEAD);
  }
}

for (const [name, { there = [], writes }] of Object.entries(WAYS)) {
  Deno.test(`no file tool makes a repository that is obeyed: ${name}`, async () => {
    const last = writes.at(-1)!;
    for (const flags of [["--allow-write"], ["-A"], ["--allow-write=."]]) {
      await using at = await guarded(
        writes.map((path) => write(path, path.endsWith("config") ? CONFIG : HEAD)),
      );
      await plant(at, there);
      const { code } = await at.run(flags);
      assert.equal(code, 3, flags.join());
      assert.match(at.results().at(-1)!, /protected place, a repository for git: d\//);
      await assert.rejects(Deno.lstat(join(at.place.dir, last)), Deno.errors.NotFound);
    }
    await using named = await guarded([write(last, HEAD)]);
    await plant(named, there);
    const { code } = await named.run([`--allow-write=${last}`]);
    assert.equal(code, 0);
    assert.equal(await named.place.read(last), HEAD);
  });
}

Deno.test("a flag for the whole workspace names nothing of a repository's, one in it does", async () => {
  const path = ".git/hooks/pre-commit";
  for (const [flag, code] of [["--allow-write=.", 3], ["--allow-write=.git", 0]] as const) {
    await using at = await guarded([write(path, "")], { repository: true });
    assert.equal((await at.run([flag])).code, code, flag);
  }
});

Deno.test("no file tool changes ally's home, wherever it lies and whatever it is called", async () => {
  for (const flags of [["--allow-write"], ["-A"]]) {
    await using at = await guarded([write("cache/ally/permissions.json", "{}")]);
    const env = { ALLY_HOME: join(at.place.dir, "cache", "ally") };
    const { code } = await at.run(flags, { env });
    assert.equal(code, 3);
    assert.match(at.results()[0]!, /protected place, ally's own files: cache\/ally\/permissions/);
  }
});

Deno.test("a plugin is worked on where it lies in ally's home, if ally was begun in it", async () => {
  await using at = await guarded([write("mod.ts", "x")]);
  const { code } = await at.run(["-A"], { env: { ALLY_HOME: join(at.place.dir, "..") } });
  assert.equal(code, 0);
  assert.equal(await at.place.read("mod.ts"), "x");
});

Deno.test({
  name: "commands are held where ally's home is named by way of a link",
  ignore: !hasBubblewrap(),
  async fn() {
    for (const isHome of [true, false]) {
      await using at = await guarded(["cat ~/.ssh/id_rsa; echo ran"]);
      const home = at.place.env.HOME!;
      const data = join(home, "data");
      await Deno.mkdir(join(data, ".ssh"), { recursive: true });
      await Deno.mkdir(join(home, ".ssh"));
      for (const place of [home, data]) {
        await Deno.writeTextFile(join(place, ".ssh/id_rsa"), "plover");
      }
      await Deno.symlink(data, join(home, "linked"));
      const named = join(home, "linked");
      const [name, value] = isHome ? ["HOME", named] : ["ALLY_HOME", join(named, "ally")];
      const { stderr } = await at.run(["-A"], { env: { [name!]: value! } });
      assert.doesNotMatch(stderr, /without a sandbox/);
      assert.match(at.results()[0]!, /ran/);
      assert.doesNotMatch(at.results()[0]!, /plover/);
    }
  },
});

Deno.test("ally's home is its own by whatever link it is named", async () => {
  const read = { calls: [{ name: "read", arguments: { file_paths: ["real/st/notes"] } }] };
  for (const link of ["lk", "../lk"]) {
    await using at = await guarded([read, write("real/st/permissions.json", "{}")]);
    await plant(at, ["real/st/notes"]);
    await Deno.symlink(join(at.place.dir, "real/st"), join(at.place.dir, link));
    const env = { ALLY_HOME: join(at.place.dir, link) };
    const { code } = await at.run(["--allow-write"], { env });
    assert.equal(code, 3);
    const [shown, written] = at.results();
    assert.match(shown!, /Permission denied: reads secrets \(ally's own files\)/);
    assert.match(written!, /protected place, ally's own files/);
  }
});

Deno.test({
  name: "a session that can keep nothing in ally's home has its sandbox all the same",
  ignore: !hasBubblewrap(),
  async fn() {
    await using at = await guarded(["touch ../outside; echo $? > made"]);
    await Deno.writeTextFile(join(at.place.dir, "home"), "");
    const env = { ALLY_HOME: join(at.place.dir, "home") };
    const { stderr } = await at.run(["-A"], { env });
    assert.match(stderr, /Cannot keep anything in/);
    assert.equal(await at.place.read("made"), "1\n");
    await assert.rejects(Deno.lstat(join(at.place.dir, "..", "outside")), Deno.errors.NotFound);
  },
});

Deno.test("no file tool changes keys or settings of the user's where the workspace holds their home", async () => {
  const paths = [".ssh/authorized_keys", ".bashrc", ".config/git/config", ".gitconfig"];
  for (const flags of [["--allow-write"], ["-A"]]) {
    await using at = await guarded([...paths, "notes/a"].map((path) => write(path, "x\n")));
    await Deno.mkdir(join(at.place.dir, ".ssh"));
    const { code } = await at.run(flags, { env: { HOME: at.place.dir } });
    assert.equal(code, 3);
    for (const told of at.results().slice(0, -1)) {
      assert.match(told, /protected place, your keys, or settings/);
    }
    assert.equal(await at.place.read("notes/a"), "x\n");
  }
});

Deno.test({
  name:
    "no command changes what shells and git obey of the user's where the workspace holds their home",
  ignore: !hasBubblewrap(),
  async fn() {
    const settings = [".gitconfig", ".bashrc", ".config/git/config"];
    await using at = await guarded([
      `for x in ${settings.join(" ")} notes; do echo evil >> $x; done`,
    ]);
    await plant(at, settings);
    await at.run(["-A"], { env: { HOME: at.place.dir } });
    for (const path of settings) assert.equal(await at.place.read(path), HEAD);
    assert.equal(await at.place.read("notes"), "evil\n");
  },
});

const grep = (pattern: string) => ({ calls: [{ name: "grep", arguments: { pattern } }] });

for (
  const [name, own, home] of [
    ["the user's home", ".ally", "."],
    ["a directory with the user's home", "h/.ally", "h"],
    ["a project that holds ally's home", "cache/ally", "../home"],
  ] as const
) {
  Deno.test({
    name: `no command and no search sees ally's own files where the workspace is ${name}`,
    ignore: !hasBubblewrap(),
    async fn() {
      for (const flags of [[], ["--allow-run"], ["-A"]]) {
        const commands = ["grep -rh plover .", "ls -R", "awk '1' */*/* .*/*/* </dev/null"];
        await using at = await guarded([...commands, grep("plover"), "cat seen.txt"]);
        const { dir } = at.place;
        await plant(at, [`${own}/auth/key`]);
        await at.place.write(`${own}/auth/key`, "plover\n");
        await at.place.write("seen.txt", "seen plo+er\n");
        const env = { ALLY_HOME: join(dir, own), HOME: join(dir, home) };
        await Deno.mkdir(env.HOME, { recursive: true });
        await at.run(flags, { env });
        assert.equal(at.results().length, 5);
        assert.doesNotMatch(at.results().join("\n"), /^plover|auth\/key.*\n.*plover/m);
        assert.match(at.results().at(-1)!, /seen plo\+er/);
      }
    },
  });
}
