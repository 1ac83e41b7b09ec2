import assert from "node:assert/strict";
import { join } from "node:path";
import { UsageError } from "../../src/core/errors.ts";
import { allyPaths } from "../../src/store/paths.ts";
import { requireOwnFiles } from "../../src/store/private_files.ts";
import { SessionStore } from "../../src/store/sessions.ts";
import { allyCommand, makePlace, runAllyProcess } from "../support/program.ts";
import { guarded, hasBubblewrap } from "../support/sandbox.ts";
import { walkFiles } from "../support/source_tree.ts";

const ignore = Deno.build.os === "windows";

async function makeHome(): Promise<{ root: string; home: string }> {
  const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "ally-own-" }));
  const home = join(root, "home");
  await Deno.mkdir(join(home, "projects"), { recursive: true });
  await Deno.writeTextFile(join(home, "config.json"), "{}");
  return { root, home };
}

Deno.test({
  name: "what is another user's in ally's home is not used, links to it neither",
  ignore,
  async fn() {
    const { root, home } = await makeHome();
    const paths = allyPaths(root, new Map([["ALLY_HOME", home]]));
    const me = (await Deno.lstat(home)).uid!;
    const somebody = me + 1;
    requireOwnFiles(paths, me);
    // Root takes what is there.
    requireOwnFiles(paths, 0);
    if (me !== 0) assert.throws(() => requireOwnFiles(paths, somebody), UsageError);
    // Only root can give a file away.
    else {
      for (const name of ["config.json", "projects", "."]) {
        await Deno.chown(join(home, name), 4242, 4242);
        assert.throws(() => requireOwnFiles(paths, somebody), /belongs to another user \(4242\)/);
        await Deno.chown(join(home, name), 0, 0);
      }
      await Deno.writeTextFile(join(root, "theirs"), "{}");
      await Deno.chown(join(root, "theirs"), 4242, 4242);
      await Deno.symlink(join(root, "theirs"), join(home, "mcp.json"));
      assert.throws(
        () => requireOwnFiles(paths, somebody),
        /mcp\.json: it belongs to another user/,
      );
    }
    await Deno.remove(root, { recursive: true });
  },
});

Deno.test({
  name: "root has the sandbox where a part of ally's home belongs to another user",
  ignore: ignore || !hasBubblewrap() || Deno.uid() !== 0,
  async fn() {
    for (const theirs of ["home", "home/projects"]) {
      const long = "seq 100000; touch ../outside; echo $? > made";
      const again = "touch ../outside; echo $? >> made";
      await using at = await guarded([long, again, { text: "Once." }, long, again]);
      const directory = join(at.place.home, "..", theirs);
      await Deno.mkdir(directory, { recursive: true });
      await Deno.chown(directory, 4242, 4242);
      for (const run of [1, 2]) {
        const { stderr } = await at.run(["-A"]);
        assert.doesNotMatch(stderr, /without a sandbox|cannot make/, `run ${run}`);
      }
      assert.equal(await at.place.read("made"), "1\n1\n");
      const sessions = join(at.place.home, "projects");
      assert.ok(walkFiles(sessions, ["."]).some((path) => path.endsWith(".jsonl")));
    }
  },
});

for (const [what, target] of [["a file", "notes.txt"], ["nothing", "planted.txt"]] as const) {
  Deno.test({
    name: `a session is not saved through a link to ${what}`,
    ignore,
    async fn() {
      const { root } = await makeHome();
      await Deno.writeTextFile(join(root, "notes.txt"), "notes\n");
      const store = new SessionStore({ directory: root });
      const problems: string[] = [];
      const session = store.create({ cwd: root, onError: (message) => problems.push(message) });
      await Deno.symlink(join(root, target), join(root, `${session.header.id}.jsonl`));
      await session.append({ role: "user", content: "hello" });
      session.close();
      assert.match(problems.join(), /Cannot save the session/);
      const names = Array.from(Deno.readDirSync(root), ({ name }) => name);
      assert.ok(!names.includes("planted.txt"));
      assert.equal(await Deno.readTextFile(join(root, "notes.txt")), "notes\n");
      await Deno.remove(root, { recursive: true });
    },
  });
}

Deno.test({
  name: "no command that reaches servers or starts programs uses another user's settings",
  ignore: ignore || !hasBubblewrap() || Deno.uid() !== 0,
  async fn() {
    await using place = await makePlace();
    await Deno.mkdir(place.home, { recursive: true });
    await Deno.writeTextFile(join(place.home, "config.json"), "{}");
    await Deno.chown(join(place.home, "config.json"), 4242, 4242);
    const user = ["bwrap", "--dev-bind", "/", "/", "--unshare-user", "--uid", "1000"];
    for (const args of [["doctor"], ["mcp", "list"], ["init"], ["-p", "go"]]) {
      const program = [...user, ...allyCommand()];
      const { code, stderr } = await runAllyProcess(place, { program, args });
      assert.equal(code, 2, args.join(" "));
      assert.match(stderr, /config\.json: it belongs to another user/, args.join(" "));
    }
  },
});
