/**
 * What holds the model's commands to each promise on this machine. A script in the sandbox tries to break all of them,
 * in a directory made for that: what it could do, the sandbox does not hold, whatever its profile says.
 */
import { join } from "node:path";
import type { Environment } from "../../app/environment.ts";
import { createSandbox } from "../../app/sandbox.ts";
import type { SandboxMode, SandboxStatus } from "../../core/sandbox.ts";
import { exists, realPathOrSame } from "../../lib/fs.ts";
import { trustedPath } from "../../lib/find_program.ts";
import { quoteWord } from "../../lib/text.ts";
import { findNamedPlaces, findSecretFiles } from "../../sandbox/secret_files.ts";
import { homeDirectory } from "../../store/paths.ts";
import { createShell, type ProcessShell } from "../../workspace/shell.ts";

/** What is promised of commands, in the order in which it is told. */
const PROMISES = [
  ["files_outside", "files outside"],
  ["workspace", "workspace read-only for what only reads"],
  ["network", "network"],
  ["keys", "keys"],
  ["sockets", "sockets"],
  ["git", ".git"],
  ["processes", "processes"],
  ["memory", "memory"],
] as const;

type PromiseId = (typeof PROMISES)[number][0];

/** What holds a promise: a means of the system, ally's judgement of what is asked, or nothing. */
type Holder = "bubblewrap" | "seatbelt" | "judgement" | "nothing";

/** One promise, and what holds it; programs read these names. */
export interface Guarantee {
  readonly id: PromiseId;
  readonly held_by: Holder;
}

/** Milliseconds that the attempts may take. */
const TRIAL_TIMEOUT_MS = 10_000;

