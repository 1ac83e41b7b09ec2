/**
 * Runs a call whose commands the sandbox holds. One that failed for want of a power runs again with it, if a rule or
 * a person allows that; one that the sandbox stopped for another reason runs once outside, if a person says so.
 */
import type { Access, Answer, PermissionRequest, Verdict } from "../core/permission.ts";
import type { CommandChanges } from "../core/command_watch.ts";
import { ToolError } from "../core/errors.ts";
import type { Power, SandboxBlock, TextSpan } from "../core/sandbox.ts";
import type { CallState } from "../core/event.ts";
import type { ToolResult } from "../core/tool.ts";
import { type DecidedCall, outsideRequestFor, powerRequestFor } from "./call_state.ts";
import { messageOf, quoteName } from "../lib/text.ts";
import { quotePart } from "../permission/messages.ts";
import { type ResumedScript, resumeScript } from "../permission/resumed_script.ts";
import { execute, type PipelineDeps, type PreparedCall } from "./pipeline.ts";
import { mayWrite } from "./read_only_call.ts";
import {
  type GivenPowers,
  MOVED_REFS,
  withOutsideNote,
  withPowerNote,
  withSandboxHint,
} from "./sandboxed_shell.ts";
import { failedResultOf } from "./record.ts";
import type { Place } from "./source_order.ts";

/** What the call's scheduler does for it. */
interface HeldRunOptions {
  readonly deps: PipelineDeps;
  readonly signal: AbortSignal;
  /** Among the calls that run beside it. */
  readonly place: Place;
  readonly setState: (state: CallState) => void;
  /** Asks about a call as it is judged now. */
  readonly ask: (request: PermissionRequest, judged: PreparedCall) => Promise<Answer>;
  /** Logs and tells a decision. */
  readonly record: (
    prepared: DecidedCall,
    how: { decision: Answer["kind"]; by: string },
  ) => void;
  /** Counts a denial that no person gave. */
  readonly countDenied: () => void;
  /** Keeps what "Always" allows. */
  readonly grant: (
    accesses: readonly Access[],
    answer: Extract<Answer, { kind: "always" }>,
  ) => Promise<void>;
}

/** Runs it, as often as it is allowed to. Never throws. */
export async function runHeld(
  prepared: PreparedCall,
  options: HeldRunOptions,
): Promise<ToolResult> {
  const { deps, signal, place } = options;
  if (beginsOutside(prepared)) {
    const problem = await problemOutside(prepared, options);
    if (problem !== undefined) return failedResultOf(new ToolError(problem, { kind: "system" }));
    place.noteChange();
    return withOutsideNote(await execute(prepared, { deps, signal, outside: true }));
  }
  const given: GivenPowers[] = [];
  let earlierOutput: string | undefined;
  let changedFiles: (() => readonly string[]) | undefined;
  for (let held = prepared;;) {
    // What only reads changes none of them.
    if (mayWrite(held.verdict)) changedFiles ??= await deps.policy.watchFiles(held.accesses);
    let stopped: StoppedRun | undefined;
    let changes: CommandChanges | undefined;
    const started = performance.now();
    const run = () => {
      stopped = undefined;
      const onBlocked = (blocked: SandboxBlock, output: string) => stopped ??= { blocked, output };
      const onChanges = (made: CommandChanges) => changes = made;
      return execute(held, { deps, signal, earlierOutput, onBlocked, onChanges });
    };
    let ran = await run();
    if (await place.isOutdated() && given.length === 0 && !signal.aborted) ran = await run();
    const result = given.length > 0 ? withPowerNote(ran, given) : ran;
    if (!stopped || signal.aborted) return result;
    const { blocked, output } = stopped;
    const lack = findLack(held, { blocked, given });
    if (!lack) return await runOutside(held, { blocked, result, changes, changedFiles, options });
    const ms = performance.now() - started;
    const decided = "advice" in lack
      ? { refusal: lack.advice }
      : await decidePowers(held, { lack, ms, blocked, changes, changedFiles, options });
    if ("refusal" in decided) return withAdvice(result, { blocked, advice: decided.refusal });
    given.push(decided.given);
    earlierOutput = decided.given.from === "part" ? output : undefined;
    options.setState("executing");
    place.noteChange();
    held = decided.allowed;
  }
}

