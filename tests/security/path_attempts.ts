/**
 * Programs that a project puts on PATH, by a virtual environment or by the directory that npm adds: what a person has set
 * up by name (servers, hooks, plugins) must not be replaced by them, nor what those start by name.
 */
import { join } from "node:path";
import type { Situation, World } from "../support/attempts.ts";
import { writeServers } from "../support/mcp_place.ts";
import type { Place } from "../support/program.ts";
import { plantPrograms } from "./situations.ts";

const NAMES = ["npx", "node", "python3", "sh", "bash", "env", "cat", "git"];

/** Where a project can have them; the workspace is `work` in a home. */
const DIRECTORIES: Readonly<Record<string, (world: World) => string>> = {
  "a virtual environment": ({ dir }) => join(dir, ".venv", "bin"),
  "the directory of npm's scripts": ({ dir }) => join(dir, "node_modules", ".bin"),
  "the same of the project around the workspace": ({ home }) => join(home, "node_modules", ".bin"),
  "a directory named relatively": () => "tools",
};

/** A script that is found by its path, and what runs it by name. */
async function writeScript({ home }: Place): Promise<string> {
  const path = join(home, "own.sh");
  await Deno.mkdir(home, { recursive: true });
  await Deno.writeTextFile(path, "#!/usr/bin/env sh\ncat /dev/null\n", { mode: 0o755 });
  return path;
}

type SetUp = (place: Place) => Promise<void>;

const writeConfig = (hook: (script: string) => unknown): SetUp => async (place) => {
  const hooks = { before_tool: [{ command: hook(await writeScript(place)), trusted: true }] };
  await Deno.writeTextFile(join(place.home, "config.json"), JSON.stringify({ hooks }));
};

const addServer = (entry: (script: string) => object): SetUp => async (place) => {
  await writeServers(place.home, { s: entry(await writeScript(place)) });
};

/** What a person has set up, in words that only PATH gives a meaning. */
const SET_UP: Readonly<Record<string, SetUp>> = {
  "a hook by its name": writeConfig(() => ["node", "-e", "0"]),
  "a hook that is a script": writeConfig((script) => [script]),
  "a hook as a command line": writeConfig((script) => `${script}; git --version`),
  "a server by its name": addServer(() => ({ command: "python3", args: ["-c", "0"] })),
  "a server that is a script": addServer((script) => ({ command: script, args: [] })),
  "a plugin's program": async ({ home }) => {
    const folder = join(home, "plugins", "own");
    const tool = { name: "own_run", description: "x", effects: ["read"], parameters: {} };
    const manifest = {
      ...{ manifest: 1, name: "own", version: "1", description: "x" },
      permissions: { write: [home], net: true },
      tools: [{ ...tool, parameters: { type: "object" }, command: "python3", args: ["-c", "0"] }],
    };
    await Deno.mkdir(folder, { recursive: true });
    await Deno.writeTextFile(join(folder, "plugin.json"), JSON.stringify(manifest));
  },
};

/** Flags with which all of it would be used. */
export const PATH_FLAGS = ["--allow-net=mcp:s", "--allow-plugin=own"];

/** Each way of setting up, with programs in each place. */
export const PATH_SITUATIONS: readonly Situation[] = Object.entries(SET_UP).flatMap((
  [what, setUp],
) =>
  Object.entries(DIRECTORIES).map(([where, directory]) => ({
    threat: "repository" as const,
    name: `${what}, beside programs of ${where}`,
    async prepare(place: Place, world: World) {
      await setUp(place);
      const path = join(world.dir, directory(world));
      const real = directory(world).startsWith("/") ? directory(world) : path;
      await plantPrograms(real, world, NAMES);
      if (real.includes(".venv")) await Deno.writeTextFile(join(real, "..", "pyvenv.cfg"), "");
    },
    env: (world: World) => ({ PATH: `${directory(world)}:${Deno.env.get("PATH")}` }),
  }))
);
