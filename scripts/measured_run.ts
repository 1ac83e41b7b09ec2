/**
 * One whole run of the bundle against a scripted server, with what it took: for the benchmarks of sessions and of undo.
 */
import { join } from "node:path";
import { type ScriptedReply, startScriptedServer } from "../src/modes/demo/scripted_server.ts";
import { BUNDLE } from "./bundle.ts";
import { START_BUNDLE } from "./shim.ts";

/** What to run. */
interface RunOptions {
  readonly replies: readonly ScriptedReply[];
  /** Arguments of ally. */
  readonly args: readonly string[];
  readonly cwd: string;
  /** ally's home. */
  readonly home: string;
}

/** What a run took. */
export interface MeasuredRun {
  /** Milliseconds. */
  readonly wall: number;
  /** KiB, the largest resident set of the process. */
  readonly memory: number;
  /** Milliseconds from the start to the first request. */
  readonly firstRequest: number;
  readonly stdout: string;
}

/** Runs ally once. @throws {Error} it did not end well */
export async function measureRun({ replies, args, cwd, home }: RunOptions): Promise<MeasuredRun> {
  await using server = await startScriptedServer({ replies });
  const started = performance.now();
  let firstRequest = 0;
  const child = new Deno.Command(Deno.execPath(), {
    args: [...START_BUNDLE, join(BUNDLE, "main.js"), ...args],
    cwd,
    env: { OPENAI_BASE_URL: server.url, ALLY_HOME: home, ALLY_MODEL: "scripted" },
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let memory = 0;
  const timer = setInterval(() => {
    if (firstRequest === 0 && server.requests.length > 0) {
      firstRequest = performance.now() - started;
    }
    memory = Math.max(memory, peakMemory(child.pid));
  }, 2);
  const { code, stdout, stderr } = await child.output();
  clearInterval(timer);
  const wall = performance.now() - started;
  if (code !== 0) throw new Error(`ally exited with ${code}: ${new TextDecoder().decode(stderr)}`);
  return { wall, memory, firstRequest, stdout: new TextDecoder().decode(stdout) };
}

/** KiB, kept by the kernel; 0 elsewhere, and when the process has ended. */
function peakMemory(pid: number): number {
  try {
    const status = Deno.readTextFileSync(`/proc/${pid}/status`);
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0);
  } catch {
    return 0;
  }
}
