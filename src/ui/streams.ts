/**
 * A terminal as the pair of Node streams that `node:readline` needs. Nothing is ever piped to the real standard
 * input.
 */
import { Buffer } from "node:buffer";
import { Readable, Writable } from "node:stream";
import type { Terminal } from "./terminal.ts";

/** A keyboard stream and a screen stream over one terminal. */
interface TerminalStreams {
  readonly input: Readable;
  readonly output: Writable;
  /** Types text: it has taken effect when this returns, so that keys and pasted text keep their order. */
  type(text: string): void;
}

/** Opens the pair; `close` stops following the terminal's size. */
export function openStreams(terminal: Terminal): TerminalStreams & { close(): void } {
  const input = new Readable({ read: () => {} });
  // The terminal is in raw mode already: the library must not switch it.
  Object.assign(input, { isTTY: true, setRawMode: () => input });
  const output = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      terminal.control(typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk));
      done();
    },
  });
  Object.defineProperties(output, {
    isTTY: { value: true },
    columns: { get: () => terminal.columns },
    rows: { get: () => terminal.rows },
  });
  return {
    input,
    output,
    type: (text) => void input.emit("data", Buffer.from(text)),
    close: terminal.onResize(() => output.emit("resize")),
  };
}
