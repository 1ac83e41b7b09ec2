/**
 * A real context for a tool's functions: a workspace over a temporary directory. Used by the tests of
 * tools; `planAndRun` takes a call through planning and running as the pipeline does.
 */
import { join } from "node:path";
import type {
  ConversationAccess,
  Limits,
  RunContext,
  Shell,
  Tool,
  ToolContext,
  ToolData,
  ToolInput,
  ToolResult,
} from "../../src/api.ts";
import { BackgroundTasks } from "../../src/workspace/tasks.ts";
import { Workspace } from "../../src/workspace/workspace.ts";

/** A context with the directories and the workspace behind it; dispose of it to remove them. */
export interface TestContext extends AsyncDisposable {
  readonly context: RunContext;
  readonly workspace: Workspace;
  /** Working directory, canonical. */
  readonly cwd: string;
  /** An existing directory outside the workspace, canonical. */
  readonly outside: string;
  /** Where undo patches are kept. */
  readonly patchDir: string;
  /** What the tool reported to the person watching. */
  readonly reported: string[];
}

/** Makes a context; `files` are written below the working directory first. */
export async function makeToolContext(options: {
  files?: Readonly<Record<string, string | Uint8Array>>;
  shell?: (cwd: string) => Shell;
  limits?: Partial<Limits>;
  signal?: AbortSignal;
} = {}): Promise<TestContext> {
  const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "ally-test-" }));
  const cwd = join(root, "project");
  const outside = join(root, "outside");
  const patchDir = join(root, "state", "patches");
  await Deno.mkdir(cwd);
  await Deno.mkdir(outside);
  for (const [name, content] of Object.entries(options.files ?? {})) {
    await putFile(join(cwd, name), content);
  }
  const workspace = new Workspace({ cwd, patchDir });
  const reported: string[] = [];
  const context: RunContext = {
    callId: "call_1",
    agent: { id: "main", name: "ally", depth: 0 },
    signal: options.signal ?? new AbortController().signal,
    files: workspace,
    shell: options.shell?.(cwd) ?? noShell,
    limits: {
      readTokens: 1_500,
      bashTimeout: 120,
      countTokens: (text) => Math.ceil(text.length / 4),
      ...options.limits,
    },
    ...makeMemory(),
    learnSecrets: () => {},
    report: (chunk) => void reported.push(chunk),
    plan: undefined,
  };
  return {
    context,
    workspace,
    cwd,
    outside,
    patchDir,
    reported,
    [Symbol.asyncDispose]: () => Deno.remove(root, { recursive: true }),
  };
}

/** The state and results of an empty conversation that nothing saves. */
export function makeMemory(): ConversationAccess {
  const values = new Map<string, unknown>();
  return {
    state: {
      get: (key) => values.get(key),
      set: (key, value) => Promise.resolve(void values.set(key, value)),
    },
    loadedSkills: () => [],
    results: { cleanUp: () => Promise.reject(new Error("this test has no results")) },
  };
}

/** Writes a file of a test, with its directories. */
export async function putFile(path: string, content: string | Uint8Array): Promise<void> {
  await Deno.mkdir(join(path, ".."), { recursive: true });
  await (typeof content === "string"
    ? Deno.writeTextFile(path, content)
    : Deno.writeFile(path, content));
}

/** Plans a call, if its tool plans, then runs it with that plan. */
export async function planAndRun<I extends ToolInput, D extends ToolData>(
  tool: Tool<I, D>,
  input: I,
  options: { context: ToolContext },
): Promise<ToolResult<D>> {
  const plan = await tool.plan?.(input, options.context);
  return await tool.run(input, { ...options.context, plan });
}

/** The data of a result that must be a success. */
export function dataOf<D extends ToolData>(result: ToolResult<D>): D {
  if (result.ok) return result.data;
  throw new Error(`the call failed: ${result.error.message}`);
}

const noShell: Shell = {
  run: () => Promise.reject(new Error("this test has no shell")),
  tasks: new BackgroundTasks(),
  which: () => Promise.resolve(undefined),
};
