/**
 * The process in which a plugin's modules run, started by `../launch.ts` with the permissions of the manifest:
 * the only module of ally's that is loaded there. It takes orders on standard input, and lets nothing be
 * imported but the plugin's own files. What it keeps a plugin from is a courtesy: what holds a plugin are
 * its process's permissions and the sandbox.
 */
import { registerHooks } from "node:module";
import { type Handshake, type HostMessage, MAX_RESULT, type ProcessMessage } from "./messages.ts";

/** Kept before a plugin can put something else in their places. */
const { stringify, parse } = JSON;
const encoder = new TextEncoder();
const { stdin, stdout, exit } = Deno;
const controllers = new Map<number, AbortController>();

/** Modules of Node's through which a plugin could undo what is set up here. */
const FORBIDDEN_MODULE = /^node:(module|worker_threads|cluster|inspector|vm|repl)/;

/** What is not even looked for. */
const REMOTE_SPECIFIER = /^(https?|npm|jsr|data|blob):/i;

if (import.meta.main || "DedicatedWorkerGlobalScope" in globalThis) await serve();

/** Takes orders until there are no more. */
async function serve(): Promise<void> {
  const lines = readLines();
  const first = await lines.next();
  if (first.done) return exit(0);
  const hello = parse(first.value) as Handshake;
  restrictImports(hello);
  for await (const line of lines) {
    const order = parse(line) as HostMessage;
    if (order.type === "abort") controllers.get(order.id)?.abort();
    else runCall(order, hello);
  }
  exit(0);
}

async function* readLines(): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(65_536);
  let pieces: string[] = [];
  for (;;) {
    const count = await stdin.read(buffer);
    if (count === null) return;
    const parts = decoder.decode(buffer.subarray(0, count), { stream: true }).split("\n");
    for (const part of parts.slice(0, -1)) {
      yield pieces.join("") + part;
      pieces = [];
    }
    pieces.push(parts.at(-1) ?? "");
  }
}

/** From now on modules come from the plugin's folder only. */
function restrictImports({ plugin }: Handshake): void {
  const own = `${fileUrl(plugin)}/`;
  const data = `${own}data/`;
  registerHooks({
    resolve(specifier, context, next) {
      const found = REMOTE_SPECIFIER.test(specifier) ? undefined : next(specifier, context);
      const url = found?.url ?? "";
      const mine = url.startsWith(own) && !url.startsWith(data);
      if (found && (mine || (url.startsWith("node:") && !FORBIDDEN_MODULE.test(url)))) return found;
      throw new TypeError(`Cannot import ${specifier}: a plugin may import its own files only`);
    },
  });
  Reflect.deleteProperty(globalThis, "Worker");
  const { process } = globalThis as unknown as { process?: object };
  if (process) Reflect.set(process, "getBuiltinModule", undefined);
}

function fileUrl(path: string): string {
  const slashes = path.replaceAll("\\", "/");
  const url = new URL(`file://${slashes.startsWith("/") ? "" : "/"}`);
  url.pathname = slashes.replaceAll("%", "%25");
  return url.href.replace(/\/$/, "");
}

async function runCall(
  { id, module, input }: Extract<HostMessage, { type: "call" }>,
  hello: Handshake,
): Promise<void> {
  const controller = new AbortController();
  controllers.set(id, controller);
  const say = (reply: ProcessMessage) => send(reply, hello.marker);
  try {
    const run = runOf(await import(module));
    const value = await run(input, {
      workspace: hello.workspace,
      plugin: hello.plugin,
      signal: controller.signal,
      report: (text: unknown) => say({ type: "report", id, text: String(text) }),
    });
    say({ type: "value", id, value: value === undefined ? null : value });
  } catch (error) {
    say({ type: "failure", id, message: describeError(error, fileUrl(hello.plugin)) });
  } finally {
    controllers.delete(id);
  }
}

type Run = (input: unknown, context: object) => unknown;

function runOf(module: { default?: unknown }): Run {
  const { default: tool } = module;
  if (typeof tool === "function") return tool as Run;
  const run = (tool as { run?: unknown } | undefined)?.run;
  if (typeof run === "function") return run.bind(tool) as Run;
  throw new TypeError("The module exports by default neither a function nor an object with run()");
}

/** The message, and where in the plugin it came from. */
function describeError(error: unknown, folder: string): string {
  try {
    if (!(error instanceof Error)) return `It threw ${String(error)}`;
    const message = String(error.message);
    const places = [...String(error.stack).matchAll(/\bfile:[^\s)]+:\d+:\d+/g)].map(([url]) => url);
    const where = places.find((url) => url.startsWith(`${folder}/`))?.slice(folder.length + 1);
    return where === undefined || message.includes(where) ? message : `${message} (${where})`;
  } catch {
    return "It threw what cannot be shown";
  }
}

function send(reply: ProcessMessage, marker: string): void {
  let text = stringify(reply);
  if (text === undefined || text.length > MAX_RESULT) {
    const message = text === undefined
      ? "The result is no JSON value"
      : `The result has ${text.length} bytes as JSON; at most ${MAX_RESULT} are taken`;
    text = stringify({ type: "failure", id: reply.id, message });
  }
  // Begun on a line of its own, whatever the plugin has printed.
  let rest = encoder.encode(`\n${marker}${text}\n`);
  while (rest.length > 0) rest = rest.subarray(stdout.writeSync(rest));
}
