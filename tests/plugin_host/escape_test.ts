import assert from "node:assert/strict";
import { join } from "node:path";
import type { Plugin } from "../../src/plugin_host/plugin.ts";
import {
  type PluginStage,
  pluginStage,
  type PluginStageOptions,
  SECRET,
} from "../support/plugin_stage.ts";
import { hasBubblewrap } from "../support/sandbox.ts";

/** One attempt: the text of a module, in which OUTSIDE, ALLY, WORK and PORT stand for the real places. */
type Attempts = Readonly<Record<string, string>>;

/** Imports; a module that cannot be loaded spoils only its own call. */
const IMPORTS: Attempts = {
  static_module: `import stolen from "file://OUTSIDE/mod.ts"; export default () => stolen();`,
  static_relative:
    `import stolen from "../../../../outside/mod.ts"; export default () => stolen();`,
  static_json:
    `import stolen from "file://OUTSIDE/secret.json" with { type: "json" }; export default () => stolen;`,
  static_text:
    `import stolen from "file://OUTSIDE/secret.json" with { type: "text" }; export default () => stolen;`,
  static_bytes:
    `import stolen from "file://ALLY/config.json" with { type: "bytes" }; export default () => new TextDecoder().decode(stolen);`,
  dynamic_literal: `export default async () => (await import("file://OUTSIDE/mod.ts")).default();`,
  dynamic_computed:
    `export default async () => (await import(["file://OUTSIDE", "mod.ts"].join("/"))).default();`,
  workspace_code_encoded: `export default async () => {
    const up = "..%2f".repeat("WORK".split("/").length + 9);
    const encoded = "./" + up + "WORK/code.ts".slice(1).replaceAll("/", "%2f");
    return (await import(encoded)).default();
  };`,
  workspace_code: `export default async () => (await import("file://WORK/code.ts")).default();`,
  other_plugin:
    `export default async () => (await import("file://ALLY/plugins/good/fine.ts")).default({ n: 1 }) && "GOT IT";`,
  data_module:
    `export default async () => (await import("data:text/javascript,export default 'GOT'+' IT'")).default;`,
  blob_module: `export default async () => {
    const url = URL.createObjectURL(new Blob(["export default 'GOT'+' IT'"], { type: "text/javascript" }));
    return (await import(url)).default;
  };`,
  http_module: `export default async () => (await import("http://127.0.0.1:PORT/x.ts")).default;`,
  npm_module: `export default async () => (await import("npm:left-pad")).default("GOT" + " IT");`,
  jsr_module:
    `export default async () => Object.keys(await import("jsr:@std/path"))[0] + "GOT IT";`,
  require_outside:
    `import { createRequire } from "node:module"; export default () => createRequire("file://OUTSIDE/")("./secret.json");`,
  own_hooks: `export default async () => {
    const { registerHooks } = await import("node:module");
    registerHooks({ resolve: (url) => ({ url, shortCircuit: true }) });
    return (await import("file://OUTSIDE/mod.ts")).default();
  };`,
  builtin_module: `export default async () => {
    const module = globalThis.process?.getBuiltinModule?.("node:module") ?? (await import("node:process")).default.getBuiltinModule("node:module");
    return module.createRequire("file://OUTSIDE/")("./secret.json");
  };`,
  worker: `export default () => new Promise((resolve, reject) => {
    const worker = new Worker("file://OUTSIDE/mod.ts", { type: "module", deno: { permissions: "inherit" } });
    worker.onmessage = () => resolve("GOT IT"); worker.onerror = reject;
  });`,
  worker_threads: `export default async () => {
    const { Worker } = await import("node:worker_threads");
    return await new Promise((resolve, reject) => {
      const worker = new Worker(new URL("file://OUTSIDE/mod.ts")); worker.on("online", () => resolve("GOT IT")); worker.on("error", reject);
    });
  };`,
};

