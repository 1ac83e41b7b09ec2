/**
 * Finds the real window of a model: the end of a long prompt asks for a word at its beginning. A server that cuts
 * prompts silently loses the word, or counts fewer tokens than it was sent. It takes few requests of bounded size.
 */
import { EndpointError } from "../../core/errors.ts";
import type { Model } from "../../core/model.ts";
import { askModel, type ProbeOptions } from "./probes.ts";

/** What was found. */
export interface WindowFinding {
  /** Tokens; undefined if it could not be found out. */
  readonly size: number | undefined;
  /** What happens to a longer prompt. */
  readonly beyond: "not tried" | "cut silently" | "refused";
  /** Tokens of the longest window that was tried and held, where the server claims more. */
  readonly triedTo?: number;
  /** Why it could not be found out. */
  readonly why?: string;
}

/** What is known before, and how far to go. */
interface WindowProbeOptions extends ProbeOptions {
  /** Tokens according to the server, if it says. */
  readonly reported: number | undefined;
  /** Tokens to try at most, except where the server claims more. */
  readonly maxWindow: number;
  /** Milliseconds that a prompt beyond `maxWindow` may take, going by the earlier ones. 0: none is sent. */
  readonly maxWaitMs: number;
  /** Whether it thinks before it answers, which takes tokens. */
  readonly reasoning: boolean;
  /** Told of the tokens of each prompt that is tried. */
  readonly onTry: (tokens: number) => void;
}

type ProbeOutcome =
  | { readonly kind: "held"; readonly counted: number | undefined }
  | { readonly kind: "lost"; readonly counted: number | undefined }
  | { readonly kind: "refused"; readonly named: number | undefined };

const WORD = "marigold-4817";
const LINE = "the ferry left the harbour early and came back in the evening with mail and bread";
/** Sizes that servers are set to. */
const USUAL = [
  ...[2048, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 40960, 49152, 65536, 98304],
  ...[131072, 163840, 196608, 200000, 262144, 393216, 524288, 1048576],
];
/** Tokens of the prompt that is certain to fit, and the least window there is. */
const CONTROL = 600;
/** A finding is good enough when nothing usual lies between what held and what did not. */
const NEAR = 1.1;
const MAX_TRIES = 9;
/** How many times as long as what held a further prompt must be. */
const WORTH_TRYING = 1.5;
/** Share of what was sent below which a count says that something was cut. */
const COUNTED_SHARE = 0.85;
/** Share of a window that a prompt which should fit has, beside the answer. */
const FILL = 0.93;

/** Tries prompts of several lengths. @throws {EndpointError} the server does not answer any more */
export async function probeWindow(
  port: Model,
  options: WindowProbeOptions,
): Promise<WindowFinding> {
  return await new WindowSearch(port, options).run();
}

class WindowSearch {
  readonly #port: Model;
  readonly #options: WindowProbeOptions;
  readonly #answerTokens: number;
  /** As the server counts, once it has counted. */
  #charactersPerToken = 4;
  /** Whether the model says the word at all. */
  #saysWord = true;
  #counts = false;
  #tries = 0;
  /** Milliseconds that the last prompt took for each of its tokens. */
  #msPerToken = 0;
  #beyond: "cut silently" | "refused" = "cut silently";

  constructor(port: Model, options: WindowProbeOptions) {
    this.#port = port;
    this.#options = options;
    this.#answerTokens = options.reasoning ? 400 : 48;
  }

  async run(): Promise<WindowFinding> {
    const control = await this.#try(CONTROL);
    if (control.kind === "refused") return unclear("even a short prompt was refused as too long");
    this.#saysWord = control.kind === "held";
    if (!this.#saysWord && !this.#counts) {
      return unclear("the model does not repeat a word, and the server counts no tokens");
    }
    const { reported, maxWindow } = this.#options;
    const size = Math.min(reported ?? maxWindow, maxWindow);
    const tokens = this.#fitting(size);
    const first = await this.#try(tokens);
    if (first.kind === "held") {
      // Some servers count what they were sent, whatever they make of it.
      if (!this.#saysWord) return unclear("the model does not repeat a word of a short prompt");
      return reported === undefined || reported <= size
        ? { size, beyond: "not tried" }
        : await this.#further({ held: size, reported });
    }
    const found = await this.#narrow({ low: CONTROL, high: tokens, hint: hintOf(first) });
    return { size: found, beyond: this.#beyond };
  }

  /** Tries more of what the server claims: all of it, or as much as does not take too long. */
  async #further({ held, reported }: { held: number; reported: number }): Promise<WindowFinding> {
    const affordable = this.#options.maxWaitMs / Math.max(this.#msPerToken, 1e-6);
    const size = Math.min(reported, Math.floor(affordable));
    if (size < held * WORTH_TRYING) return { size: reported, beyond: "not tried", triedTo: held };
    const tokens = this.#fitting(size);
    const outcome = await this.#try(tokens).catch((error) => {
      if (error instanceof EndpointError) return undefined;
      throw error;
    });
    // It took too long, or was too much for the server: what held before still counts.
    if (outcome === undefined) return { size: reported, beyond: "not tried", triedTo: held };
    if (outcome.kind === "held") {
      return { size: reported, beyond: "not tried", ...size < reported && { triedTo: size } };
    }
    const hint = hintOf(outcome);
    const found = await this.#narrow({ low: this.#fitting(held), high: tokens, hint });
    return { size: Math.max(found, held), beyond: this.#beyond };
  }

