/**
 * The modes that ally asks of a terminal while it reads keys: marked pastes, keys that can be told apart where the
 * terminal knows how, focus where somebody wants to know. Each is left as it was found.
 */
import { KEY_MODES, KITTY_QUERY, MODES } from "./sequences.ts";
import type { TerminalQueries, TerminalQuery } from "./terminal_query.ts";

// deno-lint-ignore no-control-regex
const KITTY_ANSWER = /^(?:\x1b\[|\x9b)\?\d+u$/;
/** Whether it has the kitty protocol; one that has not is silent. */
const KITTY: TerminalQuery<true> = {
  sequence: KITTY_QUERY,
  parse: (answer) => KITTY_ANSWER.test(answer) || undefined,
};

/** Turns the modes on and off. */
export class TerminalModes {
  readonly #send: (sequences: string) => void;
  readonly #isTmux: boolean;
  readonly #queries: TerminalQueries;
  #isOn = false;
  #hasAsked = false;
  #hasKitty = false;
  #focusWatchers = 0;

  constructor(
    send: (sequences: string) => void,
    { isTmux, queries }: { isTmux: boolean; queries: TerminalQueries },
  ) {
    this.#send = send;
    this.#isTmux = isTmux;
    this.#queries = queries;
  }

  /** While keys are read, and not before or after. */
  set(on: boolean): void {
    if (this.#isOn === on) return;
    this.#isOn = on;
    const mode = on ? "on" : "off";
    this.#send(
      MODES.paste[mode] + (this.#hasKitty ? KEY_MODES.kitty[mode] : "") +
        (this.#isTmux ? KEY_MODES.otherKeys[mode] : "") +
        (this.#focusWatchers > 0 ? MODES.focus[mode] : ""),
    );
    if (this.#hasAsked || !on) return;
    this.#hasAsked = true;
    this.#queries.ask(KITTY, () => {
      this.#hasKitty = true;
      if (this.#isOn) this.#send(KEY_MODES.kitty.on);
    });
  }

  /** Has the terminal tell when it is looked at, until the returned function is called. */
  watchFocus(): () => void {
    if (this.#focusWatchers++ === 0 && this.#isOn) this.#send(MODES.focus.on);
    return () => {
      if (--this.#focusWatchers === 0 && this.#isOn) this.#send(MODES.focus.off);
    };
  }
}