/** Says what stopped a command, and first what came of the attempt to let it go on. */
function withAdvice(
  result: ToolResult,
  { blocked, advice }: { blocked: SandboxBlock; advice: string },
): ToolResult {
  const instead = [advice, blocked.instead].filter(Boolean).join(" ");
  return withSandboxHint(result, { ...blocked, instead });
}

/** Whether a person has allowed it to run outside, as no sandbox lets it write the place that it names. */
function beginsOutside({ verdict: { decision, outside } }: PreparedCall): boolean {
  return decision === "ask" && outside !== undefined;
}

/**
 * Why an allowed call may not run outside now: what its words lead to is what the person was asked about, and nothing
 * that goes on beside it may lead them elsewhere.
 */
async function problemOutside(
  { accesses, verdict }: PreparedCall,
  { deps }: HeldRunOptions,
): Promise<string | undefined> {
  const [task] = deps.shell.tasks.running();
  if (task) {
    return `Cannot run it outside of the sandbox while ${task.id} runs, which may change what it reaches: end that ` +
      "first, or do without it.";
  }
  const { risk, outside } = await deps.policy.judge(accesses);
  return risk === verdict.risk && outside === verdict.outside
    ? undefined
    : "It was not run: what its words lead to has changed since it was asked about. Call it again if it is still wanted.";
}

/** What stopped a command, and what it printed. */
interface StoppedRun {
  readonly blocked: SandboxBlock;
  readonly output: string;
}

/** What a call lacks, and how it goes on with it. */
interface Lack {
  readonly powers: readonly Power[];
  /** Of a command line in parts: the part that lacks it, and what runs once it has it. */
  readonly part?: { readonly span: TextSpan; readonly resumed: ResumedScript };
}

/** What commands that were judged could be given; a tool's own programs are not judged. */
function findLack(
  { accesses, verdict: { parted } }: PreparedCall,
  { blocked: { missing = [], doubtful, parts }, given }: {
    blocked: SandboxBlock;
    given: readonly GivenPowers[];
  },
): Lack | { advice: string } | undefined {
  const [command, ...others] = accesses.filter(({ kind }) => kind === "run");
  if (doubtful || !command || missing.length === 0) return undefined;
  if (!parts) {
    const known = given.flatMap(({ powers, part }) => part === undefined ? powers : []);
    const isNew = missing.some((power) => !known.includes(power));
    return isNew ? { powers: [...new Set([...known, ...missing])] } : undefined;
  }
  const script = others.length === 0 ? parted?.get(command.target) : undefined;
  const resumed = script && resumeScript(script, parts, missing);
  const { span } = parts.failed;
  if (resumed) return { powers: missing, part: { span, resumed } };
  const name = quotePart(command.target, span);
  return { advice: `Run ${name} by itself: it can be given that then.` };
}

/** What decides whether a call runs again with powers that it lacked. */
interface SecondRun {
  readonly lack: Lack;
  /** How long the first run took. */
  readonly ms: number;
  readonly blocked: SandboxBlock;
  /** What the first run did to the workspace. */
  readonly changes: CommandChanges | undefined;
  /** The files that decide what it does and hold something else than before; undefined if it could change none. */
  readonly changedFiles: (() => readonly string[]) | undefined;
  readonly options: HeldRunOptions;
}

/** Judges the call as one that names these powers, asks if need be, and takes back what is done again. */
async function decidePowers(
  prepared: PreparedCall,
  { lack: { powers, part }, ms, blocked, changes, changedFiles, options }: SecondRun,
): Promise<{ allowed: PreparedCall; given: GivenPowers } | { refusal: string }> {
  const { deps, setState, ask, record, countDenied, grant } = options;
  const isRepeated = part?.resumed.from !== "part";
  if (isRepeated && blocked.movedRefs) return { refusal: MOVED_REFS };
  const before = isRepeated ? changes : undefined;
  const lacking = { powers, ...(part && { span: part.span }) };
  const accesses = prepared.accesses.map((access) =>
    access.kind === "run" ? { ...access, ...lacking } : access
  );
  const verdict = withResumed(await deps.policy.judge(accesses), { accesses, part });
  const again = { ...prepared, accesses, verdict };
  const from = part?.resumed.from ?? "beginning";
  const given = { powers, from, ...(part && { part: partName(accesses, part.span) }) };
  if (verdict.decision === "ask") {
    setState("awaiting_approval");
    const how = { agent: deps.agent, ms, from, isPart: part !== undefined, changes: before };
    const answer = await ask(powerRequestFor(again, how), again);
    const decision = answer.kind === "edit" ? "deny" : answer.kind;
    record(again, { decision, by: "user" });
    if (answer.kind === "always") await grant(accesses, answer);
    if (decision !== "allow" && decision !== "always") return { refusal: refusalOf(answer) };
  } else {
    record(again, { decision: verdict.decision, by: verdict.rule ?? "default" });
    if (verdict.decision === "deny") {
      countDenied();
      return { refusal: deniedAdvice(verdict) };
    }
    await deps.policy.recordUse(accesses);
  }
  const problem = await takeBack(before) ?? (isRepeated ? problemOfFiles(changedFiles) : undefined);
  return problem === undefined ? { allowed: again, given } : { refusal: problem };
}

