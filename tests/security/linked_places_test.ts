/**
 * A link of the workspace decides nothing of what commands see or write elsewhere: not one that stands where git's or
 * ally's own files are looked for, nor one that a rule names.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { runAlly, stage } from "../support/program.ts";
import { guarded, hasBubblewrap } from "../support/sandbox.ts";

const KEY = "the word is plover";
/** What shows or changes something that is the user's; `~` is their home, the parent of the workspace. */
const READ = "cat ~/.ssh/id_rsa .ally/id_rsa .git/id_rsa notes/id_rsa x/.git/id_rsa; echo looked";
const WRITE = "git -c alias.x='!echo evil >> ~/.bashrc; echo evil > ~/.ssh/authorized_keys; " +
  "echo evil > ~/proj2/Makefile; echo tried' x";

/** How a link comes there, by the disk or by a command, and what runs then. */
const LINKS: readonly {
  readonly link?: readonly [name: string, target: string];
  readonly commands: readonly string[];
  readonly flags?: readonly string[];
  readonly home?: "workspace";
}[] = [
  ...[".ally", ".git", "x/.git"].flatMap((name) =>
    ["../.ssh", "..", "/", "../proj2"].flatMap((target) =>
      [READ, WRITE].map((command) => ({
        link: [name, name.includes("/") ? `../${target}` : target] as const,
        commands: [command],
      }))
    )
  ),
  {
    link: ["notes", "../.ssh"],
    commands: ["cat ~/.s*/id_r* n*s/id_r*; echo looked"],
    flags: ["-A", "--deny-write=notes"],
  },
  ...[".ally", ".git"].flatMap((name) => [
    { commands: [`ln -s ~/.ssh ${name}`, READ] },
    { commands: [`git -c alias.x='!ln -s ~ ${name}' x`, WRITE, READ] },
    { commands: [`git init -q; git -c alias.x='!rm -rf .git; ln -s ~ ${name}' x`, WRITE, READ] },
    { commands: ["cat * .a*/* .g*/*; echo looked"], link: [name, "../.ssh"] as const, flags: [] },
  ]),
  { commands: ["ln -s .ssh/id_rsa .zshenv; ln -s .ssh .config", READ], home: "workspace" },
];

for (const { link, commands, flags = ["-A"], home } of LINKS) {
  Deno.test({
    name: `no link shows or opens what is the user's: ${link?.join(" -> ") ?? ""} ${
      commands.join(" | ")
    } ${home ?? ""}`,
    ignore: !hasBubblewrap(),
    async fn() {
      await using at = await guarded(commands);
      const user = home === "workspace" ? at.place.dir : at.place.env.HOME!;
      await Deno.mkdir(join(user, ".ssh"));
      await Deno.mkdir(join(user, "proj2"));
      await Deno.writeTextFile(join(user, ".ssh/id_rsa"), `${KEY}\n`);
      await Deno.writeTextFile(join(user, ".bashrc"), "as it was\n");
      await Deno.writeTextFile(join(user, "proj2/Makefile"), "as it was\n");
      if (link?.[0].includes("/")) await Deno.mkdir(join(at.place.dir, "x"));
      if (link) await Deno.symlink(link[1], join(at.place.dir, link[0]));
      await at.run(flags, home && { env: { HOME: user } });
      const results = at.results();
      assert.equal(results.length, commands.length);
      assert.doesNotMatch(results.join("\n"), /plover/);
      assert.match(results.at(-1)!, /looked|tried/);
      assert.equal(await Deno.readTextFile(join(user, ".bashrc")), "as it was\n");
      assert.equal(await Deno.readTextFile(join(user, "proj2/Makefile")), "as it was\n");
      assert.deepEqual([...Deno.readDirSync(join(user, ".ssh"))].map(({ name }) => name), [
        "id_rsa",
      ]);
    },
  });
}

