/**
 * Reads a secret from a person: what is typed or pasted is shown as dots and kept nowhere. A terminal that cannot
 * redraw would echo it, so nothing is asked there.
 */
import { type Key, KeyReader } from "./key_reader.ts";
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
  let secret = "";
  const columns = () => Math.max(1, terminal.columns - 1);
  const draw = () => {
    const dots = theme.glyphs.dot.repeat(Math.min(secret.length, columns() - 3));
    const head = wrapProse(theme.paint("bold", question), columns());
    region.update([], ["", ...head, `${theme.glyphs.prompt} ${dots}`]);
  };
  const press = (key: Key) => {
    if (key === "enter") resolve(secret.trim());
    else if (key === "escape" || key === "interrupt") resolve(undefined);
    else if (key === "\x7f" || key === "\b") secret = secret.slice(0, -1);
    else if (key.length === 1 && key > " ") secret += key;
  };
  const reader = new KeyReader((keys) => {
    keys.forEach(press);
    draw();
  });
  const leave = () => resolve(undefined);
  signal.addEventListener("abort", leave);
  const release = terminal.listen({ onText: (text) => reader.push(text), onEnd: leave });
  draw();
  const given = await promise;
  signal.removeEventListener("abort", leave);
  reader.close();
  release();
  const answer = `${question} ${given === undefined ? "-" : given === "" ? "none" : "given"}`;
  region.update([theme.paint("dim", fit(answer, columns()))], []);
  return given;
}
