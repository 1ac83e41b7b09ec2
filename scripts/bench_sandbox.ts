// deno-lint-ignore-file no-console
/**
 * What a command in the sandbox costs, side by side with bash in the same bubblewrap, and in one that confines as
 * little as can be: processor time of all processes together, which a busy machine changes less than the clock, and
 * the clock. Fails where a limit is passed. Run by `deno task bench:sandbox [ROUNDS]`.
 */
import { join } from "node:path";
import { createSandbox } from "../src/app/sandbox.ts";
import type { SandboxPolicy } from "../src/core/sandbox.ts";
import { createShell } from "../src/workspace/shell.ts";
import { median } from "./median.ts";

const ROUNDS = Number(Deno.args[0] ?? 5);
const CALLS = 20;
/** How many times what the same bubblewrap costs when it is started bare, in processor time. */
const MOST = 2;
/** Milliseconds on the clock that a closed command adds to that. */
const MOST_ADDED = 2;
/** Clock ticks of the kernel are hundredths of a second. */
const TICK_MS = 10;

const BASH = ["/bin/bash", "--noprofile", "--norc", "-c", "true"] as const;

interface Contender {
  readonly name: string;
  /** The same mounts and namespaces, started by nothing but Deno. */
  readonly bare?: Contender;
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
  const least = contender("least bwrap, bash", () => runBare(leastArguments(root)));
  const confined = async (name: string, policy: Omit<SandboxPolicy, "sandboxRequired">) => {
    const sandboxPolicy = { ...policy, sandboxRequired: true };
    const command = await sandbox.confineAlways(BASH, { policy: sandboxPolicy, cwd: root });
    await command.finish();
    const bare = contender(`${name}: bwrap, bash`, () => runBare(withoutShell(command.argv)));
    const call = () =>
      shell.run({ command: "true", signal: new AbortController().signal, sandboxPolicy });
    return [bare, { ...contender(name, call), bare }];
  };
  const contenders = [
    least,
    ...await confined("closed", { write: false, needs: [] }),
    ...await confined("workspace", { write: true, needs: [] }),
    ...await confined("network", { write: true, needs: ["network"] }),
  ];
  // The first round warms the caches; then all take turns, so that noise meets them alike.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const one of contenders) await measureRound(one, round > 0);
  }
  sandbox.close();
  return report(least, contenders);
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

/** The least that confines anything. */
function leastArguments(root: string): string[] {
  return [
    ...["--unshare-all", "--unshare-user", "--cap-drop", "ALL", "--die-with-parent", "--as-pid-1"],
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"],
    ...["--bind", root, root, "--chdir", root, "--", ...BASH],
  ];
}

/** The arguments of bubblewrap without the filter, which comes from elsewhere, and what is run before bash. */
function withoutShell([, ...args]: readonly string[]): string[] {
  const from = args[0] === "--seccomp" ? 2 : 0;
  return [...args.slice(from, args.indexOf("--") + 1), ...BASH];
}

async function runBare(args: readonly string[]): Promise<void> {
  const { success } = await new Deno.Command("/usr/bin/bwrap", { args: [...args], stdin: "null" })
    .output();
  if (!success) throw new Error(`Cannot run bwrap ${args.join(" ")}`);
}

/** Milliseconds that this process and its children have taken. */
function processorTime(): number {
  const stat = Deno.readTextFileSync("/proc/self/stat");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ").map(Number);
  // User and system time of the process, and of the children that were waited for.
  return fields.slice(11, 15).reduce((sum, ticks) => sum + ticks, 0) * TICK_MS;
}

function report(least: Contender, contenders: readonly Contender[]): boolean {
  let holds = true;
  console.log(
    `${
      "".padEnd(24)
    }  clock   cpu  least bwrap   same bwrap   (ms a call, medians of ${ROUNDS} rounds)`,
  );
  for (const one of contenders) {
    const { bare } = one;
    const over = bare !== undefined &&
      (ratioOf(one, bare) > MOST || (one.name === "closed" && addedTo(one, bare) > MOST_ADDED));
    holds &&= !over;
    console.log(
      one.name.padEnd(24),
      median(one.wall).toFixed(1).padStart(6),
      median(one.cpu).toFixed(1).padStart(5),
      ...[least, ...(bare ? [bare] : [])].map((other) =>
        ` x ${ratioOf(one, other).toFixed(2)} ${`+ ${addedTo(one, other).toFixed(1)}`.padStart(5)}`
      ),
      over ? "  OVER THE LIMIT" : "",
    );
  }
  console.log(
    `Limits beside the same bwrap: x ${MOST} of the processor's time; closed + ${MOST_ADDED} ms on the clock.`,
  );
  return holds;
}

function ratioOf(one: Contender, other: Contender): number {
  return median(one.cpu) / median(other.cpu);
}

function addedTo(one: Contender, other: Contender): number {
  return median(one.wall) - median(other.wall);
}
