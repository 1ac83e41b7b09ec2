/**
 * The hooks of a run: whose they are, what each may use of the machine, and how its program is started. Loaded only
 * where a configuration names hooks.
 */
import { isAbsolute, join } from "node:path";
import type { HookFacts } from "../core/hooks.ts";
import { HOOK_EVENTS } from "../hooks/event_schemas.ts";
import { commandLine, type Hook, hooksOf } from "../hooks/hook.ts";
import { type HookRun, HookRunner } from "../hooks/hook_runner.ts";
import { MAX_OUTPUT } from "../hooks/reply.ts";
import { findOwnProgram, findProgram, trustedPath } from "../lib/find_program.ts";
import { runProcess, withoutLoaders } from "../lib/process.ts";
import { matchDeny } from "../permission/rules.ts";
import { targetsDeniedByName } from "../permission/sandbox_policy.ts";
import { readHookFiles } from "../store/hook_files.ts";
import { childEnvironment } from "../workspace/shell_environment.ts";
import type { Bootstrap } from "./bootstrap.ts";
import type { Enforcement } from "./enforcement.ts";

/** What hooks are made of. */
interface HookParts {
  readonly bootstrap: Bootstrap;
  readonly enforcement: Enforcement;
  readonly sessionId: () => string | undefined;
}

/** Makes what runs the hooks: the project's first, so that the user's see what is left to judge. */
export function createHooks({ bootstrap, enforcement, sessionId }: HookParts): HookRunner {
  const { configSources: { project, user }, events, secrets, settings, workspace } = bootstrap;
  const ofProject = hooksOf(project.hooks ?? {}, "project");
  for (const { name } of (Object.values(project.hooks ?? {})).flat().filter(isTrusted)) {
    events.warn(
      `The project's hook ${name ?? "without a name"} runs in the sandbox all the same: only ` +
        'your own configuration can say "trusted".',
    );
  }
  return new HookRunner({
    hooks: [...ofProject, ...hooksOf(user.hooks ?? {}, "user")],
    start: (hook, how) => startHook(hook, { ...how, bootstrap, enforcement }),
    isSandboxOff: settings.values.sandbox === "off",
    secrets,
    cwd: () => workspace.cwd,
    sessionId,
    warn: events.warn,
  });
}

function isTrusted({ trusted }: { readonly trusted?: boolean }): boolean {
  return trusted === true;
}

/** What a hook is started with. */
interface StartOptions extends Omit<HookParts, "sessionId"> {
  readonly input: string;
  readonly signal: AbortSignal;
}

/** Starts a hook's program and waits for its end. @throws {Error} why it may not run */
async function startHook(
  hook: Hook,
  { input, signal, bootstrap, enforcement }: StartOptions,
): Promise<HookRun> {
  const { commandEnv, workspace } = bootstrap;
  const { sandbox, isVariableVisible } = enforcement;
  refuse(hook, { bootstrap, enforcement });
  await requireTrustedFiles(hook, bootstrap);
  // An ally that a hook starts runs no hooks.
  const env = { ...childEnvironment(commandEnv, isVariableVisible), ALLY_HOOK: hook.event };
  const { cwd } = workspace;
  const argv = await argvOf(hook, { env, roots: workspace.roots, cwd });
  const policy = policyOf(hook, { bootstrap, enforcement });
  const confined = hook.trusted
    ? undefined
    : await sandbox.confine(argv, { policy, cwd, hasInput: true });
  if (confined === undefined) requireNoLimits(enforcement);
  try {
    const mayChange = policy.write && HOOK_EVENTS[hook.event].changesFiles;
    const by = { tool: `hook ${hook.name}`, callId: "", confined: confined !== undefined, signal };
    const finish = mayChange && !bootstrap.denied.has("write")
      ? await workspace.watchCommands([commandLine(hook)], by)
      : undefined;
    const running = runProcess(confined?.argv ?? argv, {
      cwd,
      env: confined ? withoutLoaders(env) : env,
      signal,
      input,
      inputs: confined?.inputs,
      shielded: confined?.shielded,
      timeoutMs: hook.timeout * 1000,
      stderr: "separate",
      maxOutput: MAX_OUTPUT,
    });
    // What could not be started has an end, too: until then changes would be taken for its own.
    await Promise.allSettled([running]);
    const changes = await finish?.();
    return { result: await running, changed: changes?.files ?? [] };
  } finally {
    await confined?.finish();
  }
}

