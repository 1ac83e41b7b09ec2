/**
 * An agent over a real directory with an in-process model that says what the test scripts: for tests of
 * the loop, the scheduler and the pipeline.
 */
import { delimiter, dirname, join } from "node:path";
import { MANIFEST } from "../../plugins/manifest.ts";
import { Agent } from "../../src/agent/agent.ts";
import { Conversation } from "../../src/agent/conversation.ts";
import { CurrentConversation } from "../../src/agent/current_conversation.ts";
import { Budget } from "../../src/context/budget.ts";
import { countTokens } from "../../src/context/tokens.ts";
import type { EventBody } from "../../src/core/event.ts";
import type { Message, ToolCall } from "../../src/core/message.ts";
import type { Model, ModelRequest, Reply } from "../../src/core/model.ts";
import type { Answer, AskPermission, PermissionRequest } from "../../src/core/permission.ts";
import { NO_MASKING, type Secrets } from "../../src/core/secrets.ts";
import type { Entry } from "../../src/core/session_log.ts";
import type { ToolEntry } from "../../src/core/tool.ts";
import { Policy } from "../../src/permission/policy.ts";
import type { Rules } from "../../src/permission/rules.ts";
import { createOutputSaver } from "../../src/store/outputs.ts";
import { DEFAULTS } from "../../src/store/settings_table.ts";
import { Registry } from "../../src/tools/registry.ts";
import type { SchedulerDeps } from "../../src/tools/scheduler.ts";
import { createPathFacts } from "../../src/workspace/path_facts.ts";
import { createShell } from "../../src/workspace/shell.ts";
import { Workspace } from "../../src/workspace/workspace.ts";
import { BUDGET_TUNING, DIFF_CONTEXT, LOOP_LIMITS, newCounter, THRESHOLDS } from "./settings.ts";

/** What the model says to one request: text, calls, or a function of the request. */
export type Said =
  | { readonly text?: string; readonly calls?: readonly Call[]; readonly usage?: Reply["usage"] }
  | ((request: ModelRequest, signal: AbortSignal) => Promise<Reply> | Reply);

export type Call = readonly [name: string, input: unknown, id?: string];

export interface HarnessOptions {
  readonly replies?: readonly Said[];
  /** Answers to questions, in order of the calls asked about; after the last one, deny. */
  readonly answers?: readonly Answer[];
  readonly rules?: Partial<Rules>;
  readonly interactive?: boolean;
  readonly files?: Readonly<Record<string, string>>;
  readonly tools?: readonly ToolEntry[];
  readonly contextSize?: number;
  readonly maxTurns?: number;
  readonly maxParallel?: number;
  readonly messages?: readonly Message[];
  /** @default nothing is masked */
  readonly secrets?: Secrets;
}

export interface Harness extends AsyncDisposable {
  readonly agent: Agent;
  readonly current: CurrentConversation;
  readonly workspace: Workspace;
  readonly dir: string;
  readonly deps: SchedulerDeps;
  /** All facts, in order. */
  readonly facts: EventBody[];
  readonly requests: ModelRequest[];
  /** Every question that was asked, one list a time. */
  readonly questions: (readonly PermissionRequest[])[];
  /** What reached the log. */
  readonly saved: Message[];
  readonly notes: Entry[];
  read(name: string): Promise<string>;
}

