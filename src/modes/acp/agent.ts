/**
 * The agent of one connection: answers the methods of the Agent Client Protocol, and holds the sessions that are open
 * on it.
 */
import {
  agent,
  type AgentApp,
  type AgentContext,
  type ClientCapabilities,
  type InitializeRequest,
  type InitializeResponse,
  type McpServer,
  methods,
  type NewSessionResponse,
  PROTOCOL_VERSION,
  RequestError,
  type ResumeSessionResponse,
} from "@agentclientprotocol/sdk";
import { isAbsolute, join, parse } from "node:path";
import type { Io } from "../../app/io.ts";
import type { Options } from "../../app/options.ts";
import { VERSION } from "../../app/version.ts";
import { exists } from "../../lib/fs.ts";
import { isObject } from "../../lib/schema.ts";
import { boundMessage } from "../../lib/excerpt.ts";
import { messageOf } from "../../lib/text.ts";
import { isFirstStart } from "../interactive/first_start.ts";
import { toServerFile } from "./client_servers.ts";
import { readPrompt } from "./prompt_content.ts";
import { ClientSession } from "./session.ts";
import { SessionClient } from "./session_client.ts";
import { findStoredSession, hasStoredSession, listStoredSessions } from "./stored_sessions.ts";

/** The method that is not part of the stable protocol yet. */
const FORK = "session/fork";

/** What an agent is made with. */
interface AgentOptions {
  /** What the command line says; it holds for every session. */
  readonly options: Options;
  readonly io: Io;
  /** Writes a line to the log that clients keep of an agent. */
  readonly log: (line: string) => void;
}

/** Where a session works, as a client says it. */
interface SessionPlace {
  readonly cwd: string;
  readonly additionalDirectories?: readonly string[];
  readonly mcpServers?: readonly McpServer[];
}

/** Ready to use after `new`. */
export class ClientAgent {
  readonly #options: AgentOptions;
  readonly #sessions = new Map<string, ClientSession>();
  #capabilities: ClientCapabilities = {};
  /** Files of receipts that sessions of this process have taken. */
  readonly #receipts = new Set<string>();

  constructor(options: AgentOptions) {
    this.#options = options;
  }

