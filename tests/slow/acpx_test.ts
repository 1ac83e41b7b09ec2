/**
 * `ally acp` driven by a client that others wrote: acpx from npm, as it is installed. Where it cannot be installed there
 * is nothing to see.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { ScriptedReply } from "../../src/modes/demo/scripted_server.ts";
import { allyCommand, type Place, stage } from "../support/program.ts";
import { until } from "../support/wait.ts";

const ACPX = "acpx@0.19.1";
/** The least that acpx runs on, and a Node that is new enough. */
const LEAST_NODE = [22, 13];
const NODE_VERSION = "22.23.3";

const FIX: readonly ScriptedReply[] = [
  { text: "Reading.", calls: [{ name: "read", arguments: { file_paths: ["sum.sh"] } }] },
  {
    calls: [{
      name: "edit",
      arguments: { file_path: "sum.sh", old_string: "1 - 1", new_string: "1 + 1" },
    }],
  },
  { calls: [{ name: "bash", arguments: { command: "sh sum.sh" } }] },
  { text: "Fixed: it prints 2." },
];

Deno.test("acpx runs a turn with all allowed, with all denied, and cancels one", async () => {
  const directory = await Deno.makeTempDir({ prefix: "ally-acpx-" });
  try {
    const acpx = await installAcpx(directory);
    if (acpx === undefined) return;
    await tryAllowed(acpx);
    await tryDenied(acpx);
    await tryCancelled(acpx);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

async function tryAllowed(acpx: readonly string[]): Promise<void> {
  await using at = await stage(FIX, { "sum.sh": "echo $((1 - 1))\n" });
  const done = await startAcpx(acpx, { place: at.place, flags: ["--approve-all"] }).output();
  const text = new TextDecoder().decode(done.stdout);
  assert.match(text, /Fixed: it prints 2\.[^]*\[done\] end_turn/);
  assert.equal(await at.place.read("sum.sh"), "echo $((1 + 1))\n");
}

async function tryDenied(acpx: readonly string[]): Promise<void> {
  await using at = await stage(FIX, { "sum.sh": "echo $((1 - 1))\n" });
  const done = await startAcpx(acpx, { place: at.place, flags: ["--deny-all"] }).output();
  assert.match(new TextDecoder().decode(done.stdout), /The user denied this call/);
  assert.equal(await at.place.read("sum.sh"), "echo $((1 - 1))\n");
}

async function tryCancelled(acpx: readonly string[]): Promise<void> {
  const command = "echo begun > begun.txt; sleep 100";
  await using at = await stage([{ calls: [{ name: "bash", arguments: { command } }] }]);
  const child = startAcpx(acpx, { place: at.place, flags: ["--approve-all"] });
  await until("the command", () => at.place.read("begun.txt"));
  child.kill("SIGINT");
  const { stdout } = await child.output();
  assert.match(new TextDecoder().decode(stdout), /\[done\] cancelled/);
}

function startAcpx(
  acpx: readonly string[],
  { place, flags }: { place: Place; flags: readonly string[] },
): Deno.ChildProcess {
  const [program = "", ...args] = acpx;
  const agent = [...allyCommand(), "--no-sandbox", "acp"].join(" ");
  return new Deno.Command(program, {
    args: [...args, "--cwd", place.dir, ...flags, "--agent", agent, "exec", "fix it"],
    cwd: place.dir,
    env: { ...place.env },
    clearEnv: true,
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
}

/** The command line of acpx; undefined if it, or a Node that is new enough, cannot be installed. */
async function installAcpx(directory: string): Promise<readonly string[] | undefined> {
  const isOld = isBelow((await run("node", ["--version"]))?.slice(1) ?? "0", LEAST_NODE);
  const arch = Deno.build.arch === "aarch64" ? "arm64" : "x64";
  const node = `node-${Deno.build.os}-${arch}`;
  const packages = [ACPX, ...isOld ? [`${node}@${NODE_VERSION}`] : []];
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefix", directory];
  if (await run("npm", ["install", ...flags, ...packages]) === undefined) return undefined;
  const modules = join(directory, "node_modules");
  return [isOld ? join(modules, node, "bin", "node") : "node", join(modules, ".bin", "acpx")];
}

function isBelow(version: string, least: readonly number[]): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [leastMajor = 0, leastMinor = 0] = least;
  return major < leastMajor || major === leastMajor && minor < leastMinor;
}

/** What a program writes; undefined if it is not there, or fails. */
async function run(program: string, args: readonly string[]): Promise<string | undefined> {
  try {
    const { success, stdout } = await new Deno.Command(program, { args: [...args], stderr: "null" })
      .output();
    return success ? new TextDecoder().decode(stdout).trim() : undefined;
  } catch {
    return undefined;
  }
}
