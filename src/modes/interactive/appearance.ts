/**
 * The theme of a session: what the settings say, or what was chosen since, and whether the terminal's background is
 * light. The terminal is asked that once; until it answers, if it ever does, the environment counts.
 */
import type { Environment } from "../../app/environment.ts";
import type { TypedInput } from "../../ui/key_decoder.ts";
import { parseBackground, type ThemeName } from "../../ui/palettes.ts";
import { BACKGROUND_QUERY } from "../../ui/sequences.ts";
import type { Terminal } from "../../ui/terminal.ts";

/** Milliseconds for which an answer is waited for. */
const ANSWER_MS = 150;

/** Ready to use after `new`. */
export class Appearance {
  /** The theme that holds now. */
  readonly name: () => ThemeName;
  #chosen: ThemeName | undefined;
  #isLight: boolean;

  constructor({ env, configured }: { env: Environment; configured: () => ThemeName }) {
    this.#isLight = /;(7|15)$/.test(env.get("COLORFGBG") ?? "");
    this.name = () => this.#chosen ?? configured();
  }

  /** Whether the background is light, as far as is known. */
  readonly isLight = (): boolean => this.#isLight;

  /** Draws in another theme from now on. */
  use(name: ThemeName): void {
    this.#chosen = name;
  }

  /** Asks the terminal for its background, where that changes colours; resolves soon, whatever it answers. */
  async askBackground(terminal: Terminal): Promise<void> {
    const isOfUse = terminal.depth === "256" || terminal.depth === "truecolor";
    if (!terminal.canRedraw || !isOfUse) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const typed: TypedInput[] = [];
    // Somebody has to listen, or the terminal would show its own answer.
    const release = terminal.listen({ onInput: (inputs) => typed.push(...inputs), onEnd: resolve });
    const stop = terminal.onReport((report) => {
      const isLight = report.kind === "reply" ? parseBackground(report.text) : undefined;
      if (isLight === undefined) return;
      this.#isLight = isLight;
      resolve();
    });
    terminal.control(BACKGROUND_QUERY);
    const timer = setTimeout(resolve, ANSWER_MS);
    await promise;
    clearTimeout(timer);
    stop();
    release();
    terminal.unread(typed);
  }
}