  /** The methods as the SDK serves them. */
  createApp(): AgentApp {
    const { initialize, authenticate, session } = methods.agent;
    return agent({ name: "ally" })
      .onRequest(initialize, ({ params }) => this.#initialize(params))
      .onRequest(authenticate, () => {
        throw RequestError.invalidParams(undefined, "there is no such method; run ally init");
      })
      .onRequest(session.new, ({ params, client }) => refuse(() => this.#begin(params, client)))
      .onRequest(
        session.load,
        ({ params, client }) => refuse(() => this.#resume(params, { client, replays: true })),
      )
      .onRequest(
        session.resume,
        ({ params, client }) => refuse(() => this.#resume(params, { client, replays: false })),
      )
      .onRequest(
        FORK,
        parseFork,
        ({ params: { sessionId, ...place }, client }) =>
          refuse(() => this.#begin(place, client, { fork: sessionId })),
      )
      .onRequest(
        session.list,
        ({ params }) => refuse(() => listStoredSessions(params, this.#options.io.env)),
      )
      .onRequest(session.close, ({ params }) => refuse(() => this.#close(params.sessionId)))
      .onRequest(session.delete, ({ params }) => refuse(() => this.#delete(params.sessionId)))
      .onRequest(session.setMode, ({ params: { sessionId, modeId } }) =>
        refuse(() => {
          this.#find(sessionId).setMode(modeId);
          return {};
        }))
      .onRequest(
        session.setConfigOption,
        ({ params: { sessionId, configId, value } }) =>
          refuse(() => {
            const found = this.#find(sessionId);
            found.setOption(configId, String(value));
            return { configOptions: found.choices.configOptions };
          }),
      )
      .onRequest(session.prompt, ({ params: { sessionId, prompt }, signal }) =>
        refuse(() => {
          const found = this.#find(sessionId);
          return found.prompt(readPrompt(prompt, found.cwd), signal);
        }))
      .onNotification(
        session.cancel,
        ({ params }) => this.#sessions.get(params.sessionId)?.cancel(),
      );
  }

  /** Ends all sessions, once what they have done is saved. */
  async closeAll(): Promise<void> {
    await Promise.allSettled([...this.#sessions.values()].map((session) => session.close()));
  }

  /** Ends all children at once. */
  killAll(): void {
    for (const session of this.#sessions.values()) session.kill();
  }

  #initialize({ clientCapabilities = {} }: InitializeRequest): InitializeResponse {
    this.#capabilities = clientCapabilities;
    return {
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name: "ally", title: "ally", version: VERSION },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, audio: false, embeddedContext: true },
        mcpCapabilities: { http: true, sse: true },
        sessionCapabilities: {
          list: {},
          delete: {},
          additionalDirectories: {},
          resume: {},
          close: {},
          ...{ fork: {} },
        },
      },
      authMethods: clientCapabilities.auth?.terminal
        ? [{
          type: "terminal",
          id: "init",
          name: "Set up a model",
          description: "asks for the model server, its key and the model, in a terminal",
          args: ["init"],
        }]
        : [],
    };
  }

  async #begin(
    place: SessionPlace,
    client: AgentContext,
    from: Pick<Options, "fork"> = {},
  ): Promise<NewSessionResponse> {
    const { env } = this.#options.io;
    if (
      from.fork !== undefined && !await hasStoredSession({ id: from.fork, cwd: place.cwd }, env)
    ) {
      throw noSession(from.fork);
    }
    const session = await this.#open(place, client, from);
    // The client knows the session once it has the answer.
    setTimeout(() => session.start());
    return { sessionId: session.id, ...session.choices };
  }

  async #resume(
    { sessionId, ...place }: SessionPlace & { readonly sessionId: string },
    { client, replays }: { client: AgentContext; replays: boolean },
  ): Promise<ResumeSessionResponse> {
    const known = this.#sessions.get(sessionId);
    const { env } = this.#options.io;
    if (!known && !await hasStoredSession({ id: sessionId, cwd: place.cwd }, env)) {
      throw noSession(sessionId);
    }
    const session = known ?? await this.#open(place, client, { resume: sessionId });
    session.start();
    if (replays) session.replay();
    return session.choices;
  }

  async #open(
    { cwd, additionalDirectories = [], mcpServers = [] }: SessionPlace,
    client: AgentContext,
    from: Pick<Options, "fork" | "resume">,
  ): Promise<ClientSession> {
    const { options, io, log } = this.#options;
    const relative = [cwd, ...additionalDirectories].find((path) => !isAbsolute(path));
    if (relative !== undefined) {
      throw RequestError.invalidParams(
        undefined,
        boundMessage(`'${relative}' is not an absolute path`),
      );
    }
    try {
      const { resume: _session, fork: _copy, receipt, ...always } = options;
      const session = await ClientSession.open({
        options: {
          ...always,
          ...from,
          continue: false,
          cwd,
          addDirs: [...options.addDirs, ...additionalDirectories],
          ...receipt !== undefined && { receipt: this.#takeReceipt(receipt) },
        },
        io,
        client: new SessionClient(client, this.#capabilities),
        mcpServers: toServerFile(mcpServers),
        log,
      });
      this.#sessions.set(session.id, session);
      return session;
    } catch (error) {
      log(`ally: ${messageOf(error)}`);
      if (await isFirstStart({ ...options, cwd }, io.env)) {
        throw RequestError.authRequired(undefined, `${messageOf(error)} ally init sets one up.`);
      }
      throw toRequestError(error);
    }
  }

  /** Each session has a receipt of its own: the first that is free of FILE, FILE.2, ... before its suffix. */
  #takeReceipt(path: string): string {
    const { dir, name, ext } = parse(path);
    for (let count = 1;; count++) {
      const file = count === 1 ? path : join(dir, `${name}.${count}${ext}`);
      if (this.#receipts.has(file) || exists(file)) continue;
      this.#receipts.add(file);
      return file;
    }
  }

  #find(sessionId: string): ClientSession {
    const session = this.#sessions.get(sessionId);
    if (session === undefined) throw noSession(sessionId);
    return session;
  }

  async #close(sessionId: string): Promise<Record<string, never>> {
    const session = this.#find(sessionId);
    this.#sessions.delete(sessionId);
    await session.close();
    return {};
  }

  async #delete(sessionId: string): Promise<Record<string, never>> {
    const open = this.#sessions.get(sessionId);
    if (open !== undefined) await this.#close(sessionId);
    const found = await findStoredSession(sessionId, this.#options.io.env);
    if (found === undefined) {
      // A session in which nothing was said is in no file.
      if (open !== undefined) return {};
      throw noSession(sessionId);
    }
    await found.store.remove(found.id);
    return {};
  }
}

/** The result, or the error as clients show it: with its message in full. */
async function refuse<T>(run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw toRequestError(error);
  }
}

function noSession(id: string): RequestError {
  return RequestError.sessionNotFound(boundMessage(id));
}

function toRequestError(error: unknown): RequestError {
  return error instanceof RequestError
    ? error
    : new RequestError(-32603, boundMessage(messageOf(error)));
}

/** @throws {RequestError} what was sent names no session or no directory */
function parseFork(params: unknown): SessionPlace & { readonly sessionId: string } {
  const { sessionId, cwd, additionalDirectories, mcpServers } = isObject(params)
    ? params
    : {} as Record<string, unknown>;
  if (typeof sessionId !== "string" || typeof cwd !== "string") {
    throw RequestError.invalidParams(undefined, "sessionId and cwd are needed");
  }
  const directories = Array.isArray(additionalDirectories)
    ? additionalDirectories.filter((one) => typeof one === "string")
    : [];
  const servers = Array.isArray(mcpServers) ? mcpServers as McpServer[] : [];
  return { sessionId, cwd, additionalDirectories: directories, mcpServers: servers };
}