/** Imports of what it wrote into its own data itself, by every name of it. */
const DATA_IMPORTS: Attempts = Object.fromEntries(
  ["data/x.ts", "d%61ta/x.ts", "data%2fx.ts", "Data/x.ts"].map((path, number) => [
    `data_${number}`,
    `import { mkdirSync, writeFileSync } from "node:fs"; export default async (_, { plugin }) => {
      const folder = plugin + "/${path.startsWith("D") ? "Data" : "data"}";
      mkdirSync(folder, { recursive: true });
      writeFileSync(folder + "/x.ts", "export default 'GOT' + ' IT'");
      const written = "./${path}";
      return (await import(written)).default;
    };`,
  ]),
);

/** What is not granted. */
const REACHES: Attempts = {
  read_file: `export default () => Deno.readTextFile("OUTSIDE/secret.json");`,
  read_workspace: `export default () => Deno.readTextFile("WORK/notes.txt");`,
  read_by_node:
    `import { readFileSync } from "node:fs"; export default () => readFileSync("OUTSIDE/secret.json", "utf8");`,
  read_config: `export default () => Deno.readTextFile("ALLY/config.json");`,
  read_by_fetch:
    `export default async () => await (await fetch("file://OUTSIDE/secret.json")).text();`,
  climb: `export default () => Deno.readTextFile("ALLY/plugins/evil/../../config.json");`,
  list:
    `export default () => [...Deno.readDirSync("ALLY")].map((one) => one.name).join() + "GOT IT";`,
  link:
    `export default (_, { plugin }) => { Deno.symlinkSync("OUTSIDE/secret.json", plugin + "/link"); return Deno.readTextFile(plugin + "/link"); };`,
  hard_link:
    `export default (_, { plugin }) => { Deno.linkSync("OUTSIDE/secret.json", plugin + "/hard"); return Deno.readTextFile(plugin + "/hard"); };`,
  own_environ: `export default () => Deno.readTextFile("/proc/self/environ");`,
  parent_environ:
    `import process from "node:process"; export default () => Deno.readTextFile("/proc/" + process.ppid + "/environ");`,
  parent_memory:
    `import process from "node:process"; export default () => Deno.openSync("/proc/" + process.ppid + "/mem") && "GOT IT";`,
  environment: `export default () => JSON.stringify(Deno.env.toObject()) + "GOT IT";`,
  variable: `export default () => Deno.env.get("OPENAI_API_KEY");`,
  node_environment:
    `import process from "node:process"; export default () => String(process.env.OPENAI_API_KEY ?? (() => { throw new Error("not there") })());`,
  network: `export default async () => await (await fetch("http://127.0.0.1:PORT/")).text();`,
  socket: `export default async () => { await Deno.connect({ port: PORT }); return "GOT IT"; };`,
  listen: `export default () => Deno.listen({ port: 0 }).addr.port + "GOT IT";`,
  node_socket:
    `import net from "node:net"; export default () => new Promise((resolve, reject) => net.connect(PORT, "127.0.0.1").on("connect", () => resolve("GOT IT")).on("error", reject));`,
  resolve_name: `export default async () => (await Deno.resolveDns("localhost", "A")) + "GOT IT";`,
  subprocess:
    `export default async () => new TextDecoder().decode((await new Deno.Command("sh", { args: ["-c", "cat OUTSIDE/secret.json"] }).output()).stdout);`,
  node_subprocess:
    `import { execSync } from "node:child_process"; export default () => execSync("cat OUTSIDE/secret.json").toString();`,
  ffi:
    `export default () => { Deno.dlopen("/lib/x86_64-linux-gnu/libc.so.6", {}); return "GOT IT"; };`,
  kill_ally:
    `import process from "node:process"; export default () => { Deno.kill(process.ppid, "SIGKILL"); return "GOT IT"; };`,
  node_kill:
    `import process from "node:process"; export default () => { process.kill(process.ppid, "SIGKILL"); return "GOT IT"; };`,
  terminal_write:
    `export default () => { Deno.writeTextFileSync("/dev/tty", "GOT IT"); return "GOT IT"; };`,
  terminal_read: `export default () => { Deno.openSync("/dev/tty"); return "GOT IT"; };`,
  keyboard: `export default () => { Deno.stdin.setRaw(true); return "GOT IT"; };`,
  write_outside:
    `export default () => { Deno.writeTextFileSync("OUTSIDE/new.txt", "x"); return "GOT IT"; };`,
  write_workspace:
    `export default () => { Deno.writeTextFileSync("WORK/new.txt", "x"); return "GOT IT"; };`,
  write_itself:
    `export default (_, { plugin }) => { Deno.writeTextFileSync(plugin + "/more.ts", "x"); return "GOT IT"; };`,
  more_permission:
    `export default async () => (await Deno.permissions.request({ name: "read" })).state === "granted" ? "GOT IT" : "no";`,
  system: `export default () => Deno.hostname() + "GOT IT";`,
  change_directory:
    `export default () => { Deno.chdir("OUTSIDE"); return Deno.readTextFile("secret.json"); };`,
};

