/**
 * What rules or the sandbox keep from being read is not read by ally itself either, where a file that acts on it leads
 * there: one that a repository brings, or that a command of an earlier turn has made.
 */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { type ScriptedReply, startScriptedServer } from "../../src/modes/demo/scripted_server.ts";
import { makePlace, runAlly } from "../support/program.ts";

const LINKS: Readonly<Record<string, string>> = {
  "ALLY.md": "hidden.txt",
  "AGENTS.md": "sub/hidden.md",
  ".ally/commands/tell.md": "../../hidden.txt",
  ".ally/agents/teller.md": "../../hidden.txt",
};

async function stage(replies: readonly ScriptedReply[]) {
  const server = await startScriptedServer({ replies });
  const place = await makePlace({ endpoint: server.url });
  const write = async (name: string, text: string) => {
    await Deno.mkdir(dirname(join(place.dir, name)), { recursive: true });
    await place.write(name, text);
  };
  return {
    place,
    write,
    async link(name: string, target: string) {
      await Deno.mkdir(dirname(join(place.dir, name)), { recursive: true });
      await Deno.symlink(target, join(place.dir, name));
    },
    sent: () => JSON.stringify(server.requests.map(({ body }) => body)),
    async [Symbol.asyncDispose]() {
      await server.close();
      await place[Symbol.asyncDispose]();
    },
  };
}

for (const [name, target] of Object.entries(LINKS)) {
  Deno.test(`nothing that may not be read is read as ${name}`, async () => {
    await using at = await stage([{ text: "ok" }]);
    await at.write("hidden.txt", "---\ndescription: plover\n---\nthe word is plover\n");
    await at.write("sub/hidden.md", "the word is plover\n");
    await at.link(name, target);
    const args = ["-p", "--trust-project", "--deny-read=hidden.txt,sub", "/tell"];
    const { stderr } = await runAlly(at.place, { args });
    assert.doesNotMatch(at.sent(), /plover/);
    assert.match(stderr, new RegExp(`${name} is left out: it leads to \\S+hidden`));
  });
}

Deno.test("rules of the configuration hold for instructions, and other links lead on", async () => {
  await using at = await stage([{ text: "ok" }]);
  await at.write("hidden.txt", "the word is plover\n");
  await at.write("docs/shown.md", "the word is heron\n");
  await at.link("ALLY.md", "hidden.txt");
  await at.link("AGENTS.md", "docs/shown.md");
  await Deno.mkdir(at.place.home, { recursive: true });
  const permissions = { deny: { read: ["hidden.txt"] } };
  await Deno.writeTextFile(join(at.place.home, "config.json"), JSON.stringify({ permissions }));
  await runAlly(at.place, { args: ["-p", "--trust-project", "hi"] });
  assert.doesNotMatch(at.sent(), /plover/);
  assert.match(at.sent(), /heron/);
});

Deno.test("no key is read as instructions where the home is the workspace", async () => {
  const command = "rm ALLY.md; ln -s .config/g[h]/hosts.yml ALLY.md";
  const link = { calls: [{ name: "bash", arguments: { command } }] };
  await using at = await stage([link, { text: "ok" }, { text: "ok" }]);
  await at.write(".config/gh/hosts.yml", "the word is plover\n");
  await at.write("ALLY.md", "the word is heron\n");
  const env = { HOME: at.place.dir };
  for (const words of ["one", "two"]) {
    await runAlly(at.place, { args: ["-p", "-A", "--trust-project", words], env });
  }
  assert.ok((await Deno.lstat(join(at.place.dir, "ALLY.md"))).isSymlink);
  assert.match(at.sent(), /heron/);
  assert.doesNotMatch(at.sent(), /plover/);
});
