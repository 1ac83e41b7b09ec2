/**
 * `ally hooks`: lists the hooks that act in this directory, and runs those of an event with a sample of what it would
 * send, as a session would.
 */
import { createBootstrap } from "../../app/bootstrap.ts";
import { openEnforcement } from "../../app/enforcement.ts";
import { MAIN_AGENT } from "../../app/events.ts";
import { EXIT } from "../../app/exit_codes.ts";
import { createHooks, SAMPLE_FACTS } from "../../app/hook_run.ts";
import type { Io } from "../../app/io.ts";
import type { Options } from "../../app/options.ts";
import { openStandardStreams, wrapForTerminal } from "../../app/standard_streams.ts";
import { UsageError } from "../../core/errors.ts";
import type { HookEvent } from "../../core/hooks.ts";
import { HOOK_EVENTS, inputSchema, isHookEvent } from "../../hooks/event_schemas.ts";
import type { Hook } from "../../hooks/hook.ts";
import type { HookRunner, HookTrial } from "../../hooks/hook_runner.ts";
import { parseJson } from "../../lib/json_text.ts";
import { describeViolation, isObject, type JsonObject, violations } from "../../lib/schema.ts";
import { formatDuration, jsonLine } from "../../lib/text.ts";
import { escapeControls } from "../../ui/safe_text.ts";
import type { HooksRequest } from "./command.ts";

/** Does what `ally hooks` was asked for, and returns the exit code. @throws {UsageError} it cannot */
export async function runHooks(
  { request, options }: { request: HooksRequest; options: Options },
  io: Io,
): Promise<number> {
  const { out, err } = openStandardStreams(io);
  const bootstrap = await createBootstrap({ ...options, session: false }, {
    sink: (event) => event.type === "notice" && err(`ally: ${event.text}`),
    ask: (requests) => Promise.resolve(requests.map(() => ({ kind: "deny" }))),
    // What was decided counts; nobody is asked here.
    askTrust: () => Promise.resolve("not_now"),
    interactive: false,
    io,
  });
  using cleanUp = new DisposableStack();
  cleanUp.defer(() => bootstrap.workspace.close());
  const enforcement = await openEnforcement(bootstrap, { id: undefined });
  cleanUp.defer(() => enforcement.close());
  const hooks = createHooks({ bootstrap, enforcement, sessionId: () => undefined });
  if (request.what === "test") return await testHooks(request, { hooks, cwd: bootstrap.cwd, out });
  const lines = hooks.describe();
  if (request.json) out(jsonLine(hooks.hooks));
  else {
    const text = lines.length === 0 ? NO_HOOKS : lines.map(escapeLine).join("\n");
    out(await wrapForTerminal(text, { io, stream: "stdout" }));
  }
  return EXIT.done;
}

const NO_HOOKS = "No hooks act here. `ally help hooks` shows how to add one.";

async function testHooks(
  { event, facts: given, json }: Extract<HooksRequest, { what: "test" }>,
  { hooks, cwd, out }: { hooks: HookRunner; cwd: string; out: (line: string) => void },
): Promise<number> {
  if (!isHookEvent(event)) {
    throw new UsageError(
      `There is no event '${event}'. There are: ${Object.keys(HOOK_EVENTS).join(", ")}.`,
    );
  }
  const facts = factsOf(event, given);
  const context = { agent: MAIN_AGENT, signal: new AbortController().signal };
  const trials: HookTrial[] = [];
  const ofEvent = hooks.hooks.filter((one) => one.event === event);
  for (const hook of ofEvent) {
    const trial = await hooks.try(hook, facts, context);
    if (trial) trials.push(trial);
  }
  if (json) out(jsonLine({ event, cwd, facts, hooks: trials.map(toJson) }));
  else if (trials.length > 0) {
    const lines = trials.flatMap((trial) => [
      ...hooks.describe([trial.hook]),
      ...describeTrial(trial),
    ]);
    out(lines.map(escapeLine).join("\n"));
  } else out(escapeLine(describeNoMatch(event, { facts, hooks: ofEvent })));
  return trials.every(({ reply }) => reply.kind === "answer") ? EXIT.done : EXIT.failed;
}

/** What the event would say, with what was given in its place. @throws {UsageError} that does not fit */
function factsOf(event: HookEvent, given = "{}") {
  const own = parseJson(given);
  if (!isObject(own)) throw new UsageError(`--with takes a JSON object, not '${given}'.`);
  const facts = { ...SAMPLE_FACTS[event], ...own };
  const { properties } = inputSchema(event);
  const [wrong] = violations({
    type: "object",
    properties: properties as Record<string, unknown>,
    additionalProperties: false,
  }, facts);
  if (wrong) throw new UsageError(`--with does not fit ${event}. ${describeViolation(wrong)}`);
  return facts;
}

/** Why nothing was run, and how it would be. */
function describeNoMatch(
  event: HookEvent,
  { facts: { tool, paths }, hooks }: { facts: JsonObject; hooks: readonly Hook[] },
): string {
  if (hooks.length === 0) return `There is no hook of ${event}.`;
  const named = hooks.flatMap(({ tools = [] }) => tools).find((name) => !name.includes("*"));
  const sample = JSON.stringify({ tool, paths });
  const other = JSON.stringify({ tool: named ?? "bash" });
  return `No hook of ${event} matches the sample, ${sample}. Another one: --with '${other}'`;
}

const escapeLine = (line: string) => escapeControls(line);

function toJson({ hook: { name, source }, reply, result, changed }: HookTrial) {
  return {
    name,
    source,
    ...reply.kind === "answer" ? { answer: reply.answer } : reply,
    ...result && {
      code: result.code,
      duration_ms: result.durationMs,
      output: result.output,
      errors: result.errors,
    },
    ...changed && { changed },
  };
}

/** How a hook ended, and what it said, a line each. */
function describeTrial({ reply, result, changed = [] }: HookTrial): string[] {
  const ended = result && `code ${result.code} in ${formatDuration(result.durationMs)}`;
  return [
    ...ended === undefined ? [] : [`  ended: ${ended}`],
    `  ${describeReply(reply)}`,
    ...changed.length === 0 ? [] : [`  changed: ${changed.join(", ")}`],
  ];
}

function describeReply(reply: HookTrial["reply"]): string {
  if (reply.kind === "failed") return `FAILED: ${reply.why}`;
  if (reply.kind === "interrupted") return "it was ended";
  const { ignored, ...answer } = reply.answer;
  if (ignored) return "answer: none; its output is no JSON object and counts for nothing";
  return `answer: ${Object.keys(answer).length === 0 ? "none" : JSON.stringify(answer)}`;
}
