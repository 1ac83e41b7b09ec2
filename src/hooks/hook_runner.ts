/**
 * Runs the hooks of an event one after the other and brings their answers together: the first refusal ends it, and
 * each hook sees the arguments as the one before left them. A hook that fails is told to the person and counts for
 * nothing, unless it is required.
 */
import type { HookContext, HookEvent, HookFacts, HookOutcome, Hooks } from "../core/hooks.ts";
import type { Secrets } from "../core/secrets.ts";
import type { AgentIdentity } from "../core/tool.ts";
import { mapStrings } from "../lib/json_strings.ts";
import { Semaphore } from "../lib/pool.ts";
import type { ProcessResult } from "../lib/process.ts";
import { messageOf, oneLine } from "../lib/text.ts";
import { HOOK_EVENTS, HOOK_VERSION } from "./event_schemas.ts";
import { describeHook, type Hook, matchesPaths, matchesTool } from "./hook.ts";
import { contextNote } from "./note.ts";
import { type HookAnswer, type HookReply, readReply } from "./reply.ts";

/** What a hook's process came to. */
export interface HookRun {
  readonly result: ProcessResult;
  /** Display paths of what it changed in the workspace. */
  readonly changed: readonly string[];
}

/** What hooks are run with. */
export interface HookRunnerOptions {
  /** In the order in which they run. */
  readonly hooks: readonly Hook[];
  /** Starts one and waits for its end. @throws {Error} why it may not run */
  readonly start: (
    hook: Hook,
    options: { readonly input: string; readonly signal: AbortSignal },
  ) => Promise<HookRun>;
  /** Whether the person does without a sandbox. */
  readonly isSandboxOff: boolean;
  readonly secrets: Secrets;
  readonly cwd: () => string;
  readonly sessionId: () => string | undefined;
  readonly warn: (text: string) => void;
}

/** What has been gathered of an event's hooks. */
interface Gathered {
  decision?: HookOutcome["decision"];
  why?: string;
  arguments?: HookOutcome["arguments"];
  readonly changedBy: string[];
  readonly notes: string[];
}

/** One run of one hook, as it can be shown. */
export interface HookTrial extends Partial<HookRun> {
  readonly hook: Hook;
  readonly reply: HookReply;
}

/** Ready to use after `new`. */
export class HookRunner implements Hooks {
  readonly #options: HookRunnerOptions;
  readonly #told = new Set<string>();
  readonly #begun = new WeakSet<object>();
  readonly #ended = new AbortController();
  readonly #background = new Set<Promise<unknown>>();
  /** What may change files runs one at a time. */
  readonly #alone = new Semaphore({ limit: 1 });

  constructor(options: HookRunnerOptions) {
    this.#options = options;
  }

  get hooks(): readonly Hook[] {
    return this.#options.hooks;
  }

  /** One line for each hook. */
  describe(hooks: readonly Hook[] = this.hooks): string[] {
    const { isSandboxOff } = this.#options;
    return hooks.map((hook) => describeHook(hook, { isSandboxOff }));
  }

  beginsSession(conversation: object): boolean {
    const isNew = !this.#begun.has(conversation);
    this.#begun.add(conversation);
    return isNew;
  }

  has(event: HookEvent): boolean {
    return this.hooks.some((hook) => hook.event === event);
  }

  async run<E extends HookEvent>(
    event: E,
    facts: HookFacts[E],
    context: HookContext,
  ): Promise<HookOutcome> {
    const gathered: Gathered = { changedBy: [], notes: [] };
    let current = facts;
    for (const hook of this.hooks.filter((one) => one.event === event)) {
      if (context.signal.aborted) break;
      const { reply, changed } = await this.try(hook, current, context) ?? {};
      if (changed?.length) {
        const text = `It changed ${changed.join(", ")}.`;
        gathered.notes.push(contextNote(text, hook));
      }
      if (reply === undefined || reply.kind === "interrupted") continue;
      const refused = reply.kind === "failed"
        ? this.#noteFailure(reply.why, { hook, gathered })
        : noteAnswer(reply.answer, { hook, gathered });
      if (refused) break;
      if (reply.kind === "answer" && reply.answer.arguments && "arguments" in current) {
        const changedArguments = reply.answer.arguments;
        const paths = await context.pathsOf?.(changedArguments) ?? current.paths;
        current = { ...current, arguments: changedArguments, paths };
      }
    }
    return gathered;
  }

  /** Runs one hook, if it matches; never throws. */
  async try(
    hook: Hook,
    facts: HookFacts[HookEvent],
    { agent, signal }: HookContext,
  ): Promise<HookTrial | undefined> {
    const { cwd, sessionId, secrets, start } = this.#options;
    const { event, timeout } = hook;
    try {
      if ("tool" in facts) {
        const how = { paths: facts.paths, cwd: cwd() };
        const isMeant = await matchesTool(hook, facts.tool) && await matchesPaths(hook, how);
        if (!isMeant) return undefined;
      }
      const session = sessionId();
      const sent = {
        version: HOOK_VERSION,
        event,
        cwd: cwd(),
        ...session !== undefined && { session_id: session },
        agent,
        ...mapStrings(facts, (text) => secrets.remask(text)),
      };
      const input = `${JSON.stringify(sent)}\n`;
      const run = () => start(hook, { input, signal });
      const ended = await (HOOK_EVENTS[event].changesFiles ? this.#alone.run(run) : run());
      const mask = (text: string) => secrets.mask(text);
      return { hook, ...ended, reply: readReply(event, { ...ended, timeout, mask }) };
    } catch (error) {
      return { hook, reply: { kind: "failed", why: oneLine(messageOf(error)) } };
    }
  }

  notify(facts: HookFacts["notification"], agent: AgentIdentity): void {
    if (!this.has("notification") || this.#ended.signal.aborted) return;
    const run = this.run("notification", facts, { agent, signal: this.#ended.signal });
    this.#background.add(run);
    void run.finally(() => this.#background.delete(run));
  }

  /** Waits for those that run in the background; each has its time limit. */
  async flush(): Promise<void> {
    await Promise.allSettled(this.#background);
  }

  /** Ends those that run in the background. */
  close(): void {
    this.#ended.abort();
  }

  /** Tells a failure once; true if the hook is required and there is something to refuse. */
  #noteFailure(why: string, { hook, gathered }: { hook: Hook; gathered: Gathered }): boolean {
    const text = `The ${hook.required ? "required " : ""}hook ${hook.name} failed: ${why}`;
    if (!this.#told.has(text)) {
      this.#told.add(text);
      this.#options.warn(/[.!?]$/.test(text) ? text : `${text}.`);
    }
    if (!hook.required) return false;
    gathered.decision = "deny";
    gathered.why = text;
    return true;
  }
}

/** Adds an answer to what was gathered; true if it ends the event. */
function noteAnswer(
  { decision, reason, context, arguments: changed }: HookAnswer,
  { hook, gathered }: { hook: Hook; gathered: Gathered },
): boolean {
  if (context?.trim()) gathered.notes.push(contextNote(context, hook));
  if (changed) {
    gathered.arguments = changed;
    gathered.changedBy.push(hook.name);
  }
  if (decision === undefined) return false;
  gathered.decision = decision;
  gathered.why = `the hook ${hook.name} says${reason ? `: ${reason}` : ` "${decision}"`}`;
  return decision !== "ask";
}
