/**
 * The real ally, installed as people do it, after what it was made of is gone: by `deno task install` from a copy of
 * the clone, and as npm lays out its package.
 */
import assert from "node:assert/strict";
import { createTarDecoder } from "modern-tar";
import { cp } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import manifest from "../../deno.json" with { type: "json" };
import { bundle } from "../../scripts/bundle.ts";
import { packageFolder, SCHEMA_TYPES } from "../../scripts/declarations.ts";
import { listFiles } from "../../scripts/install_bundle.ts";
import { packBundle } from "../../scripts/pack.ts";
import { exists } from "../../src/lib/fs.ts";
import { denoDir } from "../support/deno_dir.ts";
import { makePlace, type Place, type Stage, stage } from "../support/program.ts";
import { until } from "../support/wait.ts";

const CLONE = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

/** Runs a program with little in its environment: a home, the system's PATH, and where the demo leaves its project. */
async function start(
  program: string,
  { args, cwd, home, env = {} }: {
    args: readonly string[];
    cwd: string;
    home: string;
    env?: Readonly<Record<string, string>>;
  },
) {
  const { code, stdout, stderr } = await new Deno.Command(program, {
    args: [...args],
    cwd,
    clearEnv: true,
    env: { HOME: home, PATH: "/usr/bin:/bin", TMPDIR: dirname(home), ...env },
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

async function copyClone(to: string): Promise<void> {
  for (const name of ["deno.json", "deno.lock", "main.ts", "README.md", "LICENSE"]) {
    await Deno.mkdir(to, { recursive: true });
    await Deno.copyFile(join(CLONE, name), join(to, name));
  }
  for (const name of ["src", "plugins", "scripts"]) {
    const { success } = await new Deno.Command("cp", { args: ["-R", join(CLONE, name), to] })
      .output();
    assert.ok(success);
  }
}

Deno.test("what deno task install puts on a machine needs no clone, and uninstall removes it", async () => {
  await using place = await makePlace();
  const clone = join(place.dir, "a clone");
  const home = join(place.dir, "a home");
  const root = join(home, ".local");
  await copyClone(clone);
  await Deno.mkdir(home);
  const installed = await start(Deno.execPath(), {
    args: ["task", "install"],
    cwd: clone,
    home,
    env: { DENO_DIR: denoDir() },
  });
  assert.equal(installed.code, 0, installed.stderr);
  assert.ok(
    installed.stdout.includes(`export PATH='${join(root, "bin")}':"$PATH"`),
    installed.stdout,
  );
  // The clone in its other place gives the same bundle; chunks are named by their content.
  await bundle(join(place.dir, "bundle"));
  assert.deepEqual(
    await listFiles(join(root, "share", "ally", manifest.version, "bundle")),
    await listFiles(join(place.dir, "bundle")),
  );
  await Deno.remove(clone, { recursive: true });
  const ally = join(root, "bin", "ally");
  const run = (...args: string[]) => start(ally, { args, cwd: place.dir, home });
  assert.equal((await run("--version")).stdout, `${manifest.version}\n`);
  const demo = await run("demo");
  assert.equal(demo.code, 0, demo.stderr);
  assert.match(demo.stdout, /All three tests pass now/);
  assert.ok(demo.stdout.includes(`'${ally}' init`), demo.stdout);
  assert.doesNotMatch(demo.stdout, /task install/);
  const upgrade = await run("upgrade");
  assert.ok(upgrade.stdout.includes(`installed in ${root}.`), upgrade.stdout);
  assert.match(upgrade.stdout, /^ {2}npx -y deno@[\d.]+ task install$/m);
  const removed = await run("uninstall");
  assert.equal(
    removed.stdout,
    `Removed ally ${manifest.version} from ${root}.\n` +
      `Deno's cache stays in ${join(home, ".cache", "deno")}: other programs may use it.\n`,
  );
  assert.equal(removed.code, 0);
  assert.ok(!exists(root), "the root was made by the install");
});

interface Layout {
  readonly name: string;
  /** Where the package is, below the prefix. */
  readonly package: string;
  /** Where Deno's executable is. */
  readonly deno: string;
  /** Links: from, to. */
  readonly links: readonly (readonly [string, string])[];
  readonly start: string;
  readonly kind: string;
}

const LAYOUTS: readonly Layout[] = [
  {
    name: "npm install -g, which runs no install scripts",
    package: "lib/node_modules/ally-agent",
    deno: "lib/node_modules/ally-agent/node_modules/@deno/system/deno",
    links: [["bin/ally", "../lib/node_modules/ally-agent/bin/ally"]],
    start: "bin/ally",
    kind: "npm",
  },
  {
    name: "npx, with Deno's install script run",
    package: "_npx/0123456789abcdef/node_modules/ally-agent",
    deno: "_npx/0123456789abcdef/node_modules/deno/deno",
    links: [["_npx/0123456789abcdef/node_modules/.bin/ally", "../ally-agent/bin/ally"]],
    start: "_npx/0123456789abcdef/node_modules/.bin/ally",
    kind: "npx",
  },
  {
    name: "pnpm, which links packages to where each has its own dependencies",
    package: "node_modules/.pnpm/ally-agent@1/node_modules/ally-agent",
    deno: "node_modules/.pnpm/deno@1/node_modules/@deno/system/deno",
    links: [
      ["node_modules/.pnpm/ally-agent@1/node_modules/deno", "../../deno@1/node_modules/deno"],
      ["node_modules/ally-agent", ".pnpm/ally-agent@1/node_modules/ally-agent"],
      ["bin/one", "../node_modules/ally-agent/bin/ally"],
      ["bin/ally", "one"],
    ],
    start: "bin/ally",
    kind: "npm",
  },
];

async function unpack(archive: Uint8Array<ArrayBuffer>, to: string): Promise<string[]> {
  const paths: string[] = [];
  const entries = new Blob([archive]).stream().pipeThrough(new DecompressionStream("gzip"))
    .pipeThrough(createTarDecoder({ strict: true }));
  for await (const { header, body } of entries) {
    const path = join(to, header.name.replace(/^package\//, ""));
    await Deno.mkdir(dirname(path), { recursive: true });
    await Deno.writeFile(path, new Uint8Array(await new Response(body).arrayBuffer()));
    await Deno.chmod(path, header.mode ?? 0o644);
    paths.push(header.name);
  }
  return paths;
}

async function layOut(
  archive: Uint8Array<ArrayBuffer>,
  { prefix, layout }: { prefix: string; layout: Layout },
): Promise<void> {
  await unpack(archive, join(prefix, layout.package));
  await Deno.mkdir(dirname(join(prefix, layout.deno)), { recursive: true });
  await Deno.symlink(Deno.execPath(), join(prefix, layout.deno));
  await Deno.mkdir(join(prefix, "node_modules/.pnpm/deno@1/node_modules/deno"), {
    recursive: true,
  });
  for (const [from, to] of layout.links) {
    await Deno.mkdir(dirname(join(prefix, from)), { recursive: true });
    await Deno.symlink(to, join(prefix, from));
  }
}

async function makePackage(place: Place): Promise<Uint8Array<ArrayBuffer>> {
  const folder = join(place.dir, "bundle");
  await bundle(folder);
  const first = await packBundle(folder);
  assert.deepEqual(await packBundle(folder), first, "the same bundle gives the same bytes");
  await Deno.remove(folder, { recursive: true });
  return new Uint8Array(first);
}

Deno.test("the npm package starts with the Deno beside it, wherever a package manager puts both", async (t) => {
  const rolls = { calls: [{ name: "roll", arguments: { sides: 6 } }] };
  await using at = await stage([...LAYOUTS.map(() => ({ text: "Hello." })), rolls, {
    text: "Six.",
  }]);
  const { place, server } = at;
  const archive = await makePackage(place);
  for (const [index, layout] of LAYOUTS.entries()) {
    await t.step(layout.name, async () => {
      const prefix = join(place.dir, `a prefix ${index}`);
      await layOut(archive, { prefix, layout });
      const ally = join(prefix, layout.start);
      const run = (...args: string[]) => start(ally, { args, cwd: place.dir, home: place.home });
      const version = await run("--version");
      assert.equal(version.stdout, `${manifest.version}\n`, version.stderr);
      const upgrade = await run("upgrade", "--json");
      assert.equal(JSON.parse(upgrade.stdout).kind, layout.kind);
      const removal = await run("uninstall");
      assert.equal(removal.code, 1);
      assert.match(removal.stdout, layout.kind === "npm" ? /^ {2}npm uninstall /m : /npx runs/);
      const demo = await run("demo");
      assert.equal(demo.code, 0, demo.stderr);
      await assertBecomesDeno(ally, { place, endpoint: server.url });
    });
  }
  await t.step("npm itself, which finds what it needs in it", () => checkPackage(place, archive));
  await t.step("a program that imports it", () => checkLibrary(at, archive));
});

/** What a program of somebody else's writes, to use ally with a tool of its own. */
const PROGRAM = `
import { Ally, defineTool, type Input, type ToolDefinition, type TurnResult } from "ally-agent";
const definition = {
  name: "roll",
  description: "Roll.",
  parameters: {
    type: "object",
    properties: { sides: { type: "integer" } },
    required: ["sides"],
    additionalProperties: false,
  },
  effects: [],
  example: { sides: 6 },
} as const satisfies ToolDefinition;
const roll = defineTool<Input<typeof definition>, { rolled: number }>(definition, {
  describe: ({ sides }) => sides.toFixed(),
  run: ({ sides }) => Promise.resolve({ ok: true, data: { rolled: sides } }),
});
const ally = new Ally({ env: Deno.env.toObject() });
const { text, tool_calls }: TurnResult = await ally.run("roll", { tools: [roll] });
console.log(text, tool_calls);
`;
/** Programs that its types do not let pass, and what is said of them. */
const MISTAKES: readonly (readonly [change: (program: string) => string, error: RegExp])[] = [
  [(program) => program.replace("sides.toFixed()", "sides"), /'number' is not assignable/],
  [(program) => program.replace("sides.toFixed()", "faces"), /'faces'/],
  [(program) => program.replace("env:", "environment:"), /'environment' does not exist in type/],
  [(program) => program.replace("tools: [roll]", "turns: 3"), /'turns' does not exist in type/],
];

/** As npm lays the package out below such a program; its own Deno is beside it. */
async function checkLibrary({ place, server }: Stage, archive: Uint8Array<ArrayBuffer>) {
  const home = join(place.dir, "program");
  await unpack(archive, join(home, "node_modules/ally-agent"));
  await Deno.writeTextFile(join(home, "package.json"), "{}");
  await placeSchemaTypes(join(home, "node_modules"));
  await Deno.writeTextFile(join(home, "roll.ts"), PROGRAM);
  const deno = (...args: string[]) =>
    start(Deno.execPath(), {
      args: [...args, "--node-modules-dir=manual", "roll.ts"],
      cwd: home,
      home,
      env: { OPENAI_BASE_URL: server.url, ALLY_MODEL: "scripted", NO_COLOR: "1" },
    });
  const { code, stdout, stderr } = await deno("run", "--check", "--allow-all", "--no-prompt");
  assert.equal(stdout, "Six. 1\n", stderr);
  assert.equal(code, 0);
  for (const [change, error] of MISTAKES) {
    await Deno.writeTextFile(join(home, "roll.ts"), change(PROGRAM));
    const checked = await deno("check");
    assert.equal(checked.code, 1);
    assert.match(checked.stderr, error);
  }
}

/** What npm installs with the package, for the types of a tool's arguments. */
async function placeSchemaTypes(folder: string): Promise<void> {
  const types = packageFolder(SCHEMA_TYPES);
  const algebra = join(types, "..", "..", "ts-algebra");
  const version = [...Deno.readDirSync(algebra)].find(({ isDirectory }) => isDirectory)!.name;
  await cp(types, join(folder, SCHEMA_TYPES), { recursive: true });
  await cp(join(algebra, version), join(folder, "ts-algebra"), { recursive: true });
}

/** Starts a turn, and looks at its process while it waits for standard input. */
async function assertBecomesDeno(
  ally: string,
  { place, endpoint }: { place: Place; endpoint: string },
): Promise<void> {
  const child = new Deno.Command(ally, {
    args: ["-p", "--endpoint", endpoint, "--model", "scripted"],
    cwd: place.dir,
    clearEnv: true,
    env: { HOME: place.home, PATH: "/usr/bin:/bin" },
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  if (Deno.build.os === "linux") {
    await until("Deno in the place of the shell", async () => {
      const text = await Deno.readTextFile(`/proc/${child.pid}/cmdline`);
      return text.split("\0")[0]?.endsWith("/deno");
    });
  }
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode("hello"));
  await writer.close();
  const { stdout } = await child.output();
  assert.equal(new TextDecoder().decode(stdout).trim(), "Hello.");
}

/** What npm reads of the package, and what is said where npm left Deno out. */
async function checkPackage(place: Place, archive: Uint8Array<ArrayBuffer>): Promise<void> {
  const folder = join(place.dir, "ally-agent");
  const paths = await unpack(archive, folder);
  for (const name of ["README.md", "LICENSE", "bin/ally", "completions/_ally"]) {
    assert.ok(paths.includes(`package/${name}`), name);
  }
  const description = JSON.parse(await Deno.readTextFile(join(folder, "package.json")));
  assert.equal(description.version, manifest.version);
  assert.deepEqual(description.bin, { ally: "bin/ally" });
  assert.deepEqual(description.os, ["darwin", "linux"]);
  assert.match(description.dependencies.deno, /^\d+\.\d+\.\d+$/);
  assert.match(await Deno.readTextFile(join(folder, "completions", "_ally")), /^#compdef ally/);
  const { code, stderr } = await start(join(folder, "bin", "ally"), {
    args: ["--version"],
    cwd: place.dir,
    home: place.home,
  });
  assert.equal(code, 1);
  assert.match(stderr, /npm installed no Deno for this system, \w+/);
}
