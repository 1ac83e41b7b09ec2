/**
 * The one straight line that every call takes, whoever asked for it: find, validate, guard, plan, judge
 * (all in `prepare`, which changes nothing), then run and record (in `execute`). Whatever goes wrong on
 * the way becomes the call's result; nothing is thrown into the loop. The scheduler calls both halves.
 * Planning may itself run commands of the project's (a formatter's). They are judged first: if they must
 * be asked about, the call is prepared without a plan, and again with its plan once they are allowed.
 */
import type { FinishTracking, TrackCommands } from "../core/command_watch.ts";
import type { ConversationAccess } from "../core/conversation_access.ts";
import type { DelegateFor } from "../core/delegate.ts";
import { ToolError } from "../core/errors.ts";
import type { EventBody } from "../core/event.ts";
import type { Change, EditPlan, Files, ResolvedPath } from "../core/files.ts";
import type { ToolCall } from "../core/message.ts";
import type { Access, Preview, Verdict } from "../core/permission.ts";
import type { SandboxBlock, SandboxPolicy } from "../core/sandbox.ts";
import type { Secrets } from "../core/secrets.ts";
import type { Shell } from "../core/shell.ts";
import type {
  AgentIdentity,
  Effect,
  Limits,
  Tool,
  ToolContext,
  ToolDefinition,
  ToolResult,
} from "../core/tool.ts";
import { mapStrings } from "../lib/json_strings.ts";
import { isObject, type JsonObject } from "../lib/schema.ts";
import type { Policy } from "../permission/policy.ts";
import { judge, type JudgedAccess, type RequestedAccess } from "./accesses.ts";
import { parseArguments, valuesOfFormat } from "./arguments.ts";
import { withCommandChanges } from "./command_changes.ts";
import { withEditedContent } from "./edited_content.ts";
import { type DiffContext, previewsOf } from "./previews.ts";
import { failedResultOf } from "./record.ts";
import type { Registry } from "./registry.ts";
import { sandboxedShell } from "./sandboxed_shell.ts";

/** What the pipeline works with; the same for all calls of an agent. */
export interface PipelineDeps {
  readonly registry: Registry;
  readonly policy: Policy;
  readonly agent: AgentIdentity;
  readonly shell: Shell;
  /** Puts secrets back into what the model sends, and keeps them out of what it gets. */
  readonly secrets: Secrets;
  /** Whether what runs is kept in the OS sandbox; a person's own commands are not. @default true */
  readonly sandboxed?: boolean;
  /** The user's files, seen through changes planned but not yet made. */
  readonly view: (pending: readonly Change[]) => Files;
  /** Has what a command does to the files noted; absent, it cannot be undone. */
  readonly watchCommands?: TrackCommands;
  /** Read anew for each call: limits shrink as the context fills. */
  readonly limits: () => Limits;
  /** State and results of the conversation that is going on now. */
  readonly memory: () => ConversationAccess;
  readonly emit: (fact: EventBody) => void;
  /** Has other agents work for a call; absent for an agent that works for another one. */
  readonly delegate?: DelegateFor;
  /** How changes are shown before they are made. */
  readonly diffs?: DiffContext | undefined;
}

/** A call that is ready to run, if it may. */
export interface PreparedCall {
  readonly call: ToolCall;
  readonly tool: Tool;
  readonly input: JsonObject;
  readonly description: string;
  readonly effects: readonly Effect[];
  readonly accesses: readonly Access[];
  readonly plan: EditPlan | undefined;
  readonly previews: readonly Preview[];
  readonly verdict: Verdict;
  /** The only command lines it may run, if the tool names them. */
  readonly commands: readonly string[] | undefined;
  /** False if it is planned only once its accesses, commands all of them, are allowed. */
  readonly planned: boolean;
}

export type FailedResult = Extract<ToolResult, { ok: false }>;

