/**
 * What long sessions and full homes cost: the memory of many calls, a resumed session of 5,000 messages, and starts
 * in a large repository, with many sessions, plugins and MCP servers, beside an empty one.
 */
import { dirname, join } from "node:path";
import type { ScriptedReply } from "../src/modes/demo/scripted_server.ts";
import { makeLargeRepository } from "./large_tree.ts";
import type { Limits, MeasureOptions } from "./limits.ts";
import { type MeasuredRun, measureRun } from "./measured_run.ts";
import { median, medianRatio } from "./median.ts";

const MESSAGES = 5000;
/** How much oftener than the others starts are run: they are so short that noise would decide. */
const STARTS_PER_ROUND = 5;
const LARGE_WINDOW = ["--context-size", "1000000"];
const ANSWER: ScriptedReply = { text: "The answer." };

/** A server with one tool, as small as a shell can make it. */
const MCP_SERVER = String.raw`while read -r line; do
  id=$(printf %s "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case $line in
    *'"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}' ;;
    *'"tools/list"'*) result='{"tools":[{"name":"look","description":"Looks","inputSchema":{"type":"object"}}]}' ;;
    *) result='{}' ;;
  esac
  [ -n "$id" ] && printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
`;

/** One way to run ally, measured several times. */
interface Contender {
  readonly replies: readonly ScriptedReply[];
  readonly args: readonly string[];
  readonly cwd: string;
  readonly home: string;
  /** Puts back what a run changed. */
  readonly reset?: () => Promise<void>;
}

/** Measures long sessions and full homes. */
export async function measureSessions(limits: Limits, options: MeasureOptions): Promise<void> {
  await measureCalls(limits, options);
  await measureResume(limits, options);
  await measureStarts(limits, options);
}

async function measureCalls(limits: Limits, options: MeasureOptions): Promise<void> {
  const many = (count: number): Promise<Contender> =>
    makeContender(`calls-${count}`, options, {
      replies: [...Array.from({ length: count }, (_, at) => bash(`echo ${at} > f${at}`)), ANSWER],
      args: ["--no-session", "go"],
    });
  const [few, all] = await race([await many(20), await many(100)], options);
  limits.check("100 calls / 20 calls, memory", ratio(all!, few!, "memory"), { most: 1.25 });
}

async function measureResume(limits: Limits, options: MeasureOptions): Promise<void> {
  const fresh = await makeContender("fresh", options, {
    replies: [ANSWER],
    args: [...LARGE_WINDOW, "go"],
  });
  const long = await makeContender("long", options, {
    replies: [ANSWER],
    args: [...LARGE_WINDOW, "go"],
  });
  await measureRun(long);
  const file = await findSession(long.home);
  const text = longSession(await Deno.readTextFile(file));
  const reset = () => Deno.writeTextFile(file, text);
  const resumed = { ...long, args: ["-p", "-A", "-c", ...LARGE_WINDOW, "go"], reset };
  const [without, withMessages] = await race([fresh, resumed], options);
  const name = `${MESSAGES} messages resumed`;
  const memory = median(withMessages!.map((run) => run.memory)) / 1024;
  limits.check(`${name}, memory`, memory, { most: 150, unit: "MiB" });
  limits.check(
    `${name} / a new session, first request`,
    ratio(withMessages!, without!, "firstRequest"),
    {
      most: 2.6,
    },
  );
}

async function measureStarts(limits: Limits, options: MeasureOptions): Promise<void> {
  const rounds = options.rounds * STARTS_PER_ROUND;
  const start = { replies: [ANSWER], args: ["--context-size", "200000", "hello"] };
  const empty = await makeContender("empty", options, start);
  const repository = await makeContender("repository", options, start);
  await makeLargeRepository(repository.cwd, 100_000);
  const full = await makeContender("full", options, start);
  await fillHome(full);
  const [none, large, filled] = await race([empty, repository, full], { ...options, rounds });
  limits.check("a start among 100,000 files / among none", ratio(large!, none!, "wall"), {
    most: 1.2,
  });
  limits.check(
    "a start with 200 sessions, 50 plugins, 10 MCP servers / with none",
    ratio(filled!, none!, "wall"),
    { most: 1.2 },
  );
}

