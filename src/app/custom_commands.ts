/**
 * The commands that people wrote, for this run: the user's from ally's home, the project's as far as they are
 * trusted. The session at the terminal and `ally -p "/name words"` load them here.
 */
import type { SlashCommand } from "../slash/command.ts";
import { type CustomCommands, customCommands } from "../slash/custom.ts";
import { COMMANDS } from "../slash/table.ts";
import { commandName, findCommandFiles } from "../store/command_files.ts";
import type { Composition } from "./app.ts";

/** Reads the user's files as they are now; the project's stay what was trusted. */
export async function loadCommands(
  { places, project, agent, permissions }: Pick<
    Composition,
    "places" | "project" | "agent" | "permissions"
  >,
): Promise<CustomCommands> {
  const { files, problems } = await findCommandFiles(places.commands, {
    userHome: permissions.ground.home,
  });
  const trusted = project.files.commands.flatMap(({ path, text }) => {
    const name = commandName(path.replace(/^\.ally\/commands\//, ""));
    if (name === undefined) {
      problems.push(`${path} is left out: a command's name begins with a letter, without blanks.`);
      return [];
    }
    return [{ name, path, text, source: "project" as const }];
  });
  const own = files.map((file) => ({ ...file, source: "user" as const }));
  const { definitions } = agent.deps.scheduler.registry;
  const custom = await customCommands([...own, ...trusted], { builtIn: COMMANDS, definitions });
  return { ...custom, problems: [...problems, ...custom.problems] };
}

/** The commands that people wrote, in a session at the terminal: read anew when an unknown one is typed. */
export class WrittenCommands {
  readonly #composition: Composition;
  readonly #said = new Set<string>();
  #commands: readonly SlashCommand[] = [];

  constructor(composition: Composition) {
    this.#composition = composition;
  }

  get commands(): readonly SlashCommand[] {
    return this.#commands;
  }

  /** Reads them as they are now; what is wrong with one is said once. */
  async refresh(): Promise<void> {
    const { commands, problems } = await loadCommands(this.#composition);
    this.#commands = commands;
    const news = problems.filter((one) => !this.#said.has(one));
    news.forEach((one) => this.#said.add(one));
    if (news.length > 0) {
      this.#composition.emit({ type: "notice", level: "warning", text: news.join("\n") });
    }
  }
}
