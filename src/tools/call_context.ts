/**
 * What a tool gets with one call: the files as they will be by then, a shell that starts only what was
 * judged, the limits of the moment.
 */
import type { LogCommand } from "../core/action_log.ts";
import type { ConversationAccess } from "../core/conversation_access.ts";
import type { DelegateFor } from "../core/delegate.ts";
import type { EventBody } from "../core/event.ts";
import type { Change, ResolvedPaths, ViewFiles } from "../core/files.ts";
import type { Media } from "../core/image.ts";
import type { Confinement } from "../core/permission.ts";
import type { SandboxBlock } from "../core/sandbox.ts";
import type { Secrets } from "../core/secrets.ts";
import type { Shell } from "../core/shell.ts";
import type { AgentIdentity, Effect, Limits, ToolContext } from "../core/tool.ts";
import { canonicalShell, loggedShell, restrictShell, sandboxedShell } from "./sandboxed_shell.ts";
import type { Web, WebReader } from "../core/web.ts";

/** What the contexts of an agent's calls are made of. */
export interface ContextDeps {
  readonly agent: AgentIdentity;
  readonly shell: Shell;
  /** Puts secrets back into what the model sends, and keeps them out of what it gets. */
  readonly secrets: Secrets;
  /** Takes note of the commands that calls run; absent if nobody wants to know. */
  readonly logCommand?: LogCommand;
  /** Whether what runs is kept in the OS sandbox; a person's own commands are not. @default true */
  readonly sandboxed?: boolean;
  readonly view: ViewFiles;
  /** Read anew for each call: limits shrink as the context fills. */
  readonly limits: () => Limits;
  /** State and results of the conversation that is going on now. */
  readonly memory: () => ConversationAccess;
  readonly emit: (event: EventBody) => void;
  /** Reads the web, where that is not given up. */
  readonly web?: WebReader | undefined;
  /** Makes something of files that are no text. @default nothing can */
  readonly media?: Media;
  /** Has other agents work for a call; absent for an agent that works for another one. */
  readonly delegate?: DelegateFor;
}

/** Makes the context of one call. */
export function contextOf(
  callId: string,
  options: {
    deps: ContextDeps;
    signal: AbortSignal;
    /** Changes that earlier calls will make first. */
    pending: readonly Change[];
    /** What the call has resolved so far; its further paths are added. */
    resolved: ResolvedPaths;
    effects: readonly Effect[];
    /** The only command lines it may start. @default any */
    commands?: readonly string[] | undefined;
    /** What it reaches of the web. @default nothing */
    web?: Web | undefined;
    /** How its commands run. @default as written, in the workspace */
    confinement?: Confinement | undefined;
    /** Told when a command failed because of the sandbox. */
    onBlocked?: ((blocked: SandboxBlock, output: string) => void) | undefined;
    /** What a command line printed of which only the rest runs now. */
    earlierOutput?: string | undefined;
    /** Told of each command that goes on in the background. */
    onTask?: ((id: string) => void) | undefined;
  },
): ToolContext {
  const { deps, signal, commands, confinement: { runs } = {} } = options;
  const { delegate } = deps;
  const logCommand = options.effects.includes("exec") ? deps.logCommand : undefined;
  const plain = loggedShell(deps.shell, (ran) => {
    if (ran.result.taskId !== undefined) options.onTask?.(ran.result.taskId);
    logCommand?.({ agent: deps.agent.id, callId, ...ran });
  });
  const confined = deps.sandboxed === false ? plain : sandboxedShell(plain, options);
  const shell = runs ? canonicalShell(confined, runs) : confined;
  const memory = deps.memory();
  const { state, results } = memory;
  return {
    callId,
    agent: deps.agent,
    signal,
    files: deps.view(options.pending, options.resolved),
    shell: commands ? restrictShell(shell, commands) : shell,
    web: options.web,
    limits: deps.limits(),
    media: deps.media,
    delegate: delegate && ((tasks) => delegate(tasks, { callId, signal })),
    state,
    results,
    loadedSkills: () => memory.loadedSkills(),
    learnSecrets: (text) => deps.secrets.learn(text),
    report: (text) => deps.emit({ type: "tool_output", call_id: callId, text }),
  };
}
