// deno-lint-ignore-file no-console
/**
 * Compiles ally to `dist/ally`: one executable with every built-in tool embedded. With `--check` it only
 * proves the packaging: the current runtime stands in for the one that `deno compile` would download, and
 * every module that is loaded on demand is looked for in it. Run by `deno task build`.
 */
import { Buffer } from "node:buffer";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { MANIFEST } from "../plugins/manifest.ts";
import { PERMISSIONS } from "./permissions.ts";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
/** Started as workers, and so imported by nothing. */
const WORKERS = ["src/model/fetch_worker.ts", "src/plugin_host/child/main.ts"];
/** Modules that must be embedded although nothing imports them at start-up. */
const EMBEDDED = [
  ...MANIFEST.map((entry) => `plugins/${entry.definition.name}/mod.ts`),
  "src/modes/interactive/interactive.ts",
  "src/modes/print/print.ts",
  "src/modes/demo/demo.ts",
  "src/subcommands/completions/completions.ts",
  "src/modes/debugging.ts",
  "src/workspace/checks/registry.ts",
  "src/model/single_host_fetch.ts",
  "src/app/trust_decision.ts",
  "src/plugin_host/entries.ts",
  "src/plugin_host/host.ts",
  "src/plugin_host/loader.ts",
  "src/plugin_host/manifest_lines.ts",
  "src/plugin_host/patterns.ts",
  "src/subcommands/plugin/standalone_process.ts",
  "src/plugin_host/child/messages.ts",
  "src/mcp/connection.ts",
  "src/mcp/login.ts",
  "src/mcp/login_provider.ts",
  "src/mcp/complete_resources.ts",
  ...WORKERS,
];
/** Files of packages that are read on demand. */
const GRAMMARS = [
  "@vscode/tree-sitter-wasm/wasm/tree-sitter.wasm",
  "@vscode/tree-sitter-wasm/wasm/tree-sitter-python.wasm",
  "tree-sitter-c/tree-sitter-c.wasm",
  "tree-sitter-html/tree-sitter-html.wasm",
];

if (Deno.args.includes("--check")) await check();
else await build();

async function build(): Promise<void> {
  const output = join(ROOT, "dist", Deno.build.os === "windows" ? "ally.exe" : "ally");
  const { success, text } = await compile(output, {});
  if (success) {
    console.log(`Compiled ${output}`);
    return;
  }
  console.error(text);
  console.error(
    `Cannot compile ${output}. If the runtime of \`deno compile\` (denort) could not be downloaded, either
- put ally on PATH from source: deno task install
- or name a denort that you have: DENORT_BIN=/path/to/denort deno task build`,
  );
  Deno.exit(1);
}

async function check(): Promise<void> {
  const directory = await Deno.makeTempDir({ prefix: "ally-build-" });
  try {
    const output = join(directory, "ally");
    const { success, text } = await compile(output, {
      DENORT_BIN: Deno.env.get("DENORT_BIN") ?? Deno.execPath(),
    });
    if (!success) throw new Error(`Cannot package ally:\n${text}`);
    // Modules are embedded as they stand: what holds a module's text holds the module.
    const packed = Buffer.from(await Deno.readFile(output));
    const missing = [
      ...EMBEDDED.filter((path) => !packed.includes(Deno.readTextFileSync(join(ROOT, path)))),
      ...GRAMMARS.filter((path) =>
        !packed.includes(Buffer.from(Deno.readFileSync(new URL(import.meta.resolve(path)))))
      ),
    ];
    if (missing.length > 0) throw new Error(`Not embedded: ${missing.join(", ")}`);
    const count = EMBEDDED.length + GRAMMARS.length;
    console.log(`The package holds all ${count} files that are loaded on demand.`);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

async function compile(
  output: string,
  env: Readonly<Record<string, string>>,
): Promise<{ success: boolean; text: string }> {
  const command = new Deno.Command(Deno.execPath(), {
    args: [
      "compile",
      ...PERMISSIONS,
      "--unstable-worker-options",
      ...WORKERS.map((path) => `--include=${path}`),
      "--output",
      output,
      "main.ts",
    ],
    cwd: ROOT,
    env: { ...env, NO_COLOR: "1" },
    stdout: "piped",
    stderr: "piped",
  });
  const { success, stdout, stderr } = await command.output();
  const decoder = new TextDecoder();
  return { success, text: decoder.decode(stdout) + decoder.decode(stderr) };
}
