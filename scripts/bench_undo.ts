/**
 * What it costs that commands can be undone, in a repository of 100,000 files: the first command and each further one
 * beside the same commands in a repository of ten files.
 */
import { join } from "node:path";
import type { ScriptedReply } from "../src/modes/demo/scripted_server.ts";
import { makeLargeRepository } from "./large_tree.ts";
import type { Limits, MeasureOptions } from "./limits.ts";
import { measureRun } from "./measured_run.ts";
import { median } from "./median.ts";

/** Milliseconds that a model takes for its first reply, as quick as models are. Meanwhile ally looks around. */
const THINKING_MS = 1000;
/** Each changes something, the last one in the middle of the tree. */
const COMMANDS = [
  "date +%N > first",
  "date +%N > second",
  "mv second third",
  "chmod 600 third; echo more >> third",
  "date +%N >> d0/e0/f1.ts",
];

/** Measures the commands in a large repository beside a small one. */
export async function measureUndo(
  limits: Limits,
  { rounds, scratch }: MeasureOptions,
): Promise<void> {
  const [few, many] = [join(scratch, "few"), join(scratch, "many")];
  await makeLargeRepository(few, 10);
  await makeLargeRepository(many, 100_000);
  const measure = async (commands: readonly string[], thinkingMs: number) => {
    const [without, within] = [
      await runCommands(commands, { cwd: few, scratch, thinkingMs }),
      await runCommands(commands, { cwd: many, scratch, thinkingMs }),
    ];
    return within.map((duration, at) => duration - without[at]!);
  };
  const added: number[][] = [];
  const addedAtOnce: number[][] = [];
  for (let round = 0; round <= rounds; round++) {
    const [thinking, atOnce] = [
      await measure(COMMANDS, THINKING_MS),
      await measure(COMMANDS.slice(0, 1), 0),
    ];
    if (round === 0) continue;
    added.push(thinking);
    addedAtOnce.push(atOnce);
  }
  for (const [at, command] of COMMANDS.entries()) {
    const more = median(added.map((durations) => durations[at]!));
    const when = at === 0 ? ", called after 1 s" : "";
    limits.check(`more in 100,000 files${when}: ${command}`, more, { most: 30, unit: "ms" });
  }
  const more = median(addedAtOnce.map(([first]) => first!));
  limits.show(`more in 100,000 files, called at once: ${COMMANDS[0]}`, more, { unit: "ms" });
}

/** The milliseconds that each command took, from a home of its own. */
async function runCommands(
  commands: readonly string[],
  { cwd, scratch, thinkingMs }: { cwd: string; scratch: string; thinkingMs: number },
): Promise<number[]> {
  const home = await Deno.makeTempDir({ dir: scratch });
  const think = (chunk: number) =>
    chunk === 1 ? new Promise((resolve) => setTimeout(resolve, thinkingMs)) : undefined;
  const replies = commands.map((command, at): ScriptedReply => ({
    calls: [{ name: "bash", arguments: { command } }],
    ...at === 0 && { thinking: "Let me think about it. ".repeat(4), pause: think },
  }));
  const args = ["-p", "-A", "--no-session", "--output-format", "stream-json", "go"];
  const { stdout } = await measureRun({
    replies: [...replies, { text: "Done." }],
    args,
    cwd,
    home,
  });
  const events = stdout.trim().split("\n").map((line) => JSON.parse(line));
  const ended = events.filter(({ type }) => type === "tool_end");
  if (ended.some(({ result }) => result.patch_number === undefined)) {
    throw new Error(`A command cannot be undone: ${JSON.stringify(ended)}`);
  }
  return ended.map((event) => event.duration_ms);
}
