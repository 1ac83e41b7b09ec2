/**
 * What a run stands on before it has a model: its places, the user's and the project's settings, secrets, and the
 * workspace. The composition root builds on it.
 */
import { Statistics } from "../agent/statistics.ts";
import { type Secrets, UNMASKED } from "../core/secrets.ts";
import { maskedSink } from "../secrets/masked_sink.ts";
import { Vault } from "../secrets/vault.ts";
import { type Config, readConfig } from "../store/config.ts";
import { readMaskKey } from "../store/mask_key.ts";
import { Workspace } from "../workspace/workspace.ts";
import type { Front } from "./app.ts";
import { canonicalDirectory } from "./directory.ts";
import { keysOf } from "./endpoints.ts";
import {
  bareEnvironment,
  type Environment,
  mayReadEnvironment,
  readEnvironment,
  standInForLibraries,
} from "./environment.ts";
import { Broadcast } from "./events.ts";
import { describeRecovery } from "./housekeeping.ts";
import type { Options } from "./options.ts";
import { openPlaces, type Places } from "./places.ts";
import { deniedKinds, describeMissing } from "./process_permissions.ts";
import { openProject, projectConfig, type ProjectOptions, type ProjectTrust } from "./project.ts";
import { type Settings, settle } from "./settings.ts";

/** What is known and open before anything is asked of a model. */
export interface Groundwork {
  readonly env: Environment;
  /** The environment as commands may see it. */
  readonly variables: Record<string, string>;
  /** The user's home directory; "" if it is not known. */
  readonly home: string;
  /** Absolute and canonical. */
  readonly cwd: string;
  /** Kinds that the process gives up. */
  readonly denied: ReturnType<typeof deniedKinds>;
  readonly statistics: Statistics;
  readonly broadcast: Broadcast;
  readonly kept: Places;
  readonly config: Config;
  readonly secrets: Secrets;
  readonly projectOptions: ProjectOptions;
  readonly project: ProjectTrust;
  readonly projectSettings: Config;
  readonly settings: Settings;
  readonly workspace: Workspace;
}

/** @throws {UsageError} flags or configuration cannot be used */
export async function layGroundwork(options: Options, front: Front): Promise<Groundwork> {
  const env = front.env ?? readEnvironment();
  const denied: Groundwork["denied"] = front.scratch ? new Set() : deniedKinds(options);
  if (denied.has("env") || !mayReadEnvironment()) standInForLibraries();
  const statistics = new Statistics();
  const broadcast = new Broadcast({ sink: front.sink, statistics });
  const { emit, warn } = broadcast;
  const cwd = canonicalDirectory(options.cwd);
  const mayWrite = !denied.has("write");
  const kept = openPlaces(cwd, { env, mayWrite, session: options.session, emit });
  const places = kept.locations;
  const { config, warnings } = kept.known
    ? await readConfig(places.config)
    : { config: {}, warnings: [] };
  const keys = kept.known ? places.keys : undefined;
  const secrets = config.mask_secrets === false ? UNMASKED : new Vault({
    key: () => readMaskKey(places.maskKey),
    env: { ...env.toObject(), ...keysOf({ config, env, keys }) },
  });
  // Only a person's screen shows secrets: whatever else takes events is a log.
  if (!front.interactive && secrets !== UNMASKED) {
    broadcast.wrap((sink) => maskedSink(sink, secrets));
  }
  warnings.forEach(warn);
  const projectOptions = {
    directory: cwd,
    home: places.home,
    trustPath: places.trust,
    trustAll: options.trustProject,
    ask: front.askTrust,
    emit,
  };
  const project = await openProject(projectOptions);
  const projectSettings = await projectConfig(project, emit);
  const settings = settle(options, { config, project: projectSettings, env, keys });
  const base = { env, cwd, denied, statistics, broadcast, kept, config, secrets, settings };
  return {
    ...base,
    variables: denied.has("env") ? bareEnvironment(env.toObject()) : env.toObject(),
    home: env.get("HOME") ?? env.get("USERPROFILE") ?? "",
    projectOptions,
    project,
    projectSettings,
    workspace: await openWorkspace(options, base),
  };
}

/** The user's files, with what a killed ally left half done brought to an end. */
async function openWorkspace(
  { addDirs }: Options,
  { env, cwd, denied, broadcast, kept, settings }: Pick<
    Groundwork,
    "env" | "cwd" | "denied" | "broadcast" | "kept" | "settings"
  >,
): Promise<Workspace> {
  const { emit, warn } = broadcast;
  const { patches, snapshots, outputs } = kept.locations;
  const workspace = new Workspace({
    cwd,
    addDirs,
    kept: [outputs],
    patchDir: patches,
    fileChecks: settings.fileChecks,
    ...!denied.has("write") && !denied.has("run") && {
      snapshots: { directory: snapshots, path: env.get("PATH") ?? "", notice: warn },
    },
  });
  describeMissing({ cwd, denied, endpoint: settings.endpoints.home.endpoint }).forEach(warn);
  // What a killed ally left half done waits for a run that may write.
  for (const recovery of denied.has("write") ? [] : await workspace.recover()) {
    emit({ type: "notice", ...describeRecovery(recovery) });
  }
  return workspace;
}
