/**
 * The one straight line that every call takes, whoever asked for it. `prepare` changes nothing: it finds the
 * tool, validates the arguments, judges, guards and plans. `execute` runs what was prepared. Whatever goes
 * wrong on the way becomes the call's result; nothing is thrown into the loop.
 *
 * Each thing that a call wants is judged as soon as it is known, before the next step looks at the files or
 * starts anything. Planning may run commands of the project's (a formatter's): if these must be asked about,
 * the call is prepared without a plan, and again with its plan once they are allowed.
 */
import type {
  CommandChanges,
  FinishTracking,
  FollowedTasks,
  TrackCommands,
} from "../core/command_watch.ts";
import { ToolError } from "../core/errors.ts";
import type { Change, EditPlan, Files, ResolvedPath, ResolvedPaths } from "../core/files.ts";
import type { ToolCall } from "../core/message.ts";
import type { Access, Preview } from "../core/permission.ts";
import type { SandboxBlock } from "../core/sandbox.ts";
import type { Hooks } from "../core/hooks.ts";
import type { ToolDefinition, ToolResult } from "../core/tool.ts";
import type { Web } from "../core/web.ts";
import type { JsonObject } from "../lib/schema.ts";
import type { Policy } from "../permission/policy.ts";
import { judge, type JudgedAccess, type RequestedAccess, requestOf } from "./accesses.ts";
import { type ContextDeps, contextOf } from "./call_context.ts";
import { withEditedContent } from "./edited_content.ts";
import type { HookedCall, HookOutcomes } from "./hooked_call.ts";
import { emitStart, type IdentifiedCall, identify } from "./identified_call.ts";
import { type DiffContext, previewsOf } from "./previews.ts";
import { isConfined, runsWithoutChanges } from "./read_only_call.ts";
import {
  changedFilesLine,
  type FailedResult,
  failedResultOf,
  withCommandChanges,
} from "./record.ts";
import type { Registry } from "./registry.ts";

/** What the pipeline works with; the same for all calls of an agent. */
export interface PipelineDeps extends ContextDeps {
  readonly registry: Registry;
  readonly policy: Policy;
  /** Has what a command does to the files noted; absent, it cannot be undone. */
  readonly watchCommands?: TrackCommands;
  /** Commands of the user's that judge with the policy. @default there are none */
  readonly hooks?: Hooks | undefined;
  /** How changes are shown before they are made. */
  readonly diffs: DiffContext;
  /** Whether the whole texts of files that change are told as well. @default the differences are enough */
  readonly showsWholeFiles?: boolean | undefined;
}

/** What is known of a call when it has been judged for the last time. */
interface ExaminedCall extends JudgedAccess {
  /** The only command lines it may run, if the tool names them. */
  readonly commands: readonly string[] | undefined;
  readonly plan: EditPlan | undefined;
  /** True if its accesses are the commands that must be allowed before it can be planned. */
  readonly awaitsPlan: boolean;
}

/** A call that is ready to run, if it may. */
export interface PreparedCall extends IdentifiedCall, ExaminedCall {
  readonly previews: readonly Preview[];
  /** What its paths meant when it was judged. */
  readonly resolved: ResolvedPaths;
  /** What the model is told of the hooks before it. @default nothing */
  readonly notes?: readonly string[];
}

/** A call prepared, or why it cannot be. */
type Preparation =
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

/** What a call is prepared with. */
interface PrepareOptions {
  readonly deps: PipelineDeps;
  readonly signal: AbortSignal;
  /** Changes that earlier calls of the same reply will make first. */
  readonly pending: readonly Change[];
  /** Whether an earlier call of the same reply will change files, and is not planned yet. */
  readonly earlierUnplanned: boolean;
  /** False when the call was announced by an earlier try. */
  readonly announce: boolean;
  /** What an earlier try was allowed: it is neither judged nor shown again. */
  readonly approved?: readonly Access[];
  /** What hooks have said of the reply's calls. */
  readonly outcomes: HookOutcomes;
  /** What a person wants the files that the call changes to hold, in their order. */
  readonly contents?: readonly string[] | undefined;
}

/** The same, with what the call's paths are found to mean. */
interface ResolvingOptions extends PrepareOptions {
  readonly resolved: ResolvedPaths;
}