/** Makes an agent in a new directory. */
export async function harness(options: HarnessOptions = {}): Promise<Harness> {
  const root = await Deno.makeTempDir({ prefix: "ally-test-" });
  const dir = join(root, "work");
  await Deno.mkdir(dir);
  for (const [name, text] of Object.entries(options.files ?? {})) {
    await Deno.writeTextFile(join(dir, name), text);
  }
  const facts: EventBody[] = [];
  const workspace = new Workspace({
    cwd: dir,
    patchDir: join(root, "patches"),
    snapshots: {
      directory: join(root, "snapshots"),
      path: Deno.env.get("PATH") ?? "",
      notice: (text) => facts.push({ type: "notice", level: "warning", text }),
    },
  });
  const shell = createShell({ cwd: dir, env: environment(), logDir: join(root, "out") });
  const secrets = options.secrets ?? NO_MASKING;
  const saved: Message[] = [];
  const notes: Entry[] = [];
  const questions: (readonly PermissionRequest[])[] = [];
  const messages = options.messages ?? [];
  const budget = new Budget({
    size: options.contextSize ?? 100_000,
    fixed: "",
    messages,
    counter: newCounter(),
    tuning: BUDGET_TUNING,
  });
  const { model, requests } = scriptedModel(options.replies ?? []);
  const deps: SchedulerDeps = {
    registry: new Registry(options.tools ?? MANIFEST),
    policy: new Policy({
      rules: { allow: {}, deny: {}, allowAll: false, ...options.rules },
      interactive: options.interactive ?? true,
      pathFacts: createPathFacts({ roots: { cwd: dir, all: [dir] }, home: root, env: {} }),
    }),
    agent: { id: "main", name: "ally", depth: 0 },
    shell,
    secrets,
    view: (pending, resolved) => workspace.view(pending, resolved),
    watchCommands: workspace.watchCommands,
    limits: () => ({ readTokens: budget.readTokens, bashTimeout: 20, countTokens }),
    memory: () => current.conversation,
    emit: (fact) => facts.push(fact),
    ask: answering(options.answers ?? [], questions),
    maxParallel: options.maxParallel ?? DEFAULTS.max_parallel,
    diffs: DIFF_CONTEXT,
  };
  const conversation = new Conversation({
    log: {
      append: (message) => Promise.resolve(void saved.push(message)),
      appendEntry: (note) => Promise.resolve(void notes.push(note)),
    },
    prompt: [{ name: "task", text: "You are tested." }],
    hasBegun: true,
    messages,
    secrets,
  });
  const current = new CurrentConversation({
    conversation,
    budget,
    settings: { model: "scripted" },
  });
  const agent = new Agent({
    current,
    model,
    scheduler: deps,
    maxTurns: options.maxTurns ?? DEFAULTS.max_turns,
    thresholds: THRESHOLDS,
    repetition: LOOP_LIMITS,
    saveOutput: createOutputSaver(join(root, "out")),
  });
  return {
    agent,
    current,
    workspace,
    dir,
    deps,
    facts,
    requests,
    questions,
    saved,
    notes,
    read: (name) => Deno.readTextFile(join(dir, name)),
    async [Symbol.asyncDispose]() {
      shell.killAll();
      workspace.close();
      await Deno.remove(root, { recursive: true });
    },
  };
}

/** This process's environment; the Deno that runs it is on PATH, however it was started. */
function environment(): Record<string, string> {
  const env = Deno.env.toObject();
  return { ...env, PATH: [dirname(Deno.execPath()), env.PATH].join(delimiter) };
}

/** A call as the conversation holds it. */
export function toolCall([name, input, id]: Call, index = 0): ToolCall {
  const text = typeof input === "string" ? input : JSON.stringify(input);
  return { id: id ?? `call_${index}`, name, arguments: text };
}

function scriptedModel(replies: readonly Said[]): { model: Model; requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  const model: Model = {
    async reply(request, { signal, onDelta }) {
      const index = requests.push(structuredClone(request)) - 1;
      const said = replies[index] ?? { text: "(end of script)" };
      if (typeof said === "function") return await said(request, signal);
      if (said.text) onDelta({ kind: "text", text: said.text });
      const calls = (said.calls ?? []).map((call, at) =>
        toolCall([call[0], call[1], call[2] ?? `call_${index}_${at}`])
      );
      return {
        message: { role: "assistant", content: said.text ?? "", calls },
        usage: said.usage,
      };
    },
  };
  return { model, requests };
}

function answering(
  answers: readonly Answer[],
  questions: (readonly PermissionRequest[])[],
): AskPermission {
  let next = 0;
  return (requests) => {
    questions.push(requests);
    return Promise.resolve(requests.map(() => answers[next++] ?? { kind: "deny" }));
  };
}
