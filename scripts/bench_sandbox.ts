/**
 * What a command in the sandbox costs: processor time of all processes together, which a busy machine changes less than
 * the clock, side by side with bash in the same bubblewrap, started bare; and by the clock, beside one without a sandbox.
 */
import { join } from "node:path";
import { createSandbox } from "../src/app/sandbox.ts";
import type { SandboxPolicy } from "../src/core/sandbox.ts";
import { createShell } from "../src/workspace/shell.ts";
import type { Limits, MeasureOptions } from "./limits.ts";
import { fastestTenth, medianRatio } from "./median.ts";

const CALLS = 20;
/** Milliseconds between two calls: a model takes far longer, and what is got ready for the next call is ready then. */
const PAUSE_MS = 60;
/** Clock ticks of the kernel are hundredths of a second. */
const TICK_MS = 10;

const BASH = ["/bin/bash", "--noprofile", "--norc", "-c", "true"] as const;

/** What takes its turn. */
interface Contender {
  readonly call: () => Promise<unknown>;
  /** Milliseconds of each call. */
  readonly wall: number[];
  /** Milliseconds a call, one of each round: the clock of processor time is too coarse for one call. */
  readonly cpu: number[];
}

/** A way to confine commands, beside the same mounts and namespaces started by nothing but Deno. */
interface Pair {
  readonly name: string;
  readonly own: Contender;
  readonly bare: Contender;
}

/** Measures commands in each shape of the sandbox; nothing where there is none. */
export async function measureSandbox(
  limits: Limits,
  { rounds, scratch }: MeasureOptions,
): Promise<void> {
  const base = join(scratch, "sandbox");
  const root = join(base, "project");
  await Deno.mkdir(root, { recursive: true });
  const env = Deno.env.toObject();
  const [outputs, sandboxPath, unreviewed] = ["outputs", "sandbox", "unreviewed"].map((name) =>
    join(base, name)
  ) as [string, string, string];
  const paths = { home: base, outputs, sandbox: sandboxPath, unreviewed };
  const sandbox = createSandbox({ mode: "required", roots: () => [root], paths, env });
  if ((await sandbox.status()).state !== "active") return;
  const shell = createShell({ cwd: root, env, logDir: paths.outputs, sandbox });
  const confine = async (name: string, policy: Omit<SandboxPolicy, "sandboxRequired">) => {
    const sandboxPolicy = { ...policy, sandboxRequired: true };
    const command = await sandbox.confineAlways(BASH, { policy: sandboxPolicy, cwd: root });
    await command.finish();
    const bare = contender(() => runBare(withoutShell(command.argv)));
    return { name, own: contender(() => run({ sandboxPolicy })), bare };
  };
  const run = (how: { sandboxPolicy?: SandboxPolicy }) =>
    shell.run({ command: "true", signal: new AbortController().signal, ...how });
  const pairs: readonly Pair[] = [
    await confine("closed", { write: false, needs: [] }),
    await confine("workspace", { write: true, needs: [] }),
    await confine("network", { write: true, needs: ["network"] }),
  ];
  const unconfined = contender(() => run({}));
  const turns = [unconfined, ...pairs.flatMap(({ own, bare }) => [bare, own])];
  // The first round warms the caches; then all take turns, so that noise meets them alike.
  for (let round = 0; round <= rounds; round++) {
    for (const one of turns) await measureRound(one, round > 0);
  }
  sandbox.close();
  for (const { name, own, bare } of pairs) {
    const ratio = medianRatio(own.cpu, bare.cpu);
    limits.check(`a ${name} command / the same bwrap, processor time`, ratio, { most: 2 });
  }
  const [closed] = pairs;
  const added = fastestTenth(closed!.own.wall) - fastestTenth(unconfined.wall);
  limits.check("more than without a sandbox: a closed command", added, { most: 2, unit: "ms" });
}

function contender(call: Contender["call"]): Contender {
  return { call, wall: [], cpu: [] };
}

async function measureRound({ call, wall, cpu }: Contender, counts: boolean): Promise<void> {
  const used = processorTime();
  for (let index = 0; index < CALLS; index++) {
    const started = performance.now();
    await call();
    if (counts) wall.push(performance.now() - started);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  if (counts) cpu.push((processorTime() - used) / CALLS);
}

/** The arguments of bubblewrap without what it reads from other descriptors, and without what is run before bash. */
function withoutShell([, ...args]: readonly string[]): string[] {
  const options = args.slice(args[0] === "--seccomp" ? 2 : 0, args.indexOf("--") + 1);
  const input = options.indexOf("--file");
  return [...options.toSpliced(input, input === -1 ? 0 : 3), ...BASH];
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
