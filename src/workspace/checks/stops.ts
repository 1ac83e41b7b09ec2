/**
 * Where a parser could not go on. The tree shows what was made of an error, not where it was noticed; the
 * parser's log does. For texts with errors only; all sound parts are taken over.
 */
import type { Parser } from "web-tree-sitter";
import { SourceLines } from "./source_lines.ts";

/** A place where no reading of the text could go on. */
export interface Stop {
  /** End of the last token that was accepted. */
  readonly offset: number;
  /** The grammar's name of the token that was not, "end" at the end of the text. */
  readonly lookahead: string;
}

/** Bytes of a column in the parser's log: it reads UTF-16. */
const UNIT = 2;

/** Runs a parse with the log on, and gathers the stops in their order. */
export function recordStops(
  parser: Parser,
  { text, parse }: { text: string; parse: () => void },
): Stop[] {
  const lines = new SourceLines(text);
  const stops: Stop[] = [];
  let offset = 0;
  let furthest: Stop | undefined;
  parser.setLogger((message, lexing) => {
    if (lexing) return;
    const at = /^process .* row:(\d+), col:(\d+)/.exec(message);
    if (at) {
      offset = lines.startOf(Number(at[1])) + Number(at[2]) / UNIT;
      // One reading of several may fail while another goes on; only then all have failed.
    } else if (message.startsWith("detect_error lookahead:")) {
      const lookahead = message.slice(message.indexOf(":") + 1);
      if (furthest === undefined || offset >= furthest.offset) {
        furthest = { offset, lookahead };
      }
    } else if (message.startsWith("resume ") && furthest !== undefined) {
      stops.push(furthest);
      furthest = undefined;
    }
  });
  try {
    parse();
  } finally {
    parser.setLogger(null);
  }
  return stops;
}