export type Preparation =
  | { readonly ok: true; readonly prepared: PreparedCall }
  | {
    readonly ok: false;
    readonly failed: FailedResult;
    /** True if another state of the files could make it succeed. */
    readonly mayRetry: boolean;
    /** The arguments as far as they were understood, and the tool's definition if it was found. */
    readonly input: JsonObject;
    readonly definition: ToolDefinition | undefined;
  };

export interface PrepareOptions {
  readonly signal: AbortSignal;
  /** Changes that earlier calls of the same reply will make first. */
  readonly pending: readonly Change[];
  /** Whether an earlier call of the same reply will change files, and is not planned yet. */
  readonly unsettled: boolean;
  /** False when the call was announced by an earlier try. */
  readonly announce: boolean;
  /** What an earlier try was allowed: it is neither judged nor shown again. */
  readonly approved?: readonly Access[];
  /** What a person wants the one file that the call changes to hold. */
  readonly content?: string | undefined;
}

/** Takes a call through all stages that change nothing. Never throws. */
export async function prepare(
  call: ToolCall,
  options: PrepareOptions & { deps: PipelineDeps },
): Promise<Preparation> {
  const { deps } = options;
  let known: IdentifiedCall | undefined;
  try {
    known = await identify(call, deps);
    if (options.announce) emitStart(call, { deps, known });
    return { ok: true, prepared: await planAndJudge(known, options) };
  } catch (error) {
    if (!known && options.announce) emitStart(call, { deps, known });
    return {
      ok: false,
      failed: failedResultOf(error),
      mayRetry: known !== undefined,
      input: known?.input ?? {},
      definition: known?.definition,
    };
  }
}

/** Runs a prepared call and shapes what it came to. Never throws. */
export async function execute(
  prepared: PreparedCall,
  options: {
    deps: PipelineDeps;
    signal: AbortSignal;
    /** Told when a command failed because of the sandbox. */
    onBlocked?: (blocked: SandboxBlock) => void;
    /** Runs it without the sandbox. @default false */
    outside?: boolean;
  },
): Promise<ToolResult> {
  const { deps, signal, onBlocked, outside = false } = options;
  const { commands, effects, verdict: { sandboxPolicy } } = prepared;
  const context = contextOf(prepared.call.id, {
    deps: outside ? { ...deps, sandboxed: false } : deps,
    signal,
    pending: [],
    commands,
    effects,
    confinement: sandboxPolicy,
    onBlocked,
  });
  const end = await watchForChanges(prepared, options);
  let result: ToolResult;
  try {
    result = await prepared.tool.run(prepared.input, { ...context, plan: prepared.plan });
  } catch (error) {
    result = failedResultOf(error);
  }
  return withCommandChanges(result, await end?.());
}

/**
 * Whoever starts processes may change any file, so what is there is kept first, unless all that runs was
 * judged to read only; a tool that plans its changes has them recorded by the commit.
 */
async function watchForChanges(
  prepared: PreparedCall,
  { deps, signal }: { deps: PipelineDeps; signal: AbortSignal },
): Promise<FinishTracking | undefined> {
  const changes = prepared.effects.some((effect) => effect === "exec" || effect === "write");
  if (!changes || prepared.plan !== undefined) return undefined;
  const commands = prepared.accesses.flatMap(({ kind, target }) => kind === "run" ? [target] : []);
  if (commands.length > 0 && prepared.verdict.risk === "safe") return undefined;
  const by = { tool: prepared.tool.definition.name, callId: prepared.call.id, signal };
  return await deps.watchCommands?.(commands, by);
}

/** A call whose tool is found and whose arguments are valid. */
interface IdentifiedCall {
  readonly call: ToolCall;
  readonly definition: ToolDefinition;
  readonly tool: Tool;
  readonly input: JsonObject;
  readonly description: string;
}

