import assert from "node:assert/strict";
import { join } from "node:path";
import { pluginStage, SECRET } from "../support/plugin_stage.ts";
import { hasBubblewrap } from "../support/sandbox.ts";

const WAYS = ["sandbox", "permissions", "standalone"] as const;

for (const way of WAYS) {
  const ignore = way === "sandbox" && !hasBubblewrap();

  Deno.test(
    `a plugin gets what its manifest names, and no more of it (${way})`,
    { ignore },
    async () => {
      await using at = await pluginStage({ way });
      const server = Deno.serve(
        { hostname: "127.0.0.1", port: 0, onListen: () => {} },
        () => new Response("served"),
      );
      const other = Deno.serve(
        { hostname: "127.0.0.1", port: 0, onListen: () => {} },
        () => new Response("GOT IT"),
      );
      try {
        const plugin = await at.plugin({
          permissions: {
            read: ["."],
            write: ["./out", "${plugin}/data"],
            net: [`127.0.0.1:${server.addr.port}`],
            env: ["ALLOWED"],
          },
          effects: ["read", "write", "net"],
          modules: {
            read:
              `export default (_, { workspace }) => Deno.readTextFileSync(workspace + "/notes.txt").length;`,
            write: `export default (_, { workspace, plugin }) => {
            Deno.mkdirSync(workspace + "/out", { recursive: true });
            Deno.writeTextFileSync(workspace + "/out/a.txt", "a"); Deno.writeTextFileSync(plugin + "/data/b.txt", "b"); return 1;
          };`,
            net:
              `export default async () => (await fetch("http://127.0.0.1:${server.addr.port}/")).text();`,
            env: `export default () => Deno.env.get("ALLOWED");`,
            elsewhere:
              `export default (_, { workspace }) => Deno.writeTextFileSync(workspace + "/b.txt", "b");`,
            other:
              `export default async () => (await fetch("http://127.0.0.1:${other.addr.port}/")).text();`,
            key: `export default () => Deno.env.get("OPENAI_API_KEY");`,
            outside: `export default () => Deno.readTextFileSync("${at.outside}/secret.json");`,
          },
        });
        await Deno.mkdir(join(at.workspace, "out"));
        const value = async (name: string) => {
          const { result, text } = await at.call(plugin, name);
          assert.ok(result?.ok, `${name}: ${text}`);
          return Object.values(result.data)[0];
        };
        assert.equal(await value("read"), SECRET.length + 1);
        assert.equal(await value("write"), 1);
        assert.equal(await Deno.readTextFile(join(at.workspace, "out/a.txt")), "a");
        assert.equal(await value("net"), "served");
        assert.equal(await value("env"), "seen");
        for (const name of ["elsewhere", "other", "key", "outside"]) {
          const { error, text } = await at.call(plugin, name);
          assert.ok(error, `${name}: ${text}`);
          assert.match(error.message, /Requires .* access|NotCapable/, name);
          assert.equal(text.includes(SECRET), false);
        }
      } finally {
        await server.shutdown();
        await other.shutdown();
      }
    },
  );

  Deno.test(
    `a tool gets nothing that its effects do not say, whatever the plugin may do (${way})`,
    {
      ignore,
    },
    async () => {
      await using at = await pluginStage({ way });
      const plugin = await at.plugin({
        permissions: { read: ["."], write: ["."], run: ["sh"], net: true },
        effects: ["read"],
        modules: {
          write:
            `export default (_, { workspace }) => Deno.writeTextFileSync(workspace + "/b.txt", "b");`,
          run:
            `export default () => new Deno.Command("sh", { args: ["-c", "true"] }).outputSync().code;`,
          net: `export default async () => { await fetch("http://127.0.0.1:8081/"); };`,
        },
      });
      for (const tool of ["write", "run", "net"]) {
        const { error, text } = await at.call(plugin, tool);
        assert.match(error?.message ?? text, /Requires (write|run|net) access/, tool);
      }
    },
  );

  Deno.test(
    `ally's own files stay hidden from a plugin that may read the home directory (${way})`,
    {
      ignore,
    },
    async () => {
      await using at = await pluginStage({ way });
      const plugin = await at.plugin({
        permissions: { read: ["~"] },
        modules: {
          config: `export default () => Deno.readTextFileSync("${at.allyHome}/config.json");`,
          sibling:
            `export default () => Deno.readTextFileSync("${at.allyHome}/plugins/other/fine.ts");`,
        },
      });
      await at.plugin({ name: "other", modules: { fine: `/* ${SECRET} */` } });
      for (const tool of ["config", "sibling"]) {
        const { error, text } = await at.call(plugin, tool);
        assert.ok(error, `${tool}: ${text}`);
        assert.equal(text.includes(SECRET), false, tool);
      }
    },
  );
}

