/**
 * A scripted server that says it is llama-server: what it shows of itself, its slots, and what was asked besides chats.
 */
import {
  type RecordedRequest,
  type ReplyFunction,
  type ScriptedReply,
  type ScriptedServer,
  startScriptedServer,
} from "../../src/modes/demo/scripted_server.ts";
import { startFrontServer } from "./front_server.ts";

/** What it shows, and how it answers. */
export interface FakeLlamaOptions {
  readonly replies: readonly (ScriptedReply | ReplyFunction)[];
  /** @default 1 */
  readonly slots?: number;
  /** Fields of `/props`. */
  readonly props?: Readonly<Record<string, unknown>>;
  /** Whether it writes slots to files. @default false */
  readonly savesSlots?: boolean;
  /** How it answers a request that only warms its cache. @default at once */
  readonly warmingReply?: ScriptedReply;
}

/** A request to a path of llama-server's own. */
interface AskedPath {
  readonly path: string;
  readonly body: unknown;
}

/** One that runs. */
export interface FakeLlama extends AsyncDisposable {
  /** Base URL, ending in `/v1`. */
  readonly url: string;
  /** The chats behind it, both kinds in order of arrival. */
  readonly server: ScriptedServer;
  /** Requests that want a reply, in order. */
  readonly chats: readonly RecordedRequest[];
  /** Requests that only warm the cache, in order. */
  readonly warmings: readonly RecordedRequest[];
  /** All that was posted elsewhere. */
  readonly asked: readonly AskedPath[];
}

interface Slot {
  id_task?: number;
  n_prompt_tokens?: number;
}

/** Starts one. */
export async function startFakeLlama(options: FakeLlamaOptions): Promise<FakeLlama> {
  const { replies, slots: count = 1, savesSlots = false } = options;
  const slots: Slot[] = Array.from({ length: count }, () => ({}));
  const chats: RecordedRequest[] = [];
  const warmings: RecordedRequest[] = [];
  const asked: AskedPath[] = [];
  const files = new Map<string, Slot>();
  const answer: ReplyFunction = async (request) => {
    const isWarming = request.body["n_predict"] === 0 || request.body["max_tokens"] === 1;
    const list = isWarming ? warmings : chats;
    const index = list.push(request) - 1;
    const next = isWarming ? options.warmingReply ?? {} : replies[index] ?? {};
    const reply = typeof next === "function" ? await next(request, index) : next;
    const prompt_tokens = Math.ceil(request.text.length / 4);
    const slot = Number(request.body["id_slot"] ?? 0);
    slots[slot] = {
      id_task: chats.length + warmings.length,
      n_prompt_tokens: prompt_tokens,
    };
    return { usage: { prompt_tokens, completion_tokens: 8 }, ...reply };
  };
  const server = await startScriptedServer({ replies: Array(200).fill(answer) });
  const props = {
    default_generation_settings: { n_ctx: 32_768 },
    total_slots: count,
    endpoint_slots: true,
    chat_template: "",
    chat_template_caps: {},
    ...options.props,
  };
  const changeSlot = (slot: number, { action, file }: { action: string | null; file: string }) => {
    if (!savesSlots) {
      return Response.json({ error: { message: "not supported" } }, { status: 501 });
    }
    if (action === "save") {
      files.set(file, slots[slot]!);
      return Response.json({ n_saved: slots[slot]?.n_prompt_tokens ?? 0 });
    }
    const saved = files.get(file);
    if (saved === undefined) return Response.json({ error: {} }, { status: 400 });
    slots[slot] = saved;
    return Response.json({ n_restored: saved.n_prompt_tokens });
  };
  const front = await startFrontServer(async ({ url = "/", method = "GET" }, { text, signal }) => {
    const { pathname, searchParams } = new URL(url, server.url);
    if (pathname === "/props") return Response.json(props);
    if (pathname === "/slots") {
      return Response.json(slots.map((slot, id) => ({ id, is_processing: false, ...slot })));
    }
    const [, slot] = /^\/slots\/(\d+)$/.exec(pathname) ?? [];
    if (slot !== undefined) {
      const body = JSON.parse(text);
      asked.push({ path: url, body });
      return changeSlot(Number(slot), { action: searchParams.get("action"), file: body.filename });
    }
    return await fetch(new URL(url, server.url), {
      method,
      signal,
      ...text !== "" && { body: text },
    });
  });
  return {
    url: `${front.url}/v1`,
    server,
    chats,
    warmings,
    asked,
    async [Symbol.asyncDispose]() {
      await front.close();
      await server.close();
    },
  };
}
