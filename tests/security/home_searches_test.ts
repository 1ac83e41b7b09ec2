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
  await using at = await stage([{ calls }, { text: "done" }], { "notes.txt": "kept notes\n" });
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
    assert.match(home, /kept notes/);
    assert.doesNotMatch(home + others.join("\n"), new RegExp(KEY));
    assert.match(others.at(-1) ?? "", /keys and logins/);
  });
}

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
  await using at = await stage([{ calls }, { text: "done" }], { "notes.txt": "kept notes\n" });
  const { place } = at;
  await Deno.mkdir(join(place.dir, ".config"));
  await runAlly(place, { args: ["-p", "go", "--no-sandbox"], env: { HOME: place.dir } });
  const [notes, ...others] = (await place.messages()).filter(({ role }) => role === "tool")
    .map(({ content }) => String(content));
  assert.match(notes ?? "", /kept notes/);
  for (const result of others) assert.match(result, /Permission denied|not allowed|denied/i);
});
