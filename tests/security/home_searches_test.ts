/**
 * Where the workspace is the user's home, or holds it, a search shows no key: it was allowed as a look at a directory.
 */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { runAlly, stage } from "../support/program.ts";

const KEY = "kept-key-of-a-machine";
const SECRETS = [".ssh/id_rsa", ".aws/credentials", ".config/gh/hosts.yml"];

/** What searches in a home, or in directories below it, gave. */
async function search(
  places: readonly { path: string; include?: string }[],
  flags: readonly string[],
): Promise<string[]> {
  const calls = places.map((place) => ({
    name: "grep",
    arguments: { pattern: "kept", ...place },
  }));
  await using at = await stage([{ calls }, { text: "done" }], { "notes.txt": "kept here\n" });
  const { place } = at;
  for (const name of SECRETS) {
    await Deno.mkdir(dirname(join(place.dir, name)), { recursive: true });
    await place.write(name, `${KEY}\n`);
  }
  await runAlly(place, { args: ["-p", "go", ...flags], env: { HOME: place.dir } });
  return (await place.messages()).filter(({ role }) => role === "tool")
    .map(({ content }) => String(content));
}

for (const flags of [[], ["--no-sandbox"], ["--deny-run"]]) {
  Deno.test(`grep in the home shows no key: ${flags.join(" ") || "no flags"}`, async () => {
    const places = [
      { path: "." },
      { path: ".", include: ".*/**" },
      { path: ".config" },
      { path: ".ssh" },
    ];
    const [home = "", ...others] = await search(places, flags);
    assert.match(home, /kept here/);
    assert.doesNotMatch(home + others.join("\n"), new RegExp(KEY));
    assert.match(others.at(-1) ?? "", /keys and logins/);
  });
}

Deno.test("glob in the home shows no key, also where its pattern names the place", async () => {
  const patterns = [
    ".ssh/*",
    ".aws/*",
    ".config/gh/*",
    ".config/**",
    ".s?h/*",
    ".*/**",
    "**/id_rsa",
  ];
  const calls = patterns.map((pattern) => ({
    name: "glob",
    arguments: { pattern, show_content: true },
  }));
  const replies = [...calls, {
    name: "glob",
    arguments: { pattern: "gh/*", path: ".config", show_content: true },
  }, { name: "glob", arguments: { pattern: ".notes/*", show_content: true } }]
    .map((call) => ({ calls: [call] }));
  for (const flags of [[], ["-A"], ["-A", "--allow-read=.aws"]]) {
    await using at = await stage([...replies, { text: "done" }]);
    const { place } = at;
    for (const name of [...SECRETS, ".notes/a"]) {
      await Deno.mkdir(dirname(join(place.dir, name)), { recursive: true });
      await place.write(name, `${name === ".notes/a" ? "kept here" : KEY}\n`);
    }
    await runAlly(place, { args: ["-p", "go", ...flags], env: { HOME: place.dir } });
    const results = (await place.messages()).filter(({ role }) => role === "tool")
      .map(({ content }) => String(content));
    const showing = results.filter((one) => one.includes(KEY));
    assert.equal(showing.length, flags.length === 2 ? 1 : 0, showing.join("\n"));
    assert.match(results[0]!, /Permission denied: reads secrets/);
    assert.match(results.at(-1)!, /kept here/);
  }
});

Deno.test("grep shows a key where the place itself may be read", async () => {
  const flags = ["--allow-read=.ssh"];
  const [found = ""] = await search([{ path: ".ssh" }], flags);
  assert.match(found, new RegExp(KEY));
});

Deno.test("without a sandbox a command that would search keys is asked about", async () => {
  const commands = [
    "grep kept notes.txt",
    "grep -r kept .",
    "rg --hidden kept",
    "grep -r kept .config",
  ];
  const calls = commands.map((command) => ({ name: "bash", arguments: { command } }));
  await using at = await stage([{ calls }, { text: "done" }], { "notes.txt": "kept here\n" });
  const { place } = at;
  await Deno.mkdir(join(place.dir, ".config"));
  await runAlly(place, { args: ["-p", "go", "--no-sandbox"], env: { HOME: place.dir } });
  const [notes, ...others] = (await place.messages()).filter(({ role }) => role === "tool")
    .map(({ content }) => String(content));
  assert.match(notes ?? "", /kept here/);
  for (const result of others) assert.match(result, /Permission denied|not allowed|denied/i);
});

Deno.test("without a sandbox a flag for a program lets it read no keys below a directory that it names", async () => {
  const commands = [
    "grep -r kept .",
    "git diff --no-index empty .",
    "cp -r .config copy",
    "tar cf all.tar .config",
    "grep -r kept notes",
  ];
  const replies = commands.map((command) => ({
    calls: [{ name: "bash", arguments: { command } }],
  }));
  await using at = await stage([...replies, { text: "done" }], { "notes/a.txt": "kept here\n" });
  const { place } = at;
  for (const name of ["empty/x", ".config/gh/hosts.yml"]) {
    await Deno.mkdir(dirname(join(place.dir, name)), { recursive: true });
    await place.write(name, `${KEY}\n`);
  }
  const flags = ["--no-sandbox", "--allow-run=grep,git,cp,tar"];
  await runAlly(place, { args: ["-p", "go", ...flags], env: { HOME: place.dir } });
  const results = (await place.messages()).filter(({ role }) => role === "tool")
    .map(({ content }) => String(content));
  for (const result of results.slice(0, -1)) assert.match(result, /may read secrets below/);
  assert.match(results.at(-1) ?? "", /kept here/);
});

Deno.test("-A alone reads no secret place of the home by a file tool, a flag that names it does", async () => {
  const tool = (name: string, input: Record<string, unknown>) => ({ name, arguments: input });
  const calls = [
    ...SECRETS.map((path) => tool("read", { file_paths: [path] })),
    tool("read", { file_paths: [".ally/mask.key"] }),
    tool("grep", { pattern: "kept", path: ".ssh" }),
    tool("read", { file_paths: ["project/.env"] }),
  ];
  const told = async (...flags: string[]) => {
    const replies = calls.map((call) => ({ calls: [call] }));
    await using at = await stage([...replies, { text: "done" }]);
    const { place } = at;
    for (const name of [...SECRETS, ".ally/mask.key", "project/.env"]) {
      await Deno.mkdir(dirname(join(place.dir, name)), { recursive: true });
      await place.write(name, `${name === "project/.env" ? "MODE=lively" : KEY}\n`);
    }
    const env = { HOME: place.dir, ALLY_HOME: join(place.dir, ".ally") };
    await runAlly(place, { args: ["-p", `look at @${SECRETS[0]}`, ...flags], env });
    return JSON.stringify(at.server.requests.at(-1)?.body.messages);
  };
  for (const flags of [["-A"], ["-A", "--allow-read=."]]) {
    const said = await told(...flags);
    assert.doesNotMatch(said, new RegExp(KEY), flags.join(" "));
    assert.equal(said.match(/Permission denied: reads secrets/g)?.length, calls.length, said);
    assert.match(said, /allow it with --allow-read=\.aws\/credentials/);
    assert.match(said, /MODE=lively/);
  }
  const named = await told("-A", "--allow-read=.ssh,.aws/credentials");
  assert.match(named, new RegExp(KEY));
  assert.equal(named.match(/Permission denied: reads secrets/g)?.length, 2, named);
});
