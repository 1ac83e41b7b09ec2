/**
 * What a session begins with: who is there, and facts that take a moment to find out. A person can type before they are
 * known: until then a row over the first prompt holds their place.
 */
import { oneLine } from "../lib/text.ts";
import type { Terminal } from "./terminal.ts";
import type { Layout, Theme } from "./theme.ts";
import { wrapCode, wrapProse } from "./wrap.ts";

/** What the banner says. */
export interface Banner {
  readonly version: string;
  readonly model: string;
  readonly endpoint: string;
  readonly cwd: string;
  /** A promise of them must not reject. */
  readonly facts: BannerFacts | Promise<BannerFacts>;
}

/** What may be known later. */
export interface BannerFacts {
  /** Facts about the session, a line each. */
  readonly notes: readonly string[];
  /** What a person may like to know. */
  readonly tip?: string | undefined;
}

/** Stands for the facts as long as they are not known. */
const WAITING: BannerFacts = { notes: ["sandbox: being tried"] };

/** The banner on its way to the screen. */
export class OpeningBanner {
  readonly #banner: Banner;
  readonly #theme: Theme;
  #facts: BannerFacts | undefined;
  /** Whether what follows the head stands on the screen, and its facts. */
  #state: "open" | "without facts" | "written" = "open";
  #draw: () => void = () => {};

  constructor(banner: Banner, theme: Theme) {
    this.#banner = banner;
    this.#theme = theme;
    const { facts } = banner;
    if (!(facts instanceof Promise)) this.#facts = facts;
    else {
      void facts.then((known) => {
        this.#facts = known;
        this.#draw();
      });
    }
  }

  /** Writes what is known. */
  begin(terminal: Terminal): void {
    const columns = Math.max(1, terminal.columns - 1);
    write(terminal, [...this.#head(columns), ...this.takeStanding(columns)]);
  }

  /** Whether its end is still to be written. */
  get isOpen(): boolean {
    return this.#state === "open";
  }

  /** The rows that hold the place of what is not known yet. */
  liveRows(columns: number): readonly string[] {
    return this.isOpen ? this.#closing(WAITING, columns) : [];
  }

  /** The lines to be written for good now, if any: what is known, or what can wait no longer. */
  takeStanding(columns: number, { isDue = false } = {}): readonly string[] {
    const facts = this.#facts;
    if (this.#state === "written" || (facts === undefined && !isDue)) return [];
    if (this.#state === "without facts") {
      return facts === undefined ? [] : this.#late(facts, columns);
    }
    this.#state = facts === undefined ? "without facts" : "written";
    return this.#closing(facts ?? { notes: [] }, columns);
  }

  /** Calls back once the facts are known; returns how to stop that. */
  onChange(draw: () => void): () => void {
    this.#draw = draw;
    return () => this.#draw = () => {};
  }

  /** Writes what was not known when its place was given up. */
  async end(terminal: Terminal): Promise<void> {
    if (this.#state !== "without facts") return;
    const facts = await this.#banner.facts;
    write(terminal, this.#late(facts, Math.max(1, terminal.columns - 1)));
  }

  /** The notes that have no place in the banner any more, below an empty line. */
  #late({ notes }: BannerFacts, columns: number): readonly string[] {
    this.#state = "written";
    const lines = notes.flatMap((note) => dim(oneLine(note), { theme: this.#theme, columns }));
    return lines.length === 0 ? [] : ["", ...lines];
  }

  #head(columns: number): string[] {
    const { version, model, endpoint, cwd } = this.#banner;
    const theme = this.#theme;
    const name = theme.paint("accent", theme.paint("bold", "ally"));
    return [
      ...wrapProse(`${name} ${version} ${theme.glyphs.dot} ${oneLine(model)}`, columns),
      ...[endpoint, cwd].flatMap((text) => dim(oneLine(text), { theme, columns }, wrapCode)),
    ];
  }

  #closing({ notes, tip }: BannerFacts, columns: number): string[] {
    const layout = { theme: this.#theme, columns };
    const keys = ["? shows the keys", "/help", "!command", "Ctrl+C stops"];
    return [
      ...notes.flatMap((note) => dim(oneLine(note), layout)),
      "",
      ...dim(keys.join(` ${this.#theme.glyphs.dot} `), layout),
      ...tip === undefined ? [] : ["", ...dim(tip, layout)],
      "",
    ];
  }
}

function dim(text: string, { theme, columns }: Layout, wrap = wrapProse): string[] {
  return wrap(text, columns).map((line) => theme.paint("dim", line));
}

function write(terminal: Terminal, lines: readonly string[]): void {
  terminal.write(lines.map((line) => `${line}\n`).join(""));
}
