/**
 * Runs a plugin's modules: the only module of ally that is loaded in their process. It takes calls on standard input
 * and lets modules import the plugin's own files only. These checks are a courtesy: what confines a plugin are the
 * permissions of its process and the sandbox.
 */
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import { type Handshake, type HostMessage, MAX_RESULT, type ProcessMessage } from "./messages.ts";

/** Captured before a plugin can replace them. */
const { stringify, parse } = JSON;
const encoder = new TextEncoder();
const { stdin, stdout, exit, realPathSync } = Deno;
const controllers = new Map<number, AbortController>();

/** Node modules with which a plugin could undo what is set up here. */
const FORBIDDEN_MODULE = /^node:(module|worker_threads|cluster|inspector|vm|repl)/;

/** The folder for a plugin's data, as a file system without case knows it too. */
const DATA = /^data\//i;

/** Specifiers that are refused without being resolved. */
const REMOTE_SPECIFIER = /^(https?|npm|jsr|data|blob):/i;

if (import.meta.main || "DedicatedWorkerGlobalScope" in globalThis) await serve();

/** Serves calls until standard input ends. */
async function serve(): Promise<void> {
  const lines = readLines();
  const first = await lines.next();
  if (first.done) return exit(0);
  const hello = parse(first.value) as Handshake;
  restrictImports(hello);
  for await (const line of lines) {
    const message = parse(line) as HostMessage;
    if (message.type === "abort") controllers.get(message.id)?.abort();
    else runCall(message, hello);
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

/** Restricts imports to the plugin's folder from now on. */
function restrictImports({ plugin }: Handshake): void {
  registerHooks({
    resolve(specifier, context, next) {
      const found = REMOTE_SPECIFIER.test(specifier) ? undefined : next(specifier, context);
      const url = found?.url ?? "";
      const isOwn = url.startsWith("file:") && isImportable(fileURLToPath(url), plugin);
      const isNode = url.startsWith("node:") && !FORBIDDEN_MODULE.test(url);
      if (found && (isOwn || isNode)) return found;
      throw new TypeError(`Cannot import ${specifier}: a plugin may import its own files only`);
    },
  });
  Reflect.deleteProperty(globalThis, "Worker");
  const { process } = globalThis as unknown as { process?: object };
  if (process) Reflect.set(process, "getBuiltinModule", undefined);
}

/** Whether a file is in a plugin's folder and not in its data, by the name that the disk knows it by. */
function isImportable(path: string, folder: string): boolean {
  const real = realPathOf(path);
  return real.startsWith(`${folder}/`) && !DATA.test(real.slice(folder.length + 1));
}

/** The path itself if nothing is there: its import says so. */
function realPathOf(path: string): string {
  try {
    return realPathSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return path;
    throw error;
  }
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
  const answer = (reply: ProcessMessage) => send(reply, hello.marker);
  try {
    const run = runOf(await import(module));
    const value = await run(input, {
      workspace: hello.workspace,
      plugin: hello.plugin,
      signal: controller.signal,
      report: (text: unknown) => answer({ type: "report", id, text: String(text) }),
    });
    answer({ type: "value", id, value: value === undefined ? null : value });
  } catch (error) {
    answer({ type: "failure", id, message: describeError(error, fileUrl(hello.plugin)) });
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
    return "It threw a value that cannot be shown";
  }
}

function send(reply: ProcessMessage, marker: string): void {
  let text = stringify(reply);
  if (text === undefined || text.length > MAX_RESULT) {
    const message = text === undefined
      ? "The result cannot be written as JSON"
      : `The result has ${text.length} bytes as JSON; at most ${MAX_RESULT} are allowed`;
    text = stringify({ type: "failure", id: reply.id, message });
  }
  // On a line of its own, whatever the plugin has printed before.
  let rest = encoder.encode(`\n${marker}${text}\n`);
  while (rest.length > 0) rest = rest.subarray(stdout.writeSync(rest));
}
