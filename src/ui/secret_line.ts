/**
 * Reads a secret from a person: what is typed or pasted is shown as dots and kept nowhere. A terminal that cannot
 * redraw would echo it, so nothing is asked there.
 */
import type { TypedInput } from "./key_decoder.ts";
import { LineInput } from "./line_input.ts";
import { LiveRegion } from "./live_region.ts";
import type { Terminal } from "./terminal.ts";
import type { Theme } from "./theme.ts";
import { fit, wrapProse } from "./wrap.ts";

/** Where a secret is asked for. */
interface SecretOptions {
  readonly terminal: Terminal;
  readonly theme: Theme;
  readonly signal: AbortSignal;
}

/** Asks; "" if nothing was typed, undefined if the person left or the input cannot be hidden. */
export async function readSecret(
  question: string,
  { terminal, theme, signal }: SecretOptions,
): Promise<string | undefined> {
  if (signal.aborted || !terminal.canRedraw) return undefined;
  const region = new LiveRegion(terminal);
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const line = new LineInput({ isMultiline: false });
  const columns = () => Math.max(1, terminal.columns - 1);
  const draw = () => {
    const { text, cursor } = line.buffer;
    const room = Math.max(0, columns() - 3);
    const dots = theme.glyphs.dot.repeat(Math.min(text.length, room));
    const head = wrapProse(theme.paint("bold", question), columns());
    const at = { row: head.length + 1, column: 2 + Math.min(cursor, room) };
    region.update([], ["", ...head, `${theme.glyphs.prompt} ${dots}`], at);
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
  const answer = `${question} ${given === undefined ? "-" : given === "" ? "none" : "given"}`;
  region.update([theme.paint("dim", fit(answer, columns()))], []);
  return given;
}
