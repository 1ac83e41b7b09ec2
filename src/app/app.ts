/**
 * What a way to run ally brings, and what it gets: the arguments and the result of the composition root.
 */
import type { Agent } from "../agent/agent.ts";
import type { Delegation } from "../agent/delegate.ts";
import type { Focus } from "../agent/focus.ts";
import type { PlanMode } from "../agent/plan_mode.ts";
import type { Statistics } from "../agent/statistics.ts";
import type { EventBody, EventSink } from "../core/event.ts";
import type { AskPermission } from "../core/permission.ts";
import type { AskConsent } from "../core/plugin_consent.ts";
import type { AskTrust } from "../core/project.ts";
import type { Secrets } from "../core/secrets.ts";
import type { Approve, Servers } from "../mcp/servers.ts";
import type { ConfigSources } from "../store/config_sources.ts";
import type { AllyPaths } from "../store/paths.ts";
import type { SchedulerDeps } from "../tools/scheduler.ts";
import type { Sandbox } from "../workspace/sandbox/sandbox.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { createAttacher } from "./attach.ts";
import type { Environment } from "./environment.ts";
import type { Io } from "./io.ts";
import type { Models } from "./models.ts";
import type { PermissionSources } from "./permission_sources.ts";
import type { Plugins } from "./plugins.ts";
import type { ProjectTrust } from "./project.ts";
import type { Sessions } from "./sessions.ts";
import type { Settings } from "./settings.ts";
import type { Traffic } from "./traffic.ts";

/** What differs between the ways to run ally. */
export interface Frontend {
  readonly sink: EventSink;
  readonly ask: AskPermission;
  /** Whether a person can answer. */
  readonly interactive: boolean;
  /** Asks whether the project's files may act; absent where nobody can answer. */
  readonly askTrust?: AskTrust;
  /** Whether no setting of the user's has a part in the run, as in the demo. @default false */
  readonly isolated?: boolean;
  /** Whether the run works on a scratch copy: the process then gives up nothing. @default false */
  readonly scratch?: boolean;
  /** Whether the project's MCP servers stay off, because its files are somebody else's. @default false */
  readonly skipProjectServers?: boolean;
  /** Asks whether a plugin may run; absent where nobody can answer. */
  readonly askConsent?: AskConsent;
  /** Asks about an MCP server that changed; absent where nobody can answer. */
  readonly approveServer?: Approve;
  /** What the person has typed since the turn began. */
  readonly steer?: () => Promise<readonly string[]>;
  /** The process around the run. */
  readonly io: Io;
}

/** Everything a run has. */
export interface App {
  readonly agent: Agent;
  /** The environment as it was at start. */
  readonly env: Environment;
  readonly workspace: Workspace;
  readonly paths: AllyPaths;
  readonly settings: Settings;
  readonly permissions: PermissionSources;
  readonly statistics: Statistics;
  readonly secrets: Secrets;
  /** Where the model's commands run; its status says whether it holds. */
  readonly sandbox: Sandbox;
  readonly plan: PlanMode;
  /** Starts the agents that take tasks. */
  readonly delegation: Delegation;
  readonly plugins: Plugins;
  /** What of the disk the session works on. */
  readonly focus: Focus;
  /** What of the project's own files acts, and why. */
  readonly project: ProjectTrust;
  /** Present if the traffic with the model is recorded or replayed. */
  readonly traffic: Traffic | undefined;
  /** The MCP servers; undefined if none is named. */
  readonly mcp: Servers | undefined;
  /** For a command that the user typed: what no flag denies is allowed without a question. */
  readonly userScheduler: SchedulerDeps;
  /** A person's words with what they name by `@path` behind them, as far as the scheduler's policy allows. */
  readonly attach: ReturnType<typeof createAttacher>;
  /** Sends a fact to the sink as the main agent's. */
  readonly emit: (fact: EventBody) => void;
  /** Id of the current session; undefined with `--no-session`. */
  sessionId(): string | undefined;
  readonly sessions: Sessions;
  /** Begins a new session with an empty conversation. */
  startSession(): void;
  /** Goes on with another session. @throws {UsageError} it is not there, or in use */
  resumeSession(id: string): Promise<void>;
  /** What each source says of the settings. */
  readonly configSources: ConfigSources;
  /** The models of all endpoints. */
  readonly models: Models;
  /** Stops what goes on in the background, in order, and waits for what is being saved; before a run's end. */
  stopTasks(): Promise<void>;
  /** Ends all children at once and closes files; the last thing a run does. */
  close(): void;
}
