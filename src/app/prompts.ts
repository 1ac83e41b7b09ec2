/**
 * The prompt of a turn: what a person typed, what their words attach, and what else the model must be told. Every way
 * to run ally builds its prompts here.
 */
import type { Focus } from "../agent/focus.ts";
import type { PlanMode } from "../agent/plan_mode.ts";
import type { AttachOptions } from "./attach.ts";
import type { Models } from "./models.ts";

/** What prompts are made with. */
interface PromptsOptions {
  /** What `@path` in a person's words is read with. */
  readonly attaching: AttachOptions;
  readonly plan: PlanMode;
  readonly focus: Focus;
  readonly models: Pick<Models, "prepareFor">;
}

/** Ready to use after `new`. */
export class Prompts {
  readonly #options: PromptsOptions;
  /** What the model is told with the next prompt. */
  readonly #pending: string[] = [];

  constructor(options: PromptsOptions) {
    this.#options = options;
  }

  /** Has the model told something with the next prompt. */
  tellModel(text: string): void {
    this.#pending.push(text);
  }

  /** A person's words with what they attach, then what was piped in: all that an agent with a task is told. */
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

  /** A prompt that is whole but for what the model must be told; waits until a long one is known to fit. */
  async complete(text: string): Promise<string> {
    const prompt = this.#annotate(text);
    await this.#options.models.prepareFor(prompt);
    return prompt;
  }

  async #attach(words: string): Promise<string> {
    if (!words.includes("@")) return words;
    const { attachMentions } = await import("./attach.ts");
    return await attachMentions(words, this.#options.attaching);
  }

  /** Adds what the model must know of changes since the last prompt. */
  #annotate(text: string): string {
    const { plan, focus } = this.#options;
    const notes = this.#pending.splice(0).map((one) => `[${one}]`);
    return focus.annotate(plan.annotate([text, ...notes].join("\n\n")));
  }
}
