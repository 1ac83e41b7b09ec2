/**
 * A choice from a few: arrows and Enter, one letter, or a number. The question stays on the screen until it is
 * answered, then one line replaces it. Words meant for something else never count as an answer: a person who is typing when the
 * question comes goes on typing their line, and answers after Escape or an arrow key; a burst of keys is no answer.
 */
import { KeyMap, type MenuAction, QUESTION_KEYS } from "./key_bindings.ts";
import type { TypedInput } from "./key_decoder.ts";
import type { Draft } from "./keyboard.ts";
import { LiveRegion } from "./live_region.ts";
import type { Cursor } from "./row_writer.ts";
import type { Terminal } from "./terminal.ts";
import type { Theme } from "./theme.ts";
import { wrapProse } from "./wrap.ts";

/** One possible answer. */
export interface Option<T> {
  /** The letter that chooses it at once; "" if only the arrow keys do. */
  readonly key: string;
  readonly label: string;
  readonly value: T;
  /** A line below it that helps to decide. */
  readonly note?: string | undefined;
  /** Alternatives that the left and right arrow keys choose. */
  readonly variants?: readonly Variant<T>[];
  /** Whether another program may read the keyboard next, so that no further key is read. */
  readonly pauses?: boolean;
}

/** One of several forms of an option. */
interface Variant<T> extends Pick<Option<T>, "label" | "value" | "note"> {
  /** Whether Shift+Tab chooses it at once. */
  readonly isWidest?: boolean;
}

/** A question, and the line that replaces it once it is answered. */
interface Question<T> {
  /** Lines fitted to a width in cells. */
  readonly lines: (columns: number) => readonly string[];
  readonly options: readonly Option<T>[];
  /** What Escape, Ctrl+C, an abort and the end of input choose. */
  readonly fallback: T;
  /** What Enter alone chooses. @default the fallback */
  readonly initial?: T;
  readonly renderAnswer: (value: T) => string;
}

/** Where a question is asked. */
interface QuestionContext {
  readonly terminal: Terminal;
  readonly theme: Theme;
  readonly signal: AbortSignal;
  /** Called for a Ctrl+C, which chooses the fallback here. */
  readonly onInterrupt?: (() => void) | undefined;
}

/** Milliseconds that a person needs to see a question: a key pressed earlier is of a line being typed. */
const NOTICE_MS = 250;
/** Milliseconds after its last key for which a line is still being typed, though nothing of it is left to send. */
const TYPING_MS = 2_000;
/** Keys that no line being typed needs: they turn to the question. */
const TURNING: readonly (MenuAction | undefined)[] = ["up", "down", "left", "right", "escape"];
const KEYS = new KeyMap(QUESTION_KEYS);
/** Rows for a line that goes on being typed. */
const MAX_DRAFT_ROWS = 3;
/** The part of the screen for answers that do not all fit: the rest is for what is asked. */
const OPTIONS_SHARE = 2 / 3;
/** Rows of what is asked that stay with the answers: what it is, and the beginning of a command. */
const HEAD_ROWS = 2;
/** Rows below which there is room for the answers alone. */
const LOW_ROWS = 4;
/** Cells below which answers show neither their numbers nor notes. */
const NARROW_COLUMNS = 30;

/** Asks, and resolves with the chosen value; never rejects because the terminal is gone. */
export async function choose<T>(question: Question<T>, context: QuestionContext): Promise<T> {
  if (context.signal.aborted) return question.fallback;
  return await new Chooser(question, context).chosen;
}