Deno.test({
  name:
    "a link that git does not make is set aside, and a repository by a link within its tree is worked in",
  ignore: !hasBubblewrap(),
  async fn() {
    await using at = await guarded(["git -c alias.x='!ln -s ~ .git' x"]);
    await at.run(["-A"]);
    const aside = join(at.place.dir, ".git-set-aside");
    assert(at.results()[0]!.includes(aside), at.results()[0]);
    // It leads above the caches, where nobody looks for repositories.
    assert.match(at.results()[0]!, /are removed: \S+\.git-set-aside to /);
    for (const path of [aside, join(at.place.dir, ".git")]) await assert.rejects(Deno.lstat(path));

    await using other = await guarded(["git commit -qam second && git log --format=%s"], {
      repository: true,
      files: { "a.txt": "one\n" },
    });
    const { dir } = other.place;
    await Deno.rename(join(dir, ".git"), join(dir, "repository"));
    await Deno.symlink("repository", join(dir, ".git"));
    await other.place.write("a.txt", "two\n");
    await other.run(["-A"]);
    assert.match(other.results()[0]!, /second\nfirst/);
  },
});

Deno.test({
  name: "a variable that names a link of the workspace as a directory of tools shows nothing",
  ignore: !hasBubblewrap(),
  async fn() {
    for (const target of ["../.gnupg/priv", "../.gnupg", "../Documents", ".."]) {
      for (const name of ["CONDA_PREFIX", "JAVA_HOME", "POETRY_HOME"]) {
        await using at = await guarded(["grep -R plover . ../.gnupg ../Documents; echo looked"]);
        const home = at.place.env.HOME!;
        for (const directory of [".gnupg/priv/venv", "Documents/venv"]) {
          await Deno.mkdir(join(home, directory), { recursive: true });
          await Deno.writeTextFile(join(home, directory, "x"), `${KEY}\n`);
        }
        await Deno.symlink(target, join(at.place.dir, "env"));
        await at.run([], { env: { [name]: join(at.place.dir, "env") } });
        assert.match(at.results()[0]!, /looked/);
        assert.doesNotMatch(at.results()[0]!, /the word is plover/, `${name} ${target}`);
      }
    }
  },
});

Deno.test({
  name: "what is denied above the workspace is denied in it",
  ignore: !hasBubblewrap(),
  async fn() {
    const write =
      'python3 -c \'open("b.txt","a").write("evil")\'; echo evil > .git/hooks/x; echo tried';
    for (
      const [flags, command] of [
        [["-A", "--deny-write=.."], write],
        [["-A", "--deny-write=/"], write],
        [["-A", "--deny-write=/tmp"], write],
        [["-A", "--deny-read=.."], "cat b*; echo tried"],
        [["--deny-read=.."], "cat b*; echo tried"],
      ] as const
    ) {
      await using at = await guarded([command], {
        repository: true,
        files: { "b.txt": `${KEY}\n` },
      });
      await at.run(flags);
      assert.match(at.results()[0]!, /tried/, at.results()[0]);
      if (flags.some((flag) => flag.startsWith("--deny-read"))) {
        assert.doesNotMatch(at.results()[0]!, /plover/);
      }
      assert.equal(await at.place.read("b.txt"), `${KEY}\n`);
      await assert.rejects(Deno.lstat(join(at.place.dir, ".git/hooks/x")));
    }
  },
});

