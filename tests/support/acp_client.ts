/**
 * An editor in a test: the SDK's own client on the other end of `ally acp`, in this process. Every line that ally writes
 * is checked against the schema of the protocol.
 */
import {
  client,
  type ClientConnection,
  type ClientContext,
  type CreateElicitationRequest,
  ndJsonStream,
  type NewSessionRequest,
  type PromptRequest,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
  type StopReason,
} from "@agentclientprotocol/sdk";
import SCHEMA from "@agentclientprotocol/sdk/schema/v1/schema.json" with { type: "json" };
import { Validator } from "@cfworker/json-schema";
import assert from "node:assert/strict";
import type { InputStream, Io, OutputStream } from "../../src/app/io.ts";
import { run } from "../../src/cli/run.ts";
import { createMemoryIo } from "./memory_io.ts";
import type { Place } from "./program.ts";

/** What the client does when ally asks. */
interface ClientOptions {
  readonly args?: readonly string[];
  /** Answers a question; a string is the id of an option. @default "allow" */
  readonly answer?: (
    question: RequestPermissionRequest,
  ) => string | RequestPermissionResponse | Promise<string | RequestPermissionResponse>;
  /** The texts of files as the editor has them. @default it cannot be asked */
  readonly buffers?: ReadonlyMap<string, string>;
  /** Answers a form. @default it has none */
  readonly fill?: (form: CreateElicitationRequest) => Readonly<Record<string, string>>;
  /** What it says of itself besides. */
  readonly capabilities?: Readonly<Record<string, unknown>>;
}

/** A client and the agent behind it. */
export interface AcpClient extends AsyncDisposable {
  readonly agent: ClientContext;
  /** All updates by now, in order. */
  readonly updates: readonly SessionUpdate[];
  /** All questions by now. */
  readonly questions: readonly RequestPermissionRequest[];
  /** Every message that ally wrote. */
  readonly written: readonly Message[];
  readonly errors: string;
  /** Begins a session; its id. */
  begin(cwd?: string, more?: Partial<NewSessionRequest>): Promise<string>;
  /** Prompts a session with a text; why the prompt ended. */
  prompt(sessionId: string, text: string): Promise<StopReason>;
  /** Permissions that the process gave up. */
  readonly revoked: readonly string[];
  /** Resolves with the first update, one of before or one to come, that passes. */
  seen(test: (update: SessionUpdate) => boolean): Promise<SessionUpdate>;
  /** Writes a line as it stands. */
  writeLine(line: string): Promise<void>;
  /** Sends a signal to the agent; resolves with the exit code. */
  signal(name: Deno.Signal): Promise<number>;
  /** Leaves; resolves with the exit code. */
  leave(): Promise<number>;
}

