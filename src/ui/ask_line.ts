/**
 * Asks a person for one line: with the keys and rows of every line, its text shown or hidden. What is typed is kept
 * nowhere.
 */
import { EditedLine } from "./edited_line.ts";
import type { TypedInput } from "./key_decoder.ts";
import { LineInput } from "./line_input.ts";
import { LiveRegion } from "./live_region.ts";
import { readPlainLine } from "./plain_line.ts";
import type { Terminal } from "./terminal.ts";
import type { Theme } from "./theme.ts";
import { fit, wrapProse } from "./wrap.ts";

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
  const input = new LineInput({ isMultiline: false });
  input.buffer.type(initial);
  const line = new EditedLine({ terminal, theme, input, isHidden });
  const columns = () => Math.max(1, terminal.columns - 1);
  const draw = () => {
    const above = ["", ...wrapProse(theme.paint("bold", question), columns())];
    const { lines, cursor } = line.draw(region.safeRows, { above });
    region.update([], lines, cursor);
  };
  const onInput = (inputs: readonly TypedInput[]) => {
    for (const [index, one] of inputs.entries()) {
      const outcome = line.take(one);
      const isSent = outcome === "enter";
      if (!isSent && !["escape", "interrupt", "end of input"].includes(outcome)) continue;
      finish(isSent ? input.buffer.text.trim() : undefined);
      return terminal.unread(inputs.slice(index + 1));
    }
    draw();
  };
  const leave = () => finish(undefined);
  signal.addEventListener("abort", leave);
  const releases = [
    terminal.listen({ onInput, onEnd: leave }),
    terminal.onResize(draw),
    () => signal.removeEventListener("abort", leave),
  ];
  const finish = (given: string | undefined) => {
    for (const release of releases) release();
    resolve(given);
  };
  draw();
  const given = await promise;
  const said = given === undefined ? "-" : given === "" ? "none" : isHidden ? "given" : given;
  region.update([theme.paint("dim", fit(`${question} ${said}`, columns()))], []);
  return given;
}
