/**
 * The structure, as a test: which room may import which, no cycles, no long file, no hidden door to the
 * machine, and a manifest that names every tool.
 */
import assert from "node:assert/strict";
import { MANIFEST } from "../plugins/manifest.ts";
import { dirname, fromFileUrl, join, relative, walkFiles } from "./support/source_tree.ts";

const ROOT = join(dirname(fromFileUrl(import.meta.url)), "..");

interface Source {
  /** Relative to the root, with slashes. */
  readonly path: string;
  readonly text: string;
  /** Module specifiers, dynamic and type imports included. */
  readonly imports: readonly string[];
}

const SOURCES: readonly Source[] = readSources();

/** Rooms that know only the vocabulary and the leaf helpers; none of them knows another. */
const GROUND = ["core", "lib"];

/** All that the composition root puts together. */
const BELOW_APP = [
  "hooks",
  ...["agent", "tools", "context", "permission", "shell", "secrets", "model", "media", "mcp"],
  ...["plugin_host", "store", "workspace", "sandbox", "receipt", "recording", "ui", "help"],
  ...["skills", "web"],
  ...GROUND,
];

/** What a room of `src/` may import besides itself and npm packages. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  core: [],
  lib: [],
  help: [],
  store: GROUND,
  sandbox: GROUND,
  workspace: ["sandbox", "secrets", ...GROUND],
  shell: GROUND,
  model: GROUND,
  media: GROUND,
  secrets: GROUND,
  plugin_host: GROUND,
  mcp: GROUND,
  skills: ["permission", ...GROUND],
  hooks: GROUND,
  web: ["media", ...GROUND],
  context: GROUND,
  ui: GROUND,
  recording: ["model", ...GROUND],
  receipt: GROUND,
  permission: ["shell", ...GROUND],
  tools: ["permission", ...GROUND],
  agent: ["tools", "context", ...GROUND],
  slash: BELOW_APP.filter((room) => room !== "ui"),
  app: [...BELOW_APP, "slash"],
  modes: [...BELOW_APP, "slash", "app"],
  subcommands: [...BELOW_APP, "slash", "app"],
  cli: ["modes", "subcommands", "app", ...GROUND],
};

/** What is not in a room of `src/`, and who may import it. */
const OUTSIDE: Readonly<Record<string, readonly string[]>> = {
  "plugins/manifest.ts": ["app"],
  "deno.json": ["app"],
};

/** Where the machine may be touched. */
const MACHINE =
  /^(main\.ts|src\/(lib\/(assets|directory_handle|directory_listing|find_program|fs|inotify|locked_file|mount_table|process|process_group|standby)\.ts|store\/|workspace\/|sandbox\/|model\/|media\/|mcp\/|web\/|plugin_host\/|receipt\/|recording\/|ui\/(terminal|clipboard|clipboard_image|external_editor|pager)\.ts|app\/|modes\/|subcommands\/|cli\/)|scripts\/)/;

/** The real io, and what runs in a process or a worker of its own. */
const OWN_PROCESS =
  /^src\/(app\/system_io|model\/fetch_worker|media\/(image_worker|pdf_worker|serve_job)|plugin_host\/child\/\w+)\.ts$/;

Deno.test("imports between the rooms of src/ point down only", () => {
  const wrong = SOURCES.flatMap((source) => {
    const room = roomOf(source.path);
    const allowed = room === undefined ? undefined : ALLOWED[room];
    if (allowed === undefined) return [];
    return localImports(source)
      .filter((target) => {
        const other = roomOf(target);
        if (other === undefined) return !(OUTSIDE[target] ?? []).includes(room ?? "");
        return other !== room && !allowed.includes(other);
      })
      .map((target) => `${source.path} imports ${target}`);
  });
  assert.deepEqual(wrong, []);
});

Deno.test("every room of src/ is listed with its imports, and every room listed is there", () => {
  const rooms = new Set(SOURCES.flatMap((source) => roomOf(source.path) ?? []));
  assert.deepEqual([...rooms].sort(), Object.keys(ALLOWED).sort());
});

Deno.test("what writes scripts anew knows how words and variables are read, and nothing of judging", () => {
  const known = /^src\/(shell\/(script\/|words\.ts|(script_)?variables\.ts)|core\/|lib\/)/;
  const wrong = SOURCES.filter((source) => source.path.startsWith("src/shell/script/")).flatMap(
    (source) =>
      localImports(source)
        .filter((target) => !known.test(target))
        .map((target) => `${source.path} imports ${target}`),
  );
  assert.deepEqual(wrong, []);
});