/** A message of JSON-RPC. */
export interface Message {
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** The texts of chunks of one kind, joined. */
export function textOf(
  updates: readonly SessionUpdate[],
  kind: "agent_message_chunk" | "agent_thought_chunk" | "user_message_chunk",
): string {
  return updates.map((one) =>
    one.sessionUpdate === kind && one.content.type === "text" ? one.content.text : ""
  ).join("");
}

/** Starts `ally acp` in this process, and initializes it. */
export async function startAcp(
  { env, dir }: Pick<Place, "env" | "dir">,
  options: ClientOptions = {},
): Promise<AcpClient> {
  const { args = [], answer = () => "allow", buffers, fill, capabilities = {} } = options;
  const toAgent = new TransformStream<Uint8Array, Uint8Array>();
  const fromAgent = new TransformStream<Uint8Array, Uint8Array>();
  const checked = new CheckedLines();
  const memory = createMemoryIo({ env, cwd: dir });
  const io: Io = {
    ...memory,
    stdin: inputOf(toAgent.readable),
    stdout: outputOf(fromAgent.writable, (bytes) => checked.takeWritten(bytes)),
  };
  const finished = run([...args, "acp"], io);
  const updates: SessionUpdate[] = [];
  const questions: RequestPermissionRequest[] = [];
  const waiting = new Set<() => void>();
  const input = toAgent.writable.getWriter();
  const connection: ClientConnection = client({ name: "test" })
    .onNotification("session/update", ({ params }) => {
      updates.push(params.update);
      for (const look of [...waiting]) look();
    })
    .onRequest("session/request_permission", async ({ params }) => {
      questions.push(params);
      const given = await answer(params);
      return typeof given === "string"
        ? { outcome: { outcome: "selected", optionId: given } }
        : given;
    })
    .onRequest("fs/read_text_file", ({ params }) => {
      const content = buffers?.get(params.path);
      if (content === undefined) throw new Error("no such buffer");
      return { content };
    })
    .onRequest("elicitation/create", ({ params }) => {
      if (fill === undefined) throw new Error("there are no forms");
      return { action: "accept", content: fill(params) };
    })
    .connect(ndJsonStream(
      new WritableStream({
        async write(bytes) {
          checked.takeSent(bytes);
          await input.write(bytes);
        },
      }),
      fromAgent.readable,
    ));
  const { agent } = connection;
  await agent.request("initialize", {
    protocolVersion: 1,
    clientCapabilities: {
      fs: { readTextFile: buffers !== undefined },
      ...fill && { elicitation: { form: {} } },
      ...capabilities,
    },
  });
  const ends = async () => {
    const code = await finished;
    connection.close();
    assert.deepEqual(checked.problems, []);
    return code;
  };
  const leave = async () => {
    await input.close().catch(() => {});
    return await ends();
  };
  return {
    agent,
    updates,
    questions,
    written: checked.written,
    get errors() {
      return memory.errors;
    },
    revoked: memory.revoked,
    async begin(cwd = dir, more = {}) {
      const created = await agent.request("session/new", { cwd, mcpServers: [], ...more });
      return created.sessionId;
    },
    async prompt(sessionId, text) {
      const request: PromptRequest = { sessionId, prompt: [{ type: "text", text }] };
      return (await agent.request("session/prompt", request)).stopReason;
    },
    seen(test) {
      const { promise, resolve } = Promise.withResolvers<SessionUpdate>();
      const look = () => {
        const found = updates.find(test);
        if (found === undefined) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
      return promise;
    },
    writeLine: (line) => input.write(new TextEncoder().encode(`${line}\n`)),
    signal(name) {
      memory.signal(name);
      return ends();
    },
    leave,
    async [Symbol.asyncDispose]() {
      await leave();
    },
  };
}

type Definition = Readonly<Record<string, unknown>>;

const DEFINITIONS: Readonly<Record<string, Definition>> = SCHEMA.$defs;

/** Checks each line that the agent writes: as what it is by its method, or by that of the request it answers. */
class CheckedLines {
  readonly written: Message[] = [];
  readonly problems: string[] = [];
  readonly #sent = new Map<unknown, string>();
  readonly #validators = new Map<string, Validator>();
  #rest = "";

  takeSent(bytes: Uint8Array): void {
    for (const line of new TextDecoder().decode(bytes).trim().split("\n")) {
      const { id, method } = JSON.parse(line) as Message;
      if (id !== undefined && method !== undefined) this.#sent.set(id, method);
    }
  }

  takeWritten(bytes: Uint8Array): void {
    const lines = `${this.#rest}${new TextDecoder().decode(bytes)}`.split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#check(line);
  }

  #check(line: string): void {
    const message: Message = JSON.parse(line);
    this.written.push(message);
    const { id, method, params, result, error } = message;
    const name = method !== undefined
      ? definitionOf(method, id === undefined ? "Notification" : "Request")
      : error !== undefined
      ? "Error"
      : definitionOf(this.#sent.get(id) ?? "", "Response");
    if (name === undefined) this.problems.push(`Not in the schema: ${line}`);
    else this.#validate(name, { value: method !== undefined ? params : error ?? result, line });
    if ((message as { jsonrpc?: unknown }).jsonrpc !== "2.0") this.problems.push(line);
  }

  #validate(name: string, { value, line }: { value: unknown; line: string }): void {
    const schema = { $ref: `#/$defs/${name}`, $defs: DEFINITIONS };
    const validator = this.#validators.get(name) ?? new Validator(schema, "2020-12");
    this.#validators.set(name, validator);
    const { valid, errors } = validator.validate(value);
    if (!valid) this.problems.push(`${name}: ${errors.at(-1)?.error}: ${line}`);
  }
}

/** What a message of a method is called in the schema; a copied session is answered as a new one. */
function definitionOf(method: string, kind: string): string | undefined {
  const known = method === "session/fork" ? "session/new" : method;
  if (known === "$/cancel_request") return "CancelRequestNotification";
  return Object.entries(DEFINITIONS)
    .find(([name, one]) => one["x-method"] === known && name.endsWith(kind))?.[0];
}

function inputOf(readable: ReadableStream<Uint8Array>): InputStream {
  const reader = readable.getReader();
  let rest = new Uint8Array();
  return {
    isTerminal: () => false,
    kind: () => "pipe",
    setRaw: () => {},
    async read(buffer) {
      if (rest.length === 0) {
        const { value, done } = await reader.read();
        if (done) return null;
        rest = new Uint8Array(value);
      }
      const part = rest.subarray(0, buffer.length);
      buffer.set(part);
      rest = rest.subarray(part.length);
      return part.length;
    },
  };
}

function outputOf(
  writable: WritableStream<Uint8Array>,
  onBytes: (bytes: Uint8Array) => void,
): OutputStream {
  const writer = writable.getWriter();
  return {
    isTerminal: () => false,
    writeSync(bytes) {
      onBytes(bytes);
      writer.write(new Uint8Array(bytes)).catch(() => {});
      return bytes.length;
    },
  };
}
