/**
 * One session of the Agent Client Protocol: a run of ally whose events become updates, and whose person answers through
 * the client.
 */
import {
  type PromptResponse,
  RequestError,
  type SessionConfigOption,
  type SessionModeState,
  type StopReason,
} from "@agentclientprotocol/sdk";
import { runLine } from "../../app/agents.ts";
import type { App } from "../../app/app.ts";
import { compose } from "../../app/compose.ts";
import { MAIN_AGENT } from "../../app/events.ts";
import type { Io } from "../../app/io.ts";
import type { Options } from "../../app/options.ts";
import { fullHistory } from "../../context/transcript.ts";
import type { Event, TurnEndReason } from "../../core/event.ts";
import type { Server } from "../../mcp/server.ts";
import type { ImageInput } from "../../core/image.ts";
import { messageOf } from "../../lib/text.ts";
import { titleOf } from "../../store/session_summary.ts";
import { Debugging } from "../debugging.ts";
import { replayAllTurns } from "../interactive/last_turns.ts";
import { chooseMode, chooseValue, configOptionsOf, modesOf } from "./choices.ts";
import { ClientCommands } from "./commands.ts";
import { createAsk, createConsentAsk, createTrustAsk } from "./permission.ts";
import type { PromptContent } from "./prompt_content.ts";
import type { SessionClient } from "./session_client.ts";
import { SessionUpdates } from "./updates.ts";

/** What a session is opened with. */
export interface SessionOptions {
  /** What the command line and the client's request say together. */
  readonly options: Options;
  readonly io: Io;
  readonly client: SessionClient;
  /** MCP servers that the client brings, in the format of `mcp.json`. */
  readonly mcpServers: string | undefined;
  /** Writes a line to the log that clients keep of an agent. */
  readonly log: (line: string) => void;
}

/** The parts of a session. */
interface SessionParts {
  readonly app: App;
  readonly client: SessionClient;
  readonly updates: SessionUpdates;
  readonly debugging: Debugging;
}

/** A session; `open` makes one. */
export class ClientSession {
  /** By which the client knows it: that of ally's session, if it is saved. */
  readonly id: string;
  readonly #parts: SessionParts;
  readonly #commands: ClientCommands;
  /** Names of the models that the servers list. */
  #models: readonly string[] = [];
  /** What the client knows of modes and options. */
  #told: string;
  #running: AbortController | undefined;
  /** Resolves once no prompt runs. */
  #ended: Promise<unknown> = Promise.resolve();

  private constructor(parts: SessionParts) {
    const { app, updates } = parts;
    this.#parts = parts;
    this.id = app.sessionId() ?? crypto.randomUUID();
    this.#commands = new ClientCommands({ ...parts, say: (text) => updates.say(text) });
    this.#told = JSON.stringify(this.choices);
  }

  /** Opens a session. @throws {Error} as `compose` */
  static async open(
    { options, io, client, mcpServers, log }: SessionOptions,
  ): Promise<ClientSession> {
    const { cwd, verbose, debug } = options;
    const parts: { app?: App; session?: ClientSession } = {};
    const updates = new SessionUpdates({
      client,
      cwd,
      findTool: (name) =>
        parts.app?.agent.deps.scheduler.registry.all.find((one) => one.name === name),
      state: () => parts.app?.current.conversation.state,
    });
    const debugging = new Debugging({
      verbose,
      logging: debug,
      show: (line) => log(`debug: ${line}`),
    });
    const app = parts.app = await compose(options, {
      sink: debugging.wrapSink((event) => {
        updates.sink(event);
        parts.session?.follow(event);
      }),
      ask: createAsk({ client, updates, cwd }),
      askConsent: createConsentAsk(client),
      askTrust: createTrustAsk(client, { warn: (text) => updates.warn(text) }),
      approveServer: async (server) => await parts.session?.approveServer(server),
      interactive: true,
      showsWholeFiles: true,
      ...client.capabilities.fs?.readTextFile && { readBuffer: client.readBuffer },
      ...mcpServers !== undefined && { mcpServers },
      io: { ...io, isShared: true },
    });
    debugging.openLog({ home: app.paths.home, secrets: app.secrets });
    return parts.session = new ClientSession({ app, client, updates, debugging });
  }

  /** Where relative paths start. */
  get cwd(): string {
    return this.#parts.app.workspace.cwd;
  }

