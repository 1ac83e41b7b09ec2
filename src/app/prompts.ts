/**
 * The prompt of a turn: what a person typed, what their words attach, and notices for the model. All modes build
 * their prompts here.
 */
import type { Focus } from "../agent/focus.ts";
import type { ImageInput, ImagePart } from "../core/image.ts";
import { abortable } from "../lib/async.ts";
import type { ModeSwitch } from "../permission/mode_switch.ts";
import type { AttachOptions } from "./attach.ts";
import type { WaitingMedia } from "./media.ts";
import type { Models } from "./models.ts";

/** What prompts are made with. */
interface PromptsOptions {
  /** What `@path` in a person's words is read with. */
  readonly attaching: Omit<AttachOptions, "held" | "signal">;
  /** Where images wait for the user's next words. */
  readonly media: WaitingMedia;
  readonly mode: ModeSwitch;
  readonly focus: Focus;
  readonly models: Pick<Models, "prepareFor">;
}

/** What comes with a person's words. */
export interface WordsOptions {
  /** What was piped in: it attaches nothing. @default "" */
  readonly piped?: string | undefined;
  /** Ends the reading of what the words name. @default nothing does */
  readonly signal?: AbortSignal | undefined;
}

const PLAN_MODE_ON =
  "Plan mode is on: only look, change and run nothing. Answer with a plan; the user ends plan mode to have it done.";
const PLAN_MODE_OFF = "Plan mode is over: files can be changed and commands run again.";

/** Ready to use after `new`. */
export class Prompts {
  readonly #options: PromptsOptions;
  /** Notices for the model, sent with the next prompt. */
  readonly #pending: string[] = [];
  /** Images that the user's words may name, by their names. */
  readonly #held = new Map<string, ImagePart>();
  /** Whether the model was told last that plan mode is on. */
  #announcedPlan: boolean;

  constructor(options: PromptsOptions) {
    this.#options = options;
    // The system prompt of a run that cannot leave it says it.
    this.#announcedPlan = options.mode.locked;
  }

  /** Tells the model something with the next prompt. */
  tellModel(text: string): void {
    this.#pending.push(text);
  }

  /** Has an image go with the user's next words. @throws {ToolError} user: it cannot be used, or the model takes none */
  async attachImage(image: ImageInput): Promise<ImagePart> {
    const { media } = this.#options;
    const part = await media.takeImage(image);
    media.waiting.push(part);
    return part;
  }

  /**
   * Keeps an image for words that will name it with `@`, and returns its name.
   * @throws {ToolError} user: it cannot be used, or the model takes none
   */
  async holdImage(bytes: ImageInput["bytes"]): Promise<string> {
    const name = `clipboard-${this.#held.size + 1}.png`;
    this.#held.set(name, await this.#options.media.takeImage({ bytes, name }));
    return name;
  }

  /**
   * A person's words with what they attach, then what was piped in: the whole prompt of an agent that gets a task.
   * @throws what the signal was aborted with
   */
  async task(words: string, { piped = "", signal }: WordsOptions = {}): Promise<string> {
    const attached = await this.#attach(words, signal ?? new AbortController().signal);
    return [attached, piped].filter((part) => part !== "").join("\n\n");
  }

  /** A person's words as the prompt of a turn. @throws what the signal was aborted with */
  async turn(words: string, options: WordsOptions = {}): Promise<string> {
    return await this.complete(await this.task(words, options), options.signal);
  }

  /** A person's words as they steer a turn that runs. */
  async steering(words: string): Promise<string> {
    return this.#annotate(await this.task(words));
  }

  /** Adds the notices to a prompt; waits until a long one is known to fit. @throws what the signal was aborted with */
  async complete(text: string, signal?: AbortSignal): Promise<string> {
    const isReady = this.#options.models.prepareFor(text);
    await (signal ? abortable(isReady, signal) : isReady);
    return this.#annotate(text);
  }

  async #attach(words: string, signal: AbortSignal): Promise<string> {
    if (!words.includes("@")) return words;
    const { attachMentions } = await import("./attach.ts");
    const { attaching } = this.#options;
    const attached = attachMentions(words, { ...attaching, held: this.#held, signal });
    const { text, images } = await abortable(attached, signal);
    this.#options.media.waiting.push(...images);
    return text;
  }

  /** Adds what has changed since the last prompt. */
  #annotate(text: string): string {
    const notices = [...this.#pending.splice(0), ...this.#announceMode()].map((one) => `[${one}]`);
    return this.#options.focus.annotate([text, ...notices].join("\n\n"));
  }

  /** In the user's words, because what was sent before must not change: neither the prompt nor the list of tools. */
  #announceMode(): string[] {
    const { isPlan } = this.#options.mode;
    if (this.#announcedPlan === isPlan) return [];
    this.#announcedPlan = isPlan;
    return [isPlan ? PLAN_MODE_ON : PLAN_MODE_OFF];
  }
}
