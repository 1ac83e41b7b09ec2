import assert from "node:assert/strict";
import { join } from "node:path";
import { PluginConsent } from "../../src/app/plugin_consent.ts";
import type { ConsentChoice, ConsentRequest } from "../../src/core/plugin_consent.ts";
import { hashFolder } from "../../src/plugin_host/folder_hash.ts";
import { permissionWords } from "../../src/plugin_host/permission_words.ts";
import type { Plugin, PluginTool } from "../../src/plugin_host/plugin.ts";
import { PluginStore } from "../../src/store/plugin_records.ts";

const MODULE = { kind: "module", module: "./a.ts" } as const;
const COMMAND = { kind: "command", command: "python3", args: ["a.py"] } as const;

function toolWith(program: PluginTool["program"]): PluginTool {
  const parameters = { type: "object", properties: {}, additionalProperties: false } as const;
  return {
    name: "t",
    description: "d",
    effects: ["read"],
    parameters,
    patterns: [],
    program,
    timeout: 1,
  };
}

Deno.test("permissions are said in plain words, and what is not permitted too", () => {
  const words = (
    permissions: Plugin["permissions"],
    { program = MODULE, sandboxed = true }: {
      program?: PluginTool["program"];
      sandboxed?: boolean;
    } = {},
  ) => permissionWords({ permissions, tools: [toolWith(program)] }, { sandboxed });
  assert.deepEqual(words({ net: ["tracker.example.com"], env: ["TRACKER_TOKEN"] }), [
    "may reach tracker.example.com",
    "may read the environment variable TRACKER_TOKEN",
    "may not change files, read your files or start other programs",
  ]);
  assert.deepEqual(words({ read: true, write: [".", "${plugin}"], run: ["git", "deno"] }), [
    "may change the files of the working directory and the files of its own folder",
    "may read the files of the working directory",
    "may start git, deno, which can do whatever it can",
    "may not reach the network or read environment variables",
  ]);
  assert.deepEqual(words({ net: true, read: ["/etc"], write: [], env: ["A", "B"], run: ["x"] }), [
    "may read /etc",
    "may reach any host of the network",
    "may read the environment variables A, B",
    "may start x, which can do whatever it can",
    "may not change files",
  ]);
  assert.deepEqual(words({ net: ["a.b"] }, { program: COMMAND, sandboxed: false }).slice(0, 3), [
    "runs python3 a.py",
    "there is no sandbox on this system: what it runs can do whatever you can",
    "may reach a.b; what it runs may reach any host",
  ]);
});

interface Stage extends AsyncDisposable {
  readonly plugin: Plugin;
  readonly asked: ConsentRequest[];
  readonly warned: string[];
  readonly path: string;
  /** A session that answers with these choices. */
  session(
    choices?: readonly ConsentChoice[],
    options?: { allowed?: readonly string[]; headless?: boolean; onlyNamed?: boolean },
  ): PluginConsent;
  change(): Promise<void>;
}

async function stage(): Promise<Stage> {
  const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "ally-consent-" }));
  const folder = join(root, "x");
  await Deno.mkdir(folder);
  await Deno.writeTextFile(join(folder, "a.ts"), "1");
  const path = join(root, "plugins.json");
  const asked: ConsentRequest[] = [];
  const warned: string[] = [];
  return {
    plugin: {
      name: "x",
      version: "1.0.0",
      description: "An example",
      folder,
      development: false,
      permissions: { net: ["a.b"] },
      tools: [toolWith(MODULE)],
    },
    asked,
    warned,
    path,
    session(choices = [], { allowed = [], headless = false, onlyNamed = false } = {}) {
      const left = [...choices];
      return new PluginConsent({
        records: new PluginStore({ path }),
        allowed,
        onlyNamed,
        ask: headless ? undefined : (request) => {
          asked.push(request);
          return Promise.resolve(left.shift() ?? "deny");
        },
        sandboxed: () => Promise.resolve(true),
        warn: (text) => void warned.push(text),
      });
    },
    change: async () => await Deno.writeTextFile(join(folder, "a.ts"), crypto.randomUUID()),
    [Symbol.asyncDispose]: () => Deno.remove(root, { recursive: true }),
  };
}

async function check(consent: PluginConsent, plugin: Plugin): Promise<string> {
  const hash = await hashFolder(plugin.folder);
  const answer = await consent.check(plugin, { hash, signal: new AbortController().signal });
  return answer.kind === "granted" ? "granted" : answer.message;
}

