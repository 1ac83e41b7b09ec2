/**
 * What the user lets the session work on: the workspace, more directories, or one directory alone. Kept with the
 * session, so that it holds again when that is resumed; the model is told with the user's next words, because what was
 * sent before must not change.
 */
import type { State } from "../core/conversation_access.ts";
import type { ResolvedPath } from "../core/files.ts";
import { messageOf } from "../lib/text.ts";

/** The bounds of the workspace. */
interface FocusableWorkspace {
  /** Where relative paths start. */
  readonly cwd: string;
  readonly focus: string | undefined;
  setFocus(path: string): Promise<ResolvedPath>;
  clearFocus(): void;
  add(path: string): Promise<string | undefined>;
}

const FOCUS_KEY = "focus";
const ADDED_KEY = "added_directories";

/** The bounds of one session after the other. */
export class Focus {
  readonly #workspace: FocusableWorkspace;
  /** Of the conversation that is going on now. */
  readonly #state: () => State;
  readonly #home: string;
  #added: string[] = [];
  /** The focus as people know it. */
  #label: string | undefined;
  /** What the model is to be told. */
  #pendingNotes: string[] = [];

  constructor(options: { workspace: FocusableWorkspace; state: () => State; home: string }) {
    this.#workspace = options.workspace;
    this.#state = options.state;
    this.#home = options.home;
  }

  /** The directory that the session is limited to, as people know it. */
  get label(): string | undefined {
    return this.#label;
  }

  /** Limits the session to a directory. @throws {Error} it cannot be */
  async set(path: string): Promise<void> {
    const { absolute, display } = await this.#workspace.setFocus(this.#expandHome(path));
    if (display === ".") return void await this.clear();
    this.#label = display;
    this.#pendingNotes.push(focusNote(absolute));
    await this.#state().set(FOCUS_KEY, absolute);
  }

  /** Lifts the limit; false if there is none. */
  async clear(): Promise<boolean> {
    if (this.#workspace.focus === undefined) return false;
    this.#workspace.clearFocus();
    this.#label = undefined;
    this.#pendingNotes.push(
      `The user has lifted the limit: relative paths start in ${this.#workspace.cwd} again.`,
    );
    await this.#state().set(FOCUS_KEY, null);
    return true;
  }

  /** Makes a directory part of the workspace; its canonical path, or undefined if it is already. */
  async addDirectory(path: string): Promise<string | undefined> {
    const added = await this.#workspace.add(this.#expandHome(path));
    if (added === undefined) return undefined;
    this.#added.push(added);
    this.#pendingNotes.push(`The user has made ${added} part of the workspace.`);
    await this.#state().set(ADDED_KEY, this.#added);
    return added;
  }

  /** Restores the bounds of a resumed conversation; returns a line for each that cannot be restored. */
  async restore(): Promise<string[]> {
    const problems: string[] = [];
    const added = this.#state().get(ADDED_KEY);
    for (const path of Array.isArray(added) ? added.filter((one) => typeof one === "string") : []) {
      try {
        const known = await this.#workspace.add(path) ?? path;
        if (!this.#added.includes(known)) this.#added.push(known);
      } catch (error) {
        problems.push(`${path} is not part of the workspace any more: ${messageOf(error)}`);
      }
    }
    const focus = this.#state().get(FOCUS_KEY);
    if (typeof focus !== "string") return problems;
    try {
      this.#label = (await this.#workspace.setFocus(focus)).display;
    } catch (error) {
      problems.push(`The session is not limited to ${focus} any more: ${messageOf(error)}`);
    }
    return problems;
  }

  /** Lets a new conversation begin with the bounds that hold. */
  async carryOver(): Promise<void> {
    const { focus } = this.#workspace;
    this.#pendingNotes = [];
    if (focus !== undefined) {
      this.#pendingNotes.push(focusNote(focus));
      await this.#state().set(FOCUS_KEY, focus);
    }
    if (this.#added.length === 0) return;
    this.#pendingNotes.push(`Part of the workspace too: ${this.#added.join(", ")}`);
    await this.#state().set(ADDED_KEY, this.#added);
  }

  /** A prompt with what the model must know of changes since the last one. */
  annotate(prompt: string): string {
    const news = this.#pendingNotes.splice(0);
    return [prompt, ...news.map((text) => `[${text}]`)].join("\n\n");
  }

  /** A person means the home directory by `~`. */
  #expandHome(path: string): string {
    return this.#home === "" ? path : path.replace(/^~(?=\/|$)/, this.#home);
  }
}

function focusNote(directory: string): string {
  return `The user has limited this session to ${directory}: relative paths start there, ` +
    "and paths outside are refused.";
}