/** All contenders in turn, so that noise meets them alike; the first round warms the caches. */
async function race(
  contenders: readonly Contender[],
  { rounds }: MeasureOptions,
): Promise<MeasuredRun[][]> {
  const runs = contenders.map((): MeasuredRun[] => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [index, contender] of contenders.entries()) {
      await contender.reset?.();
      const run = await measureRun(contender);
      if (round > 0) runs[index]?.push(run);
    }
  }
  return runs;
}

type Figure = "wall" | "memory" | "firstRequest";

function ratio(a: readonly MeasuredRun[], b: readonly MeasuredRun[], figure: Figure): number {
  return medianRatio(a.map((run) => run[figure]), b.map((run) => run[figure]));
}

async function makeContender(
  name: string,
  { scratch }: MeasureOptions,
  { replies, args }: Pick<Contender, "replies" | "args">,
): Promise<Contender> {
  const [cwd, home] = [join(scratch, name, "work"), join(scratch, name, "home")];
  await Deno.mkdir(cwd, { recursive: true });
  await Deno.mkdir(home, { mode: 0o700 });
  return { replies, args: ["-p", "-A", "--max-turns", "200", ...args], cwd, home };
}

function bash(command: string): ScriptedReply {
  return { calls: [{ name: "bash", arguments: { command } }] };
}

async function findSession(home: string): Promise<string> {
  for await (const project of Deno.readDir(join(home, "projects"))) {
    const sessions = join(home, "projects", project.name, "sessions");
    for await (const { name } of Deno.readDir(sessions)) {
      if (name.endsWith(".jsonl")) return join(sessions, name);
    }
  }
  throw new Error(`No session was kept in ${home}`);
}

/** A session's file with the head of another one, and so many messages. */
function longSession(text: string): string {
  const [head, first] = text.split("\n").map((line) => line && JSON.parse(line));
  const lines = [head];
  const add = (message: Record<string, unknown>) => lines.push({ ...first, message });
  for (let at = 0; lines.length <= MESSAGES; at++) {
    const call = { id: `call_${at}`, name: "bash", arguments: `{"command":"echo ${at}"}` };
    add({ role: "user", content: `Do step ${at}, and tell me what came of it.`, change: 0 });
    add({ role: "assistant", content: "I look.", calls: [call] });
    add({
      role: "tool",
      call_id: call.id,
      name: "bash",
      content: `a line that command ${at} wrote\n`.repeat(10),
      success: true,
    });
    add({ role: "assistant", content: `Step ${at} is done. `.repeat(10), calls: [] });
  }
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

async function fillHome(contender: Contender): Promise<void> {
  const { home } = contender;
  await measureRun(contender);
  const session = await findSession(home);
  const { id } = JSON.parse((await Deno.readTextFile(session)).split("\n")[0] ?? "");
  const text = await Deno.readTextFile(session);
  for (let at = 0; at < 200; at++) {
    const name = `20260101T${String(100_000 + at)}-abcdef`;
    await Deno.writeTextFile(join(dirname(session), `${name}.jsonl`), text.replace(id, name), {
      mode: 0o600,
    });
  }
  for (let at = 0; at < 50; at++) await writePlugin(home, `plugin${at}`);
  const server = join(home, "server.sh");
  await Deno.writeTextFile(server, MCP_SERVER);
  const servers = Array.from({ length: 10 }, (_, at) => [`server${at}`, {
    command: "/bin/sh",
    args: [server],
  }]);
  const mcp = { mcpServers: Object.fromEntries(servers) };
  await Deno.writeTextFile(join(home, "mcp.json"), JSON.stringify(mcp), { mode: 0o600 });
}

async function writePlugin(home: string, name: string): Promise<void> {
  const folder = join(home, "plugins", name);
  await Deno.mkdir(folder, { recursive: true });
  const tools = Array.from({ length: 4 }, (_, at) => ({
    name: `${name}_${at}`,
    description: "Does something useful with a text",
    effects: ["read"],
    parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    module: "./main.ts",
  }));
  const about = { manifest: 1, name, version: "1.0.0", description: "Something useful" };
  await Deno.writeTextFile(join(folder, "plugin.json"), JSON.stringify({ ...about, tools }));
  await Deno.writeTextFile(join(folder, "main.ts"), "export default ({ text }) => ({ text });\n");
}