Deno.test({
  name: "what is denied is denied by all the names that it has in the workspace",
  ignore: !hasBubblewrap(),
  async fn() {
    const read = { calls: [{ name: "read", arguments: { file_paths: ["node/x.txt"] } }] };
    const found = { calls: [{ name: "grep", arguments: { pattern: "plover", path: "node" } }] };
    await using at = await guarded([
      "cat node/x.txt new/x.txt; mv node new",
      "cat new/x.txt; mv new node; echo tried",
      read,
      found,
      "echo evil > node/same.txt; echo evil > node/other.txt; echo tried",
    ], {
      files: {
        "secret/deep/s.txt": `${KEY}\n`,
        "keep/kept.txt": "as it was\n",
        "node/other.txt": "as it was\n",
      },
    });
    const here = (path: string) => join(at.place.dir, path);
    await Deno.link(here("secret/deep/s.txt"), here("node/x.txt"));
    await Deno.link(here("keep/kept.txt"), here("node/same.txt"));
    const denials = ["--deny-read=secret", "--deny-write=keep"];
    const twice = ["--deny-read=secret/deep", "--deny-write=keep/kept.txt"];
    await at.run(["-A", ...denials, ...twice]);
    assert.doesNotMatch(at.results().join("\n"), /the word is/);
    assert.match(at.results()[1]!, /tried/);
    assert.match(at.results()[2]!, /forbids reading/);
    assert.equal(await at.place.read("keep/kept.txt"), "as it was\n");
    assert.equal(await at.place.read("node/other.txt"), "evil\n");
  },
});

Deno.test({
  name: "a denied file is denied by a name that it gets while ally runs",
  ignore: !hasBubblewrap(),
  async fn() {
    const cat = { calls: [{ name: "bash", arguments: { command: "cat other.txt; echo tried" } }] };
    const read = { calls: [{ name: "read", arguments: { file_path: "other.txt" } }] };
    const files = { "secret/s.txt": `${KEY}\n`, "a.txt": "" };
    await using at = await stage([
      { calls: [{ name: "read", arguments: { file_path: "a.txt" } }] },
      cat,
      () => {
        Deno.linkSync(join(at.place.dir, "secret/s.txt"), join(at.place.dir, "other.txt"));
        return cat;
      },
      read,
      { text: "Done." },
    ], files);
    await runAlly(at.place, { args: ["-A", "--deny-read=secret", "-p", "go"] });
    const said = JSON.stringify(at.server.requests.at(-1)!.body.messages);
    assert.equal(said.match(/tried/g)?.length, 4);
    assert.match(said, /forbids reading other/);
    assert.doesNotMatch(said, /the word is/);
  },
});

Deno.test({
  name: "a denial of writing shows nothing of the machine's temporary files",
  ignore: !hasBubblewrap(),
  async fn() {
    const shared = await Deno.makeTempDir({ dir: "/tmp", prefix: "ally-shared-" });
    try {
      await Deno.writeTextFile(join(shared, "x"), KEY);
      for (const path of ["/tmp", shared]) {
        await using at = await guarded([`cat /tmp/ally-sh*/x; echo looked`]);
        await at.run(["-A", `--deny-write=${path}`]);
        assert.match(at.results()[0]!, /looked/);
        assert.doesNotMatch(at.results()[0]!, /plover/);
      }
    } finally {
      await Deno.remove(shared, { recursive: true });
    }
  },
});

Deno.test({
  name: "a key is hidden where a link in its place leads, if that is no file of the workspace",
  ignore: !hasBubblewrap(),
  async fn() {
    await using at = await guarded([
      "cat ~/dot*/cred* ~/dot*/id_*; cat mine; echo looked",
      { calls: [{ name: "read", arguments: { file_paths: ["../dotfiles/credentials"] } }] },
    ], { files: { mine: "the workspace's own\n" } });
    const home = at.place.env.HOME!;
    for (const name of [".aws", ".ssh", "dotfiles"]) await Deno.mkdir(join(home, name));
    for (
      const [link, file] of [[".aws/credentials", "credentials"], [".ssh/id_ed25519", "id_mine"]]
    ) {
      await Deno.writeTextFile(join(home, "dotfiles", file!), `${KEY}\n`);
      await Deno.symlink(`../dotfiles/${file}`, join(home, link!));
    }
    await Deno.symlink("../work/mine", join(home, ".ssh/mine"));
    await at.run(["-A", "--allow-read"]);
    const [shown, read] = at.results();
    assert.match(shown!, /the workspace's own\nlooked/);
    assert.doesNotMatch(shown!, /plover/);
    assert.match(read!, /reads secrets/);
  },
});
