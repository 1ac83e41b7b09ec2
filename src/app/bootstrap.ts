/**
 * The first parts of a run, before it has a model: paths, the user's and the project's settings, secrets, and the
 * workspace.
 */
import { Statistics } from "../agent/statistics.ts";
import type { SecretPlace } from "../core/secret_places.ts";
import { NO_MASKING, type Secrets } from "../core/secrets.ts";
import { exists, mayRead, realPathOrSame } from "../lib/fs.ts";
import { findNamedPlaces } from "../sandbox/secret_files.ts";
import { maskSink } from "../secrets/masked_sink.ts";
import { Vault } from "../secrets/vault.ts";
import { readConfig } from "../store/config.ts";
import type { ConfigSources } from "../store/config_sources.ts";
import { readMaskKey } from "../store/mask_key.ts";
import { ModelProfiles } from "../store/model_profiles.ts";
import {
  type AllyPaths,
  findAllyPaths,
  homeDirectory,
  openStorage,
  ownFolders,
  type RunStorage,
  skillPlaces,
} from "../store/paths.ts";
import { requireOwnFiles } from "../store/private_files.ts";
import type { SkillFile } from "../store/skill_files.ts";
import { type Config, DEFAULTS } from "../store/settings_table.ts";
import { canonicalDirectory } from "../workspace/roots.ts";
import { Workspace } from "../workspace/workspace.ts";
import { AskedTime } from "./asked_time.ts";
import { collectSecrets } from "./endpoints.ts";
import { type Environment, pickMinimalEnvironment } from "./environment.ts";
import { EventEmitter } from "./events.ts";
import type { Frontend } from "./frontend.ts";
import { describeRecovery } from "./housekeeping.ts";
import type { Options } from "./options.ts";
import {
  deniedKinds,
  describeMissingPermissions,
  describeUselessFlags,
} from "./process_permissions.ts";
import { findHidden } from "./permission_sources.ts";
import { openProject, projectConfig, type ProjectOptions, type ProjectTrust } from "./project.ts";
import { readVariables, resolveSettings, type Settings } from "./settings.ts";

/** What is known before the project's files and the workspace are open. */
interface RunBasis {
  readonly options: Options;
  /** Its questions are timed. */
  readonly frontend: Frontend;
  readonly asked: AskedTime;
  readonly env: Environment;
  /** Absolute and canonical. */
  readonly cwd: string;
  /** Kinds that the process gives up. */
  readonly denied: ReturnType<typeof deniedKinds>;
  readonly statistics: Statistics;
  readonly events: EventEmitter;
  readonly storage: RunStorage;
  readonly config: Config;
  readonly secrets: Secrets;
  /** Where variables say that secret places are. */
  readonly namedPlaces: readonly SecretPlace[];
  readonly settings: Settings;
}

/** What is known and open before a model is asked for anything. */
export interface Bootstrap extends RunBasis {
  /** The environment as commands may see it. */
  readonly commandEnv: Record<string, string>;
  /** The user's home directory; "" if it is not known. */
  readonly home: string;
  readonly projectOptions: ProjectOptions;
  readonly project: ProjectTrust;
  readonly projectSettings: Config;
  /** The files of the user's skills and of the trusted project's. */
  readonly skillFiles: readonly SkillFile[];
  /** The folders in which the user's are. */
  readonly userSkillFolders: readonly string[];
  /** The settings by source. */
  readonly configSources: ConfigSources;
  /** What is known of models from earlier runs. */
  readonly profiles: ModelProfiles;
  readonly workspace: Workspace;
}

/** @throws {UsageError} flags or configuration cannot be used */
export async function createBootstrap(options: Options, frontend: Frontend): Promise<Bootstrap> {
  const { io, io: { env }, masked = !frontend.interactive } = frontend;
  const denied: Bootstrap["denied"] = frontend.scratch ? new Set() : deniedKinds(options);
  if (denied.has("env") && !io.isShared) io.hideEnvironment();
  const asked = new AskedTime();
  const statistics = new Statistics({ askedMs: () => asked.turnMs });
  const events = new EventEmitter({ sink: frontend.sink, statistics });
  const { emit, warn } = events;
  const cwd = canonicalDirectory(options.cwd);
  const { session } = options;
  const home = findAllyPaths(cwd, env);
  if (home !== undefined) requireOwnFiles(home);
  const storage = openStorage(home, { cwd, io, mayWrite: !denied.has("write"), session, emit });
  const { paths } = storage;
  const { config, warnings } = storage.hasHome
    ? await readConfig(paths.config)
    : { config: {}, warnings: [] };
  const keys = storage.hasHome ? paths.keys : undefined;
  const masks = config.mask_secrets ?? DEFAULTS.mask_secrets;
  const secrets = masks ? createVault({ config, env, storage }) : NO_MASKING;
  // Only a person's screen shows secrets; any other sink is a log.
  if (masked && masks) events.wrapSink((sink) => maskSink(sink, secrets));
  warnings.forEach(warn);
  const namedPlaces = findNamedPlaces(env.toObject(), { home: homeDirectory(env), cwd });
  const places = { cwd, env, paths, namedPlaces };
  const ofProject = await readProject(options, { ...places, config, frontend, warn });
  const { projectSettings, skillFiles } = ofProject;
  const configSources = {
    flags: options.settings,
    environment: readVariables(env),
    project: projectSettings,
    user: config,
  };
  const profiles = new ModelProfiles(paths.models);
  const settings = resolveSettings(configSources, { env, keys, profiles });
  const base = {
    options,
    frontend: asked.wrap(frontend),
    asked,
    env,
    cwd,
    denied,
    statistics,
    events,
    storage,
    config,
    secrets,
    namedPlaces,
    settings,
    configSources,
    profiles,
  };
  return {
    ...base,
    commandEnv: denied.has("env") ? pickMinimalEnvironment(env.toObject()) : env.toObject(),
    home: homeDirectory(env),
    ...ofProject,
    workspace: await openWorkspace(base, skillFiles.map(({ folder }) => folder)),
  };
}

