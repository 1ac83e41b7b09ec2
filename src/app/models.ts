/**
 * The models of a run: lists those of all endpoints, leads requests to the right one, and knows how large the
 * window of each is: from the configuration, else from earlier runs, else by asking the server while it works.
 */
import type { CurrentConversation } from "../agent/current_conversation.ts";
import { loadingNotice, smallWindowNote } from "../agent/turn_notes.ts";
import type { Spending } from "../agent/spending.ts";
import type { SlotUser } from "../agent/usage.ts";
import type { ModelProfile, ServerFeatures } from "../core/endpoint.ts";
import { EndpointError, UsageError } from "../core/errors.ts";
import type { EventBody } from "../core/event.ts";
import type { EffortDialect, Model, ModelRequest, Reply, Usage } from "../core/model.ts";
import { messageOf } from "../lib/text.ts";
import type { ModelOptions } from "../model/client.ts";
import { effortDialectOf, type Fallback } from "../model/dialects.ts";
import { displayUrl } from "../model/endpoint.ts";
import { routeModels } from "../model/router.ts";
import { hidesTools } from "../model/server_features.ts";
import type { ServerWindow } from "../model/window.ts";
import type { ModelProfiles } from "../store/model_profiles.ts";
import { DEFAULTS } from "../store/settings_table.ts";
import {
  configuredWindow,
  costOf,
  destinationOf,
  type EffortSettings,
  type Endpoints,
  type KnownEndpoint,
  modelKeyOf,
  priceOf,
  qualifyModel,
  type WindowSettings,
} from "./endpoints.ts";
import { MAIN_AGENT } from "./events.ts";
import { rejectFetch } from "./process_permissions.ts";
import type { ServerSlots, SlotKeeping } from "./server_slots.ts";
import type { ModelFacts, Traffic } from "./traffic.ts";

/** What the models of a run are made with. */
interface ModelsOptions {
  readonly endpoints: Endpoints;
  /** Timeouts and retries of every client. */
  readonly client: Omit<ModelOptions, "url" | "apiKey" | "headers" | "imageUrlOf">;
  readonly profiles: ModelProfiles;
  readonly windows: WindowSettings;
  readonly efforts: EffortSettings;
  readonly current: CurrentConversation;
  /** The traffic, if it is recorded or replayed: then ally itself asks no server for anything. */
  readonly traffic: Pick<Traffic, "factsOf" | "recordModel" | "replay"> | undefined;
  /** Whether only the default endpoint can be reached. */
  readonly onlyDefaultEndpoint: boolean;
  /** What may be spent. @default nothing is limited */
  readonly spending: Spending | undefined;
  readonly imageUrlOf: ModelOptions["imageUrlOf"];
  readonly emit: (body: EventBody) => void;
}

/** Tools in the text: not remembered as refused, since they are worth asking for once in each run. */
const AS_TEXT: Fallback = "tools";

/** What the servers offer, and which of them did not answer. */
interface AvailableModels {
  readonly names: readonly string[];
  /** One line for each endpoint that did not answer. */
  readonly problems: readonly string[];
}

/** Milliseconds that an endpoint among several may take to list its models. */
const LIST_TIMEOUT_MS = 3_000;
/** Milliseconds of work after which the server is asked for the window: a quick answer does not need it. */
const ASK_AFTER_MS = 500;

