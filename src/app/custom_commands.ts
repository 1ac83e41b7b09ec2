/**
 * Loads the custom commands of a run: the user's from ally's home, the project's as far as they are trusted.
 */
import type { SlashCommand } from "../slash/command.ts";
import { createCustomCommands, type CustomCommands } from "../slash/custom.ts";
import { COMMANDS } from "../slash/table.ts";
import { commandName, findCommandFiles } from "../store/command_files.ts";
import type { App } from "./app.ts";

/** Reads the user's files as they are now; the project's stay as they were trusted. */
export async function loadCustomCommands(
  { paths, project, agent, permissions }: App,
): Promise<CustomCommands> {
  const { files, problems } = await findCommandFiles(paths.commands, {
    userHome: permissions.pathFacts.home,
  });
  const trusted = project.files.commands.flatMap(({ path, text }) => {
    const name = commandName(path.replace(/^\.ally\/commands\//, ""));
    if (name === undefined) {
      problems.push(
        `${path} is left out: a command's name begins with a letter and holds no blanks.`,
      );
      return [];
    }
    return [{ name, path, text, source: "project" as const }];
  });
  const own = files.map((file) => ({ ...file, source: "user" as const }));
  const { definitions } = agent.deps.scheduler.registry;
  const custom = await createCustomCommands([...own, ...trusted], {
    builtIn: COMMANDS,
    definitions,
  });
  return { ...custom, problems: [...problems, ...custom.problems] };
}

/** The custom commands of a session at the terminal, read again when an unknown one is typed. */
export class CustomCommandLoader {
  readonly #app: App;
  readonly #reported = new Set<string>();
  #commands: readonly SlashCommand[] = [];

  constructor(app: App) {
    this.#app = app;
  }

  get commands(): readonly SlashCommand[] {
    return this.#commands;
  }

  /** Reads them as they are now; each problem is reported once. */
  async refresh(): Promise<void> {
    const { commands, problems } = await loadCustomCommands(this.#app);
    this.#commands = commands;
    const unreported = problems.filter((one) => !this.#reported.has(one));
    unreported.forEach((one) => this.#reported.add(one));
    if (unreported.length > 0) {
      this.#app.warn(unreported.join("\n"));
    }
  }
}
