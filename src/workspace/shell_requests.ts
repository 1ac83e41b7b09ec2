/**
 * What a shell asks ally while it runs, through two named pipes: one that it writes to, one at which it waits for the
 * answer. A shell that waits ends when ally does.
 */
import { ToolError } from "../core/errors.ts";
import { findOwnProgram } from "../lib/find_program.ts";
import { runProcess } from "../lib/process.ts";
import { quoteWord } from "../lib/text.ts";
import { searchPath } from "./shell_environment.ts";

/** Milliseconds that making the pipes may take. */
const TIMEOUT_MS = 5000;

/** Descriptors of the shell that no program of its gets, below which programs find what is theirs. */
const REQUESTS = 19;
const ANSWERS = 18;

/** Redirections that keep the pipes from a program which the shell starts. */
export const WITHOUT_REQUESTS = ` ${REQUESTS}>&- ${ANSWERS}<&-`;

/** Where the pipes are made, and by what. */
interface RequestOptions {
  /** Absolute paths of nothing yet, that no command sees. */
  readonly requests: string;
  readonly answers: string;
  /** Where programs of ally's own are found. */
  readonly env: Readonly<Record<string, string>>;
  readonly roots: readonly string[];
  /** Answers a request with one line. Never rejects. */
  readonly answer: (request: string, directory: string) => Promise<string>;
}

/** The pipes of one shell. */
export class ShellRequests {
  readonly #options: RequestOptions;
  readonly #requests: Deno.FsFile;
  /** The same: a file that is read cannot be written meanwhile. */
  readonly #ending: Deno.FsFile;
  readonly #answers: Deno.FsFile;
  readonly #answered: Promise<void>;

  /** @throws {ToolError} system: this machine cannot make them */
  static async open(options: RequestOptions): Promise<ShellRequests> {
    const { requests, answers, env, roots } = options;
    const mkfifo = findOwnProgram("mkfifo", { path: searchPath(env), roots });
    const { code = 1, output = "there is no mkfifo" } = mkfifo === undefined
      ? {}
      : await runProcess([mkfifo, "-m", "600", requests, answers], {
        cwd: "/",
        env: {},
        signal: AbortSignal.timeout(TIMEOUT_MS),
        maxOutput: 1000,
      });
    if (code !== 0) {
      throw new ToolError(`Cannot run it in parts: ${output.trim()}`, {
        kind: "system",
        suggestion: "Run one of its commands at a time.",
      });
    }
    return new ShellRequests(options);
  }

  private constructor(options: RequestOptions) {
    this.#options = options;
    // For both directions: so neither end waits for the other to open it.
    this.#requests = Deno.openSync(options.requests, { read: true, write: true });
    this.#answers = Deno.openSync(options.answers, { read: true, write: true });
    this.#ending = Deno.openSync(options.requests, { write: true });
    this.#answered = this.#answerAll();
  }

  /** What the shell is told first: a function that asks, and prints the answer; it ends the shell where ally has ended. */
  get setup(): string {
    const { requests, answers } = this.#options;
    return `exec ${REQUESTS}>${quoteWord(requests)} ${ANSWERS}<${quoteWord(answers)}; ` +
      `ask() { printf '%s\\0' "$1" "$PWD" >&${REQUESTS} && ` +
      `IFS= read -r -u ${ANSWERS} answer || exit 143; }`;
  }

  /** To be called when the shell has ended; what it asked before is answered first. */
  async end(): Promise<void> {
    this.#ending.writeSync(new TextEncoder().encode("\0\0"));
    await this.#answered;
    for (const file of [this.#requests, this.#ending, this.#answers]) file.close();
    const { requests, answers } = this.#options;
    await Promise.allSettled([requests, answers].map((path) => Deno.remove(path)));
  }

  async #answerAll(): Promise<void> {
    for await (const [request, directory] of this.#read()) {
      const answer = await this.#options.answer(request, directory);
      this.#answers.writeSync(new TextEncoder().encode(`${answer}\n`));
    }
  }

  async *#read(): AsyncGenerator<[request: string, directory: string]> {
    const decoder = new TextDecoder();
    const buffer = new Uint8Array(4096);
    let text = "";
    for (;;) {
      const length = await this.#requests.read(buffer) ?? 0;
      text += decoder.decode(buffer.subarray(0, length), { stream: true });
      for (let fields = takeTwo(text); fields; fields = takeTwo(text)) {
        const [request, directory, rest] = fields;
        if (request === "") return;
        yield [request, directory];
        text = rest;
      }
    }
  }
}

/** The first two fields of a text, and what is behind them; undefined if there are fewer. */
function takeTwo(text: string): [string, string, string] | undefined {
  const first = text.indexOf("\0");
  const second = text.indexOf("\0", first + 1);
  if (first < 0 || second < 0) return undefined;
  return [text.slice(0, first), text.slice(first + 1, second), text.slice(second + 1)];
}