Deno.test("an answer for the session ends with it, one for always holds without a person", async () => {
  await using at = await stage();
  const first = at.session(["session"]);
  assert.equal(await check(first, at.plugin), "granted");
  assert.equal(await check(first, at.plugin), "granted");
  assert.equal(at.asked.length, 1);
  assert.match(await check(at.session([], { headless: true }), at.plugin), /nobody can be asked/);
  assert.equal(await check(at.session(["always"]), at.plugin), "granted");
  assert.equal(await check(at.session([], { headless: true }), at.plugin), "granted");
  assert.equal(at.asked.length, 2);
});

Deno.test("a denial holds for the session, until the person decides anew", async () => {
  await using at = await stage();
  const consent = at.session(["deny", "session"]);
  assert.match(await check(consent, at.plugin), /the user denied it/);
  assert.match(await check(consent, at.plugin), /has denied it in this session/);
  assert.equal(at.asked.length, 1);
  assert.equal(await consent.decide(at.plugin, new AbortController().signal), true);
  assert.equal(await check(consent, at.plugin), "granted");
});

Deno.test("a changed file is asked about again, with what changed", async () => {
  await using at = await stage();
  await check(at.session(["always"]), at.plugin);
  await at.change();
  await Deno.writeTextFile(join(at.plugin.folder, "b.ts"), "");
  assert.match(await check(at.session([], { headless: true }), at.plugin), /it changed since/);
  await check(at.session(["deny"]), at.plugin);
  assert.deepEqual(at.asked.at(-1)?.changes, ["changed: a.ts", "new: b.ts"]);
});

Deno.test("wider permissions are asked about even where the files are those that were allowed", async () => {
  await using at = await stage();
  await check(at.session(["always"]), at.plugin);
  const wider = { ...at.plugin, permissions: { net: true as const } };
  await check(at.session(["deny"]), wider);
  assert.deepEqual(at.asked.at(-1)?.changes, [
    "now: may reach any host of the network",
    "before: may reach a.b",
  ]);
});

Deno.test("several calls of one plugin wait for one answer", async () => {
  await using at = await stage();
  const consent = at.session(["session"]);
  const answers = await Promise.all([1, 2, 3].map(() => check(consent, at.plugin)));
  assert.deepEqual(answers, ["granted", "granted", "granted"]);
  assert.equal(at.asked.length, 1);
});

Deno.test("while a plugin is written, an answer for the session outlasts changes of its files", async () => {
  await using at = await stage();
  const plugin = { ...at.plugin, development: true };
  const consent = at.session(["session"]);
  assert.equal(await check(consent, plugin), "granted");
  await at.change();
  assert.equal(await check(consent, plugin), "granted");
  await check(consent, { ...plugin, permissions: { net: true } });
  assert.equal(at.asked.length, 2);
});

Deno.test("what was allowed can be taken back, and a flag stands before it", async () => {
  await using at = await stage();
  const consent = at.session(["always", "deny"]);
  await check(consent, at.plugin);
  await consent.forget(at.plugin);
  assert.match(await check(consent, at.plugin), /denied/);
  const flagged = at.session([], { allowed: ["x"], headless: true });
  assert.equal(await check(flagged, at.plugin), "granted");
  assert.equal(await flagged.status(at.plugin, "any"), "flag");
});

Deno.test("a store that is broken allows nothing, and the answer holds for the session", async () => {
  await using at = await stage();
  await Deno.writeTextFile(at.path, "{");
  assert.match(await check(at.session([], { headless: true }), at.plugin), /may not run/);
  const consent = at.session(["always"]);
  assert.equal(await check(consent, at.plugin), "granted");
  assert.equal(await check(consent, at.plugin), "granted");
  assert.match(at.warned.join("\n"), /This holds for this session only\. Cannot use/);
  assert.equal(await Deno.readTextFile(at.path), "{");
});

Deno.test("in a run of somebody else's a plugin that was allowed before may not run, unless it is named", async () => {
  await using at = await stage();
  const signal = new AbortController().signal;
  const hash = await hashFolder(at.plugin.folder);
  const check = (session: PluginConsent) => session.check(at.plugin, { hash, signal });
  assert.equal((await check(at.session(["always"]))).kind, "granted");
  const foreign = { headless: true, onlyNamed: true };
  assert.equal((await check(at.session([], foreign))).kind, "denied");
  assert.equal((await check(at.session([], { ...foreign, allowed: ["x"] }))).kind, "granted");
});
