/**
 * What limits a run: the sandbox, the rules and the policies made of them, the shell that starts commands, and the log
 * of decisions.
 */
import type { LogDecision } from "../core/decision.ts";
import { ModeSwitch } from "../permission/mode_switch.ts";
import { Policy } from "../permission/policy.ts";
import { showsVariable } from "../permission/rules.ts";
import { targetsDeniedByName } from "../permission/sandbox_policy.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { createDecisionLog } from "../store/decisions.ts";
import { makeFilesPrivate } from "../store/private_files.ts";
import { createShell, type ProcessShell } from "../workspace/shell.ts";
import { childEnvironment } from "../workspace/shell_environment.ts";
import type { Bootstrap } from "./bootstrap.ts";
import { keyVariables } from "./endpoints.ts";
import { createReadRule, gatherPermissions, type PermissionSources } from "./permission_sources.ts";
import { createConfinementCheck, createSandbox, requireSandbox } from "./sandbox.ts";
import type { Sessions } from "./sessions.ts";

/** What holds a run to its limits. */
export interface Enforcement {
  readonly sandbox: Sandbox;
  readonly permissions: PermissionSources;
  /** Judges what the model calls. */
  readonly policy: Policy;
  /** The mode of the session. */
  readonly mode: ModeSwitch;
  /** Judges what a person types: allowed unless the process itself has given it up. */
  readonly userPolicy: Policy;
  readonly shell: ProcessShell;
  /** Whether rules show a variable to children; undefined if they say nothing of it. */
  readonly isVariableVisible: (name: string) => boolean | undefined;
  readonly logDecision: LogDecision;
  /** Ends all children at once. */
  close(): void;
}

/** @throws {UsageError} rules cannot be used, or a sandbox is required and there is none */
export async function openEnforcement(
  bootstrap: Bootstrap,
  sessions: Pick<Sessions, "id">,
): Promise<Enforcement> {
  const { events, config, cwd, denied, storage, secrets, commandEnv, workspace } = bootstrap;
  const paths = storage.paths;
  const { emit, warn } = events;
  const sandbox = await openSandbox(bootstrap);
  (await sandbox.makeUpReviews()).forEach(warn);
  const permissions = gatherRules(bootstrap);
  permissions.warnings.forEach(warn);
  if (storage.isPersistent && !denied.has("write")) makeFilesPrivate(paths, bootstrap.home);
  const { rules, configured } = permissions;
  await workspace.workspaceRoots.hide(targetsDeniedByName("read", [rules, ...configured]));
  const keyNames = keyVariables(config);
  // A key's variable is hidden from commands whatever it is called.
  const variableRule = (name: string) =>
    showsVariable([rules, ...configured], name) ?? (keyNames.has(name) ? false : undefined);
  workspace.walkWith(() => sandbox.openLister());
  const currentDirectory = () => workspace.cwd;
  const shell = createShell({
    cwd,
    currentDirectory,
    roots: () => workspace.roots,
    env: commandEnv,
    variableRule,
    logDir: paths.outputs,
    settledEnd: (text) => secrets.settledEnd(text),
    sandbox,
    onSetAside: async (reviewed) => {
      const { describeSetAside } = await import("../lib/set_aside.ts");
      warn(describeSetAside("a command", reviewed));
    },
  });
  const decisions = createDecisionLog({
    path: paths.decisions,
    cwd,
    session: () => sessions.id,
    mask: (text) => secrets.remask(text),
    keepOpen: denied.has("write"),
    onProblem: warn,
  });
  return {
    sandbox,
    permissions,
    ...createPolicies(bootstrap, {
      permissions,
      isSandboxed: createConfinementCheck(sandbox, { emit, mayRun: !denied.has("run") }),
    }),
    shell,
    isVariableVisible: variableRule,
    logDecision: decisions.log,
    close() {
      shell.killAll();
      sandbox.close();
      decisions.close();
    },
  };
}

/** @throws {UsageError} a sandbox is required and there is none */
async function openSandbox(
  bootstrap: Bootstrap,
): Promise<Sandbox> {
  const { storage, commandEnv, namedPlaces, workspace, skillFiles } = bootstrap;
  const { frontend: { foreign, io }, settings: { values } } = bootstrap;
  const sandbox = createSandbox({
    mode: values.sandbox,
    roots: () => workspace.roots,
    paths: storage.paths,
    skills: skillFiles.map(({ folder }) => folder),
    env: commandEnv,
    named: namedPlaces,
    foreign,
    proofs: io.proofs,
  });
  if (values.sandbox === "required") {
    await requireSandbox(sandbox, { foreign: foreign !== undefined });
  }
  return sandbox;
}

function gatherRules(bootstrap: Bootstrap): PermissionSources {
  const {
    options: { rules },
    frontend,
    events,
    config,
    cwd,
    home,
    storage,
    project,
    projectSettings,
    secrets,
    skillFiles,
    workspace,
  } = bootstrap;
  const paths = storage.paths;
  const isForeign = frontend.foreign !== undefined;
  const found = gatherPermissions({
    rules,
    files: [
      { source: "config", path: paths.config, value: config.permissions },
      {
        source: "project",
        path: project.files.config?.path ?? "",
        value: projectSettings.permissions,
      },
    ],
    cwd,
    roots: workspace.workspaceRoots,
    storedPath: storage.hasHome && !isForeign ? paths.permissions : undefined,
    home,
    allyHome: paths.home,
    skills: skillFiles.map(({ folder }) => folder),
    env: childEnvironment(bootstrap.commandEnv),
    named: bootstrap.namedPlaces,
    isSecret: (text) => secrets.mask(text) !== text,
    onProblem: events.warn,
  });
  // What the user allows themselves they have not allowed to others.
  const configured = isForeign
    ? found.configured.map((one) => ({ ...one, allow: {}, allowAll: false }))
    : found.configured;
  return { ...found, configured };
}

function createPolicies(
  { options, frontend, storage, settings, skillFiles }: Bootstrap,
  { permissions, isSandboxed }: {
    permissions: PermissionSources;
    isSandboxed: () => Promise<boolean>;
  },
): Pick<Enforcement, "policy" | "userPolicy" | "mode"> {
  const { rules, configured, pathFacts } = permissions;
  const outputs = pathFacts.locate(storage.paths.outputs).absolute;
  const mode = new ModeSwitch({ locked: options.plan, allowsAll: rules.allowAll });
  const policy = new Policy({
    ...permissions,
    mode,
    configured: [
      ...configured,
      createReadRule(outputs),
      ...skillFiles.map(({ folder }) => createReadRule(folder)),
    ],
    interactive: frontend.interactive,
    onlyInside: frontend.foreign !== undefined,
    banned: settings.values.banned_commands,
    sandboxed: isSandboxed,
    unasked: settings.values.unasked,
  });
  const userPolicy = new Policy({
    rules: { ...rules, allow: {}, allowAll: true },
    configured,
    interactive: true,
    banned: [],
    pathFacts,
    mode: new ModeSwitch({ locked: options.plan }),
  });
  return { policy, userPolicy, mode };
}
