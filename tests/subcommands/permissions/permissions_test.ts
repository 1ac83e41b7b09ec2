import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { makePlace, runAlly } from "../../support/program.ts";
import { hasBubblewrap } from "../../support/sandbox.ts";

async function explain(args: readonly string[], input = "") {
  await using place = await makePlace();
  const { code, stdout, stderr } = await runAlly(place, { args, input });
  return { code, out: stdout, err: stderr };
}

Deno.test("explain shows the parts, the class, what decides and what Always would store", async () => {
  const { code, out } = await explain(["permissions", "explain", "ls && deno fmt  src"]);
  assert.equal(code, 0);
  assert.match(out, /safe +ls\n/);
  assert.match(out, /sensitive +deno fmt {2}src\n/);
  assert.match(out, /Class +sensitive \(2 parts\)/);
  assert.match(out, /Decision +ask: /);
  assert.match(out, /Always +would store run=deno fmt {2}src/);
});

Deno.test("explain --json - answers every line with one object, by the flags", async () => {
  const commands = ["ls", "git status | head -3", "git push --force", "make", "curl x", "a\nb"];
  const { code, out } = await explain(
    ["--no-sandbox", "--allow-run=git", "--deny-run=curl", "permissions", "explain", "--json", "-"],
    commands.map((text) => JSON.stringify(text)).join("\n"),
  );
  assert.equal(code, 0);
  const found = out.trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(found.map((one) => [one.class, one.decision, one.rule]), [
    ["safe", "allow", undefined],
    ["sensitive", "allow", "--allow-run=git"],
    ["extreme", "ask", undefined],
    ["sensitive", "ask", undefined],
    ["sensitive", "deny", "--deny-run=curl"],
    ["sensitive", "ask", undefined],
  ]);
  assert.deepEqual(found[0].parts, [{ command: "ls", class: "safe", why: "only reads" }]);
});

Deno.test({
  name: "explain judges a look at a repository as safe where a sandbox holds it",
  ignore: !hasBubblewrap(),
  fn: async () => {
    const { out } = await explain(["permissions", "explain", "--json", "git status"]);
    assert.equal(JSON.parse(out).class, "safe");
  },
});

Deno.test("explain shows what would run, and in which profile", async () => {
  const commands = ["ls *.ts", "make", "curl x", "a=(1)"].map((text) => JSON.stringify(text));
  const sandboxed = await explain(["permissions", "explain", "--json", "-"], commands.join("\n"));
  const rows = sandboxed.out.trim().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(rows.map(({ runs }) => runs), [
    "'ls' *'.ts'",
    "'make'",
    "'curl' 'x'",
    undefined,
  ]);
  const held = ["closed", "workspace", "network", "closed"];
  assert.deepEqual(
    rows.map(({ sandbox }) => sandbox),
    hasBubblewrap() ? held : held.map(() => "none"),
  );
  const { out } = await explain(["--no-sandbox", "permissions", "explain", "ls -l"]);
  assert.match(out, /Runs +'ls' '-l'\nSandbox +none/);
});

Deno.test({
  name: "explain says of what runs text as code, and of a redirection, what can be changed",
  ignore: !hasBubblewrap(),
  async fn() {
    const text = async (command: string) =>
      (await explain(["permissions", "explain", command])).out;
    assert.match(await text("python3 -c 'print(1)'"), /allow: runs text as code, and can change/);
    assert.match(
      await text("echo 1 > f"),
      /only reads\n +its redirections, and what runs with it, may change the workspace\n/,
    );
    assert.match(
      await text("curl https://example.com"),
      /ask: curl fetches over the network(?!, with the network)/,
    );
  },
});

Deno.test("list ends with code 2 where what is stored cannot be read", async () => {
  await using place = await makePlace();
  await Deno.mkdir(place.home, { recursive: true });
  await Deno.writeTextFile(`${place.home}/permissions.json`, "{broken");
  const { code, stderr } = await runAlly(place, { args: ["permissions", "list"] });
  assert.equal(code, 2);
  assert.match(stderr, /permissions\.json/);
});

Deno.test("files of ally's that are nested too deeply are said to be damaged", async () => {
  const open = "[".repeat(200_000);
  const deep = `${open}${"]".repeat(200_000)}`;
  for (
    const [path, text, args, wrong] of [
      [
        "permissions.json",
        open,
        ["permissions", "list"],
        /permissions\.json: at line 1 column 200001/,
      ],
      ["permissions.json", deep, ["permissions", "list"], /Cannot use \S*permissions\.json/],
      ["config.json", open, ["config", "list"], /config\.json: at line 1 column 200001/],
      ["mcp.json", open, ["mcp", "list"], /mcp\.json:1:200001: not valid JSON/],
      ["mcp.json", `{"mcpServers":{"x":{"command":${deep}}}}`, ["mcp", "list"], /mcp\.json/],
      ["plugins/x/plugin.json", open, ["plugin", "list"], /plugin\.json:1:1: it is not valid JSON/],
      [
        "plugins/x/plugin.json",
        `{"name":${deep}}`,
        ["plugin", "list"],
        /nested deeper than 64 levels/,
      ],
    ] as const
  ) {
    await using place = await makePlace();
    const file = join(place.home, path);
    await Deno.mkdir(dirname(file), { recursive: true });
    await Deno.writeTextFile(file, text);
    const { stdout, stderr } = await runAlly(place, { args: [...args] });
    assert.match(stdout + stderr, wrong);
    assert.doesNotMatch(stdout + stderr, /stack/);
  }
});

Deno.test("explain refuses what it cannot read, with code 2", async () => {
  const missing = await explain(["permissions", "explain"]);
  assert.equal(missing.code, 2);
  const broken = await explain(["permissions", "explain", "--json", "-"], "ls\n");
  assert.equal(broken.code, 2);
  assert.match(broken.err, /Line 1 of standard input is not a JSON string/);
});
