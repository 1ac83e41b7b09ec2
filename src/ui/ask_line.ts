/**
 * Asks a person for one line: with the keys of every line, its text shown or hidden. What is typed is kept nowhere.
 */
import type { TypedInput } from "./key_decoder.ts";
import { LineInput } from "./line_input.ts";
import { LiveRegion } from "./live_region.ts";
import { readPlainLine } from "./plain_line.ts";
import type { Terminal } from "./terminal.ts";
import type { Theme } from "./theme.ts";
import { cellWidth, fit, wrapProse } from "./wrap.ts";

/** Where a line is asked for, and how. */
interface AskLineOptions {
  readonly terminal: Terminal;
  readonly theme: Theme;
  readonly signal: AbortSignal;
  /** What stands in it at first. @default nothing */
  readonly initial?: string;
  /** Whether dots stand for what is typed. @default false */
  readonly isHidden?: boolean;
}

/** Asks; undefined if the person left, or the input is to be hidden and the terminal cannot hide it. */
export async function askLine(
  question: string,
  options: AskLineOptions,
): Promise<string | undefined> {
  const { terminal, theme, signal, initial = "", isHidden = false } = options;
  if (signal.aborted || isHidden && !terminal.canRedraw) return undefined;
  if (!terminal.canRedraw) return await readPlainLine(terminal, { prompt: `${question} `, signal });
  const region = new LiveRegion(terminal);
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const line = new LineInput({ isMultiline: false });
  line.buffer.type(initial);
  const columns = () => Math.max(1, terminal.columns - 1);
  const draw = () => {
    const { text, cursor } = line.buffer;
    const room = Math.max(0, columns() - 3);
    const head = wrapProse(theme.paint("bold", question), columns());
    const shown = isHidden
      ? theme.glyphs.dot.repeat(Math.min(text.length, room))
      : endWithin(text, room);
    const before = isHidden ? cursor : cellWidth(endWithin(text.slice(0, cursor), room));
    const at = { row: head.length + 1, column: 2 + Math.min(before, room) };
    region.update([], ["", ...head, `${theme.glyphs.prompt} ${shown}`], at);
  };
  const take = (input: TypedInput) => {
    const outcome = line.take(input);
    if (outcome === "enter") resolve(line.buffer.text.trim());
    else if (["escape", "interrupt", "end of input"].includes(outcome)) resolve(undefined);
  };
  const onInput = (inputs: readonly TypedInput[]) => {
    inputs.forEach(take);
    draw();
  };
  const leave = () => resolve(undefined);
  signal.addEventListener("abort", leave);
  const release = terminal.listen({ onInput, onEnd: leave });
  draw();
  const given = await promise;
  signal.removeEventListener("abort", leave);
  release();
  const said = given === undefined ? "-" : given === "" ? "none" : isHidden ? "given" : given;
  region.update([theme.paint("dim", fit(`${question} ${said}`, columns()))], []);
  return given;
}

/** The end of a text in so many cells. */
function endWithin(text: string, room: number): string {
  let shown = text;
  while (cellWidth(shown) > room) shown = shown.slice(1);
  return shown;
}
