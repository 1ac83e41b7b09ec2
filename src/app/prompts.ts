/**
 * The prompt of a turn: what a person typed, what their words attach, and notices for the model. All modes build
 * their prompts here.
 */
import type { Focus } from "../agent/focus.ts";
import type { ImageInput, ImagePart } from "../core/image.ts";
import type { ModeSwitch } from "../permission/mode_switch.ts";
import type { AttachOptions } from "./attach.ts";
import type { WaitingMedia } from "./media.ts";
import type { Models } from "./models.ts";

/** What prompts are made with. */
interface PromptsOptions {
  /** What `@path` in a person's words is read with. */
  readonly attaching: Omit<AttachOptions, "held">;
  /** Where images wait for the user's next words. */
  readonly media: WaitingMedia;
  readonly mode: ModeSwitch;
  readonly focus: Focus;
  readonly models: Pick<Models, "prepareFor">;
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

  /** A person's words with what they attach, then what was piped in: the whole prompt of an agent that gets a task. */
  async task(words: string, piped = ""): Promise<string> {
    const attached = await this.#attach(words);
    return [attached, piped].filter((part) => part !== "").join("\n\n");
  }

  /** A person's words as the prompt of a turn. */
  async turn(words: string, piped = ""): Promise<string> {
    return await this.complete(await this.task(words, piped));
  }

  /** A person's words as they steer a turn that runs. */
  async steering(words: string): Promise<string> {
    return this.#annotate(await this.task(words));
  }

  /** Adds the notices to a prompt; waits until a long one is known to fit. */
  async complete(text: string): Promise<string> {
    const prompt = this.#annotate(text);
    await this.#options.models.prepareFor(prompt);
    return prompt;
  }

  async #attach(words: string): Promise<string> {
    if (!words.includes("@")) return words;
    const { attachMentions } = await import("./attach.ts");
    const { text, images } = await attachMentions(words, {
      ...this.#options.attaching,
      held: this.#held,
    });
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