/** The models of all endpoints. */
export class Models {
  /** Leads each request to the endpoint of its model. */
  readonly router: Model;
  /** What all of them may spend. */
  readonly spending: Spending | undefined;
  readonly #options: ModelsOptions;
  readonly #closing = new AbortController();
  /** The servers' answers in this run, by the model's name as it is used here. */
  readonly #windowAnswers = new Map<string, Promise<ServerWindow>>();
  /** Models whose windows are to be asked for again once they are loaded. */
  readonly #unloaded = new Set<string>();
  /** What servers have refused in this run, by the model's name as it is used here. */
  readonly #refused = new Map<string, Set<string>>();
  #slots: ServerSlots | undefined;
  /** Settles when the slot of a session that goes on is as it was. */
  #restoring: Promise<void> | undefined;
  /** Is told of each request that wants a reply. */
  onRequest: ((request: ModelRequest) => void) | undefined;
  /** Tokens of the main agent's last prompt, by the server's URL. */
  readonly #lastPrompts = new Map<string, number>();
  /** Settles when everything learnt is saved. */
  #saving: Promise<void> = Promise.resolve();
  /** Fires when windows are to be asked for. */
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: ModelsOptions) {
    this.#options = options;
    const optionsOf = new Map<KnownEndpoint, ModelOptions>();
    const router = routeModels((name) => {
      const { endpoint, model } = this.#destination(name);
      const known = optionsOf.get(endpoint) ?? this.#clientOptions(endpoint);
      optionsOf.set(endpoint, known);
      const { asksParallel, effort } = this.factsOf(qualifyModel(model, endpoint));
      return { options: known, model, parallel: asksParallel, effort };
    });
    const inSlots: Model = { reply: (request, sent) => this.#reply(router, request, sent) };
    this.spending = options.spending;
    this.router = options.spending?.wrap(inSlots) ?? inSlots;
  }

  /** Sends a request to the slot of its agent, once that holds what it held when the session was left. */
  async #reply(
    router: Model,
    request: ModelRequest,
    options: Parameters<Model["reply"]>[1],
  ): Promise<Reply> {
    if (!request.warms) this.onRequest?.(request);
    if (this.#restoring !== undefined) {
      const { abortable } = await import("../lib/async.ts");
      // A request that was given up meanwhile is answered as one, by the router.
      await abortable(this.#restoring, options.signal).catch(() => {});
    }
    const { url } = destinationOf(request.model, this.#options.endpoints).endpoint;
    const slot = this.#slots?.nameFor(request.agent ?? "", url);
    const reply = await router.reply({ ...request, slot }, options);
    if (reply.usage === undefined) return reply;
    if (request.agent === MAIN_AGENT.id) this.#lastPrompts.set(url, reply.usage.promptTokens);
    return reply;
  }

  /**
   * Runs an agent in a slot of its own of its model's server, so that the main agent finds its conversation as it left
   * it; where there are fewer slots than agents, one after another.
   */
  async inSlot<T>(user: SlotUser, run: () => Promise<T>): Promise<T> {
    if ((await this.shownFeatures(user.model))?.slots === undefined) return await run();
    return await (await this.#openSlots()).use(user, run);
  }

  /** Whether a model's server may be warmed: one of this network's, which is known, and where tokens cost nothing. */
  async canWarm(name: string): Promise<boolean> {
    const { endpoint, model } = destinationOf(name, this.#options.endpoints);
    const isFree = priceOf(endpoint.prices, model) === undefined;
    const isKnown = this.factsOf(name).features !== undefined;
    if (this.#options.traffic !== undefined || !isFree || !isKnown) return false;
    const { isLocalHost } = await import("../lib/host_address.ts");
    return isLocalHost(new URL(endpoint.url).hostname);
  }

  /**
   * Gets ready to warm a model's server; false if that is not to be done, or the slot works for somebody else. Where
   * there are several slots, the main agent has one of its own from now on.
   */
  async prepareWarming(name: string): Promise<boolean> {
    const features = await this.shownFeatures(name);
    if (features === undefined || !await this.canWarm(name)) return false;
    return features.slots === undefined || !await (await this.#openSlots()).isBusy(name);
  }

  /** Has the server keep the slot of a session that is left; nothing is said where it does not. */
  async saveSlot(keeping: SlotKeeping | undefined): Promise<void> {
    if (keeping === undefined) return;
    const { url } = destinationOf(keeping.model, this.#options.endpoints).endpoint;
    if (!this.#lastPrompts.has(url) || !await this.#mayKeepSlots(keeping)) return;
    await (await this.#openSlots()).save(keeping).catch(() => {});
  }

  /** Has the server read back the slot of a session that goes on; requests wait for it. */
  restoreSlot(keeping: SlotKeeping | undefined): void {
    if (keeping === undefined) return;
    this.#restoring = (async () => {
      if (!await this.#mayKeepSlots(keeping)) return;
      const slots = await this.#openSlots();
      const kept = slots.findKept(keeping);
      if (kept !== undefined) await slots.restore(keeping, kept);
    })().catch(() => {});
  }

  async #mayKeepSlots({ model }: SlotKeeping): Promise<boolean> {
    return this.factsOf(model).features?.slots !== undefined && await this.canWarm(model);
  }

  /** What handles slots is loaded for servers that have some. */
  async #openSlots(): Promise<ServerSlots> {
    const { ServerSlots } = await import("./server_slots.ts");
    return this.#slots ??= new ServerSlots({
      endpointOf: (name) => this.#clientOptions(this.#destination(name).endpoint),
      featuresOf: (name) => this.shownFeatures(name),
      lastPromptOf: (url) => this.#lastPrompts.get(url),
      signal: this.#closing.signal,
    });
  }

  /** What a model's server has shown in this run that it knows; where traffic is recorded or replayed, nothing. */
  async shownFeatures(name: string): Promise<ServerFeatures | undefined> {
    if (this.#options.traffic) return undefined;
    await this.#askWindow(name);
    return (await this.#windowAnswers.get(name))?.features;
  }

  /** The names of all endpoints' models. @throws {EndpointError} none of them can be asked */
  async list(): Promise<AvailableModels> {
    const { default: primary, named } = this.#options.endpoints;
    const others = named.filter(({ name }) => name !== primary.name);
    const all = [primary, ...others];
    const asked = await Promise.allSettled(all.map((one) => this.#listOf(one, all.length > 1)));
    const names = asked.flatMap((one) => one.status === "fulfilled" ? one.value : []);
    const failed = asked.flatMap((one) => one.status === "rejected" ? [one.reason] : []);
    if (failed.length === all.length) throw failed[0];
    return { names, problems: failed.map(messageOf) };
  }

  /** The model to begin with: the one that is named, or the server's first. @throws {UsageError} it has none */
  async resolveInitial(named: string | undefined): Promise<string> {
    if (named !== undefined) return this.qualifiedName(named);
    const { default: primary } = this.#options.endpoints;
    const { putChatModelsFirst } = await import("../model/chat_models.ts");
    const [first] = putChatModelsFirst(await this.#listOf(primary, false));
    if (first !== undefined) return first;
    throw new UsageError(
      "No model is named, and the server lists none. Name one with --model NAME or ALLY_MODEL.",
    );
  }

  /** Whether the traffic is recorded, or comes from a recording. */
  get isRecorded(): boolean {
    return this.#options.traffic !== undefined;
  }

  /** Whether a model that thinks can be told to answer. */
  canEndThinking(name: string): boolean {
    const { features, effortBy, without } = this.factsOf(name);
    return features?.kind === "llamacpp" || effortBy !== undefined && !without.includes("effort");
  }

  /** A model's name as it is used in this run. */
  qualifiedName(model: string): string {
    const { endpoint, model: plain } = destinationOf(model, this.#options.endpoints);
    return qualifyModel(plain, endpoint);
  }

  /** The name here of a model at an address; no address stands for the default endpoint. */
  nameAtEndpoint({ model, endpoint }: { model: string; endpoint: string | undefined }): string {
    const { default: primary, named } = this.#options.endpoints;
    const there = named.find((one) => displayUrl(one.url) === endpoint) ?? primary;
    return qualifyModel(model, there);
  }

  /** What a model's requests depend on; in a replay, as recorded. */
  factsOf(name: string): ModelFacts {
    const { endpoint } = destinationOf(name, this.#options.endpoints);
    const profile = this.#profile(name);
    return this.#options.traffic?.factsOf(name) ?? {
      size: this.#configuredSize(name) ?? profile?.window?.size ?? DEFAULTS.context_size,
      without: [...profile?.without ?? [], ...hidesTools(profile?.features) ? [AS_TEXT] : []],
      asksParallel: profile?.parallel_calls === "asked",
      features: profile?.features,
      effort: endpoint.effort ?? this.#options.efforts.configured,
      effortBy: this.#effortBy(endpoint, profile),
    };
  }

  /** Tokens of a model's window, as far as is known by now. */
  windowSizeOf(name: string): number {
    return this.factsOf(name).size;
  }

  /** Tokens of the window of a model that is used from now on, as far as is known by now. */
  use(name: string): number {
    const facts = this.factsOf(name);
    this.#options.traffic?.recordModel(name, facts);
    return facts.size;
  }

  /** Goes on with another model from the next request on, with its own window; returns its name as it is used here. */
  switchTo(name: string): string {
    const { current } = this.#options;
    const model = this.qualifiedName(name);
    current.configure({ model });
    current.budget.changeWindow(this.use(model));
    this.refreshWindow(model);
    return model;
  }

  /** Tokens of the window of a model that is used besides the current one; its server is asked if need be. */
  async resolveWindowSize(model: string): Promise<number> {
    const name = this.qualifiedName(model);
    const isKnown = this.#configuredSize(name) !== undefined || this.#profile(name)?.window;
    if (!isKnown) await this.#askWindow(name);
    return this.use(name);
  }

  /** Whether a model takes images, as its server says now or has shown; undefined if neither. */
  async takesImages(name: string): Promise<boolean | undefined> {
    await this.#askWindow(name);
    const { images } = await this.#windowAnswers.get(name) ?? {};
    return images ?? (this.factsOf(name).without.includes("images") ? false : undefined);
  }

  /** Waits until everything learnt about models is saved for later runs. */
  async flush(): Promise<void> {
    await this.#saving;
  }

  /** How much a model is to think, and whether its server takes that. */
  describeEffort(name: string, chosen = this.#options.current.settings.effort): string {
    const { effort = chosen, without } = { ...this.factsOf(name), ...chosen && { effort: chosen } };
    if (effort === undefined) return "up to the server";
    if (without.includes("effort")) return `${effort}, which ${name} does not take`;
    return effort === "minimal" && without.includes("minimal_effort")
      ? "minimal, which is sent as low"
      : effort;
  }

  /** What tokens cost, if a price is configured. */
  costOf(usage: Usage, name: string): number | undefined {
    return costOf(usage, name, this.#options.endpoints);
  }

  /** Asks for the window in use, once, in the background. */
  refreshWindow(name: string): void {
    if (this.#configuredSize(name) === undefined) void this.#askWindow(name);
  }

  /** Waits until a server that has shown nothing has said how it is told how much to think, if that is to be said. */
  async #prepareEffort(name: string): Promise<void> {
    const { effort = this.#options.current.settings.effort, effortBy } = this.factsOf(name);
    const isKnown = effort === undefined || effortBy !== undefined ||
      this.#profile(name)?.window !== undefined;
    if (!isKnown) await this.#askWindow(name);
  }

  /** Waits for the size of the window if the prompt is so long that it matters. */
  async prepareFor(prompt: string): Promise<void> {
    const name = this.#options.current.settings.model;
    await this.#prepareEffort(name);
    const known = this.#profile(name)?.window;
    const isSure = this.#configuredSize(name) !== undefined ||
      (known !== undefined && known.source !== "default");
    const { used, size } = this.#options.current.budget;
    // A token is rarely shorter than three characters.
    if (isSure || used + prompt.length / 3 <= size / 2) return;
    await this.#askWindow(name);
    if (!this.#unloaded.delete(name)) return;
    const { endpoint, model } = destinationOf(name, this.#options.endpoints);
    const text = `${name} is being loaded, to see whether a message this long fits its window.`;
    this.#options.emit({ type: "notice", level: "info", text });
    const { loadModel } = await import("../model/window.ts");
    await loadModel(this.#clientOptions(endpoint), { model, signal: this.#closing.signal });
    this.#windowAnswers.delete(name);
    await this.#askWindow(name);
  }

  /**
   * Follows the events of the run: a window is asked for while the model works, at the latest when more requests
   * follow, and again once the model is loaded.
   */
  onEvent(event: EventBody): void {
    if (event.type === "request_start" && event.model !== undefined) {
      this.#scheduleRefresh(event.model);
    }
    if (event.type !== "message" || event.message.role !== "assistant") return;
    if (event.message.calls.length > 0) this.refreshWindow(this.#options.current.settings.model);
    for (const name of this.#unloaded) {
      this.#windowAnswers.delete(name);
      this.refreshWindow(name);
    }
    this.#unloaded.clear();
  }

  #scheduleRefresh(name: string): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.refreshWindow(name), ASK_AFTER_MS);
  }

  /** Cancels pending questions to servers. */
  close(): void {
    clearTimeout(this.#timer);
    this.#closing.abort();
  }

  #destination(name: string) {
    const { endpoint, model } = destinationOf(name, this.#options.endpoints);
    if (endpoint.problem !== undefined) throw new EndpointError(endpoint.problem);
    return { endpoint, model };
  }

  #clientOptions(endpoint: KnownEndpoint): ModelOptions {
    const { client, endpoints, onlyDefaultEndpoint } = this.#options;
    const { fetch, ...limits } = client;
    const isPrimary = endpoint.url === endpoints.default.url;
    return {
      ...limits,
      ...endpoint,
      ...fetch !== undefined && { fetch: onlyDefaultEndpoint && !isPrimary ? rejectFetch : fetch },
      knownFallbacks: (model) => this.factsOf(qualifyModel(model, endpoint)).without,
      featuresOf: (model) => this.factsOf(qualifyModel(model, endpoint)).features,
      effortDialectOf: (model) => this.factsOf(qualifyModel(model, endpoint)).effortBy,
      imageUrlOf: this.#options.imageUrlOf,
      onFallback: (model, fallback) => this.#rememberRefusal(fallback, { endpoint, model }),
    };
  }

  /** Stores what a server refuses, so that later runs need not find it out. */
  #rememberRefusal(
    fallback: Fallback,
    { endpoint, model }: { endpoint: KnownEndpoint; model: string },
  ): void {
    if (fallback === AS_TEXT || this.#options.traffic?.replay) return;
    const name = qualifyModel(model, endpoint);
    const refused = this.#refused.get(name) ?? new Set(this.#profile(name)?.without);
    this.#refused.set(name, refused.add(fallback));
    this.#saveProfile({ endpoint, model }, { without: [...refused] });
  }

  /** A disk that takes nothing fails no run. */
  #saveProfile(
    { endpoint, model }: { endpoint: KnownEndpoint; model: string },
    found: Partial<ModelProfile>,
  ): void {
    const { profiles } = this.#options;
    this.#saving = this.#saving
      .then(() => profiles.update(modelKeyOf(endpoint, model), found)).catch(() => {});
  }

  async #listOf(endpoint: KnownEndpoint, among: boolean): Promise<string[]> {
    if (endpoint.problem !== undefined) throw new EndpointError(endpoint.problem);
    const options = {
      ...this.#clientOptions(endpoint),
      ...among ? { timeoutMs: LIST_TIMEOUT_MS } : {
        onLoading: (ms: number) => this.#options.emit(loadingNotice(ms)),
      },
    };
    // A run with a named model does not ask for them.
    const { listModels } = await import("../model/models.ts");
    const names = await listModels(options);
    return names.map((name) => qualifyModel(name, endpoint));
  }

  #configuredSize(name: string): number | undefined {
    const { endpoints, windows } = this.#options;
    return configuredWindow(destinationOf(name, endpoints).endpoint, windows);
  }

  /** As the person says, or the server has shown, or its address tells. */
  #effortBy(endpoint: KnownEndpoint, profile: ModelProfile | undefined): EffortDialect | undefined {
    return endpoint.effortBy ?? effortDialectOf(endpoint.url, profile?.features);
  }

  #profile(name: string) {
    const { endpoint, model } = destinationOf(name, this.#options.endpoints);
    return this.#options.profiles.find(modelKeyOf(endpoint, model));
  }

  async #askWindow(name: string): Promise<void> {
    const { endpoint, model } = destinationOf(name, this.#options.endpoints);
    if (endpoint.problem !== undefined || this.#options.traffic) return;
    const asked = this.#windowAnswers.get(name) ?? this.#learn(name, { endpoint, model });
    this.#windowAnswers.set(name, asked);
    await asked;
  }

  /** Asks the server; whoever waits for the answer finds it saved among the facts. */
  async #learn(
    name: string,
    { endpoint, model }: { endpoint: KnownEndpoint; model: string },
  ): Promise<ServerWindow> {
    const { signal } = this.#closing;
    const answer = await this.#fetchWindow(endpoint, { model, signal });
    if (signal.aborted) return answer;
    if (answer.unloaded) this.#unloaded.add(name);
    await this.#learnFeatures(name, answer);
    await this.#learnWindow(name, answer);
    return answer;
  }

  /** What that takes is loaded only then: a run that is over at once asks for nothing. */
  async #fetchWindow(
    endpoint: KnownEndpoint,
    question: { model: string; signal: AbortSignal },
  ): Promise<ServerWindow> {
    const { fetchWindow } = await import("../model/window.ts");
    return await fetchWindow(this.#clientOptions(endpoint), question);
  }

  /** What another program showed at this address before is forgotten, and so is that it refused images. */
  async #learnFeatures(name: string, { features, size, images }: ServerWindow): Promise<void> {
    const hasAnswered = features !== undefined || size !== undefined;
    const { features: shown, without: refused } = this.#profile(name) ?? {};
    const without = refused?.filter((one) => one !== "images" || !images);
    const isKnown = JSON.stringify([features, without]) === JSON.stringify([shown, refused]);
    if (!hasAnswered || isKnown) return;
    const { endpoint, model } = destinationOf(name, this.#options.endpoints);
    this.#saveProfile({ endpoint, model }, { features, ...without && { without } });
    await this.#saving;
  }

  /** A window that was measured holds as long as the server gives the same answer as then. */
  async #learnWindow(
    name: string,
    { size, source = "server", digest }: ServerWindow,
  ): Promise<void> {
    const before = this.#profile(name);
    const changed = digest !== undefined && before?.digest !== undefined &&
      digest !== before.digest;
    if (this.#configuredSize(name) !== undefined) return;
    if (size === undefined || (before?.window?.asked === size && !changed)) return;
    const { endpoint, model } = destinationOf(name, this.#options.endpoints);
    const found = { window: { size, source, asked: size }, ...digest !== undefined && { digest } };
    // Findings about another model do not apply to this one.
    const rest = changed ? { without: [] } : {};
    this.#resize(name, size);
    if (source !== "default") await this.#warnOfSmallWindow(name, size);
    this.#saveProfile({ endpoint, model }, { ...rest, ...found });
    // Facts about models are read from the saved profile.
    await this.#saving;
  }

  #resize(name: string, size: number): void {
    if (name !== this.#options.current.settings.model) return;
    this.#options.current.budget.resize(size);
  }

  async #warnOfSmallWindow(name: string, size: number): Promise<void> {
    const { SMALL_WINDOW } = await import("../model/window.ts");
    if (name !== this.#options.current.settings.model || size >= SMALL_WINDOW) return;
    const text = smallWindowNote(name, size);
    this.#options.emit({ type: "notice", level: "info", text });
  }
}
