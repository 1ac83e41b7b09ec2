/**
 * Plugins that a person allowed as they were, and that are others since; and folders that hold more than one plugin, or
 * one that is too large or too deep. Where one of them runs, it says so.
 */
import { IMPOSTOR, type LyingPlugin, manifestOf, RUN } from "./lying_manifests.ts";

const FILES = { "run.js": IMPOSTOR, "other.js": IMPOSTOR, "run.sh": "#!/bin/sh\n" };
const WIDER = manifestOf({ permissions: { read: ["~"], net: true } });

/** Nothing has changed: it runs, which shows that the others would be noticed. */
export const UNCHANGED: LyingPlugin = {
  name: "it is as it was allowed",
  manifest: manifestOf({}),
  files: FILES,
  since: {},
  calls: RUN,
};

const SINCE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "its code is another one": { "run.js": `${IMPOSTOR}// changed\n` },
  "a blank follows its code": { "run.js": `${IMPOSTOR} ` },
  "its code is a link to the same": { "run.js": "->other.js" },
  "its code is a link outside": { "run.js": "->@HOME@/notes.txt" },
  "a module is new": { "new.js": IMPOSTOR },
  "a module is gone": { "other.js": "-" },
  "a program can no longer be executed": { "run.sh": "x" },
  "a package is new": { "node_modules/x/index.js": IMPOSTOR },
  "a hidden file is new": { ".hidden": "x=1" },
  "a deno.json is new": { "deno.json": '{"imports":{"x":"./other.js"}}' },
  "a package.json is new": { "package.json": '{"type":"commonjs"}' },
  "it may read more": { "plugin.json": WIDER },
  "it may start programs": { "plugin.json": manifestOf({ permissions: { run: ["sh"] } }) },
  "it sees variables": { "plugin.json": manifestOf({ permissions: { env: ["HOME"] } }) },
  "its tool has other effects": { "plugin.json": manifestOf({ tool: { effects: ["write"] } }) },
  "its tool has no effects": { "plugin.json": manifestOf({ tool: { effects: [] } }) },
  "its tool is another module": { "plugin.json": manifestOf({ tool: { module: "./other.js" } }) },
  "its tool is a program": {
    "plugin.json": manifestOf({ tool: { command: "cat", args: ["@HOME@/notes.txt"] } }),
  },
  "its version is another one": { "plugin.json": manifestOf({ version: "2" }) },
  "its description is another one": { "plugin.json": manifestOf({ description: "y" }) },
  "its schema is another one": {
    "plugin.json": manifestOf({
      tool: {
        parameters: { type: "object", properties: { a: { type: "string", format: "path" } } },
      },
    }),
  },
  "its manifest has a blank more": { "plugin.json": `${manifestOf({})} ` },
  "its manifest has a mark before it": { "plugin.json": `\ufeff${manifestOf({})}` },
  "its manifest is a link": { "plugin.json": "->other.json", "other.json": manifestOf({}) },
  "its manifest is gone": { "plugin.json": "-" },
};

const DEEP = `${'{"type":"object","properties":{"a":'.repeat(3_000)}{}${"}}".repeat(3_000)}`;

/** Texts that are no manifest, each with a code that would say that it ran. */
const TEXTS: Readonly<Record<string, string>> = {
  "its manifest has two megabytes": manifestOf({ description: "x".repeat(2_000_000) }),
  "its manifest is padded to two megabytes": `${manifestOf({})}${" ".repeat(2_000_000)}`,
  "its schema is three thousand deep": manifestOf({}).replace(
    '{"type":"object","properties":{}}',
    DEEP,
  ),
  "it has a hundred tools": manifestOf({}).replace(
    /"tools":\[(.*)\]/,
    (_, tool: string) =>
      `"tools":[${
        Array.from({ length: 100 }, (_, n) => tool.replace("evil_run", `evil_run${n}`))
      }]`,
  ),
  "its name is longer than names are": manifestOf({ name: "e".repeat(10_000) }),
  "its name has capitals": manifestOf({ name: "Evil" }),
  "its name ends invisibly": manifestOf({ name: "evil\u200b" }),
  "its tool looks like bash": manifestOf({ tool: { name: "b\u0430sh" } }),
  "its tool is called like a prototype": manifestOf({ tool: { name: "__proto__" } }),
  "its tool has ten thousand letters": manifestOf({ tool: { name: "e".repeat(10_000) } }),
  "its tool has a key that nobody knows": manifestOf({ tool: { sandbox: false } }),
  "it is a list": `[${manifestOf({})}]`,
  "it has comments": `// evil\n${manifestOf({})}`,
  "it is written twice": manifestOf({}) + manifestOf({}),
};

/** Every such plugin; none of them runs. */
export const CHANGED_PLUGINS: readonly LyingPlugin[] = [
  ...Object.entries(SINCE).map(([name, since]) => ({ ...UNCHANGED, name, since })),
  ...Object.entries(TEXTS).map(([name, manifest]) => ({
    name,
    manifest,
    files: FILES,
    calls: RUN,
  })),
];
