/**
 * The OS sandbox of a run, put together from its paths and the environment, and what a person is told about it.
 */
import { delimiter, join } from "node:path";
import { UsageError } from "../core/errors.ts";
import type { EventBody } from "../core/event.ts";
import type { SandboxMode, SandboxProofs, SandboxStatus } from "../core/sandbox.ts";
import type { SecretPlace } from "../core/secret_places.ts";
import { contains } from "../lib/contains.ts";
import { realPathOrSame } from "../lib/fs.ts";
import { Sandbox } from "../sandbox/sandbox.ts";
import { findNamedPlaces } from "../sandbox/secret_files.ts";
import type { ForeignPlaces } from "../sandbox/sandbox_paths.ts";
import { type AllyPaths, homeDirectory } from "../store/paths.ts";
import { childEnvironment, searchPath } from "../workspace/shell_environment.ts";

/** Makes the sandbox; nothing is started before the first question. */
export function createSandbox(options: {
  mode: SandboxMode;
  roots: () => readonly string[];
  paths: Pick<AllyPaths, "home" | "outputs" | "sandbox" | "unreviewed">;
  /** Folders of skills, absolute and canonical. @default none */
  skills?: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Where variables say that secret places are. @default where those of `env` do */
  named?: readonly SecretPlace[];
  /** Set if the commands may be somebody else's. @default they are the user's own */
  foreign?: ForeignPlaces | undefined;
  /** What sandboxes of this process have proven. @default nothing is known, and nothing kept */
  proofs?: SandboxProofs | undefined;
}): Sandbox {
  const { mode, roots, paths, skills = [], env, foreign, proofs } = options;
  const home = realPathOrSame(homeDirectory({ get: (name) => env[name] }));
  const { named = findNamedPlaces(env, { home, cwd: roots()[0] ?? "/" }) } = options;
  const children = childEnvironment(env);
  return new Sandbox({
    mode,
    directory: paths.sandbox,
    records: paths.unreviewed,
    env: children,
    proofs,
    paths: {
      roots,
      home,
      allyHome: realPathOrSame(paths.home),
      named,
      outputs: realPathOrSame(paths.outputs),
      skills,
      foreign,
      // The sandbox is never started from a program in the workspace that it confines.
      pathDirectories: searchPath(children).split(delimiter).filter((path) =>
        !roots().some((root) => contains(root, path))
      ),
      sshAgent: env.SSH_AUTH_SOCK ?? "",
    },
  });
}

/** @throws {UsageError} a sandbox was asked for, or somebody else's commands need it, and there is none */
export async function requireSandbox(
  sandbox: Sandbox,
  { foreign }: { foreign: boolean },
): Promise<void> {
  const status = await sandbox.status();
  if (status.state === "active") return;
  const otherwise = foreign
    ? "Or, if you trust the recording as you trust yourself, run them without one: --no-sandbox."
    : 'Or start ally without --sandbox ("sandbox" in config.json).';
  throw new UsageError(
    `Cannot run ${foreign ? "recorded " : ""}commands in a sandbox: ` +
      [`${status.why ?? "there is none"}.`, status.mend, otherwise].filter(Boolean).join(" "),
  );
}

/** The warning before the first command, where a sandbox is wanted and cannot be had. */
function createSandboxNotice({ state, why, mend }: SandboxStatus): EventBody | undefined {
  if (state !== "unavailable") return undefined;
  const rest = "More of them ask; what a flag allows, nothing holds.";
  const text = `Commands run without a sandbox: ${why}. ${rest} ${mend ?? ""}`.trim();
  return { type: "notice", level: "warning", text };
}

/** The state in a few words, for the banner. */
export function describeSandbox({ state, means, why, gaps = [] }: SandboxStatus): string {
  switch (state) {
    case "active":
      return [`sandbox: ${means}`, ...gaps].join("; ");
    case "off":
      return "no sandbox: switched off";
    case "unavailable":
      return `no sandbox: ${why}`;
  }
}

/** What is to be known at the start of a run that asks about nothing, and that no sandbox holds. */
export function unheldWarning({ state }: SandboxStatus): string | undefined {
  if (state === "active") return undefined;
  return "--allow-all without a sandbox: commands may change and remove whatever you may, anywhere";
}

/** The state of the sandbox that a run with these roots would have; leaves no files behind. */
export async function probeSandbox(
  { mode, roots, env, proofs }: {
    mode: SandboxMode;
    roots: readonly string[];
    env: Readonly<Record<string, string>>;
    proofs: SandboxProofs | undefined;
  },
): Promise<SandboxStatus> {
  const directory = await Deno.makeTempDir({ prefix: "ally-" });
  try {
    const sandbox = createSandbox({
      mode,
      roots: () => roots,
      paths: {
        home: directory,
        outputs: join(directory, "outputs"),
        sandbox: join(directory, "sandbox"),
        unreviewed: join(directory, "unreviewed"),
      },
      env,
      proofs,
    });
    return await sandbox.status();
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

/** Makes the check whether commands are confined; warns once if they are not although they could be, and may run. */
export function createConfinementCheck(
  sandbox: Sandbox,
  { emit, mayRun }: { readonly emit: (body: EventBody) => void; readonly mayRun: boolean },
): () => Promise<boolean> {
  let hasWarned = !mayRun;
  return async () => {
    const status = await sandbox.status();
    const notice = hasWarned ? undefined : createSandboxNotice(status);
    if (notice) emit(notice);
    hasWarned ||= notice !== undefined;
    return status.state === "active";
  };
}