/** @throws {Error} a flag or a rule forbids the hook */
function refuse(hook: Hook, { bootstrap, enforcement }: Omit<HookParts, "sessionId">): void {
  const { rules, configured } = enforcement.permissions;
  if (bootstrap.denied.has("run")) throw new Error("this run may not start programs");
  const access = { kind: "run", target: commandLine(hook) } as const;
  for (const one of [rules, ...configured]) {
    const match = matchDeny(one, access);
    if (match) throw new Error(`${match.rule} forbids it`);
  }
}

/** @throws {Error} a rule forbids what nothing keeps a program from that is not in the sandbox */
function requireNoLimits({ permissions: { rules, configured } }: Enforcement): void {
  if (![rules, ...configured].some(({ deny }) => deny.write === true || deny.net === true)) return;
  throw new Error("a rule forbids to write or to use the network, and it is not in the sandbox");
}

/** @throws {Error} a program of the project is not as it was when it was trusted */
async function requireTrustedFiles(hook: Hook, { cwd, project }: Bootstrap): Promise<void> {
  if (hook.source !== "project") return;
  const { hooks: trusted = [] } = project.files;
  for (const { path, hash } of await readHookFiles([hook.command], { root: cwd })) {
    if (trusted.some((file) => file.path === path && file.hash === hash)) continue;
    throw new Error(`${path} is not trusted as it is now; ally asks about it when it starts`);
  }
}

/** What a hook may do: the workspace is its own to change only where that can be taken back. */
function policyOf(hook: Hook, { bootstrap, enforcement }: Omit<HookParts, "sessionId">) {
  const { sandbox: mode } = bootstrap.settings.values;
  const rules = [enforcement.permissions.rules, ...enforcement.permissions.configured];
  const write = !enforcement.policy.isPlan && !rules.some(({ deny }) => deny.write === true);
  const changes = HOOK_EVENTS[hook.event].changesFiles === true;
  return {
    write,
    needs: [],
    hidden: targetsDeniedByName("read", rules),
    unwritable: [
      ...targetsDeniedByName("write", rules),
      ...changes ? [] : bootstrap.workspace.roots,
    ],
    sandboxRequired: hook.source === "project" && mode !== "off",
  };
}

/** The command line to start. @throws {Error} there is no such program, or it could be anybody's */
async function argvOf(
  { command, source }: Hook,
  { env, roots, cwd }: { env: Record<string, string>; roots: readonly string[]; cwd: string },
): Promise<readonly [string, ...string[]]> {
  const path = env.PATH ?? "";
  // A program may start others by their names, as a script does by its first line.
  env.PATH = trustedPath({ path, roots });
  if (typeof command === "string") {
    return Deno.build.os === "windows"
      ? ["cmd", "/d", "/s", "/c", command]
      : ["/bin/sh", "-c", command];
  }
  const [name = "", ...args] = command;
  const program = await findHookProgram(name, { path, roots, cwd, source, home: env.HOME });
  if (program === undefined) throw new Error(`there is no program ${name}`);
  return [program, ...args];
}

/** A name is one of the machine's programs; a path of the user's own is absolute, or begins with `~/`. */
async function findHookProgram(
  name: string,
  { path, roots, cwd, source, home = "" }: {
    path: string;
    roots: readonly string[];
    cwd: string;
    source: Hook["source"];
    home: string | undefined;
  },
): Promise<string | undefined> {
  if (!/[\\/]/.test(name)) return findOwnProgram(name, { path, roots });
  const full = name.startsWith("~/") ? join(home, name.slice(2)) : name;
  if (source === "user" && !isAbsolute(full)) {
    throw new Error(`${name} would be another program in each directory: name its whole path`);
  }
  return await findProgram(full, { path, cwd });
}

/** What an event could send, to try hooks with. */
export const SAMPLE_FACTS: HookFacts = {
  session_start: { model: "model", resumed: false },
  prompt: { prompt: "fix the failing test" },
  before_tool: callSample("src/main.ts"),
  after_tool: { ...callSample("src/main.ts"), success: true, result: { success: true, error: "" } },
  stop: { text: "The test passes now.", continued: 0 },
  compact: { messages: 40, tokens: 12_000 },
  notification: { kind: "turn_end", text: "done" },
};

function callSample(path: string) {
  return {
    tool: "edit",
    call_id: "call_1",
    arguments: { file_path: path, old_string: "a", new_string: "b" },
    paths: [path],
  };
}
