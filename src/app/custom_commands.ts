/**
 * The commands that people wrote, for this run: the user's from ally's home, the project's as far as they are
 * trusted. The session at the terminal and `ally -p "/name words"` load them here.
 */
import type { SlashCommand } from "../slash/command.ts";
import { createCustomCommands, type CustomCommands } from "../slash/custom.ts";
import { COMMANDS } from "../slash/table.ts";
import { commandName, findCommandFiles } from "../store/command_files.ts";
import type { App } from "./app.ts";

/** Reads the user's files as they are now; the project's stay what was trusted. */
export async function loadCustomCommands(
  { paths, project, agent, permissions }: Pick<
    App,
    "paths" | "project" | "agent" | "permissions"
  >,
): Promise<CustomCommands> {
  const { files, problems } = await findCommandFiles(paths.commands, {
    userHome: permissions.pathFacts.home,
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
  const custom = await createCustomCommands([...own, ...trusted], {
    builtIn: COMMANDS,
    definitions,
  });
  return { ...custom, problems: [...problems, ...custom.problems] };
}

/** The commands that people wrote, in a session at the terminal: read anew when an unknown one is typed. */
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

  /** Reads them as they are now; what is wrong with one is said once. */
  async refresh(): Promise<void> {
    const { commands, problems } = await loadCustomCommands(this.#app);
    this.#commands = commands;
    const news = problems.filter((one) => !this.#reported.has(one));
    news.forEach((one) => this.#reported.add(one));
    if (news.length > 0) {
      this.#app.emit({ type: "notice", level: "warning", text: news.join("\n") });
    }
  }
}