  /** The window between a prompt that is held and one that is not; what the server names is tried first. */
  async #narrow(range: { low: number; high: number; hint: number | undefined }): Promise<number> {
    let { low, high, hint } = range;
    while (high / low > NEAR && this.#tries < MAX_TRIES) {
      const named = hint !== undefined && hint > low && this.#fitting(hint) < high;
      const tokens = named ? this.#fitting(hint!) : Math.round(Math.sqrt(low * high));
      const outcome = await this.#try(tokens);
      if (outcome.kind === "held") {
        // What the server itself counted or named, and what held: nothing is left to find out.
        if (named) return hint!;
        low = tokens;
      } else {
        high = tokens;
        const next = hintOf(outcome);
        hint = next === hint ? undefined : next;
      }
    }
    return USUAL.find((size) => size >= low && size <= high * 1.02) ?? low;
  }

  /** Tokens of a prompt that fits a window together with its answer. */
  #fitting(size: number): number {
    return Math.max(CONTROL / 2, Math.floor(size * FILL) - this.#answerTokens);
  }

  async #try(tokens: number): Promise<ProbeOutcome> {
    const { onTry, ...options } = this.#options;
    this.#tries++;
    onTry(tokens);
    const prompt = promptOf(Math.round(tokens * this.#charactersPerToken));
    const since = performance.now();
    try {
      const maxTokens = this.#answerTokens;
      const { message, usage } = await askModel(this.#port, { ...options, prompt, maxTokens });
      this.#msPerToken = (performance.now() - since) / tokens;
      const counted = usage?.promptTokens || undefined;
      const isFirst = this.#tries === 1;
      if (isFirst && counted !== undefined && counted > CONTROL / 4) {
        this.#counts = true;
        this.#charactersPerToken = prompt.length / counted;
      }
      const repeated = `${message.content} ${message.thinking ?? ""}`.includes(WORD);
      const short = this.#counts && !isFirst && counted !== undefined &&
        counted < tokens * COUNTED_SHARE;
      const held = this.#saysWord ? repeated : !short;
      if (!held) this.#beyond = "cut silently";
      return { kind: held ? "held" : "lost", counted: short ? counted : undefined };
    } catch (error) {
      if (!(error instanceof EndpointError) || error.kind !== "context") throw error;
      this.#beyond = "refused";
      return { kind: "refused", named: windowNamedIn(error.message) };
    }
  }
}

function unclear(why: string): WindowFinding {
  return { size: undefined, beyond: "not tried", why };
}

/** The window that an outcome names: what the server counted of a cut prompt, or named when it refused one. */
function hintOf(outcome: ProbeOutcome): number | undefined {
  if (outcome.kind === "held") return undefined;
  if (outcome.kind === "refused") return outcome.named;
  const { counted } = outcome;
  if (counted === undefined) return undefined;
  // Some tokens of the template, or of the line that was cut, may be missing.
  return USUAL.find((size) => counted <= size && counted >= size * 0.94) ?? counted;
}

/** The number in "maximum context length is 4096 tokens" and its like. */
function windowNamedIn(message: string): number | undefined {
  const found =
    /(?:context (?:length|size|window)|n_ctx|maximum (?:of|is)|limit of)[^0-9]{0,30}([0-9][0-9,]*)/i
      .exec(message)?.[1];
  const number = Number(found?.replaceAll(",", ""));
  return Number.isInteger(number) && number >= CONTROL ? number : undefined;
}

/** A prompt of about so many characters: the word, much else, and the question. */
function promptOf(characters: number): string {
  const head = "This is a test of memory. Keep in mind what comes first. " +
    `The code word is ${WORD}. Now follow lines of no importance.\n`;
  const tail = "\nWhat is the code word that was given at the very beginning? " +
    "Reply with the code word alone.";
  const count = Math.max(
    1,
    Math.floor((characters - head.length - tail.length) / (LINE.length + 6)),
  );
  const lines = Array.from({ length: count }, (_, index) => `${index + 1000}: ${LINE}`);
  return head + lines.join("\n") + tail;
}
