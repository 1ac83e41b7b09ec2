/**
 * The one straight line that every call takes, whoever asked for it: find, validate, guard, plan, judge
 * (all in `prepare`, which changes nothing), then run and record (in `execute`). Whatever goes wrong on
 * the way becomes the call's result; nothing is thrown into the loop. The scheduler calls both halves.
 */
import type { Fact } from "../core/event.ts";
import { ToolError } from "../core/errors.ts";
import type { Change, Files, Plan, ResolvedPath } from "../core/files.ts";
import type { ToolCall } from "../core/message.ts";
import type { Access, Preview, Verdict } from "../core/permission.ts";
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
import type { JsonObject } from "../lib/schema.ts";
import type { Policy } from "../permission/policy.ts";
import { readArguments, valuesOfFormat } from "./arguments.ts";
import { previewsOf } from "./previews.ts";
import { failureOf } from "./record.ts";
import type { Registry } from "./registry.ts";

/** What the pipeline works with; the same for all calls of an agent. */
export interface PipelineDeps {
  readonly registry: Registry;
  readonly policy: Policy;
  readonly agent: AgentIdentity;
  readonly shell: Shell;
  /** The user's files, seen through changes planned but not yet made. */
  readonly view: (pending: readonly Change[]) => Files;
  /** Read anew for each call: limits shrink as the context fills. */
  readonly limits: () => Limits;
  readonly emit: (fact: Fact) => void;
}

/** A call that is ready to run, if it may. */
export interface Prepared {
  readonly call: ToolCall;
  readonly tool: Tool;
  readonly input: JsonObject;
  readonly description: string;
  readonly effects: readonly Effect[];
  readonly accesses: readonly Access[];
  readonly plan: Plan | undefined;
  readonly previews: readonly Preview[];
  readonly verdict: Verdict;
}

export type Failed = Extract<ToolResult, { ok: false }>;

export type Preparation =
  | { readonly ok: true; readonly prepared: Prepared }
  | {
    readonly ok: false;
    readonly failed: Failed;
    /** True if another state of the files could make it succeed. */
    readonly mayMend: boolean;
    /** The arguments as far as they were understood. */
    readonly input: JsonObject;
  };

export interface PrepareOptions {
  readonly signal: AbortSignal;
  /** Changes that earlier calls of the same reply will make first. */
  readonly pending: readonly Change[];
  /** False when the call was announced by an earlier try. */
  readonly announce: boolean;
}

/** Takes a call through all stages that change nothing. Never throws. */
export async function prepare(
  call: ToolCall,
  options: PrepareOptions & { deps: PipelineDeps },
): Promise<Preparation> {
  const { deps } = options;
  let known: Known | undefined;
  try {
    known = await identify(call, deps.registry);
    if (options.announce) announce(call, { deps, known });
    return { ok: true, prepared: await examine(known, options) };
  } catch (error) {
    if (!known && options.announce) announce(call, { deps, known });
    return {
      ok: false,
      failed: failureOf(error),
      mayMend: known !== undefined,
      input: known?.input ?? {},
    };
  }
}

/** Runs a prepared call and shapes what it came to. Never throws. */
export async function execute(
  prepared: Prepared,
  options: { deps: PipelineDeps; signal: AbortSignal },
): Promise<ToolResult> {
  const { deps, signal } = options;
  const context = contextOf(prepared.call.id, { deps, signal, pending: [] });
  try {
    return await prepared.tool.run(prepared.input as never, { ...context, plan: prepared.plan });
  } catch (error) {
    return failureOf(error);
  }
}

/** A call whose tool is found and whose arguments are valid. */
interface Known {
  readonly call: ToolCall;
  readonly definition: ToolDefinition;
  readonly tool: Tool;
  readonly input: JsonObject;
  readonly description: string;
}

async function identify(call: ToolCall, registry: Registry): Promise<Known> {
  const definition = registry.find(call.name);
  const input = readArguments(definition, call.arguments);
  const tool = await registry.load(definition);
  return { call, definition, tool, input, description: tool.describe(input as never) };
}

function announce(
  call: ToolCall,
  { deps, known }: { deps: PipelineDeps; known: Known | undefined },
): void {
  deps.emit({
    type: "tool_start",
    call_id: call.id,
    name: known?.definition.name ?? call.name,
    input: known?.input ?? call.arguments,
    description: known?.description ?? "",
  });
  deps.emit({ type: "tool_state", call_id: call.id, state: "validating" });
}

async function examine(
  known: Known,
  options: PrepareOptions & { deps: PipelineDeps },
): Promise<Prepared> {
  const { deps } = options;
  const { call, tool, input, description } = known;
  const effects = tool.effectsOf?.(input as never) ?? known.definition.effects;
  const context = contextOf(call.id, options);
  const paths = await resolvePaths(known, context.files);
  const accesses = accessesOf({ known, effects, paths, cwd: context.files.cwd });
  const verdict = await deps.policy.judge(accesses);
  const prepared = { call, tool, input, description, effects, accesses, verdict };
  // What is denied anyway is neither read nor planned: its content stays unseen.
  if (verdict.decision === "deny") return { ...prepared, plan: undefined, previews: [] };
  if (effects.includes("write")) await requireFresh(paths, context.files);
  const plan = await tool.plan?.(input as never, context);
  const previews = await previewsOf({ plan, accesses, cwd: context.files.cwd });
  if (previews.length > 0) deps.emit({ type: "tool_preview", call_id: call.id, previews });
  return { ...prepared, plan, previews };
}

function resolvePaths(known: Known, files: Files): Promise<ResolvedPath[]> {
  const { definition, input } = known;
  const values = valuesOfFormat(definition, { format: "path", input });
  return Promise.all(values.map((value) => files.resolve(value)));
}

/** Everything a call wants to do, as its schema marks it. */
function accessesOf(
  { known, effects, paths, cwd }: {
    known: Known;
    effects: readonly Effect[];
    paths: readonly ResolvedPath[];
    cwd: string;
  },
): Access[] {
  const kind = effects.includes("write") ? "write" : "read";
  const { definition, input } = known;
  const commands = effects.includes("exec")
    ? valuesOfFormat(definition, { format: "command", input })
    : [];
  return [
    ...paths.map(({ absolute: target, display, inside }): Access => ({
      kind,
      target,
      display,
      inside,
    })),
    // A command runs in the directory that its call names.
    ...commands.map((target): Access => ({
      kind: "run",
      target,
      cwd: paths[0]?.absolute ?? cwd,
    })),
  ];
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
  options: { deps: PipelineDeps; signal: AbortSignal; pending: readonly Change[] },
): ToolContext {
  const { deps, signal } = options;
  return {
    callId,
    agent: deps.agent,
    signal,
    files: deps.view(options.pending),
    shell: deps.shell,
    limits: deps.limits(),
    report: (text) => deps.emit({ type: "tool_output", call_id: callId, text }),
  };
}