/** The same by Node's back doors, and by other spellings of an address. */
const BACK_DOORS: Attempts = {
  loader: `import m from "node:module"; export default () => m._load("OUTSIDE/secret.json");`,
  extension:
    `import m from "node:module"; export default () => { const one = { exports: {} }; m._extensions[".json"](one, "OUTSIDE/secret.json"); return one.exports; };`,
  hooks_static: `import m from "node:module"; export default async () => {
    m.registerHooks({ resolve: (url) => ({ url, shortCircuit: true }) });
    return (await import("file://OUTSIDE/secret.json", { with: { type: "text" } })).default;
  };`,
  vm:
    `import vm from "node:vm"; export default () => vm.runInThisContext("Deno.readTextFileSync('OUTSIDE/secret.json')");`,
  worker_static:
    `import { Worker } from "node:worker_threads"; export default () => new Promise((resolve, reject) => {
    const worker = new Worker("require('node:worker_threads').parentPort.postMessage(require('node:fs').readFileSync('OUTSIDE/secret.json', 'utf8'))", { eval: true, deno: { permissions: { read: true } } });
    worker.on("message", resolve); worker.on("error", reject);
  });`,
  inspector:
    `import { Session } from "node:inspector"; export default () => new Promise((resolve, reject) => {
    const session = new Session(); session.connect();
    session.post("Runtime.evaluate", { expression: "Deno.readTextFileSync('OUTSIDE/secret.json')" }, (error, result) => error ? reject(error) : resolve(result));
  });`,
  inspector_main:
    `import { Session } from "node:inspector"; export default () => { new Session().connectToMainThread(); return "GOT IT"; };`,
  debugger:
    `import { open } from "node:inspector"; export default () => { open(0, "127.0.0.1"); return "GOT IT"; };`,
  database:
    `import { DatabaseSync } from "node:sqlite"; export default () => { new DatabaseSync("OUTSIDE/x.db"); return "GOT IT"; };`,
  heap:
    `import v8 from "node:v8"; export default () => { v8.writeHeapSnapshot("OUTSIDE/heap"); return "GOT IT"; };`,
  number_address:
    `export default async () => await (await fetch("http://2130706433:PORT/")).text();`,
  mapped_address:
    `export default async () => await (await fetch("http://[::ffff:127.0.0.1]:PORT/")).text();`,
  http2:
    `import http2 from "node:http2"; export default () => new Promise((resolve, reject) => http2.connect("http://127.0.0.1:PORT").on("connect", () => resolve("GOT IT")).on("error", reject));`,
  web_socket:
    `export default () => new Promise((resolve, reject) => { const socket = new WebSocket("ws://127.0.0.1:PORT/"); socket.onopen = () => resolve("GOT IT"); socket.onerror = () => reject(new Error("refused")); });`,
  name_server:
    `export default async () => "GOT IT" + await Deno.resolveDns("secret.example", "A", { nameServer: { ipAddr: "127.0.0.1", port: PORT } });`,
  name_lookup:
    `import dns from "node:dns/promises"; export default async () => "GOT IT" + JSON.stringify(await dns.lookup("localhost"));`,
  abstract_socket:
    `export default async () => { await Deno.connect({ transport: "unix", path: "\\0ally" }); return "GOT IT"; };`,
  own_memory: `export default () => Deno.openSync("/proc/self/mem") && "GOT IT";`,
  umask: `export default () => Deno.umask(0) + "GOT IT";`,
};