/** One question on the screen. */
class Chooser<T> {
  readonly chosen: Promise<T>;
  readonly #question: Question<T>;
  readonly #context: QuestionContext;
  readonly #region: LiveRegion;
  readonly #releases: (() => void)[];
  #resolve: (value: T) => void = () => {};
  #index: number;
  /** By option, the variant that is shown. */
  readonly #variantIndex = new Map<Option<T>, number>();
  /** Whose the keys are: a line's that was being typed, nobody's while the question is new, the question's. */
  #keysFor: "line" | "nobody" | "question";
  readonly #draft: Draft | undefined;
  #done = false;
  /** Whether a key was pressed that does nothing. */
  #isPuzzled = false;
  /** The size of the screen when the question was taller than it and was written above. */
  #writtenAt: { readonly columns: number; readonly rows: number } | undefined;
  /** Until the keys are somebody else's. */
  #noticeTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(question: Question<T>, context: QuestionContext) {
    const { terminal, signal } = context;
    this.#question = question;
    this.#context = context;
    this.chosen = new Promise((resolve) => this.#resolve = resolve);
    this.#region = new LiveRegion(terminal);
    // Whoever paused it waits for the screen, which the question has now.
    terminal.resume();
    this.#draft = terminal.draft;
    this.#keysFor = isBeingTyped(this.#draft) ? "line" : "nobody";
    const { options, fallback, initial = fallback } = question;
    this.#index = options.findIndex(({ value }) => value === initial);
    const deny = () => this.#finish(question.fallback);
    signal.addEventListener("abort", deny);
    this.#releases = [
      terminal.listen({ onInput: (inputs) => this.#take(inputs), onEnd: deny, single: true }),
      terminal.onResize(() => this.#draw()),
      () => signal.removeEventListener("abort", deny),
    ];
    this.#draw();
    if (this.#keysFor === "line") this.#promptDumb();
    this.#giveKeysTo(this.#keysFor);
  }

  /** Nobody's are the question's after a moment, and those of a line without words are nobody's once no more come. */
  #giveKeysTo(whom: "line" | "nobody" | "question"): void {
    clearTimeout(this.#noticeTimer);
    if (whom === "nobody") {
      this.#noticeTimer = setTimeout(() => this.#giveKeysTo("question"), NOTICE_MS);
    } else if (whom === "line") {
      this.#noticeTimer = setTimeout(() => {
        if (!this.#draft?.text) this.#giveKeysTo("nobody");
      }, TYPING_MS);
    }
    if (this.#keysFor === whom) return;
    this.#keysFor = whom;
    this.#isPuzzled = false;
    if (this.#context.terminal.canRedraw) this.#draw();
    else if (whom !== "nobody") this.#promptDumb();
  }

  /** Where nothing can be redrawn, says which keys are taken now. */
  #promptDumb(): void {
    const { terminal } = this.#context;
    if (terminal.canRedraw) return;
    terminal.write(
      `[${this.#keysFor === "line" ? `Esc, then ${this.#letters()}` : this.#letters()}] `,
    );
  }

  #take(inputs: readonly TypedInput[]): void {
    if (this.#done) return;
    const interrupts = inputs.filter((input) => actionOf(input) === "interrupt");
    if (interrupts.length > 0) {
      this.#finish(this.#question.fallback);
      return interrupts.forEach(() => this.#context.onInterrupt?.());
    }
    if (this.#keysFor !== "question") return this.#takeForLine(inputs);
    const { canRedraw } = this.#context.terminal;
    if (isBurst(inputs, canRedraw)) return this.#tellKeys();
    const [first] = inputs;
    // The Enter that sends a line is part of its one letter.
    const keys = !canRedraw && first?.kind === "text" ? [first] : inputs;
    for (const key of keys) this.#handle(key);
  }

  /** Says what answers. */
  #tellKeys(): void {
    const { terminal, theme } = this.#context;
    this.#isPuzzled = true;
    if (terminal.canRedraw) return this.#draw();
    terminal.write(`${theme.paint("warning", `\nPress one of these keys.`)} `);
    this.#promptDumb();
  }

  /**
   * What is typed goes to the line that was being typed. Of keys that come at once with one that turns to the question,
   * the line gets the words alone: whom the others were meant for nobody can tell.
   */
  #takeForLine(inputs: readonly TypedInput[]): void {
    const turn = inputs.findIndex(isTurning);
    if (inputs.every(({ kind }) => kind === "paste") && this.#keysFor === "nobody") return;
    if (inputs.every(isTurning)) return this.#giveKeysTo("nobody");
    this.#giveKeysTo("line");
    const words = inputs.filter(({ kind }, index) => index < turn || kind !== "key");
    this.#draft?.type(turn === -1 ? inputs : words);
    this.#draw();
  }

  #handle(input: TypedInput): void {
    if (this.#done) return;
    const chosen = this.#question.options[this.#index];
    const named = this.#findNamed(input);
    if (named) return this.#select(named);
    this.#isPuzzled = false;
    switch (actionOf(input)) {
      case "up":
        return this.#move(-1);
      case "down":
        return this.#move(1);
      case "left":
        return this.#turn(chosen, -1);
      case "right":
        return this.#turn(chosen, 1);
      case "enter":
        return chosen && this.#select(chosen);
      case "escape":
        return this.#finish(this.#question.fallback);
      case "widest":
        return this.#selectWidest();
      default:
        return this.#tellKeys();
    }
  }

  /** The option whose letter or number was typed. */
  #findNamed(input: TypedInput): Option<T> | undefined {
    const { options } = this.#question;
    const typed = input.kind === "text" ? input.text.toLowerCase() : "";
    if (typed === "") return undefined;
    return options.find(({ key }) => key === typed) ??
      options.find((_, index) => this.#numberOf(index) === typed);
  }

  /** The number that chooses an option; none where the letters are digits themselves, or for a tenth option. */
  #numberOf(index: number): string {
    const { options } = this.#question;
    return index > 8 || options.some(({ key }) => /\d/.test(key)) ? "" : String(index + 1);
  }

  #move(step: 1 | -1): void {
    const { length } = this.#question.options;
    this.#index = (this.#index + step + length) % length;
    this.#draw();
  }

  /** Takes the next form of an option. */
  #turn(option: Option<T> | undefined, step: 1 | -1): void {
    if (!option?.variants) return this.#tellKeys();
    const count = option.variants.length + 1;
    const form = this.#variantIndex.get(option) ?? 0;
    this.#variantIndex.set(option, (form + step + count) % count);
    this.#draw();
  }

  /** As Up where nothing is the widest. */
  #selectWidest(): void {
    const forms = this.#question.options.flatMap(({ variants = [] }) => variants);
    const widest = forms.find(({ isWidest }) => isWidest);
    if (widest) this.#finish(widest.value);
    else this.#move(-1);
  }

  #select(option: Option<T>): void {
    if (option.pauses) this.#context.terminal.pause();
    this.#finish(this.#selectedVariant(option).value);
  }

