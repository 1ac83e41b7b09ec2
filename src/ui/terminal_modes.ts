/**
 * The modes that ally asks of a terminal while it reads keys: marked pastes, keys that can be told apart where the
 * terminal knows how, focus where somebody wants to know. Each is left as it was found.
 */
import type { TerminalReport } from "./key_decoder.ts";
import { KEY_MODES, KITTY_QUERY, MODES } from "./sequences.ts";

/** What a terminal with the kitty protocol answers. */
// deno-lint-ignore no-control-regex
const KITTY_ANSWER = /^(?:\x1b\[|\x9b)\?\d+u$/;

/** Turns the modes on and off. */
export class TerminalModes {
  readonly #send: (sequences: string) => void;
  readonly #isTmux: boolean;
  #isOn = false;
  #kitty: "unasked" | "asked" | "known" = "unasked";
  #focusWatchers = 0;

  constructor(send: (sequences: string) => void, { isTmux }: { isTmux: boolean }) {
    this.#send = send;
    this.#isTmux = isTmux;
  }

  /** While keys are read, and not before or after. */
  set(on: boolean): void {
    if (this.#isOn === on) return;
    this.#isOn = on;
    const mode = on ? "on" : "off";
    const query = on && this.#kitty === "unasked" ? KITTY_QUERY : "";
    if (query !== "") this.#kitty = "asked";
    this.#send(
      MODES.paste[mode] + (this.#kitty === "known" ? KEY_MODES.kitty[mode] : "") +
        (this.#isTmux ? KEY_MODES.otherKeys[mode] : "") +
        (this.#focusWatchers > 0 ? MODES.focus[mode] : "") +
        query,
    );
  }

  /** Learns from what the terminal says whether it has the kitty protocol. */
  take(report: TerminalReport): void {
    if (report.kind !== "reply" || this.#kitty === "known" || !KITTY_ANSWER.test(report.text)) {
      return;
    }
    this.#kitty = "known";
    if (this.#isOn) this.#send(KEY_MODES.kitty.on);
  }

  /** Has the terminal tell when it is looked at, until the returned function is called. */
  watchFocus(): () => void {
    if (this.#focusWatchers++ === 0 && this.#isOn) this.#send(MODES.focus.on);
    return () => {
      if (--this.#focusWatchers === 0 && this.#isOn) this.#send(MODES.focus.off);
    };
  }
}