Deno.test("core holds types and errors, and takes nothing but types from elsewhere", () => {
  const wrong = SOURCES.filter((source) => roomOf(source.path) === "core").flatMap((source) =>
    source.imports
      .filter((name) => !name.startsWith("./") && name !== "json-schema-to-ts")
      .map((name) => `${source.path} imports ${name}`)
  );
  assert.deepEqual(wrong, []);
});

Deno.test("a tool imports its own files, src/api.ts and npm packages only", () => {
  const wrong = SOURCES.flatMap((source) => {
    const folder = /^plugins\/[^/]+\//.exec(source.path)?.[0];
    if (folder === undefined) return [];
    return localImports(source)
      .filter((target) => target !== "src/api.ts" && !target.startsWith(folder))
      .map((target) => `${source.path} imports ${target}`);
  });
  assert.deepEqual(wrong, []);
});

Deno.test("the definition of a tool imports types only", () => {
  const wrong = SOURCES.filter((source) => source.path.endsWith("/definition.ts"))
    .filter((source) => /^import (?!type )/m.test(source.text) || /import\(/.test(source.text))
    .map((source) => source.path);
  assert.deepEqual(wrong, []);
});

Deno.test("there is no cycle of imports, types included", () => {
  const targets = new Map(SOURCES.map((source) => [source.path, localImports(source)]));
  const finished = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, trail: readonly string[]) => {
    if (trail.includes(path)) {
      cycles.push([...trail.slice(trail.indexOf(path)), path].join(" -> "));
      return;
    }
    if (finished.has(path)) return;
    for (const target of targets.get(path) ?? []) visit(target, [...trail, path]);
    finished.add(path);
  };
  for (const path of targets.keys()) visit(path, []);
  assert.deepEqual(cycles, []);
});

Deno.test("every import leads to a file that exists", () => {
  const known = new Set(SOURCES.map((source) => source.path));
  const wrong = SOURCES.flatMap((source) =>
    localImports(source)
      .filter((target) => target !== "deno.json" && !known.has(target) && !isPage(target))
      .map((target) => `${source.path} imports ${target}`)
  );
  assert.deepEqual(wrong, []);
});

Deno.test("a run that answers once loads no tool, no terminal and no library but these", () => {
  const { files, packages } = loadedFrom("main.ts", "src/cli/args.ts", "src/modes/print/print.ts");
  assert.deepEqual(packages.filter((name) => !name.startsWith("node:")), [
    "@cfworker/json-schema",
    "@noble/hashes/sha2.js",
    "commander",
    "fastest-levenshtein",
  ]);
  const unwanted = /^plugins\/.*\/mod\.ts$|^src\/ui\/(?!headless|safe_text)/;
  assert.deepEqual(files.filter((path) => unwanted.test(path)), []);
  // Each costs about 0.2 ms at every start.
  assert.ok(files.length <= 230, `${files.length} modules are loaded`);
});

Deno.test("the version is told without a library, and without Node's modules, which load longer than Deno", () => {
  assert.deepEqual(loadedFrom("main.ts").packages, []);
});

Deno.test("no file has more than 500 lines, imports not counted", () => {
  const long = SOURCES
    .map((source) => ({ path: source.path, lines: linesWithoutImports(source.text) }))
    .filter(({ lines }) => lines > 500);
  assert.deepEqual(long, []);
});

Deno.test("no room of src/ holds more than 15 % of its lines", () => {
  const lines = new Map<string, number>();
  for (const source of SOURCES.filter((one) => one.path.startsWith("src/"))) {
    const room = roomOf(source.path) ?? "src";
    lines.set(room, (lines.get(room) ?? 0) + source.text.split("\n").length - 1);
  }
  const all = [...lines.values()].reduce((sum, one) => sum + one, 0);
  const large = [...lines].filter(([, count]) => count / all > 0.15);
  assert.deepEqual(large, []);
});

Deno.test("src/cli has at most eight files", () => {
  const files = SOURCES.filter((source) => roomOf(source.path) === "cli").map(({ path }) => path);
  assert.ok(files.length <= 8, files.join(" "));
});

Deno.test("Deno.*, console and node's file and process modules are used only where the machine is touched", () => {
  const machine = /\bDeno\.|\bconsole\.|"node:(fs|fs\/promises|child_process|process|os|net|http)"/;
  const wrong = SOURCES
    .filter((source) => !source.path.startsWith("tests/") && !MACHINE.test(source.path))
    .filter((source) => machine.test(withoutComments(source.text)))
    .map((source) => source.path);
  assert.deepEqual(wrong, []);
});

