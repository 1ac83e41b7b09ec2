/**
 * The slots of a llama-server. Each holds what was read of one conversation, so each agent keeps to one: what an agent
 * has said is still there when it goes on, whatever others have asked meanwhile.
 */
import type { Endpoint } from "./endpoint.ts";
import { listOf, numberOf, objectOf } from "./fields.ts";
import { getJson, urlBeside } from "./get_json.ts";

/** What a slot does and holds. */
export interface SlotState {
  readonly id: number;
  /** Whether it is at work. */
  readonly busy: boolean;
  /** Number of its last task, which grows with time; undefined if it had none yet. */
  readonly task: number | undefined;
  /** Tokens of that task's prompt. */
  readonly tokens: number | undefined;
}

/** Milliseconds for a server to tell of its slots. */
const LIST_MS = 2_000;

/** What the server says of its slots; nothing if it does not answer. */
export async function listSlots(
  endpoint: Endpoint,
  signal?: AbortSignal,
): Promise<readonly SlotState[]> {
  const url = urlBeside(endpoint, "/slots");
  const answer = await getJson(endpoint, { url, timeoutMs: LIST_MS, signal });
  return listOf(answer?.["data"]).flatMap((entry) => {
    const slot = objectOf(entry);
    const id = numberOf(slot?.["id"]);
    if (id === undefined) return [];
    const task = numberOf(slot?.["id_task"]);
    const tokens = numberOf(slot?.["n_prompt_tokens"]);
    return [{ id, busy: slot?.["is_processing"] === true, task, tokens }];
  });
}

/** Has the server write a slot to a file of its own, or read it back; the tokens, undefined if it did not. */
export async function copySlot(
  endpoint: Endpoint,
  { action, slot, file, timeoutMs }: {
    action: "save" | "restore";
    slot: number;
    /** Name in the server's directory for that. */
    file: string;
    timeoutMs: number;
  },
): Promise<number | undefined> {
  const url = urlBeside(endpoint, `/slots/${slot}`);
  const answer = await getJson(endpoint, {
    url: `${url}?action=${action}`,
    body: { filename: file },
    timeoutMs,
  });
  return numberOf(answer?.[action === "save" ? "n_saved" : "n_restored"]);
}

/** Which agent has which slot of one server. */
export class SlotTable {
  /** How many there are. */
  readonly count: number;
  readonly #list: () => Promise<readonly SlotState[]>;
  /** The slots in use, by agent. */
  readonly #taken = new Map<string, number>();
  /** Slots that agents of this run have left: they begin as the next agent's conversation does. */
  readonly #left = new Set<number>();
  #keeper: string | undefined;
  #working = 0;
  readonly #waiting: (() => void)[] = [];

  constructor({ count, list }: { count: number; list: () => Promise<readonly SlotState[]> }) {
    this.count = count;
    this.#list = list;
  }

  /** The slot that an agent's requests name; where there is but one, none is named. */
  nameFor(agent: string): number | undefined {
    return this.count > 1 ? this.#taken.get(agent) : undefined;
  }

  /** Agents that can work at once beside the one that keeps its slot. */
  get lanes(): number {
    return Math.max(1, this.count - (this.#keeper === undefined ? 0 : 1));
  }

  /** Whether an agent that begins now has to wait. */
  get isFull(): boolean {
    return this.#working >= this.lanes;
  }

  /**
   * Gives an agent a slot for good: the one that holds its conversation, known by the tokens of its last prompt, else
   * the one that was used longest ago.
   */
  async keep(agent: string, promptTokens: number | undefined): Promise<number> {
    const known = this.#taken.get(agent);
    if (known !== undefined) return known;
    const states = await this.states();
    const idle = states.filter(({ busy }) => !busy);
    const found = promptTokens === undefined
      ? undefined
      : idle.filter(({ tokens }) => tokens === promptTokens).sort(newestFirst)[0] ??
        idle.sort(newestFirst)[0];
    const chosen = this.#taken.get(agent) ?? found?.id ?? this.#oldest(states);
    this.assign(agent, chosen);
    return chosen;
  }

  /** Gives an agent a slot for good. */
  assign(agent: string, slot: number): void {
    this.#keeper = agent;
    this.#taken.set(agent, slot);
  }

  /** Runs what makes an agent's requests as soon as there is a slot for it. */
  async use<T>(agent: string, run: () => Promise<T>): Promise<T> {
    while (this.isFull) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#working++;
    try {
      const states = await this.states();
      const slot = this.#oldest(states);
      this.#taken.set(agent, slot);
      this.#left.add(slot);
      return await run();
    } finally {
      this.#taken.delete(agent);
      this.#working--;
      this.#waiting.shift()?.();
    }
  }

  /** All slots, known to the server or not. */
  async states(): Promise<SlotState[]> {
    const told = await this.#list();
    return Array.from({ length: this.count }, (_, id) =>
      told.find((one) => one.id === id) ??
        { id, busy: false, task: undefined, tokens: undefined });
  }

  /** Of the slots that no agent has: one of this run's, else an idle one, else the one used longest ago. */
  #oldest(states: readonly SlotState[]): number {
    const taken = new Set(this.#taken.values());
    const free = states.filter(({ id }) => !taken.has(id));
    const rank = ({ id, busy }: SlotState) => (busy ? 2 : 0) + (this.#left.has(id) ? 0 : 1);
    const [first] = free.sort((a, b) => rank(a) - rank(b) || (a.task ?? -1) - (b.task ?? -1));
    return first?.id ?? 0;
  }
}

function newestFirst(a: SlotState, b: SlotState): number {
  return (b.task ?? -1) - (a.task ?? -1);
}