async function identify(
  call: ToolCall,
  { registry, secrets }: Pick<PipelineDeps, "registry" | "secrets">,
): Promise<IdentifiedCall> {
  const definition = registry.find(call.name);
  if (call.refused !== undefined) throw new ToolError(call.refused, { kind: "validation" });
  const sent = parseArguments(definition, call.arguments);
  const input = actsOutside(definition) ? mapStrings(sent, (text) => secrets.reveal(text)) : sent;
  const tool = await registry.load(definition);
  tool.check?.(input);
  return { call, definition, tool, input, description: tool.describe(input) };
}

/** What stays in the session, or is said to another agent, is kept and sent with its placeholders. */
function actsOutside({ effects }: ToolDefinition): boolean {
  return effects.some((effect) => effect !== "session" && effect !== "delegate");
}

function emitStart(
  call: ToolCall,
  { deps, known }: { deps: PipelineDeps; known: IdentifiedCall | undefined },
): void {
  deps.emit({
    type: "tool_start",
    call_id: call.id,
    name: known?.definition.name ?? call.name,
    input: known?.input ?? parseSent(call.arguments),
    description: known?.description ?? "",
    ...(call.rescued && { rescued: true }),
  });
  deps.emit({ type: "tool_state", call_id: call.id, state: "validating" });
}

/** Arguments that no tool took: the object that they are, or else their text. */
function parseSent(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : text;
  } catch {
    return text;
  }
}

async function planAndJudge(
  known: IdentifiedCall,
  options: PrepareOptions & { deps: PipelineDeps },
): Promise<PreparedCall> {
  const { call, tool, input, definition } = known;
  const { deps: { policy }, approved } = options;
  const effects = tool.effectsOf?.(input) ?? definition.effects;
  const show = (shown: ExaminedCall) =>
    emitPreview(known, { ...shown, effects, deps: options.deps });
  // Nothing starts before it is judged, not even by a tool that names its commands.
  const context = contextOf(call.id, { ...options, effects, commands: [] });
  const paths = await resolvePaths(known, context.files);
  const asked: RequestedAccess = {
    effects,
    paths,
    commands: commandLinesOf(known, { effects, paths }),
    extra: tool.accesses?.(input),
    remote: definition.remote,
    ...(effects.includes("read") && { around: await context.files.resolve(".") }),
  };
  const early = await judge(asked, { policy, approved });
  // What is denied anyway is neither read nor planned: its content stays unseen.
  if (early.verdict.decision === "deny") return await show({ ...early, planned: true });
  const commands = await tool.commands?.(input, context);
  const named = (commands ?? []).map((text) => ({ text }));
  const claim: RequestedAccess = { ...asked, commands: [...asked.commands, ...named] };
  // Judged again only where more is known: parsing a command is the larger part of judging it.
  const whole = commands ? await judge(claim, { policy, approved }) : early;
  if (whole.verdict.decision === "deny") return await show({ ...whole, planned: true });
  if (tool.plan && commands) {
    const running = await judge({ ...claim, paths: [] }, { policy, approved });
    const ready = running.verdict.decision === "allow";
    if (!ready) return await show({ ...running, commands, planned: false });
  }
  if (options.unsettled && effects.includes("write")) throw tooEarlyError();
  if (needsPriorRead(effects)) await requireFresh(paths, context.files);
  const { sandboxPolicy } = whole.verdict;
  const planning = contextOf(call.id, {
    ...options,
    effects,
    commands,
    confinement: sandboxPolicy,
  });
  const planned = await tool.plan?.(input, planning);
  const { content } = options;
  const plan = content === undefined ? planned : withEditedContent(planned, content);
  const final = plan ? await judge({ ...claim, plan }, { policy, approved }) : whole;
  return await show({ ...final, plan, commands, planned: true });
}

/** Nobody knows yet what the files will hold; the scheduler tries again when it is the call's turn. */
function tooEarlyError(): ToolError {
  return new ToolError("Cannot plan this call: an earlier one changes files first.", {
    kind: "user",
    suggestion: "Call it again, once the earlier one has run.",
  });
}

