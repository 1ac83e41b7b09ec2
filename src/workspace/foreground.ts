/**
 * Runs a command with the terminal of the run: what a person types goes to it, and what it shows is theirs to see and
 * not kept. It shares ally's process group, so that it owns the terminal and Ctrl+Z stops both.
 */
import type { PlainArguments, RunResult } from "../core/shell.ts";
import { withDirectory } from "../lib/process_group.ts";

/** What the result says in place of an output. */
const NOT_KEPT = "(It had the terminal; what it showed was not kept.)";

/** Runs it to its end. @throws as Deno.Command */
export async function runInForeground(
  [program, ...args]: PlainArguments,
  { cwd, env, signal }: {
    cwd: string;
    env: Readonly<Record<string, string>>;
    signal: AbortSignal;
  },
): Promise<RunResult> {
  const started = performance.now();
  const stdio = { stdin: "inherit", stdout: "inherit", stderr: "inherit" } as const;
  const all = { cwd, env: withDirectory(env, cwd), clearEnv: true, ...stdio };
  const child = new Deno.Command(program, { args, ...all }).spawn();
  const stop = () => child.kill("SIGTERM");
  signal.addEventListener("abort", stop);
  try {
    const { code } = await child.status;
    const durationMs = Math.round(performance.now() - started);
    const ended = signal.aborted && { ended: "interrupted" as const };
    return { code, output: NOT_KEPT, truncated: false, durationMs, ...ended };
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
