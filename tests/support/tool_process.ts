/**
 * A tool in a process of its own, so that its memory can be measured. `measureTool` starts this very file,
 * which runs the call named by its arguments and prints what came of it.
 */
import { fileURLToPath } from "node:url";
import { MANIFEST } from "../../plugins/manifest.ts";
import type { RunContext } from "../../src/api.ts";
import type { ToolInput } from "../../src/core/tool.ts";
import { createShell } from "../../src/workspace/shell.ts";
import { Workspace } from "../../src/workspace/workspace.ts";
import { makeMemory } from "./tool_context.ts";

/** What a call came to. */
export interface Measured {
  /** What the model would read, or the error. */
  readonly text: string;
  /** The largest resident set of the process, in MiB. */
  readonly memory: number;
}

/** Runs a call of a reading tool in a directory. */
export async function measureTool(
  name: string,
  options: { cwd: string; input: Readonly<Record<string, unknown>> },
): Promise<Measured> {
  const { stdout, stderr, success } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--allow-all",
      `--config=${fileURLToPath(new URL("../../deno.json", import.meta.url))}`,
      import.meta.filename!,
      name,
      options.cwd,
      JSON.stringify(options.input),
    ],
  }).output();
  const decoder = new TextDecoder();
  if (!success) throw new Error(`The process failed: ${decoder.decode(stderr)}`);
  return JSON.parse(decoder.decode(stdout));
}

async function run(name: string, cwd: string, input: ToolInput): Promise<string> {
  const tool = await MANIFEST.find(({ definition }) => definition.name === name)?.load();
  if (tool === undefined) throw new Error(`There is no tool ${name}`);
  const context: RunContext = {
    callId: "call_1",
    agent: { id: "main", name: "ally", depth: 0 },
    signal: new AbortController().signal,
    files: new Workspace({ cwd, patchDir: `${cwd}.patches` }),
    shell: createShell({ cwd, env: Deno.env.toObject(), logDir: `${cwd}.logs` }),
    limits: {
      readTokens: 1_500,
      bashTimeout: 120,
      countTokens: (text) => Math.ceil(text.length / 4),
    },
    ...makeMemory(),
    learnSecrets: () => {},
    report: () => {},
    plan: undefined,
  };
  try {
    const result = await tool.run(input, context);
    return result.ok ? result.text ?? JSON.stringify(result.data) : result.error.message;
  } catch (error) {
    return String(error);
  }
}

/** The kernel keeps the peak in /proc; elsewhere what is held now has to do. */
function peakMemory(): number {
  try {
    const status = Deno.readTextFileSync("/proc/self/status");
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
  } catch {
    return Deno.memoryUsage().rss / 2 ** 20;
  }
}

if (import.meta.main) {
  const [name = "", cwd = "", input = "{}"] = Deno.args;
  const text = await run(name, cwd, JSON.parse(input));
  const measured: Measured = { text, memory: peakMemory() };
  Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify(measured)));
}
