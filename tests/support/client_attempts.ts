/**
 * Attempts by who talks to ally over a pipe: an editor (`ally acp`) or another agent (`ally mcp serve`). Each begins a
 * session in a world that is watched, does what it does, and has to find ally alive after it.
 */
import { type ScriptedReply } from "../../src/modes/demo/scripted_server.ts";
import { type AcpClient, startAcp } from "./acp_client.ts";
import { makeWorld, OUTSIDE_TEXT, type World } from "./attempts.ts";
import { type McpClient, startMcpClient } from "./mcp_client.ts";
import { stage } from "./program.ts";

type AcpOptions = NonNullable<Parameters<typeof startAcp>[1]>;
type McpOptions = NonNullable<Parameters<typeof startMcpClient>[1]>;

/** What all attempts have. */
interface ClientAttempt<C, O> {
  readonly name: string;
  /** How the client is. */
  readonly options?: (world: World) => O;
  /** What the model answers. @default nothing but words */
  readonly replies?: (world: World) => readonly ScriptedReply[];
  /** What it does; that something is refused is no failure. */
  readonly act: (client: C, world: World) => Promise<unknown>;
}

/** An attempt by an editor. */
export type EditorAttempt = ClientAttempt<AcpClient, AcpOptions>;

/** An attempt by an agent. */
export type AgentAttempt = ClientAttempt<McpClient, McpOptions>;

/** Milliseconds after which nobody answers any more. */
const PATIENCE = 60_000;

/** Runs attempts by editors; every line of the result says which one got what. */
export function runEditors(
  attempts: readonly EditorAttempt[],
  flags: readonly string[] = [],
): Promise<string[]> {
  return runClients(attempts, {
    start: (place, options) =>
      startAcp(place, { ...options, args: [...flags, ...options?.args ?? []] }),
    isAlive: (client) => client.agent.request("session/list", {}),
    written: (client) => JSON.stringify([client.written, client.errors]),
    isProblem: (error) => /Not in the schema/.test(String(error)),
  });
}

/** Runs attempts by agents; the same. */
export function runAgents(
  attempts: readonly AgentAttempt[],
  flags: readonly string[] = [],
): Promise<string[]> {
  return runClients(attempts, {
    start: (place, options) =>
      startMcpClient(place, {
        ...options,
        args: [...options?.args ?? ["mcp", "serve"], ...flags],
      }),
    isAlive: ({ client }) => client.listTools(),
    written: ({ lines, errors }) => lines.join("\n") + errors,
    isProblem: () => false,
  });
}

interface ClientKind<C, O> {
  readonly start: (
    place: { readonly env: Readonly<Record<string, string>>; readonly dir: string },
    options: O | undefined,
  ) => Promise<C>;
  readonly isAlive: (client: C) => Promise<unknown>;
  /** All that ally wrote. */
  readonly written: (client: C) => string;
  readonly isProblem: (error: unknown) => boolean;
}

async function runClients<C extends AsyncDisposable, O>(
  attempts: readonly ClientAttempt<C, O>[],
  { start, isAlive, written, isProblem }: ClientKind<C, O>,
): Promise<string[]> {
  await using world = await makeWorld();
  const escaped: string[] = [];
  for (const { name, options, replies, act } of attempts) {
    await using at = await stage(replies?.(world) ?? []);
    world.changes();
    const env = { ...at.place.env, HOME: world.home };
    const client = await start({ env, dir: world.dir }, options?.(world));
    const found: string[] = [];
    if (!await answers(act(client, world))) found.push("ally did not answer");
    if (!await answers(isAlive(client), { mustWork: true })) found.push("ally is gone");
    try {
      await client[Symbol.asyncDispose]();
    } catch (error) {
      found.push(isProblem(error) ? String(error) : `ally did not leave: ${String(error)}`);
    }
    const sent = at.server.requests.map(({ body }) => JSON.stringify(body)).join("\n");
    if (OUTSIDE_TEXT.test(sent)) found.push("the model was told what is outside");
    if (OUTSIDE_TEXT.test(written(client))) found.push("the client was told what is outside");
    found.push(...world.changes(), ...world.connections());
    escaped.push(...found.map((what) => `${name}: ${what}`));
  }
  return escaped;
}

/** Whether something ends, one way or the other. */
async function answers(
  request: Promise<unknown>,
  { mustWork = false }: { mustWork?: boolean } = {},
): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), PATIENCE);
  const ended = request.then(() => true, () => !mustWork);
  try {
    return await Promise.race([ended, late]);
  } finally {
    clearTimeout(timer);
  }
}