const GOOD = `export default ({ n }) => ({ n: n + 1 });`;

/** A server that must not be reached. */
function trap(): { port: number; reached: () => number; close: () => Promise<void> } {
  let count = 0;
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, () => {
    count++;
    return new Response("GOT IT");
  });
  return { port: server.addr.port, reached: () => count, close: () => server.shutdown() };
}

function placed(code: string, { at, port }: { at: PluginStage; port: number }): string {
  return code.replaceAll("OUTSIDE", at.outside).replaceAll("ALLY", at.allyHome)
    .replaceAll("WORK", at.workspace).replaceAll("PORT", String(port));
}

async function stillWorks(at: PluginStage, good: Plugin): Promise<void> {
  const { result } = await at.call(good, "fine", { input: { n: 1 } });
  assert.deepEqual(result, { ok: true, data: { n: 2 } });
}

async function attempt(
  attempts: Attempts,
  options: PluginStageOptions & { permissions?: Record<string, unknown> },
): Promise<void> {
  await using at = await pluginStage(options);
  const { permissions = {} } = options;
  const server = trap();
  try {
    await Deno.writeTextFile(join(at.workspace, "code.ts"), `export default () => "GOT IT";`);
    const good = await at.plugin({ name: "good", modules: { fine: GOOD } });
    const modules = Object.fromEntries(
      Object.entries(attempts).map((
        [name, code],
      ) => [name, placed(code, { at, port: server.port })]),
    );
    const evil = await at.plugin({ modules, permissions, timeout: 2 });
    for (const name of Object.keys(attempts)) {
      const { text } = await at.call(evil, name);
      assert.equal(text.includes(SECRET) || text.includes("GOT IT"), false, `${name}: ${text}`);
    }
    assert.equal(server.reached(), 0);
    const names = [at.outside, at.workspace].flatMap((path) => [...Deno.readDirSync(path)])
      .map(({ name }) => name).sort();
    assert.deepEqual(names, [".git", "code.ts", "mod.ts", "notes.txt", "secret.json"]);
    await stillWorks(at, good);
  } finally {
    await server.close();
  }
}

for (const way of ["sandbox", "permissions", "standalone"] as const) {
  const ignore = way === "sandbox" && !hasBubblewrap();
  Deno.test(`a plugin imports nothing but its own files (${way})`, { ignore }, async () => {
    await attempt(IMPORTS, { way });
  });
  Deno.test(
    `a plugin that may read the workspace imports nothing of it (${way})`,
    { ignore },
    async () => {
      const attempts = Object.fromEntries(
        Object.entries(IMPORTS).filter(([name]) => name.startsWith("workspace_code")),
      );
      await attempt(attempts, { way, permissions: { read: ["."] } });
    },
  );
  Deno.test(`a plugin imports nothing of its own data (${way})`, { ignore }, async () => {
    await attempt(DATA_IMPORTS, { way, permissions: { write: ["${plugin}"] } });
  });
  Deno.test(`a plugin reaches nothing that it was not granted (${way})`, { ignore }, async () => {
    await attempt(REACHES, { way });
  });
  Deno.test(
    `no back door leads a plugin to what it was not granted (${way})`,
    { ignore },
    async () => {
      await attempt(BACK_DOORS, {
        way,
        permissions: { net: ["example.invalid"], read: ["${plugin}"] },
      });
    },
  );
}
