/**
 * What holds a run in its bounds: the sandbox, the rules and the policies made of them, the shell that starts
 * commands, and the log of what was decided. The composition root opens it on the groundwork.
 */
import type { NoteDecision } from "../core/decision.ts";
import { deniedByName } from "../permission/confinement.ts";
import { Policy } from "../permission/policy.ts";
import { showsVariable } from "../permission/rules.ts";
import { decisionLog } from "../store/decisions.ts";
import { closeToOthers } from "../store/private_files.ts";
import type { Sandbox } from "../workspace/sandbox/sandbox.ts";
import { createShell, type ProcessShell } from "../workspace/shell.ts";
import { childEnvironment } from "../workspace/shell_environment.ts";
import type { Groundwork } from "./bootstrap.ts";
import { keyVariables } from "./endpoints.ts";
import type { Options } from "./options.ts";
import { gatherPermissions, type PermissionSources, readable } from "./permission_sources.ts";
import { confinedOnce, createSandbox, requireSandbox } from "./sandbox.ts";

export interface Confines {
  readonly sandbox: Sandbox;
  readonly permissions: PermissionSources;
  /** Judges what the model calls. */
  readonly policy: Policy;
  /** Judges what a person types: allowed unless the process itself has given it up. */
  readonly userPolicy: Policy;
  readonly shell: ProcessShell;
  /** Whether rules show a variable to children; undefined if they say nothing of it. */
  readonly shows: (name: string) => boolean | undefined;
  readonly noteDecision: NoteDecision;
}

/** @throws {UsageError} rules cannot be used, or a sandbox is required and there is none */
export async function openConfines(
  work: Groundwork,
  { options, interactive, sessionId }: {
    options: Options;
    interactive: boolean;
    sessionId: () => string | undefined;
  },
): Promise<Confines> {
  const { broadcast, config, cwd, denied, kept, secrets, settings, variables, workspace } = work;
  const places = kept.locations;
  const { emit, warn } = broadcast;
  const sandbox = createSandbox({
    mode: settings.sandbox,
    roots: () => workspace.roots,
    places,
    env: variables,
  });
  if (settings.sandbox === "required") await requireSandbox(sandbox);
  const permissions = gather(work, options);
  permissions.warnings.forEach(warn);
  if (kept.lasting && !denied.has("write")) closeToOthers(places, work.home);
  const { rules, configured } = permissions;
  workspace.reach.hide(deniedByName("read", [rules, ...configured]));
  const keyNames = keyVariables(config);
  // A key's variable is hidden from commands whatever it is called.
  const shows = (name: string) =>
    showsVariable([rules, ...configured], name) ?? (keyNames.has(name) ? false : undefined);
  const start = () => workspace.cwd;
  return {
    sandbox,
    permissions,
    ...policies(permissions, {
      work,
      interactive,
      plan: options.plan,
      confined: confinedOnce(sandbox, emit),
    }),
    shell: createShell({ cwd, start, env: variables, shows, logDir: places.outputs, sandbox }),
    shows,
    noteDecision: decisionLog({
      path: places.decisions,
      cwd,
      session: sessionId,
      mask: (text) => secrets.remask(text),
      hold: denied.has("write"),
      onProblem: warn,
    }),
  };
}

function gather(work: Groundwork, { rules }: Options): PermissionSources {
  const { broadcast, config, cwd, home, kept, project, projectSettings, secrets, workspace } = work;
  const places = kept.locations;
  return gatherPermissions({
    rules,
    files: [
      { source: "config", path: places.config, value: config.permissions },
      {
        source: "project",
        path: project.files.config?.path ?? "",
        value: projectSettings.permissions,
      },
    ],
    cwd,
    reach: workspace.reach,
    stored: kept.known ? places.permissions : undefined,
    home,
    env: childEnvironment(work.variables),
    isSecret: (text) => secrets.mask(text) !== text,
    onProblem: broadcast.warn,
  });
}

function policies(
  permissions: PermissionSources,
  { work: { kept, settings }, interactive, plan, confined }: {
    work: Groundwork;
    interactive: boolean;
    plan: boolean;
    confined: () => Promise<boolean>;
  },
): Pick<Confines, "policy" | "userPolicy"> {
  const { rules, configured, ground } = permissions;
  const outputs = ground.place(kept.locations.outputs).absolute;
  const policy = new Policy({
    ...permissions,
    configured: [...configured, readable(outputs)],
    interactive,
    banned: settings.bannedCommands,
    confined,
  });
  const userPolicy = new Policy({
    rules: { ...rules, allow: {}, allowAll: true },
    configured,
    interactive: true,
    banned: [],
    ground,
  });
  userPolicy.planning = plan;
  return { policy, userPolicy };
}