/** Takes a call through all stages that change nothing. Never throws. */
export async function prepare(call: ToolCall, options: PrepareOptions): Promise<Preparation> {
  const { deps: { emit }, deps, announce } = options;
  const resolved: ResolvedPaths = new Map();
  let known: IdentifiedCall | undefined;
  try {
    known = await identify(call, deps);
    const hooked = await runHooks(known, { ...options, resolved });
    known = hooked?.known ?? known;
    if (announce) emitStart(call, { emit, known });
    const examined = await examine(known, { ...options, resolved, review: hooked?.review });
    const previews = await preview(known, { ...examined, deps });
    const notes = hooked && { notes: hooked.notes };
    return { ok: true, prepared: { ...known, ...examined, resolved, previews, ...notes } };
  } catch (error) {
    if (!known && announce) emitStart(call, { emit, known });
    return {
      ok: false,
      failed: failedResultOf(error),
      mayRetry: known !== undefined,
      input: known?.input ?? {},
      definition: known?.definition,
    };
  }
}

/** Has the hooks before a call say what they have to say; undefined if there are none. */
async function runHooks(
  known: IdentifiedCall,
  { deps, signal, pending, approved, outcomes, resolved }: ResolvingOptions,
): Promise<HookedCall | undefined> {
  const { hooks, view } = deps;
  if (!hooks?.has("before_tool")) return undefined;
  const { runHooksBefore } = await import("./hooked_call.ts");
  return await runHooksBefore(known, {
    deps,
    hooks,
    signal,
    files: view(pending, resolved),
    approved,
    outcomes,
  });
}

const UNPLANNED = { commands: undefined, plan: undefined, awaitsPlan: false } as const;

/** Works out what a call wants, step by step, each judged before the next one: arguments, commands, plan. */
async function examine(
  known: IdentifiedCall,
  options: ResolvingOptions & { readonly review: HookedCall["review"] | undefined },
): Promise<ExaminedCall> {
  const { call, tool, input, effects } = known;
  const { deps: { policy }, approved, review = (judged) => judged } = options;
  const judgeRequest = async (request: RequestedAccess) =>
    review(await judge(request, { policy, approved }));

  // No command may start yet, not even one that the tool is about to name.
  const context = contextOf(call.id, { ...options, effects, commands: [] });
  const named = await requestOf(known, context.files);
  let judged = await judgeRequest(named);
  // What is denied is neither read nor planned: its content stays unseen.
  if (judged.verdict.decision === "deny") return { ...UNPLANNED, ...judged };

  const commands = await tool.commands?.(input, context);
  const started = (commands ?? []).map((text) => ({ text }));
  const request = { ...named, commands: [...named.commands, ...started] };
  if (commands) {
    // Planning starts them, so they are asked about alone first, and the changes with the plan.
    const plans = tool.plan !== undefined;
    judged = await judgeRequest(plans ? { ...request, paths: [] } : request);
    const awaitsPlan = plans && judged.verdict.decision === "ask";
    if (awaitsPlan || judged.verdict.decision === "deny") {
      return { ...UNPLANNED, ...judged, commands, awaitsPlan };
    }
  }

  await guard(known, { ...options, paths: named.paths, files: context.files });
  const confinement = judged.verdict;
  const planning = contextOf(call.id, { ...options, effects, commands, confinement });
  const plan = withContents(await tool.plan?.(input, planning), options.contents);
  if (plan) judged = await judgeRequest({ ...request, plan });
  return { ...judged, commands, plan, awaitsPlan: false };
}

/** Refuses a call that would change files in a state that nobody has seen. @throws {ToolError} */
async function guard(
  { effects }: IdentifiedCall,
  { earlierUnplanned, paths, files }: PrepareOptions & {
    paths: readonly ResolvedPath[];
    files: Files;
  },
): Promise<void> {
  if (!effects.includes("write")) return;
  if (earlierUnplanned) {
    // Nobody knows yet what the files will hold; the scheduler tries again when it is the call's turn.
    throw new ToolError("Cannot plan this call: an earlier one changes files first.", {
      kind: "user",
      suggestion: "Call it again, once the earlier one has run.",
    });
  }
  // A call that reads by itself what it changes needs no earlier read.
  if (effects.includes("read")) return;
  for (const path of paths) {
    const stale = await files.staleness(path);
    if (stale) {
      throw new ToolError(stale.message, { kind: "validation", suggestion: stale.suggestion });
    }
  }
}

function withContents(
  plan: EditPlan | undefined,
  contents?: readonly string[],
): EditPlan | undefined {
  return contents === undefined ? plan : withEditedContent(plan, contents);
}

