/**
 * A call and the hooks before it: what they make of its arguments and of the verdict on it, and what the model is told
 * of them. What a hook changes is validated and judged as if the model had said it.
 */
import { isDeepStrictEqual } from "node:util";
import { ToolError } from "../core/errors.ts";
import type { Files } from "../core/files.ts";
import type { HookOutcome, Hooks } from "../core/hooks.ts";
import type { ToolCall } from "../core/message.ts";
import type { Access, Verdict } from "../core/permission.ts";
import type { Secrets } from "../core/secrets.ts";
import type { AgentIdentity, ToolDefinition } from "../core/tool.ts";
import type { JsonObject } from "../lib/schema.ts";
import { cutSafely } from "../lib/excerpt.ts";
import { messageOf } from "../lib/text.ts";
import type { JudgedAccess } from "./accesses.ts";
import { valuesOfFormat } from "./arguments.ts";
import { type IdentifiedCall, identify } from "./identified_call.ts";
import type { Registry } from "./registry.ts";

/** Characters of changed arguments that the model is told. */
const MAX_ARGUMENTS = 2_000;

/** A call as the hooks before it left it. */
export interface HookedCall {
  readonly known: IdentifiedCall;
  /** What the model is told of them. */
  readonly notes: readonly string[];
  /** The verdict on it with what they say. */
  review(judged: JudgedAccess): JudgedAccess;
}

/** What hooks said of calls, and of which paths; of calls whose paths lead elsewhere by now they have said nothing. */
export type HookOutcomes = WeakMap<
  ToolCall,
  { readonly outcome: HookOutcome; readonly paths: readonly string[] }
>;

/** What a changed call is found and judged with. */
interface HookedDeps {
  readonly agent: AgentIdentity;
  readonly registry: Registry;
  readonly secrets: Secrets;
  readonly policy: { readonly interactive: boolean };
}

/** What hooks are run with. */
interface HookOptions {
  readonly deps: HookedDeps;
  readonly hooks: Hooks;
  readonly signal: AbortSignal;
  readonly files: Files;
  /** What an earlier try of the call was allowed. */
  readonly approved?: readonly Access[] | undefined;
  /** What hooks have said of calls: they are not asked twice about one that is prepared again as it was. */
  readonly outcomes: HookOutcomes;
}

/** Runs the hooks before a call. @throws {ToolError} they changed its arguments to some that the tool does not take */
export async function runHooksBefore(
  known: IdentifiedCall,
  { deps, hooks, signal, files, approved = [], outcomes }: HookOptions,
): Promise<HookedCall> {
  const { call, definition, input } = known;
  const pathsOf = (changed: JsonObject) => resolvePaths(namedPaths(definition, changed), files);
  const context = { agent: deps.agent, signal, pathsOf };
  const paths = await pathsOf(input);
  const heard = outcomes.get(call);
  const earlier = heard && isDeepStrictEqual(heard.paths, paths) ? heard.outcome : undefined;
  const outcome = earlier ?? await hooks.run("before_tool", {
    tool: definition.name,
    call_id: call.id,
    arguments: input,
    paths,
  }, context);
  outcomes.set(call, { outcome, paths });
  const changed = outcome.arguments && await identifyChanged(known, { outcome, deps });
  if (changed) {
    const settled = { ...outcome, arguments: undefined };
    outcomes.set(changed.call, { outcome: settled, paths: await pathsOf(changed.input) });
  }
  // What was asked about in an earlier try is not asked about again.
  const said = earlier?.decision === "ask" && approved.length > 0
    ? { ...outcome, decision: undefined }
    : outcome;
  const { interactive } = deps.policy;
  return {
    known: changed ?? known,
    notes: [...outcome.notes, ...changed ? [changeNote(changed, outcome)] : []],
    review: (judged) => ({
      ...judged,
      verdict: stricter(judged.verdict, { said, interactive }),
    }),
  };
}

/** The call with the arguments that hooks gave it. */
async function identifyChanged(
  { call }: IdentifiedCall,
  { outcome, deps }: { outcome: HookOutcome; deps: HookedDeps },
): Promise<IdentifiedCall> {
  try {
    return await identify({ ...call, arguments: JSON.stringify(outcome.arguments) }, deps);
  } catch (error) {
    const who = outcome.changedBy.join(", ");
    // What is denied is denied, whoever said it.
    const isDenied = error instanceof ToolError && error.kind === "permission";
    throw new ToolError(
      `The hook ${who} changed this call to one that fails: ${messageOf(error)}`,
      {
        kind: isDenied ? "permission" : "validation",
        suggestion: "Do without it, or tell the user that the hook has to be mended.",
      },
    );
  }
}

function changeNote({ call }: IdentifiedCall, { changedBy }: HookOutcome): string {
  const ran = cutSafely(call.arguments, MAX_ARGUMENTS);
  return `[The hook ${changedBy.join(", ")} changed the arguments before it ran. What ran: ${ran}]`;
}

/** A verdict can only become stricter. Where nobody is there, what a hook asks about is denied. */
function stricter(
  verdict: Verdict,
  { said: { decision, why = "" }, interactive }: { said: HookOutcome; interactive: boolean },
): Verdict {
  if (verdict.decision === "deny") return verdict;
  if (decision === "deny") return { ...verdict, decision, why, rule: "hook", offers: [] };
  if (decision !== "ask") return verdict;
  if (!interactive) {
    const nobody = `${why}; nobody is there to be asked`;
    return { ...verdict, decision: "deny", why: nobody, rule: "hook", offers: [] };
  }
  return { ...verdict, decision, why: verdict.decision === "ask" ? `${verdict.why}; ${why}` : why };
}

/** The paths in the arguments of a call, as it names them. */
export function namedPaths(definition: ToolDefinition, input: JsonObject): string[] {
  return valuesOfFormat(definition, { format: "path", input });
}

/** Paths as they are on the disk, wherever links lead; one that cannot be used stays as it was named. */
export async function resolvePaths(named: readonly string[], files: Files): Promise<string[]> {
  return await Promise.all(
    named.map((path) => files.resolve(path).then(({ absolute }) => absolute, () => path)),
  );
}