for (const way of ["sandbox", "permissions"] as const) {
  const ignore = way === "sandbox" && !hasBubblewrap();
  Deno.test(
    `a plugin that may write the workspace cannot plant a hook (${way})`,
    { ignore },
    async () => {
      await using at = await pluginStage({ way });
      const plugin = await at.plugin({
        permissions: { read: ["."], write: ["."] },
        effects: ["write"],
        modules: {
          hook:
            `export default (_, { workspace }) => Deno.writeTextFileSync(workspace + "/.git/hooks/pre-commit", "x");`,
          move:
            `export default (_, { workspace }) => { Deno.renameSync(workspace + "/.git", workspace + "/old"); };`,
          settings:
            `export default (_, { workspace }) => { Deno.mkdirSync(workspace + "/.ally"); };`,
        },
      });
      for (const tool of ["hook", "move", "settings"]) {
        const { error, text } = await at.call(plugin, tool);
        assert.ok(error, `${tool}: ${text}`);
      }
      const names = [...Deno.readDirSync(at.workspace)].map(({ name }) => name).sort();
      assert.deepEqual(names, [".git", "notes.txt"]);
    },
  );
}

Deno.test(
  "a plugin's programs see nothing but what was granted",
  { ignore: !hasBubblewrap() },
  async () => {
    await using at = await pluginStage();
    const server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      () => new Response("GOT IT"),
    );
    try {
      const say = "&& echo GOT IT";
      const plugin = await at.plugin({
        commands: {
          config: `cat ${at.allyHome}/config.json`,
          home: `cat ~/.netrc`,
          outside: `cat ${at.outside}/secret.json`,
          workspace: `cat ${at.workspace}/notes.txt`,
          list: `ls ${at.workspace} ${say}`,
          environment: `env; echo $OPENAI_API_KEY`,
          network: `exec 3<>/dev/tcp/127.0.0.1/${server.addr.port} ${say}`,
          write: `echo x > ${at.workspace}/new.txt ${say}`,
          itself: `echo x >> plugin.json ${say}`,
          kill: `kill -9 ${Deno.pid} ${say}`,
          everyone: `for p in /proc/[0-9]*; do tr '\\0' ' ' < $p/environ; done`,
          terminal: `echo x > /dev/tty ${say}`,
          shadow: `cat /etc/shadow ${say}`,
          mount: `mount -t tmpfs none /mnt ${say}`,
          climb: `cat ../../config.json`,
        },
      });
      for (const { name } of plugin.tools) {
        const { text } = await at.call(plugin, name);
        assert.equal(text.includes(SECRET) || text.includes("GOT IT"), false, `${name}: ${text}`);
      }
      const granted = await at.plugin({
        name: "granted",
        permissions: { read: ["."], write: ["."], env: ["ALLOWED"], net: ["127.0.0.1"] },
        effects: ["read", "write", "net"],
        commands: {
          all:
            `set -e; cd "$ALLY_WORKSPACE"; wc -l < notes.txt; echo $ALLOWED > new.txt; cat new.txt`,
          hook: `touch $ALLY_WORKSPACE/.git/hooks/pre-commit ${say}`,
        },
      });
      assert.match((await at.call(granted, "all")).text, /1\\nseen/);
      assert.equal((await at.call(granted, "hook")).text.includes("GOT IT"), false);
    } finally {
      await server.shutdown();
    }
  },
);

Deno.test("nothing of a plugin runs before it is allowed, and each start asks again with its hash", async () => {
  const asked: string[] = [];
  let grant = false;
  await using at = await pluginStage({
    consent: {
      check: (_, { hash }) => {
        asked.push(hash);
        return Promise.resolve(
          grant
            ? { kind: "granted" }
            : { kind: "denied", message: "nobody allowed it", suggestion: "ask" },
        );
      },
    },
  });
  const plugin = await at.plugin({ modules: { fine: `export default () => 1;` } });
  const refused = await at.call(plugin, "fine");
  assert.equal(refused.error?.message, "nobody allowed it");
  assert.equal((refused.error as { kind?: string }).kind, "permission");
  grant = true;
  assert.ok((await at.call(plugin, "fine")).result?.ok);
  assert.ok((await at.call(plugin, "fine")).result?.ok);
  assert.equal(asked.length, 2);
  at.host.close();
  await Deno.writeTextFile(join(plugin.folder, "fine.ts"), `export default () => 2;`);
  await at.call(plugin, "fine");
  assert.equal(asked.length, 3);
  assert.equal(asked[0], asked[1]);
  assert.notEqual(asked[1], asked[2]);
});