/** Takes back what a run did to the workspace; why it cannot, if so. */
async function takeBack(changes: CommandChanges | undefined): Promise<string | undefined> {
  try {
    if (!changes) return undefined;
    if (!changes.takeBack) throw new Error("it could not be stored");
    await changes.takeBack();
    return undefined;
  } catch (error) {
    const why = messageOf(error);
    return `What it had changed cannot be taken back, so that it is not run again: ${why}.`;
  }
}

/** Why a command that was allowed to run once more is another one by now, if so. */
function problemOfFiles(changedFiles: SecondRun["changedFiles"]): string | undefined {
  const [changed] = changedFiles?.() ?? [];
  if (changed === undefined) return undefined;
  const why = `it changed ${quoteName(changed)}, which decides what it does and is not taken back`;
  return `It is not run again: ${why}. Call it again if it is still wanted.`;
}

function partName(accesses: readonly Access[], span: TextSpan): string {
  return quotePart(accesses.find(({ kind }) => kind === "run")?.target ?? "", span);
}

/** The verdict on a part, for the command line that runs again with it. */
function withResumed(
  verdict: Verdict,
  { accesses, part }: { accesses: readonly Access[]; part: Lack["part"] },
): Verdict {
  if (!part) return verdict;
  const commands = accesses.filter(({ kind }) => kind === "run").map(({ target }) => target);
  const parted = new Map(commands.map((command) => [command, part.resumed.parted]));
  return { ...verdict, parted };
}

function refusalOf(answer: Answer): string {
  return answer.kind === "instead"
    ? `The user did not give it that and says: ${answer.text}`
    : "The user did not give it that.";
}

function deniedAdvice({ why }: Verdict): string {
  return `It was denied that: ${why}. Do without it, or tell the user what it would need.`;
}

/** Asks whether a call may run outside of the sandbox that stopped it. */
async function runOutside(
  prepared: PreparedCall,
  { blocked, result, changes, changedFiles, options }: Omit<SecondRun, "lack" | "ms"> & {
    result: ToolResult;
  },
): Promise<ToolResult> {
  const { deps, signal, place, setState, ask, record } = options;
  const refuse = (advice: string) => withAdvice(result, { blocked, advice });
  // Advice is better than a way out where there is one, or where it may have failed by itself.
  if (blocked.doubtful) return withSandboxHint(result, blocked);
  if (blocked.movedRefs) return refuse(MOVED_REFS);
  if (!deps.policy.interactive) return withSandboxHint(result, blocked);
  const early = await problemOutside(prepared, options);
  if (early !== undefined) return refuse(early);
  setState("awaiting_approval");
  const request = outsideRequestFor(prepared, { agent: deps.agent, blocked, changes });
  const answer = await ask(request, prepared);
  const decision = answer.kind === "allow" || answer.kind === "instead" ? answer.kind : "deny";
  const { risk, why } = request;
  record({ ...prepared, verdict: { ...prepared.verdict, risk, why } }, { decision, by: "user" });
  if (answer.kind !== "allow") {
    const words = answer.kind === "instead" ? ` and says: ${answer.text}` : ".";
    return refuse(`The user did not let it run outside${words}`);
  }
  const problem = await problemOutside(prepared, options) ?? await takeBack(changes) ??
    problemOfFiles(changedFiles);
  if (problem !== undefined) return refuse(problem);
  setState("executing");
  place.noteChange();
  return withOutsideNote(await execute(prepared, { deps, signal, outside: true }));
}
