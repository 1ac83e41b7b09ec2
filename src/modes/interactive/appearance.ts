/**
 * The theme of a session: what the settings say, or what was chosen since, and whether the terminal's background is
 * light. The terminal is asked that once; until it answers, if it ever does, the environment counts.
 */
import type { Environment } from "../../app/environment.ts";
import { askBackground } from "../../ui/background.ts";
import type { ThemeName } from "../../core/theme_names.ts";
import type { Terminal } from "../../ui/terminal.ts";

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
    this.#isLight = await askBackground(terminal) ?? this.#isLight;
  }
}