/** The state of the sandbox that a run in a directory would have, and what it holds. Leaves no files behind. */
export async function tryGuarantees(
  { mode, env, cwd }: { mode: SandboxMode; env: Environment; cwd: string },
): Promise<{ status: SandboxStatus; guarantees: readonly Guarantee[] }> {
  const directory = await Deno.realPath(await Deno.makeTempDir({ prefix: "ally-" }));
  try {
    const root = join(directory, "project");
    const allyHome = join(directory, "ally");
    const found = env.toObject();
    const path = trustedPath({ path: found.PATH ?? "", roots: [cwd] });
    const variables = { ...found, PATH: path };
    const sandbox = createSandbox({
      mode,
      roots: () => [root],
      paths: {
        home: allyHome,
        outputs: join(allyHome, "outputs"),
        sandbox: join(allyHome, "sandbox"),
        unreviewed: join(allyHome, "unreviewed"),
      },
      env: variables,
    });
    try {
      const status = await sandbox.status();
      if (status.state !== "active") return { status, guarantees: withoutSandbox() };
      const shell = createShell({ cwd: root, env: variables, logDir: allyHome, sandbox });
      const broken = await attempt(shell, { root, allyHome, env });
      const means = status.means?.startsWith("bubblewrap") ? "bubblewrap" : "seatbelt";
      const guarantees = PROMISES.map(([id]) => ({
        id,
        held_by: broken.has(id) ? holderWithout(id) : means,
      } as const));
      return { status, guarantees };
    } finally {
      sandbox.close();
    }
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

/** The promises by what holds them, a line each, what a means of the system holds first. */
export function describeGuarantees(guarantees: readonly Guarantee[]): string[] {
  const names = new Map<string, string>(PROMISES);
  const groups = Map.groupBy(guarantees, ({ held_by }) => held_by);
  return [...groups].map(([holder, held]) =>
    `${HOLDERS[holder]}: ${held.map(({ id }) => names.get(id)).join(", ")}`
  );
}

const HOLDERS: Readonly<Record<Holder, string>> = {
  bubblewrap: "held by bubblewrap",
  seatbelt: "held by Seatbelt",
  judgement: "held by ally's judgement only",
  nothing: "not held",
};

function withoutSandbox(): Guarantee[] {
  return PROMISES.map(([id]) => ({ id, held_by: holderWithout(id) }));
}

/** Nobody is asked how much memory a command takes. */
function holderWithout(id: PromiseId): Holder {
  return id === "memory" ? "nothing" : "judgement";
}

/** What a command could do that it must not. */
async function attempt(
  shell: ProcessShell,
  { root, allyHome, env }: { root: string; allyHome: string; env: Environment },
): Promise<ReadonlySet<string>> {
  const home = realPathOrSame(homeDirectory(env));
  const outside = join(home || "/", `.ally-trial-${crypto.randomUUID()}`);
  const secret = join(allyHome, "trial-key");
  await makeTrial({ root, allyHome, secret });
  using socket = openSocket(join(root, "trial.sock"));
  using listener = openListener();
  const named = findNamedPlaces(env.toObject(), { home, cwd: root });
  const secrets = findSecretFiles({ home, allyHome: "", named }).map(({ path }) => path);
  const run = async (script: string, write: boolean) => {
    const { output } = await shell.run({
      command: script,
      sandboxPolicy: { write, needs: [], sandboxRequired: true },
      signal: AbortSignal.timeout(TRIAL_TIMEOUT_MS),
    });
    return output.split("\n");
  };
  const facts = await Promise.all([
    run(
      openScript({
        outside,
        secrets: [secret, ...secrets],
        sockets: [socket.path, ...listeningSockets()],
        port: listener.port,
      }),
      true,
    ),
    run(`${breaks("workspace", "echo x >trial.txt")}\necho end`, false),
  ]);
  if (!facts.every((lines) => lines.includes("end"))) return new Set(PROMISES.map(([id]) => id));
  const broken = new Set(facts.flat());
  if (exists(outside)) {
    await Deno.remove(outside);
    broken.add("files_outside");
  }
  return broken;
}

async function makeTrial(
  { root, allyHome, secret }: { root: string; allyHome: string; secret: string },
): Promise<void> {
  for (const path of ["objects", "refs", "hooks"]) {
    await Deno.mkdir(join(root, ".git", path), { recursive: true });
  }
  await Deno.writeTextFile(join(root, ".git", "HEAD"), "ref: refs/heads/main\n");
  await Deno.mkdir(allyHome, { recursive: true, mode: 0o700 });
  await Deno.writeTextFile(secret, "secret", { mode: 0o600 });
}

/** What a command that may write the workspace tries; it prints the promises that it could break. */
function openScript(
  { outside, secrets, sockets, port }: {
    outside: string;
    secrets: readonly string[];
    sockets: readonly string[];
    port: number;
  },
): string {
  const isLinux = Deno.build.os === "linux";
  const reaches = (path: string) =>
    isLinux ? `[ -S ${quoteWord(path)} ]` : `nc -zU ${quoteWord(path)}`;
  const process = isLinux
    ? `[ "$(readlink /proc/self/ns/pid)" = ${quoteWord(Deno.readLinkSync("/proc/self/ns/pid"))} ]`
    : `kill -0 ${Deno.pid}`;
  return [
    breaks("files_outside", `echo x >${quoteWord(outside)}`),
    breaks("network", `: </dev/tcp/127.0.0.1/${port}`),
    ...secrets.map((path) =>
      breaks("keys", `cat ${quoteWord(path)}/* ${quoteWord(path)} | grep -q .`)
    ),
    ...sockets.map((path) => breaks("sockets", reaches(path))),
    breaks("git", "echo x >.git/hooks/trial"),
    breaks("processes", process),
    breaks("memory", '[ "$(ulimit -d)" = unlimited ]'),
    "echo end",
  ].join("\n");
}

function breaks(id: PromiseId, command: string): string {
  return `if { ${command}; } >/dev/null 2>&1; then echo ${id}; fi`;
}

/** Where this machine's programs listen, as far as that can be seen. */
function listeningSockets(): string[] {
  try {
    const lines = Deno.readTextFileSync("/proc/net/unix").split("\n");
    const paths = lines.flatMap((line) => /\s(\/.+)$/.exec(line)?.[1] ?? []);
    return [...new Set(paths)].filter(exists);
  } catch {
    return [];
  }
}

function openSocket(path: string): Disposable & { readonly path: string } {
  const listener = Deno.build.os === "windows"
    ? undefined
    : Deno.listen({ transport: "unix", path });
  return { path, [Symbol.dispose]: () => listener?.close() };
}

function openListener(): Disposable & { readonly port: number } {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return { port: listener.addr.port, [Symbol.dispose]: () => listener.close() };
}