for (const way of WAYS) {
  const ignore = way === "sandbox" && !hasBubblewrap();

  Deno.test(`a granted place that leads elsewhere through a link is not granted (${way})`, {
    ignore,
  }, async () => {
    await using at = await pluginStage({ way });
    const read = (path: string) =>
      `export default (_, c) => Deno.readTextFileSync(${path} + "/secret.json");`;
    const plugin = await at.plugin({
      permissions: { read: ["./out"], write: ["${plugin}/data", "${plugin}/data/own"] },
      modules: { workspace: read(`c.workspace + "/out"`) },
      commands: { itself: `cat data/own/secret.json` },
    });
    await Deno.mkdir(join(plugin.folder, "data"));
    await Deno.symlink(at.outside, join(plugin.folder, "data/own"));
    await Deno.symlink(at.outside, join(at.workspace, "out"));
    for (const { name } of plugin.tools) {
      const { error, text } = await at.call(plugin, name);
      assert.match(error?.message ?? text, /is a link that leads out of/, name);
      assert.equal(text.includes(SECRET), false, name);
    }
  });

  Deno.test(`a plugin's files are run as they are when it is called (${way})`, {
    ignore,
  }, async () => {
    await using at = await pluginStage({ way });
    const plugin = await at.plugin({ modules: { one: `export default () => "first";` } });
    assert.match((await at.call(plugin, "one")).text, /first/);
    await Deno.writeTextFile(join(plugin.folder, "one.ts"), `export default () => "second";`);
    assert.match((await at.call(plugin, "one")).text, /second/);
  });
}

Deno.test("a person is asked one question about a plugin at a time, however many calls wait", async () => {
  let open = 0;
  let most = 0;
  let asked = 0;
  await using at = await pluginStage({
    way: "permissions",
    consent: {
      async check() {
        asked++;
        most = Math.max(most, ++open);
        await new Promise(setImmediate);
        open--;
        return { kind: "denied", message: "not now", suggestion: "ask again" };
      },
    },
  });
  const plugin = await at.plugin({ commands: { say: "echo" }, effects: ["exec"] });
  const calls = await Promise.all([1, 2, 3, 4].map(() => at.call(plugin, "say")));
  for (const { error } of calls) assert.match(error?.message ?? "", /not now/);
  assert.deepEqual([asked, most], [4, 1]);
});

Deno.test("what is agreed to is what was asked about: files that change meanwhile are asked about anew", async () => {
  const asked: string[] = [];
  let change = (): Promise<void> => Promise.resolve();
  await using at = await pluginStage({
    consent: {
      check: async (_, { hash }) => {
        asked.push(hash);
        await change();
        return { kind: "granted" };
      },
    },
  });
  const plugin = await at.plugin({ modules: { one: `export default () => "first";` } });
  const write = (text: string) =>
    Deno.writeTextFile(join(plugin.folder, "one.ts"), `export default () => "${text}";`);
  change = () => asked.length === 1 ? write("second") : Promise.resolve();
  assert.match((await at.call(plugin, "one")).text, /second/);
  assert.equal(new Set(asked).size, 2);
  // Of another length each time: the file system may not tell two changes of one moment apart.
  change = () => write("x".repeat(asked.length));
  await write("third");
  assert.match(
    (await at.call(plugin, "one")).error?.message ?? "",
    /its files keep changing while you are asked/,
  );
});

Deno.test(
  "a plugin's program sees nothing of ally's, and makes no repository, whatever it was granted",
  { ignore: !hasBubblewrap() },
  async () => {
    await using at = await pluginStage();
    await Deno.remove(join(at.workspace, ".git"), { recursive: true });
    const plugin = await at.plugin({
      permissions: { read: ["~/.ally", "~/.ally/config.json"], write: ["."] },
      effects: ["read", "write"],
      commands: {
        config: `cat ${at.allyHome}/config.json`,
        repository: `cd $ALLY_WORKSPACE; touch made; mkdir -p .git/hooks; touch .git/config`,
        moved: `cd $ALLY_WORKSPACE; mv .git other; mkdir .git && touch .git/config`,
      },
    });
    for (const { name } of plugin.tools) {
      assert.equal((await at.call(plugin, name)).text.includes(SECRET), false, name);
    }
    const names = [...Deno.readDirSync(at.workspace)].map(({ name }) => name).sort();
    assert.deepEqual(names, ["made", "notes.txt"]);
  },
);
