/**
 * The one straight line that every call takes, whoever asked for it: find, validate, guard, plan, judge
 * (all in `prepare`, which changes nothing), then run and record (in `execute`). Whatever goes wrong on
 * the way becomes the call's result; nothing is thrown into the loop. The scheduler calls both halves.
 * Planning may itself run commands of the project's (a formatter's). They are judged first: if they must
 * be asked about, the call is prepared without a plan, and again with its plan once they are allowed.
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
  /** The only command lines it may run, if the tool names them. */
  readonly commands: readonly string[] | undefined;
  /** False if it is planned only once its accesses, commands all of them, are allowed. */
  readonly planned: boolean;
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
  /** What an earlier try was allowed: it is neither judged nor shown again. */
  readonly approved?: readonly Access[];
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
  const { commands } = prepared;
  const context = contextOf(prepared.call.id, { deps, signal, pending: [], commands });
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
  const { call, tool, input } = known;
  const effects = tool.effectsOf?.(input as never) ?? known.definition.effects;
  const context = contextOf(call.id, options);
  const paths = await resolvePaths(known, context.files);
  const claimed: Findings = { effects, paths, lines: linesIn(known, effects) };
  // What is denied anyway is neither read nor planned: its content stays unseen.
  if (isDenied(claimed, options)) return await present(known, { ...options, found: claimed });
  const commands = await tool.commands?.(input as never, context);
  const lines = [...claimed.lines, ...commands ?? []];
  const found: Findings = { ...claimed, lines, ...(commands && { commands }) };
  if (isDenied(found, options)) return await present(known, { ...options, found });
  const running: Findings = { ...found, paths: [], waiting: true };
  if (tool.plan && commands && judge(running, options).verdict.decision === "ask") {
    return await present(known, { ...options, found: running });
  }
  if (changesUnread(effects)) await requireFresh(paths, context.files);
  const plan = await tool.plan?.(input as never, contextOf(call.id, { ...options, commands }));
  return await present(known, { ...options, found: { ...found, plan } });
}

/** What is known so far of what a call wants to do. */
interface Findings {
  readonly effects: readonly Effect[];
  readonly paths: readonly ResolvedPath[];
  /** Command lines, from the arguments or named by the tool. */
  readonly lines: readonly string[];
  /** Those named by the tool, if it does. */
  readonly commands?: readonly string[];
  readonly plan?: Plan | undefined;
  /** Set if the lines must be allowed before there can be a plan. */
  readonly waiting?: true;
}

/** Judges what is found, shows it to the person watching, and makes the prepared call of it. */
async function present(
  known: Known,
  options: PrepareOptions & { deps: PipelineDeps; found: Findings },
): Promise<Prepared> {
  const { deps, found: { effects, plan, commands, waiting } } = options;
  const { call, tool, input, description } = known;
  const { accesses, verdict } = judge(options.found, options);
  const { cwd } = deps.view([]);
  const previews = verdict.decision === "deny" ? [] : await previewsOf({ plan, accesses, cwd });
  if (previews.length > 0) deps.emit({ type: "tool_preview", call_id: call.id, previews });
  const planned = waiting === undefined;
  return {
    ...{ call, tool, input, description, effects, accesses },
    ...{ plan, previews, verdict, commands, planned },
  };
}

function isDenied(found: Findings, options: PrepareOptions & { deps: PipelineDeps }): boolean {
  return judge(found, options).verdict.decision === "deny";
}

/** The accesses that are not approved yet, and what the policy says of them. */
function judge(
  found: Findings,
  { deps, approved = [] }: PrepareOptions & { deps: PipelineDeps },
): { accesses: readonly Access[]; verdict: Verdict } {
  const accesses = accessesOf(found).filter(({ kind, target }) =>
    !approved.some((one) => one.kind === kind && one.target === target)
  );
  return { accesses, verdict: deps.policy.judge(accesses) };
}

function resolvePaths(known: Known, files: Files): Promise<ResolvedPath[]> {
  const { definition, input } = known;
  const values = valuesOfFormat(definition, { format: "path", input });
  return Promise.all(values.map((value) => files.resolve(value)));
}

function linesIn({ definition, input }: Known, effects: readonly Effect[]): string[] {
  return effects.includes("exec") ? valuesOfFormat(definition, { format: "command", input }) : [];
}

/**
 * Everything a call wants to do. Until it is planned, all paths of a call that writes count as written;
 * from then on what the plan changes, whether the arguments name it or not.
 */
function accessesOf({ effects, paths, lines, plan }: Findings): Access[] {
  const assumed = effects.includes("write") ? paths : [];
  const written = plan?.changes.map((change) => change.path) ?? assumed;
  const targets = new Set(written.map((path) => path.absolute));
  const read = paths.filter((path) => !targets.has(path.absolute));
  const access = (kind: "read" | "write") => (path: ResolvedPath): Access => {
    return { kind, target: path.absolute, inside: path.inside };
  };
  return [
    ...read.map(access("read")),
    ...written.map(access("write")),
    ...[...new Set(lines)].map((target): Access => ({ kind: "run", target })),
  ];
}

/** A call that reads by itself what it changes needs no earlier read. */
function changesUnread(effects: readonly Effect[]): boolean {
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
  },
): ToolContext {
  const { deps, signal, commands } = options;
  return {
    callId,
    agent: deps.agent,
    signal,
    files: deps.view(options.pending),
    shell: commands ? limited(deps.shell, commands) : deps.shell,
    limits: deps.limits(),
    report: (text) => deps.emit({ type: "tool_output", call_id: callId, text }),
  };
}

/** A shell that starts only what was judged. */
function limited(shell: Shell, commands: readonly string[]): Shell {
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