  /** What can be chosen, as a client is told. */
  get choices(): { modes: SessionModeState; configOptions: SessionConfigOption[] } {
    const { app } = this.#parts;
    return { modes: modesOf(app), configOptions: configOptionsOf(app, this.#models) };
  }

  /** Tells what has been said in the session so far. */
  replay(): void {
    const { app, updates } = this.#parts;
    updates.startOver();
    for (const event of replayAllTurns(app.current.conversation)) {
      updates.sink({ ...event, time: new Date().toISOString(), agent: MAIN_AGENT });
    }
  }

  /** Begins to tell the client of the session, which knows it now; what takes time follows in the background. */
  start(): void {
    const { app, client } = this.#parts;
    client.open(this.id);
    void this.#commands.announce().catch(() => {});
    void app.models.list().then(({ names }) => {
      this.#models = names;
      this.#tellChoices();
    }).catch(() => {});
  }

  /** Runs a prompt to its end. @throws {RequestError} another one is running, or the turn failed */
  async prompt(content: PromptContent, signal: AbortSignal): Promise<PromptResponse> {
    if (this.#running !== undefined) {
      throw RequestError.invalidRequest(undefined, "a prompt of this session is running");
    }
    const running = this.#running = new AbortController();
    const answer = this.#run(content, { running, signal });
    this.#ended = answer.catch(() => {});
    return await answer;
  }

  async #run(
    { words, isTyped, piped, images }: PromptContent,
    { running, signal }: { running: AbortController; signal: AbortSignal },
  ): Promise<PromptResponse> {
    const cancel = () => this.cancel();
    signal.addEventListener("abort", cancel);
    const { app, client, updates } = this.#parts;
    // Who prompts knows the session, however soon that is.
    client.open(this.id);
    updates.lastEnd = undefined;
    try {
      app.warm();
      for (const image of images) await this.#attach(image);
      if (!isTyped || !await this.#commands.run(words, running.signal)) {
        await runLine(words, { ...app, piped, signal: running.signal });
      }
      return { stopReason: stopReasonOf(updates.lastEnd, running.signal) };
    } catch (error) {
      if (running.signal.aborted) return { stopReason: "cancelled" };
      throw error;
    } finally {
      signal.removeEventListener("abort", cancel);
      this.#running = undefined;
      this.#tellChoices();
      this.#tellInfo();
      void this.#commands.announce().catch(() => {});
    }
  }

  /** Ends what is running; the prompt is answered as cancelled. */
  cancel(): void {
    this.#running?.abort();
    this.#parts.app.agent.interrupt();
  }

  /** Takes a mode. @throws {Error} it cannot be taken */
  setMode(id: string): void {
    chooseMode(this.#parts.app, id);
    this.#tellChoices();
  }

  /** Takes the value of an option. @throws {Error} it cannot be taken */
  setOption(option: string, value: string): void {
    chooseValue(this.#parts.app, { option, value, models: this.#models });
    this.#tellChoices();
  }

  /** Ends what runs, and waits until everything is saved. */
  async close(): Promise<void> {
    const { app, client, debugging } = this.#parts;
    this.cancel();
    client.close();
    // What a call did is recorded when it has ended.
    await this.#ended;
    try {
      await app.stopTasks();
    } finally {
      app.close();
      debugging.close();
    }
  }

  /** Ends all children at once. */
  kill(): void {
    this.#parts.app.close();
  }

  /** Asks about an MCP server that changed. */
  async approveServer(server: Server): Promise<void> {
    const { signal = this.#parts.client.closed } = this.#running ?? {};
    await this.#commands.approveServer(server, signal);
  }

  /** Follows the events of the run. */
  follow(event: Event): void {
    // A turn that was cancelled before it began.
    if (event.type === "turn_start" && this.#running?.signal.aborted) this.cancel();
    if (event.type === "tool_end") this.#tellChoices();
  }

  /** An image that cannot be used is left out, which the person is told. */
  async #attach(image: ImageInput): Promise<void> {
    const { app, updates } = this.#parts;
    try {
      await app.prompts.attachImage(image);
    } catch (error) {
      updates.warn(`${image.name} is not attached: ${messageOf(error)}`);
    }
  }

  /** Tells the client what was chosen otherwise than by it: by a command, or by an answer. */
  #tellChoices(): void {
    const { client } = this.#parts;
    const { modes, configOptions } = this.choices;
    const told = JSON.stringify({ modes, configOptions });
    if (told === this.#told) return;
    const before: { modes: SessionModeState } = JSON.parse(this.#told);
    this.#told = told;
    if (before.modes.currentModeId !== modes.currentModeId) {
      client.send({ sessionUpdate: "current_mode_update", currentModeId: modes.currentModeId });
    }
    client.send({ sessionUpdate: "config_option_update", configOptions });
  }

  #tellInfo(): void {
    const { app: { current: { conversation } }, client } = this.#parts;
    const title = titleOf(conversation.title, fullHistory(conversation));
    const updatedAt = new Date().toISOString();
    client.send({ sessionUpdate: "session_info_update", title, updatedAt });
  }
}

const STOP_REASONS: Readonly<Record<Exclude<TurnEndReason, "error">, StopReason>> = {
  done: "end_turn",
  denied: "end_turn",
  turn_limit: "max_turn_requests",
  budget: "max_turn_requests",
  context: "max_tokens",
  interrupted: "cancelled",
};

/** Why a prompt ended, by the end of its turn, if it had one. @throws {RequestError} the turn failed */
function stopReasonOf(
  end: Extract<Event, { type: "turn_end" }> | undefined,
  signal: AbortSignal,
): StopReason {
  if (signal.aborted) return "cancelled";
  if (end === undefined) return "end_turn";
  if (end.reason !== "error") return STOP_REASONS[end.reason];
  throw new RequestError(-32603, end.error ?? "The turn failed.");
}
