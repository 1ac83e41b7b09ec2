/**
 * What a run is made of, for all modes.
 */
import type { Agent, TurnOverrides } from "../agent/agent.ts";
import type { CurrentConversation } from "../agent/current_conversation.ts";
import type { Delegation } from "../agent/delegate.ts";
import type { Focus } from "../agent/focus.ts";
import type { ModeSwitch } from "../permission/mode_switch.ts";
import type { Statistics } from "../agent/statistics.ts";
import type { TurnSummary } from "../agent/turn_deps.ts";
import type { EventBody } from "../core/event.ts";
import type { Secrets } from "../core/secrets.ts";
import type { HookRunner } from "../hooks/hook_runner.ts";
import type { Servers } from "../mcp/servers.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { Skills } from "../skills/skills.ts";
import type { ConfigSources } from "../store/config_sources.ts";
import type { AllyPaths } from "../store/paths.ts";
import type { SchedulerDeps } from "../tools/scheduler.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { Environment } from "./environment.ts";
import type { Models } from "./models.ts";
import type { PermissionSources } from "./permission_sources.ts";
import type { Plugins } from "./plugins.ts";
import type { ProjectTrust } from "./project.ts";
import type { Prompts } from "./prompts.ts";
import type { RunReceipt } from "./receipt.ts";
import type { Sessions } from "./sessions.ts";
import type { Settings } from "./settings.ts";
import type { Traffic } from "./traffic.ts";
import type { UserActions } from "./user_actions.ts";

/** Everything a run has. */
export interface App {
  readonly agent: Agent;
  /** The current conversation. */
  readonly current: CurrentConversation;
  /** The environment as it was at start. */
  readonly env: Environment;
  readonly workspace: Workspace;
  readonly paths: AllyPaths;
  readonly settings: Settings;
  readonly permissions: PermissionSources;
  readonly statistics: Statistics;
  readonly secrets: Secrets;
  /** Where the model's commands run; its status says whether it is active. */
  readonly sandbox: Sandbox;
  /** Whether ally asks, may edit, or only plans. */
  readonly mode: ModeSwitch;
  /** Starts the agents that take tasks. */
  readonly delegation: Delegation;
  readonly plugins: Plugins;
  /** Which directories the session works on. */
  readonly focus: Focus;
  /** Which of the project's own files act, and why. */
  readonly project: ProjectTrust;
  /** Present if a receipt is written. */
  readonly receipt: RunReceipt | undefined;
  /** Present if the traffic with the model is recorded or replayed. */
  readonly traffic: Traffic | undefined;
  /** The skills; undefined if there are none. */
  readonly skills: Skills | undefined;
  /** The MCP servers; undefined if none is named. */
  readonly mcp: Servers | undefined;
  /** Undefined if there are none. */
  readonly hooks: HookRunner | undefined;
  /** For a command that the user typed: what no flag denies is allowed without a question. */
  readonly userScheduler: SchedulerDeps;
  /** Makes the prompts of turns. */
  readonly prompts: Prompts;
  /** Runs a turn on a prompt, with the notices for the model added. @throws {Error} a turn is running */
  runTurn(prompt: string, overrides?: TurnOverrides): Promise<TurnSummary>;
  /** Decorates what takes a person's actions, for a recording. */
  readonly userActions: UserActions;
  /** Emits an event of the main agent. */
  readonly emit: (body: EventBody) => void;
  /** Warns the person. */
  readonly warn: (text: string) => void;
  /** Id of the current session; undefined with `--no-session`. */
  sessionId(): string | undefined;
  readonly sessions: Sessions;
  /** Begins a new session with an empty conversation. */
  startSession(): void;
  /** Goes on with another session. @throws {UsageError} it is not there, or in use */
  resumeSession(id: string): Promise<void>;
  /** Goes on with a copy of a session, back to its first messages if `keeps` says so. @throws {UsageError} it is not there */
  forkSession(id: string, keeps?: number): Promise<void>;
  /** The settings by source. */
  readonly configSources: ConfigSources;
  /** The models of all endpoints. */
  readonly models: Models;
  /** Does in the background what the first command would otherwise wait for. */
  warm(): void;
  /** Stops background work in order and waits until everything is saved. Call it before the run ends. */
  stopTasks(): Promise<void>;
  /** Ends all children at once and closes files. Call it last. */
  close(): void;
}