/** What became known of a call. */
interface ExaminedCall extends JudgedAccess {
  readonly plan?: EditPlan | undefined;
  readonly commands?: readonly string[] | undefined;
  readonly planned: boolean;
}

/** Shows a judged call to the person watching, and makes the prepared call of it. */
async function emitPreview(
  known: IdentifiedCall,
  options: ExaminedCall & { effects: readonly Effect[]; deps: PipelineDeps },
): Promise<PreparedCall> {
  const { call, tool, input, description } = known;
  const { deps, effects, accesses, verdict, plan, commands, planned } = options;
  const { cwd } = deps.view([]);
  const sent = tool.definition.remote && input;
  const previews = verdict.decision === "deny"
    ? []
    : await previewsOf({ plan, accesses, cwd, sent, diffs: deps.diffs });
  if (previews.length > 0) deps.emit({ type: "tool_preview", call_id: call.id, previews });
  return {
    call,
    tool,
    input,
    description,
    effects,
    accesses,
    plan,
    previews,
    verdict,
    commands,
    planned,
  };
}

function resolvePaths(known: IdentifiedCall, files: Files): Promise<ResolvedPath[]> {
  const { definition, input } = known;
  const values = valuesOfFormat(definition, { format: "path", input });
  return Promise.all(values.map((value) => files.resolve(value)));
}

/** The command lines in a call's arguments; they run in the directory that the call names. */
function commandLinesOf(
  { definition, input }: IdentifiedCall,
  { effects, paths }: Pick<RequestedAccess, "effects" | "paths">,
): RequestedAccess["commands"] {
  if (!effects.includes("exec")) return [];
  const cwd = paths[0]?.absolute;
  return valuesOfFormat(definition, { format: "command", input })
    .map((text) => cwd === undefined ? { text } : { text, cwd });
}

/** A call that reads by itself what it changes needs no earlier read. */
function needsPriorRead(effects: readonly Effect[]): boolean {
  return effects.includes("write") && !effects.includes("read");
}

/** An existing file is changed only as it was last read. */
async function requireFresh(paths: readonly ResolvedPath[], files: Files): Promise<void> {
  for (const path of paths) {
    const stale = await files.staleness(path);
    if (stale) {
      throw new ToolError(stale.message, { kind: "validation", suggestion: stale.suggestion });
    }
  }
}

function contextOf(
  callId: string,
  options: {
    deps: PipelineDeps;
    signal: AbortSignal;
    pending: readonly Change[];
    commands?: readonly string[] | undefined;
    effects: readonly Effect[];
    confinement?: SandboxPolicy | undefined;
    onBlocked?: ((blocked: SandboxBlock) => void) | undefined;
  },
): ToolContext {
  const { deps, signal, commands } = options;
  const shell = deps.sandboxed === false ? deps.shell : sandboxedShell(deps.shell, options);
  const { state, results } = deps.memory();
  const { delegate } = deps;
  return {
    callId,
    agent: deps.agent,
    signal,
    files: deps.view(options.pending),
    shell: commands ? restrictShell(shell, commands) : shell,
    limits: deps.limits(),
    delegate: delegate && ((tasks) => delegate(tasks, { callId, signal })),
    state,
    results,
    report: (text) => deps.emit({ type: "tool_output", call_id: callId, text }),
  };
}

/** A shell that starts only what was judged. */
function restrictShell(shell: Shell, commands: readonly string[]): Shell {
  return {
    ...shell,
    async run(options) {
      const { command } = options;
      if (typeof command === "string" && commands.includes(command)) {
        return await shell.run(options);
      }
      const line = typeof command === "string" ? command : command.join(" ");
      throw new ToolError(`Cannot run ${line}: it is not what was allowed.`, {
        kind: "security",
        suggestion: "The project's configuration may have changed just now; call the tool again.",
      });
    },
  };
}
