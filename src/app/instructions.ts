/**
 * The instructions that the model gets with every request: the user's own, then the project's from the root of the
 * repository down, as far as they are trusted. They are checked before each turn.
 */
import { join } from "node:path";
import { maskPrompt } from "../agent/masked_message.ts";
import { type InstructionsFile, type PromptFacts, systemPrompt } from "../context/prompt.ts";
import { countTokens, cutToTokens } from "../context/tokens.ts";
import type { ProjectFile } from "../core/project.ts";
import type { Secrets } from "../core/secrets.ts";
import type { SystemPrompt } from "../core/system_prompt.ts";
import { formatLocalDay, messageOf } from "../lib/text.ts";
import {
  INSTRUCTION_FILES,
  instructionDirectories,
  readUserInstructions,
} from "../store/instructions.ts";
import type { Patch } from "../workspace/patch.ts";
import { type ProjectOptions, refreshInstructions } from "./project.ts";

/** Share of the window that all instructions together may take. */
const MAX_WINDOW_SHARE = 1 / 4;

/** What the system prompt is made of. */
interface InstructionsOptions {
  /** Everything else in the prompt, but the date. */
  readonly facts: Omit<PromptFacts, "instructions" | "date">;
  /** Masks the finished prompt. */
  readonly secrets: Pick<Secrets, "mask">;
  /** The project's files in force. */
  readonly trusted: readonly ProjectFile[];
  readonly project: ProjectOptions;
  /** Tokens of the window. */
  readonly contextSize: number;
  /** What tools changed, newest first: a trusted file that a tool changed with permission stays trusted. */
  readonly patches: () => Promise<readonly Patch[]>;
}

/** Owns the system prompt as a conversation that begins now has it. */
export class Instructions {
  readonly #options: InstructionsOptions;
  readonly #own: string;
  #trusted: readonly ProjectFile[];
  /** All contents that were in force. */
  readonly #contentsInForce = new Set<string>();
  #lastStamps: string;
  #date = "";
  #prompt: SystemPrompt = [];

  private constructor(options: InstructionsOptions) {
    this.#options = options;
    this.#own = join(options.project.home, "ALLY.md");
    this.#trusted = options.trusted;
    this.#lastStamps = this.#readStamps();
  }

  /** Reads what there is and makes the first prompt. */
  static async open(options: InstructionsOptions): Promise<Instructions> {
    const instructions = new Instructions(options);
    await instructions.#rebuildPrompt();
    return instructions;
  }

  /** The prompt as it was made last. */
  get prompt(): SystemPrompt {
    return this.#prompt;
  }

  /** The prompt as of now. Never throws: a file that cannot be read is left out with a warning. */
  async refresh(): Promise<SystemPrompt> {
    const stamps = this.#readStamps();
    const isChanged = stamps !== this.#lastStamps;
    if (!isChanged && this.#date === today()) return this.#prompt;
    this.#lastStamps = stamps;
    try {
      if (isChanged) this.#trusted = await this.#refreshTrusted({ asks: true });
      await this.#rebuildPrompt();
    } catch (error) {
      this.#warn(`The instructions stay as they were: ${messageOf(error)}`);
    }
    return this.#prompt;
  }

  /** Trusts what tools made of trusted files, in later runs too, without asking. Call it before a run ends. */
  async rememberTrust(): Promise<void> {
    if (this.#readStamps() !== this.#lastStamps) {
      await this.#refreshTrusted({ asks: false }).catch(() => {});
    }
  }

  #refreshTrusted({ asks }: { asks: boolean }): Promise<readonly ProjectFile[]> {
    return refreshInstructions({
      ...this.#options.project,
      before: this.#trusted,
      wasInForce: (file) => this.#contentsInForce.has(contentKey(file)),
      patches: this.#options.patches,
      asks,
    });
  }

  async #rebuildPrompt(): Promise<void> {
    for (const file of this.#trusted) this.#contentsInForce.add(contentKey(file));
    const own = await readUserInstructions(this.#own).catch((error) => {
      this.#warn(`${this.#own} is left out: ${messageOf(error)}`);
      return undefined;
    });
    const all: InstructionsFile[] = [
      ...(own === undefined ? [] : [{ ...own, scope: "user" as const }]),
      ...this.#trusted.map((file) => ({ ...file, scope: "project" as const })),
    ];
    const { facts, secrets } = this.#options;
    // The whole of it: a branch, a directory or the user's own addition may hold a secret too.
    this.#date = today();
    const instructions = this.#fitToWindow(all);
    const prompt = systemPrompt({ ...facts, date: this.#date, instructions });
    this.#prompt = maskPrompt(prompt, (text) => secrets.mask(text));
  }

  /** Fits the files into their share of the window, the nearest first; warns of each that is cut. */
  #fitToWindow(files: readonly InstructionsFile[]): InstructionsFile[] {
    const most = Math.floor(this.#options.contextSize * MAX_WINDOW_SHARE);
    let room = most;
    return [...files].reverse().flatMap(({ path, text, scope }) => {
      const tokens = countTokens(text);
      const fitted = tokens <= room ? text : cutToTokens(text, room);
      if (tokens > room) {
        this.#warn(
          `The model gets only a part of ${path}: it has about ${tokens} tokens, and all instructions ` +
            `together may have ${most}, a quarter of the window. Make it shorter.`,
        );
      }
      room = Math.max(0, room - tokens);
      return fitted.trim() === "" ? [] : [{ path, text: fitted.trimEnd(), scope }];
    }).reverse();
  }

  /** A text that differs if one of the files has changed. */
  #readStamps(): string {
    const directories = instructionDirectories(this.#options.project.directory);
    const paths = directories.flatMap((directory) =>
      INSTRUCTION_FILES.map((name) => join(directory, name))
    );
    return [this.#own, ...paths].map(stampOf).join("\n");
  }

  #warn(text: string): void {
    this.#options.project.warn(text);
  }
}

function today(): string {
  return formatLocalDay(new Date());
}

function contentKey({ path, hash }: ProjectFile): string {
  return `${path}\0${hash}`;
}

function stampOf(path: string): string {
  try {
    const { ino, size, mtime } = Deno.statSync(path);
    return `${ino} ${size} ${mtime?.getTime()}`;
  } catch {
    return "";
  }
}