/** Whether what the user has set up for themselves holds, as in neither the demo nor somebody else's recording. */
export function isOwnRun({ isolated = false, foreign }: Frontend): boolean {
  return !isolated && foreign === undefined;
}

/** Whether its requests must be those of another run, which may be on another machine: as recorded, or replayed. */
export function isRepeated({ record, replay }: Options): boolean {
  return record !== undefined || replay !== undefined;
}

/** The user's skills, then the trusted project's; where there are none, this is a look at a few folders. */
async function findSkillFiles(
  { files: { skills } }: ProjectTrust,
  { cwd, env, options, userSkillFolders, warn }: {
    cwd: string;
    env: Environment;
    options: Options;
    userSkillFolders: readonly string[];
    warn: EventEmitter["warn"];
  },
): Promise<readonly SkillFile[]> {
  if (userSkillFolders.length === 0 && skills.length === 0) return [];
  const { findUserSkills, toProjectSkill } = await import("../store/skill_files.ts");
  const { files, problems } = await findUserSkills(userSkillFolders, {
    userHome: homeDirectory(env),
  });
  if (isRepeated(options)) {
    if (files.length + skills.length > 0) {
      warn("Your skills are left out: a recorded run has none, and neither has its replay.");
    }
    return [];
  }
  for (const text of problems) warn(`A skill is left out: ${text}`);
  return [...files, ...skills.map((file) => toProjectSkill(file, cwd))];
}

/** What the project brings, as far as it is trusted, and the skills of all. */
type ProjectParts = Pick<
  Bootstrap,
  "projectOptions" | "project" | "projectSettings" | "skillFiles" | "userSkillFolders"
>;

/** Reads the project's own files, as far as they are trusted, and finds the user's skills. */
async function readProject(
  options: Options,
  { cwd, env, paths, namedPlaces, config, frontend, warn }: {
    cwd: string;
    env: Environment;
    paths: AllyPaths;
    namedPlaces: readonly SecretPlace[];
    config: Config;
    frontend: Frontend;
    warn: EventEmitter["warn"];
  },
): Promise<ProjectParts> {
  const places = isOwnRun(frontend)
    ? skillPlaces(paths, { env, compat: config.skills_compat ?? DEFAULTS.skills_compat })
    : undefined;
  const projectOptions = {
    directory: cwd,
    home: paths.home,
    ownFolders: ownFolders(paths, env),
    ...places && { skillPlaces: places },
    isHidden: findHidden({
      rules: options.rules,
      permissions: config.permissions,
      cwd,
      home: homeDirectory(env),
      allyHome: paths.home,
      named: namedPlaces,
    }),
    trustPath: paths.trust,
    trustAll: options.trustProject,
    ask: frontend.askTrust,
    warn,
  };
  const project = await openProject(projectOptions);
  const userSkillFolders = places?.user.filter((path) => mayRead(path) && exists(path)) ?? [];
  return {
    projectOptions,
    project,
    projectSettings: await projectConfig(project, warn),
    userSkillFolders,
    skillFiles: await findSkillFiles(project, { cwd, env, options, userSkillFolders, warn }),
  };
}

/** Knows the secrets of the environment and the keys of all endpoints. */
export function createVault(
  { config, env, storage: { paths, hasHome } }: Pick<RunBasis, "config" | "env" | "storage">,
): Vault {
  const keys = hasHome ? paths.keys : undefined;
  return new Vault({
    key: () => readMaskKey(paths.maskKey),
    env: { ...env.toObject(), ...collectSecrets({ config, env, keys }) },
  });
}

/** Opens the user's files, and finishes or takes back what a killed ally left half done. */
async function openWorkspace(
  { options, frontend, env, cwd, denied, events, storage, namedPlaces, settings }: RunBasis,
  skillFolders: readonly string[],
): Promise<Workspace> {
  const { emit, warn } = events;
  const { patches, snapshots, outputs } = storage.paths;
  const workspace = new Workspace({
    cwd,
    addDirs: options.addDirs,
    alwaysAllowed: [outputs, ...skillFolders],
    home: homeDirectory(env),
    ...storage.hasHome && { allyHome: realPathOrSame(storage.paths.home) },
    named: namedPlaces,
    patchDir: patches,
    fileChecks: settings.values.file_checks,
    readBuffer: frontend.readBuffer,
    ...!denied.has("write") && !denied.has("run") && {
      snapshots: { directory: snapshots, path: env.get("PATH") ?? "", notice: warn },
    },
  });
  const { url: endpoint } = settings.endpoints.default;
  describeMissingPermissions({ cwd, denied, endpoint }).forEach(warn);
  describeUselessFlags(options).forEach(warn);
  // A run that may not write leaves this to the next one.
  for (const recovery of denied.has("write") ? [] : await workspace.recover()) {
    emit({ type: "notice", ...describeRecovery(recovery) });
  }
  return workspace;
}