/** Shows the person watching what a call is about to do; of a denied one nothing. */
async function preview(
  { call, definition, input }: IdentifiedCall,
  { deps, accesses, verdict, plan }: ExaminedCall & { deps: PipelineDeps },
): Promise<readonly Preview[]> {
  if (verdict.decision === "deny") return [];
  const isPlugins = definition.plugin !== undefined && verdict.decision === "ask";
  const sent = definition.remote || isPlugins ? input : undefined;
  const { cwd } = deps.view([]);
  const previews = await previewsOf({ plan, accesses, cwd, sent, diffs: deps.diffs });
  const changes = deps.showsWholeFiles ? plan?.changes : undefined;
  if (previews.length > 0) {
    deps.emit({ type: "tool_preview", call_id: call.id, previews, ...changes && { changes } });
  }
  return previews;
}

/** What a prepared call is run with. */
interface ExecuteOptions {
  readonly deps: PipelineDeps;
  readonly signal: AbortSignal;
  /** Told when a command failed because of the sandbox. */
  readonly onBlocked?: (blocked: SandboxBlock, output: string) => void;
  /** Told what it did to the workspace, if it did anything. */
  readonly onChanges?: (changes: CommandChanges) => void;
  /** What its command line printed of which only the rest runs now. */
  readonly earlierOutput?: string | undefined;
  /** Runs it without the sandbox. @default false */
  readonly outside?: boolean;
}

/** Runs a prepared call and shapes what it came to. Never throws. */
export async function execute(
  prepared: PreparedCall,
  options: ExecuteOptions,
): Promise<ToolResult> {
  try {
    const finish = await watchForChanges(prepared, options);
    const tasks: string[] = [];
    const result = await run(prepared, { ...options, onTask: (id) => tasks.push(id) })
      .catch((error) => failedResultOf(error, options.signal));
    const changes = await finish?.(followTasks(tasks, options.deps));
    if (changes) options.onChanges?.(changes);
    return withCommandChanges(result, changes);
  } catch (error) {
    return failedResultOf(error);
  }
}

async function run(
  { call, tool, input, plan, commands, effects, verdict: confinement, resolved }: PreparedCall,
  { deps, signal, onBlocked, onTask, earlierOutput, outside = false }: ExecuteOptions & {
    onTask: (id: string) => void;
  },
): Promise<ToolResult> {
  const context = contextOf(call.id, {
    deps: outside ? { ...deps, sandboxed: false } : deps,
    signal,
    pending: [],
    resolved,
    commands,
    effects,
    confinement,
    onBlocked,
    onTask,
    earlierOutput,
    web: webFor(tool.accesses?.(input) ?? [], { deps, signal }),
  });
  return await tool.run(input, { ...context, plan });
}

/** The tasks as which commands of a call go on, whose end is told if they changed files; undefined if there are none. */
function followTasks(
  ids: readonly string[],
  { shell, emit }: Pick<PipelineDeps, "shell" | "emit">,
): FollowedTasks | undefined {
  if (ids.length === 0) return undefined;
  const name = ids.join(", ");
  return {
    name,
    ended: Promise.allSettled(ids.map((id) => shell.tasks.ended(id))),
    onEnd(changes) {
      if (changes === undefined) return;
      const { files, created, removed } = changes;
      const facts = { files_changed: files, files_created: created, files_removed: removed };
      const text = `${name} has ended. It, or somebody else meanwhile, ${changedFilesLine(facts)}.`;
      emit({ type: "notice", level: "info", text });
    },
  };
}

/** The web for a call that reaches hosts. */
function webFor(
  accesses: readonly Access[],
  { deps: { web: reader, policy }, signal }: { deps: PipelineDeps; signal: AbortSignal },
): Web | undefined {
  if (reader === undefined || accesses.length === 0) return undefined;
  return {
    async read(url, age) {
      const { readJudged } = await import("./judged_web.ts");
      return await readJudged(url, { ...age, reader, accesses, policy, signal });
    },
  };
}

/**
 * A process may change any file, so the files are snapshot first, unless all that runs is held where it can change
 * none, or was judged to read only. A tool that plans its changes has them recorded by the commit.
 */
async function watchForChanges(
  prepared: PreparedCall,
  { deps, signal, outside = false }: ExecuteOptions,
): Promise<FinishTracking | undefined> {
  const changes = prepared.effects.some((effect) => effect === "exec" || effect === "write");
  if (!changes || prepared.plan !== undefined) return undefined;
  const sandboxed = !outside && deps.sandboxed !== false;
  if (runsWithoutChanges(prepared, { sandboxed })) return undefined;
  const commands = prepared.accesses.flatMap(({ kind, target }) => kind === "run" ? [target] : []);
  const confined = isConfined(prepared.verdict, { sandboxed });
  const by = { tool: prepared.definition.name, callId: prepared.call.id, confined, signal };
  return await deps.watchCommands?.(commands, by);
}