  #finish(value: T): void {
    if (this.#done) return;
    this.#done = true;
    clearTimeout(this.#noticeTimer);
    for (const release of this.#releases) release();
    const answered = this.#question.renderAnswer(value);
    if (answered === "") this.#region.clear();
    else this.#region.update([...(this.#context.terminal.canRedraw ? [] : [""]), answered], []);
    this.#resolve(value);
  }

  #selectedVariant(option: Option<T>): Variant<T> {
    const form = this.#variantIndex.get(option) ?? 0;
    return form === 0 ? option : option.variants?.[form - 1] ?? option;
  }

  #draw(): void {
    const { terminal } = this.#context;
    if (this.#done || (this.#writtenAt && !terminal.canRedraw)) return;
    const columns = Math.max(1, terminal.columns - 1);
    const room = this.#region.maxRows;
    const lines = this.#isAbove ? [] : this.#question.lines(columns);
    const options = this.#optionLines(columns);
    const draft = this.#drawDraft(columns);
    const all = [...options.flat(), ...this.#hintLines(columns), ...draft.lines];
    const cursor = (first: number) =>
      draft.cursor && { ...draft.cursor, row: first - draft.lines.length + draft.cursor.row };
    if (terminal.canRedraw && lines.length + all.length < room) {
      const live = [...lines, ...(lines.length > 0 ? [""] : []), ...all];
      return this.#region.update([], live, cursor(live.length));
    }
    // A question taller than the screen is written once; below it only what changes is drawn.
    const standing = this.#writtenAt ? [] : [...lines, ""];
    const head = this.#writtenAt ? this.#headLines(lines, room - all.length) : [];
    this.#writtenAt ??= { columns: terminal.columns, rows: terminal.rows };
    if (!terminal.canRedraw) return this.#region.update([...standing, ...all], []);
    const below = all.slice(options.flat().length);
    const left = room - head.length;
    const live = [...head, ...all.length <= left ? all : this.#fit(options, { below, room: left })];
    this.#region.update(standing, live, cursor(live.length));
  }

  /** Whether the question stands above, where a resize has not moved it out of sight. */
  get #isAbove(): boolean {
    const { columns, rows } = this.#context.terminal;
    return this.#writtenAt?.columns === columns && this.#writtenAt.rows === rows;
  }

  /** The first lines of what is asked, so that nobody has to answer they know not what. */
  #headLines(lines: readonly string[], room: number): readonly string[] {
    const isLow = this.#region.maxRows < LOW_ROWS;
    const head = lines.filter((line) => line !== "");
    return head.slice(0, isLow ? 0 : Math.min(HEAD_ROWS, Math.max(1, room)));
  }

  /** The options in sight, then the last of what is below them: without the chosen one nobody knows what Enter does. */
  #fit(
    options: readonly (readonly string[])[],
    { below, room }: { below: readonly string[]; room: number },
  ): string[] {
    const shown = this.#optionsInSight(options, room - below.length);
    return [...shown, ...below.slice(Math.max(0, below.length - (room - shown.length)))];
  }

