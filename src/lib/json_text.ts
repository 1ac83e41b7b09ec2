/**
 * JSON as models write it: a scanner that tells whole from cut-off text and finds duplicate keys, and a repair
 * of slips of syntax. Whatever the repair gives must hold the very strings, numbers and words of the text, in
 * order: a value is never completed, dropped or guessed.
 */

/** What scanning the first value of a text found. */
interface JsonScan {
  /** Whether the value is complete: every string and bracket of it is closed. */
  readonly closed: boolean;
  /** Index after the value; the text's length if it is not closed. */
  readonly end: number;
  /** Strings, numbers and words in order, as `"text"` or `word`. */
  readonly atoms: readonly string[];
  /** A key that an object has twice. */
  readonly duplicate?: string | undefined;
  /** Brackets that are open at once, at most. */
  readonly depth: number;
  /** Whether a word stands for a value that is no literal, such as `{a: rm -rf}`. */
  readonly loose: boolean;
}

/** The text parsed as JSON, or undefined if it is not valid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What a parser that calls itself makes of a text; undefined if the text is nested too deeply for it. */
export function unlessTooDeep<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

interface Frame {
  readonly close: "}" | "]";
  readonly keys: Set<string>;
  /** Whether the next atom is a key. */
  key: boolean;
}

const LITERALS: Readonly<Record<string, string>> = {
  true: "true",
  false: "false",
  null: "null",
  True: "true",
  False: "false",
  None: "null",
};
const WORD = /[^\s{}[\],:"']+/y;
const NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

/** Looks through the first JSON value of a text, tolerant of quotes, commas and bare keys. */
export function scanJson(text: string): JsonScan {
  return new Scanner(text).run();
}

class Scanner {
  readonly #text: string;
  readonly #frames: Frame[] = [];
  readonly #atoms: string[] = [];
  #duplicate: string | undefined;
  #depth = 0;
  #loose = false;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  run(): JsonScan {
    while (this.#at < this.#text.length) {
      if (!this.#step()) break;
      if (this.#frames.length === 0 && this.#atoms.length > 0) return this.#scan(true);
      if (this.#frames.length === 0 && "}]".includes(this.#text[this.#at - 1]!)) {
        return this.#scan(true);
      }
    }
    return this.#scan(false);
  }

  #scan(closed: boolean): JsonScan {
    return {
      closed,
      end: closed ? this.#at : this.#text.length,
      atoms: this.#atoms,
      duplicate: this.#duplicate,
      depth: this.#depth,
      loose: this.#loose,
    };
  }

  /** Takes one piece; false if the text ends within it or the brackets do not match. */
  #step(): boolean {
    const character = this.#text[this.#at]!;
    const frame = this.#frames.at(-1);
    if (character === '"' || character === "'") return this.#string(character);
    if (character === "{" || character === "[") {
      const close = character === "{" ? "}" : "]";
      this.#frames.push({ close, keys: new Set(), key: close === "}" });
      this.#depth = Math.max(this.#depth, this.#frames.length);
    } else if (character === "}" || character === "]") {
      if (this.#frames.pop()?.close !== character) return false;
    } else if (character === ",") {
      if (frame) frame.key = frame.close === "}";
    } else if (character === ":") {
      if (frame) frame.key = false;
    } else if (!/\s/.test(character)) {
      return this.#word();
    }
    this.#at++;
    return true;
  }

  #string(quote: string): boolean {
    const start = this.#at + 1;
    let end = start;
    for (;; end++) {
      end = this.#text.indexOf(quote, end);
      if (end < 0) return false;
      let slashes = 0;
      while (this.#text[end - 1 - slashes] === "\\" && end - slashes > start) slashes++;
      if (slashes % 2 === 0) break;
    }
    this.#at = end + 1;
    const content = unescape(this.#text.slice(start, end));
    this.#keep(content, `"${content}"`);
    return true;
  }

  #word(): boolean {
    WORD.lastIndex = this.#at;
    const word = WORD.exec(this.#text)?.[0] ?? this.#text[this.#at]!;
    this.#at += word.length;
    const isKey = this.#frames.at(-1)?.key === true;
    const literal = Object.hasOwn(LITERALS, word) ? LITERALS[word]! : undefined;
    if (!isKey && literal === undefined && !NUMBER.test(word)) this.#loose = true;
    this.#keep(word, isKey ? `"${word}"` : literal ?? word);
    return true;
  }

  #keep(content: string, atom: string): void {
    const frame = this.#frames.at(-1);
    if (frame?.key) {
      if (frame.keys.has(content)) this.#duplicate ??= content;
      frame.keys.add(content);
      frame.key = false;
    }
    this.#atoms.push(atom);
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  '"': '"',
  "'": "'",
  "/": "/",
  "\\": "\\",
};

/** A string's text; a backslash that escapes nothing JSON knows, as in `\d`, is meant itself. */
function unescape(raw: string): string {
  if (!raw.includes("\\")) return raw;
  return raw.replace(/\\(?:u([0-9a-fA-F]{4})|([^]))/g, (whole, code, character) => {
    if (code !== undefined) return String.fromCharCode(parseInt(code, 16));
    return Object.hasOwn(ESCAPES, character) ? ESCAPES[character]! : whole;
  });
}

/**
 * The text as strict JSON if only its syntax slips: other quotes, bare keys, a comma too many or too few,
 * a line end within a string, `\d`, Python's literals. Undefined if the text is cut off, or if anything else
 * than punctuation would have to change.
 */
export async function repairJson(text: string): Promise<string | undefined> {
  const scan = scanJson(text);
  const isWhole = scan.closed && /^[\s}\]]*$/.test(text.slice(scan.end));
  if (!isWhole || scan.loose || scan.duplicate !== undefined) return undefined;
  const { jsonrepair } = await import("jsonrepair");
  try {
    const source = text.slice(0, scan.end).replace(
      /\\([^])/g,
      (whole, character) => /["\\/bfnrtu'\n]/.test(character) ? whole : `\\\\${character}`,
    );
    const repaired = jsonrepair(source);
    JSON.parse(repaired);
    const { atoms } = scanJson(repaired);
    return sameAtoms(atoms, scan.atoms) ? repaired : undefined;
  } catch {
    return undefined;
  }
}

function sameAtoms(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((atom, index) => atom === others[index]);
}
