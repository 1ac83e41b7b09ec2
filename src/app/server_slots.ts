/**
 * The slots of a run's model servers: gives each agent one, and has a server keep that of the main agent's conversation
 * in a file from one run to the next. Loaded only for servers that have shown slots.
 */
import type { SlotUser } from "../agent/usage.ts";
import type { ServerFeatures } from "../core/endpoint.ts";
import { hashText } from "../lib/content_hash.ts";
import { plural } from "../lib/text.ts";
import { displayUrl, type Endpoint } from "../model/endpoint.ts";
import { copySlot, listSlots, SlotTable } from "../model/slots.ts";
import { type KeptSlot, readKeptSlot, writeKeptSlot } from "../store/kept_slot.ts";
import { MAIN_AGENT } from "./events.ts";

/** What the slots of a run are found with. */
interface ServerSlotsOptions {
  readonly endpointOf: (model: string) => Endpoint;
  /** What a model's server has shown in this run. */
  readonly featuresOf: (model: string) => Promise<ServerFeatures | undefined>;
  /** Tokens of the main agent's last prompt to a server, if it had one. */
  readonly lastPromptOf: (url: string) => number | undefined;
  readonly signal: AbortSignal;
}

/** Whose slot is kept between runs, and where ally notes it. */
export interface SlotKeeping {
  readonly model: string;
  readonly session: string;
  /** ally's folder of the project. */
  readonly directory: string;
}

/** Milliseconds that a server may take to write a slot to a file, and to read it. */
const SAVE_MS = 10_000;
const RESTORE_MS = 20_000;

/** Ready to use after `new`. */
export class ServerSlots {
  readonly #options: ServerSlotsOptions;
  /** By the server's URL. */
  readonly #tables = new Map<string, SlotTable>();

  constructor(options: ServerSlotsOptions) {
    this.#options = options;
  }

  /** The slot that an agent's requests to a server name, if any. */
  nameFor(agent: string, url: string): number | undefined {
    return this.#tables.get(url)?.nameFor(agent);
  }

  /** Runs an agent in a slot of its own; where there are fewer slots than agents, one after another. */
  async use<T>(user: SlotUser, run: () => Promise<T>): Promise<T> {
    const table = await this.#table(user.model);
    if (table === undefined) return await run();
    const promptTokens = this.#options.lastPromptOf(this.#options.endpointOf(user.model).url);
    if (promptTokens !== undefined) await table.keep(MAIN_AGENT.id, promptTokens);
    if (table.isFull) user.onWait(describeWaiting(table));
    return await table.use(user.id, run);
  }

  /** Whether the main agent's slot works for somebody else; from now on the agent keeps to it. */
  async isBusy(model: string): Promise<boolean> {
    const table = await this.#table(model);
    if (table === undefined) return false;
    const slot = await this.#keep(table, model);
    return (await table.states()).some(({ id, busy }) => id === slot && busy);
  }

  /** Has the server write the main agent's slot to a file, where it keeps slots. */
  async save({ model, session, directory }: SlotKeeping): Promise<void> {
    const table = await this.#table(model);
    if (table === undefined) return;
    const endpoint = this.#options.endpointOf(model);
    const slot = await this.#keep(table, model);
    const file = fileOf(directory);
    const copy = { action: "save", slot, file, timeoutMs: SAVE_MS } as const;
    if (await copySlot(endpoint, copy) === undefined) return;
    const { task } = (await table.states()).find(({ id }) => id === slot) ?? {};
    const kept = { session, endpoint: displayUrl(endpoint.url), model, slot };
    await writeKeptSlot(directory, { ...kept, ...task !== undefined && { task } });
  }

  /** Has the server read back what it wrote of a session, unless the slot still is as it was then. */
  async restore({ model, directory }: SlotKeeping, kept: KeptSlot): Promise<void> {
    const table = await this.#table(model);
    if (table === undefined) return;
    const states = await table.states();
    const isThere = kept.task !== undefined &&
      states.some(({ id, task }) => id === kept.slot && task === kept.task);
    if (isThere) return table.assign(MAIN_AGENT.id, kept.slot);
    const slot = await table.keep(MAIN_AGENT.id, undefined);
    const file = fileOf(directory);
    const endpoint = this.#options.endpointOf(model);
    await copySlot(endpoint, { action: "restore", slot, file, timeoutMs: RESTORE_MS });
  }

  /** What was kept of a session for its model's server, if anything. */
  findKept({ model, session, directory }: SlotKeeping): KeptSlot | undefined {
    const kept = readKeptSlot(directory);
    const endpoint = displayUrl(this.#options.endpointOf(model).url);
    const isIts = kept?.session === session && kept.endpoint === endpoint && kept.model === model;
    return isIts ? kept : undefined;
  }

  #keep(table: SlotTable, model: string): Promise<number> {
    const { url } = this.#options.endpointOf(model);
    return table.keep(MAIN_AGENT.id, this.#options.lastPromptOf(url));
  }

  /** Who has which slot of a model's server; undefined if it shows none, or not which of several are free. */
  async #table(model: string): Promise<SlotTable | undefined> {
    const features = await this.#options.featuresOf(model);
    const endpoint = this.#options.endpointOf(model);
    const known = this.#tables.get(endpoint.url);
    if (known !== undefined || features?.slots === undefined) return known;
    const { slots: count, lists_slots: isListed } = features;
    if (count > 1 && !isListed) return undefined;
    const list = async () => isListed ? await listSlots(endpoint, this.#options.signal) : [];
    const table = new SlotTable({ count, list });
    this.#tables.set(endpoint.url, table);
    return table;
  }
}

/** One file for each project: the server's directory does not fill. */
function fileOf(directory: string): string {
  return `ally-${hashText(directory)}.bin`;
}

/** Why an agent has to wait for others. */
function describeWaiting({ count, lanes }: SlotTable): string {
  return count === 1
    ? "one after another: the server has one slot (llama-server -np 4 has four)"
    : `${lanes} at a time: the server has ${
      plural(count, "slot")
    }, one of them this conversation's`;
}