  /** The options round the chosen one, and how many more there are, so that some of the question stays in sight. */
  #optionsInSight(options: readonly (readonly string[])[], room: number): string[] {
    const { theme } = this.#context;
    const rows = Math.max(1, Math.min(Math.ceil(this.#region.maxRows * OPTIONS_SHARE), room) - 1);
    const height = (first: number, end: number) => options.slice(first, end).flat().length;
    let first = 0;
    while (first < this.#index && height(first, this.#index + 1) > rows) first++;
    let end = this.#index + 1;
    while (end < options.length && height(first, end + 1) <= rows) end++;
    const more = `${theme.glyphs.ellipsis} ${options.length - (end - first)} more`;
    const shown = options.slice(first, end).flat().slice(0, rows);
    return [...shown, `  ${theme.paint("dim", more)}`].slice(0, Math.max(1, room));
  }

  #hintLines(columns: number): string[] {
    if (!this.#isPuzzled || !this.#context.terminal.canRedraw) return [];
    const { theme } = this.#context;
    return wrapProse("Press a letter in brackets, a number, or arrows and Enter.", columns - 2)
      .map((line) => `  ${theme.paint("warning", line)}`);
  }

  /** How to come from the line that was being typed to the question, and that line. */
  #drawDraft(columns: number): { lines: readonly string[]; cursor?: Cursor } {
    const { theme, terminal } = this.#context;
    if (this.#keysFor !== "line" || !terminal.canRedraw) return { lines: [] };
    const hint = wrapProse(
      "You were typing. To answer, press Esc or an arrow key first.",
      columns - 2,
    ).map((line) => `  ${theme.paint("warning", line)}`);
    if (!this.#draft?.text) return { lines: hint };
    const { lines, cursor } = this.#draft.draw(MAX_DRAFT_ROWS);
    return {
      lines: [...hint, ...lines],
      cursor: { ...cursor, row: hint.length + cursor.row },
    };
  }

  #optionLines(columns: number): string[][] {
    const { theme } = this.#context;
    const takesKeys = this.#keysFor === "question";
    return this.#question.options.map((option, index) => {
      const chosen = index === this.#index;
      const arrows = theme.unicode ? "←/→" : "Left/Right";
      const hint = chosen && takesKeys && option.variants ? `, ${arrows} for how long` : "";
      const { label, note } = this.#selectedVariant(option);
      if (columns < 3) {
        return [takesKeys && option.key !== "" ? option.key : theme.glyphs.dot];
      }
      const isNarrow = columns < NARROW_COLUMNS;
      const number = isNarrow ? "" : this.#numberOf(index);
      const names = [option.key, number].filter(Boolean).join(", ");
      const how = names === "" ? "" : ` (${names}${hint})`;
      const lines = wrapProse(label + how, columns - 2).map((text, row) => {
        if (!takesKeys) return `  ${theme.paint("dim", text)}`;
        if (!chosen) return `  ${text}`;
        return theme.paint("accent", `${row === 0 ? theme.glyphs.pointer : " "} ${text}`);
      });
      const below = note === undefined || isNarrow ? [] : wrapProse(note, columns - 4);
      return [...lines, ...below.map((text) => `    ${theme.paint("dim", text)}`)];
    });
  }

  #letters(): string {
    return this.#question.options.flatMap(({ key }) => key === "" ? [] : [key]).join("/");
  }
}

/** Whether somebody is at a line: it holds words, or its last key was pressed just now. */
function isBeingTyped(draft: Draft | undefined): boolean {
  if (draft === undefined) return false;
  const { text, lastKeyAt = -Infinity } = draft;
  return text !== "" || performance.now() - lastKeyAt < TYPING_MS;
}

function isTurning(input: TypedInput): boolean {
  return TURNING.includes(actionOf(input));
}

function actionOf(input: TypedInput): MenuAction | undefined {
  const action = input.kind === "key" ? KEYS.find(input) : undefined;
  return action === "prefix" ? undefined : action;
}

/**
 * Whether several keys arrived at once, as from a paste: they never answer, unless they only move and confirm. Where
 * the terminal sends whole lines, a letter and its Enter count as one key.
 */
function isBurst(inputs: readonly TypedInput[], canRedraw: boolean): boolean {
  const typed = inputs.map((input) => input.kind === "text" ? input.text : "").join("");
  if (inputs.some(({ kind }) => kind === "paste")) return true;
  if (inputs.length < 2) return [...typed].length > 1;
  const isLine = inputs.length === 2 && [...typed].length === 1 && actionOf(inputs[1]!) === "enter";
  return typed !== "" && (canRedraw || !isLine);
}