Deno.test("an answer from the network is read within limits, by src/lib/bounded_body.ts alone", () => {
  const reads = /\b(response|answer|reply)\.(text|json|arrayBuffer|blob|bytes|formData)\(/;
  const wrong = SOURCES
    .filter((source) => source.path.startsWith("src/") || source.path.startsWith("plugins/"))
    .filter((source) => reads.test(withoutComments(source.text)))
    .map((source) => source.path);
  assert.deepEqual(wrong, []);
  // A new way to the network needs limits too.
  const fetches = SOURCES
    .filter((source) => source.path.startsWith("src/") || source.path.startsWith("plugins/"))
    .filter((source) => /(?<![.\w])fetch\)?\(/.test(withoutComments(source.text)))
    .map((source) => source.path);
  assert.deepEqual(fetches.sort(), [
    "src/mcp/http.ts",
    "src/model/connection.ts",
    "src/model/fetch_worker.ts",
    "src/model/get_json.ts",
    "src/model/models.ts",
    "src/store/npm_package.ts",
  ]);
});

Deno.test("only the real io asks the process for arguments, environment, streams, signals and exit", () => {
  const asks =
    /\bDeno\.(args|env|cwd|chdir|stdin|stdout|stderr|exit|exitCode|consoleSize|(add|remove)SignalListener|permissions\.(request|revoke))\b|"node:process"|"unload"/;
  const wrong = SOURCES
    .filter((source) => source.path.startsWith("src/") && !OWN_PROCESS.test(source.path))
    .filter((source) => asks.test(withoutComments(source.text)))
    .map((source) => source.path);
  assert.deepEqual(wrong, []);
});

Deno.test("every file begins with a comment that says what it is", () => {
  const bare = SOURCES
    .filter((source) =>
      !source.path.endsWith("_test.ts") &&
      !/^(\/\/ deno-lint-ignore-file .*\n)?\/\*\*/.test(source.text)
    )
    .map((source) => source.path);
  assert.deepEqual(bare, []);
});

Deno.test("the manifest names every tool in plugins/, once, under its own name", async () => {
  const folders = SOURCES.flatMap((source) =>
    /^plugins\/([^/]+)\/definition\.ts$/.exec(source.path)?.[1] ?? []
  );
  const names = MANIFEST.map((entry) => entry.definition.name);
  assert.deepEqual([...names].sort(), folders.sort());
  for (const entry of MANIFEST) {
    const tool = await entry.load();
    assert.equal(tool.definition, entry.definition);
  }
});

function readSources(): Source[] {
  return walkFiles(ROOT, ["main.ts", "src", "plugins", "tests", "scripts"])
    .filter((path) => path.endsWith(".ts") && !path.includes("tests/fixtures/"))
    .map((path) => {
      const text = Deno.readTextFileSync(path);
      return { path: relative(ROOT, path), text, imports: importsOf(text) };
    });
}

function importsOf(text: string): string[] {
  const code = withoutComments(text);
  const found = code.matchAll(
    /(?:^|\n)\s*(?:import|export)\b[^"';]*?from\s*"([^"]+)"|\bimport\(\s*"([^"]+)"|(?:^|\n)\s*import\s*"([^"]+)"/g,
  );
  return [...found].map((match) => match[1] ?? match[2] ?? match[3] ?? "");
}

/** Specifiers of static imports that are not types only. */
/** The files that load at once with these, and what they import from npm and Node. */
function loadedFrom(...entries: readonly string[]): { files: string[]; packages: string[] } {
  const packages = new Set<string>();
  const files = new Set<string>();
  const visit = (path: string) => {
    if (files.has(path)) return;
    files.add(path);
    const source = SOURCES.find((one) => one.path === path);
    for (const name of source ? loadedAtOnce(source.text) : []) {
      if (name.startsWith(".")) visit(relative(ROOT, join(ROOT, dirname(path), name)));
      else packages.add(name);
    }
  };
  entries.forEach(visit);
  return { files: [...files], packages: [...packages].sort() };
}

function loadedAtOnce(text: string): string[] {
  const found = withoutComments(text).matchAll(
    /(?:^|\n)\s*(?:import|export)\s+(?!type\b)[^"';]*?from\s*"([^"]+)"/g,
  );
  return [...found].map((match) => match[1] ?? "");
}

function linesWithoutImports(text: string): number {
  const rest = text.replace(/^import\b[^"';]*?(?:from\s*)?"[^"]+"(?: with \{[^}]*\})?;\n/gm, "");
  return rest.split("\n").length - 1;
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[^]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
}

/** Imports of files of this project, relative to its root. */
function localImports(source: Source): string[] {
  return source.imports
    .filter((name) => name.startsWith("."))
    .map((name) => relative(ROOT, join(ROOT, dirname(source.path), name)));
}

/** Whether a path names a help page that is there. */
function isPage(path: string): boolean {
  return /^src\/help\/[a-z]+\.md$/.test(path) && Deno.statSync(join(ROOT, path)).isFile;
}

function roomOf(path: string): string | undefined {
  return /^src\/([^/]+)\//.exec(path)?.[1];
}
