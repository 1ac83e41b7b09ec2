// deno-lint-ignore-file no-console
/**
 * What plugins cost: whole runs of one answer with 50 plugins of 4 tools and with none, and the time of a first
 * and of a later call. Run by `deno task bench:plugins`.
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startScriptedServer } from "../src/modes/demo/scripted_server.ts";
import { median } from "./median.ts";

const ROUNDS = 15;
const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));
const CONFIG = fileURLToPath(new URL("../deno.json", import.meta.url));

const root = await Deno.makeTempDir({ prefix: "ally-bench-" });
try {
  await measureStart();
  await measureCalls();
} finally {
  await Deno.remove(root, { recursive: true });
}

async function measureStart(): Promise<void> {
  const [none, many] = [join(root, "none"), join(root, "many")];
  await Deno.mkdir(none);
  for (let index = 0; index < 50; index++) {
    await writePlugin(many, { name: `plugin${index}`, tools: 4 });
  }
  const times = new Map<string, number[]>([[none, []], [many, []]]);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [home, taken] of times) taken.push(await answerOnce(home));
  }
  const [without = 0, withMany = 0] = [...times.values()].map(median);
  console.log(`one answer without plugins: ${without.toFixed(0)} ms`);
  console.log(`with 50 plugins of 4 tools: ${withMany.toFixed(0)} ms`);
  console.log(`difference: ${(withMany - without).toFixed(1)} ms`);
}

async function answerOnce(home: string): Promise<number> {
  await using server = await startScriptedServer({ replies: [{ text: "yes" }] });
  const started = performance.now();
  // In a small window 200 definitions alone would ask for an exact count of tokens.
  const args = ["-p", "--context-size=200000", "hello"];
  await ally({ home, args, endpoint: server.url });
  return performance.now() - started;
}

async function measureCalls(): Promise<void> {
  const home = join(root, "calls");
  await writePlugin(home, { name: "one", tools: 1 });
  const durations: number[][] = [];
  for (let round = 0; round < 5; round++) {
    const call = { calls: [{ name: "one_0", arguments: { text: "x" } }] };
    await using server = await startScriptedServer({
      replies: [call, call, call, { text: "yes" }],
    });
    const args = ["-p", "--allow-plugin=one", "--output-format=stream-json", "go"];
    const output = await ally({ home, args, endpoint: server.url });
    durations.push(
      [...output.matchAll(/"duration_ms":(\d+),"result"/g)].map(([, ms]) => Number(ms)),
    );
  }
  console.log(`first call: ${median(durations.map(([first = NaN]) => first))} ms`);
  console.log(`later call: ${median(durations.map(([, , later = NaN]) => later))} ms`);
}

async function writePlugin(
  home: string,
  { name, tools }: { name: string; tools: number },
): Promise<void> {
  const folder = join(home, "plugins", name);
  await Deno.mkdir(folder, { recursive: true });
  const manifest = {
    manifest: 1,
    name,
    version: "1.0.0",
    description: "Something useful",
    permissions: { net: ["example.com"], env: ["TOKEN"] },
    tools: Array.from({ length: tools }, (_, index) => ({
      name: `${name}_${index}`,
      description: "Does something useful with a text and a number",
      effects: ["read"],
      parameters: {
        type: "object",
        properties: {
          text: { type: "string", description: "What it works on" },
          count: { type: "integer", minimum: 1, description: "How often" },
        },
        required: ["text"],
      },
      module: "./main.ts",
    })),
  };
  await Deno.writeTextFile(join(folder, "plugin.json"), JSON.stringify(manifest, null, 2));
  await Deno.writeTextFile(join(folder, "main.ts"), "export default ({ text }) => ({ text });\n");
}

async function ally(
  { home, args, endpoint }: { home: string; args: readonly string[]; endpoint: string },
): Promise<string> {
  const command = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-prompt", `--config=${CONFIG}`, MAIN, ...args],
    cwd: root,
    env: { ALLY_HOME: home, OPENAI_BASE_URL: endpoint, ALLY_MODEL: "scripted" },
    stdin: "null",
  });
  return new TextDecoder().decode((await command.output()).stdout);
}
