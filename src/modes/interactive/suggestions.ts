/**
 * What may be meant by the end of a line while it is typed: slash commands and their arguments, agents after an `@`
 * that begins the line, skills, resources of servers and paths after any other; where it is asked for, paths after `!` and in
 * the arguments of commands.
 */
import type { CommandContext, SlashCommand } from "../../slash/command.ts";
import type { Named } from "./suggestion_source.ts";
import type { Suggestions } from "../../ui/suggestion_rows.ts";
import { PathSource } from "./path_source.ts";
import { ResourceSource } from "./resource_source.ts";
import {
  findEarly,
  findNamed,
  type Found,
  joinFound,
  NOTHING,
  type SuggestionSource,
} from "./suggestion_source.ts";

/** What suggestions are made of. */
interface SuggestionsOptions {
  readonly commands: () => readonly SlashCommand[];
  readonly context: () => CommandContext;
}

/** What is typed. */
interface TypedLine {
  /** The text before the cursor. */
  readonly before: string;
  /** Whether the person asked for suggestions, by a key. */
  readonly isAsked: boolean;
}

const COMMAND = /^\/([\w:.-]*)$/;
const ARGUMENT = /^\/([\w:.-]+)\s+([^]*)$/;
const MENTION = /(?:^|[\s([{"'`])@((?:\\[^\n]|[^\s\\])*)$/;
const WORD = /((?:\\[^\n]|[^\s\\])*)$/;
/** Milliseconds for which what a command knows of its arguments holds: some ask a server. */
const ARGUMENTS_MS = 10_000;

/** The suggestions of a session. */
export class LineSuggestions {
  readonly #options: SuggestionsOptions;
  readonly #paths: PathSource;
  readonly #resources: SuggestionSource | undefined;
  #arguments: { name: string; at: number; known: Promise<readonly string[]> } | undefined;

  constructor(options: SuggestionsOptions) {
    const { workspace, mcp } = options.context();
    this.#options = options;
    this.#paths = new PathSource(workspace);
    this.#resources = mcp && new ResourceSource(mcp);
  }

  /** Ends work in the background. */
  close(): void {
    this.#paths.close();
  }

  /** What may be meant; undefined if nothing is looked for there. @throws {DOMException} aborted */
  async find(
    { before, isAsked }: TypedLine,
    signal: AbortSignal,
  ): Promise<Suggestions | undefined> {
    const name = COMMAND.exec(before)?.[1];
    if (name !== undefined) return at(0, await this.#findCommands(name, signal));
    const argument = await this.#findArgument(before, signal);
    if (argument !== undefined) return argument;
    const mention = before.startsWith("!") ? undefined : MENTION.exec(before)?.[1];
    if (mention !== undefined) {
      const isFirst = before.length === mention.length + 1;
      return at(
        before.length - mention.length,
        await this.#findMentioned(mention, { isFirst, signal }),
        "middle",
      );
    }
    const word = isAsked && /^[!/]/.test(before) ? WORD.exec(before.slice(1))?.[1] : undefined;
    if (word === undefined) return undefined;
    const found = await this.#paths.find(word, signal);
    return { ...at(before.length - word.length, found, "middle"), isUnlikely: true };
  }

  #findCommands(letters: string, signal: AbortSignal): Promise<Found> {
    const commands = this.#options.commands().map(({ name, aliases, summary }): Named => ({
      label: `/${name}`,
      aliases: aliases?.map((alias) => `/${alias}`) ?? [],
      detail: summary,
      insert: `/${name} `,
    }));
    return findNamed(commands, letters, signal);
  }

  async #findArgument(before: string, signal: AbortSignal): Promise<Suggestions | undefined> {
    const [, name, letters = ""] = ARGUMENT.exec(before) ?? [];
    const command = this.#options.commands().find((one) => one.name === name);
    if (command?.complete === undefined) return undefined;
    const search = this.#argumentsOf(command).then((known) =>
      findNamed(known.map((text) => ({ label: text, insert: text })), letters, signal)
    );
    return at(before.length - letters.length, await findEarly(search));
  }

  async #argumentsOf({ name, complete }: SlashCommand): Promise<readonly string[]> {
    const now = performance.now();
    if (this.#arguments?.name !== name || now - this.#arguments.at > ARGUMENTS_MS) {
      const known = Promise.resolve(complete?.(this.#options.context()) ?? []).catch(() => []);
      this.#arguments = { name, at: now, known };
    }
    return await this.#arguments.known;
  }

  async #findMentioned(
    letters: string,
    { isFirst, signal }: { isFirst: boolean; signal: AbortSignal },
  ): Promise<Found> {
    const profiles = isFirst ? this.#options.context().agents.profiles.all : [];
    const agents = profiles.map(({ name, description }) => ({
      label: name,
      detail: `agent: ${description}`,
      insert: `${name} `,
    }));
    const skills = (this.#options.context().skills?.all ?? []).map(({ name, description }) => ({
      label: name,
      detail: `skill: ${description}`,
      insert: `${name} `,
    }));
    return joinFound(
      await Promise.all([
        findNamed([...agents, ...skills], letters, signal),
        this.#resources?.find(letters, signal) ?? NOTHING,
        this.#paths.find(letters, signal),
      ]),
    );
  }
}

function at(from: number, { later, ...found }: Found, cut?: "middle"): Suggestions {
  return {
    from,
    ...found,
    ...cut && { cut },
    ...later && { later: later.then((all) => at(from, all, cut)) },
  };
}
