// deno-lint-ignore-file no-console
/**
 * What the sandbox costs a command, side by side with a bare bubblewrap and bash: processor time of all processes
 * together, which a busy machine changes less than the clock, and the clock. Fails where a limit is passed. Run by
 * `deno task bench:sandbox [ROUNDS]`.
 */
import { join } from "node:path";
import { createSandbox } from "../src/app/sandbox.ts";
import type { SandboxPolicy } from "../src/core/sandbox.ts";
import { createShell } from "../src/workspace/shell.ts";
import { median } from "./median.ts";

const ROUNDS = Number(Deno.args[0] ?? 5);
const CALLS = 20;
/** How many times what the bare one costs, in processor time. */
const MOST = 2;
/** Milliseconds on the clock that the closed sandbox adds to the bare one. */
const MOST_ADDED = 2;
/** Clock ticks of the kernel are hundredths of a second. */
const TICK_MS = 10;

interface Contender {
  readonly name: string;
  call(): Promise<unknown>;
  /** Milliseconds a call, one of each round. */
  readonly wall: number[];
  readonly cpu: number[];
}

const base = await Deno.makeTempDir({ prefix: "ally-bench-" });
try {
  Deno.exitCode = await measure() ? 0 : 1;
} finally {
  await Deno.remove(base, { recursive: true });
}

async function measure(): Promise<boolean> {
  const root = join(base, "project");
  await Deno.mkdir(root);
  const env = Deno.env.toObject();
  const paths = { home: base, outputs: join(base, "outputs"), sandbox: join(base, "sandbox") };
  const sandbox = createSandbox({ mode: "required", roots: () => [root], paths, env });
  const status = await sandbox.status();
  if (status.state !== "active") {
    console.log(`There is no sandbox to measure: ${status.why}.`);
    return true;
  }
  const shell = createShell({ cwd: root, env, logDir: paths.outputs, sandbox });
  const confined = (name: string, policy: Omit<SandboxPolicy, "sandboxRequired">) =>
    contender(name, () =>
      shell.run({
        command: "true",
        signal: new AbortController().signal,
        sandboxPolicy: { ...policy, sandboxRequired: true },
      }));
  const bare = contender("bare bwrap and bash", () => runBare(root));
  const closed = confined("closed", { write: false, needs: [] });
  const contenders = [
    bare,
    closed,
    confined("workspace", { write: true, needs: [] }),
    confined("network", { write: true, needs: ["network"] }),
  ];
  // The first round warms the caches; then all take turns, so that noise meets them alike.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const one of contenders) await measureRound(one, round > 0);
  }
  sandbox.close();
  return report(bare, contenders);
}

function contender(name: string, call: Contender["call"]): Contender {
  return { name, call, wall: [], cpu: [] };
}

async function measureRound({ call, wall, cpu }: Contender, counts: boolean): Promise<void> {
  const [started, used] = [performance.now(), processorTime()];
  for (let index = 0; index < CALLS; index++) await call();
  if (!counts) return;
  wall.push((performance.now() - started) / CALLS);
  cpu.push((processorTime() - used) / CALLS);
}

/** The least that confines anything, started by nothing but Deno. */
async function runBare(root: string): Promise<void> {
  const args = [
    ...["--unshare-all", "--unshare-user", "--cap-drop", "ALL", "--die-with-parent", "--as-pid-1"],
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"],
    ...["--bind", root, root, "--chdir", root, "--", "/bin/bash", "--noprofile", "--norc"],
    ...["-c", "true"],
  ];
  await new Deno.Command("/usr/bin/bwrap", { args, stdout: "piped", stderr: "piped" }).output();
}

/** Milliseconds that this process and its children have taken. */
function processorTime(): number {
  const stat = Deno.readTextFileSync("/proc/self/stat");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ").map(Number);
  // User and system time of the process, and of the children that were waited for.
  return fields.slice(11, 15).reduce((sum, ticks) => sum + ticks, 0) * TICK_MS;
}

function report(bare: Contender, contenders: readonly Contender[]): boolean {
  let holds = true;
  console.log(`${"".padEnd(22)}   clock  processor  (ms a call, medians of ${ROUNDS} rounds)`);
  for (const one of contenders) {
    const ratio = median(one.cpu) / median(bare.cpu);
    const added = median(one.wall) - median(bare.wall);
    const over = ratio > MOST || (one.name === "closed" && added > MOST_ADDED);
    holds &&= !over;
    console.log(
      one.name.padEnd(22),
      median(one.wall).toFixed(1).padStart(7),
      median(one.cpu).toFixed(1).padStart(10),
      `  x ${ratio.toFixed(2)}  + ${added.toFixed(1)} ms${over ? "  OVER THE LIMIT" : ""}`,
    );
  }
  console.log(`Limits: x ${MOST} of the processor's time; closed + ${MOST_ADDED} ms on the clock.`);
  return holds;
}
