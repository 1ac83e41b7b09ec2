/**
 * The slash commands that a client offers: ally's own that need no terminal, the person's, the skills, and the prompts
 * of MCP servers; and what they work with here.
 */
import type { AvailableCommand } from "@agentclientprotocol/sdk";
import type { App } from "../../app/app.ts";
import { CustomCommandLoader } from "../../app/custom_commands.ts";
import type { Drawable } from "../../core/numbered_item.ts";
import type { Preview } from "../../core/permission.ts";
import { messageOf } from "../../lib/text.ts";
import type { Server } from "../../mcp/server.ts";
import type { CommandContext, SlashCommand } from "../../slash/command.ts";
import { approveServer, createPromptCommands } from "../../slash/mcp.ts";
import { COMMANDS, describeUnknown, route } from "../../slash/table.ts";
import type { Debugging } from "../debugging.ts";
import { createBaseContext } from "../interactive/command_context.ts";
import { skillCommandsOf } from "../skill_commands.ts";
import { fenced } from "./call_view.ts";
import type { SessionClient } from "./session_client.ts";

const OFFERED: readonly SlashCommand[] = COMMANDS.filter(({ terminalOnly }) => !terminalOnly);

/** What commands run with. */
interface CommandParts {
  readonly app: App;
  readonly client: SessionClient;
  readonly debugging: Debugging;
  /** Says something to the person. */
  readonly say: (text: string) => void;
}

/** The commands of one session. */
export class ClientCommands {
  readonly #parts: CommandParts;
  readonly #custom: CustomCommandLoader;
  /** What the client was told last. */
  #told = "";

  constructor(parts: CommandParts) {
    this.#parts = parts;
    this.#custom = new CustomCommandLoader(parts.app);
  }

  /** Tells the client which commands there are, if that has changed. */
  async announce(): Promise<void> {
    await this.#custom.refresh();
    const availableCommands = this.#all.map(toAvailable);
    const told = JSON.stringify(availableCommands);
    if (told === this.#told) return;
    this.#told = told;
    this.#parts.client.send({ sessionUpdate: "available_commands_update", availableCommands });
  }

  /** Runs the command that a prompt is, or says that there is none of that name; false if it is words. */
  async run(words: string, signal: AbortSignal): Promise<boolean> {
    if (!words.startsWith("/")) return false;
    const { app, say } = this.#parts;
    if (/^\/[\w-]+:/.test(words)) await app.mcp?.waitForTools(signal);
    let chosen = route(words, this.#all);
    if (chosen.kind === "unknown") {
      await this.#custom.refresh();
      chosen = route(words, this.#all);
    }
    if (chosen.kind === "unknown") {
      const isOfTerminal = route(words).kind === "command";
      say(
        isOfTerminal
          ? `/${chosen.name} is for the terminal: start ally there and type it.`
          : describeUnknown(chosen, "Type / to see which there are."),
      );
      return true;
    }
    if (chosen.kind !== "command") return false;
    try {
      await app.userActions.wrapCommand(chosen.command)
        .run(chosen.argument, this.#context(signal));
    } catch (error) {
      say(messageOf(error));
    }
    return true;
  }

  /** Asks about an MCP server that changed, and says what came of it. */
  async approveServer(server: Server, signal: AbortSignal): Promise<void> {
    this.#parts.say(await approveServer(server, this.#context(signal)));
  }

  get #all(): readonly SlashCommand[] {
    const { app } = this.#parts;
    const written = [...OFFERED, ...this.#custom.commands];
    return [...written, ...skillCommandsOf(app, written), ...createPromptCommands(app.mcp)];
  }

  #context(signal: AbortSignal): CommandContext {
    const { app, client, debugging, say } = this.#parts;
    const choose = (title: string, names: readonly string[]) =>
      client.choose({ title }, {
        answers: names.map((name) => ({ name, kind: "allow_once" as const })),
        signal,
      });
    return {
      ...createBaseContext(app, debugging),
      commands: this.#all,
      signal,
      say,
      prefill: () => {},
      showLastTurns: () => {},
      show: (previews) => say(previews.map(previewText).join("\n\n")),
      showPage: (markdown) => Promise.resolve(say(markdown)),
      items: { highest: 0, get: () => undefined, latest: () => [] },
      showWhole: (contents, { facts }) =>
        Promise.resolve(say([facts.join(" · "), ...contents.map(drawableText)].join("\n\n"))),
      copy: () => Promise.resolve({ terminal: false }),
      shell: { run: () => Promise.resolve(), has: () => Promise.resolve(false) },
      pick: (question, choices) => choose(question, choices.map(({ label }) => label)),
      async confirm(question) {
        const answers = [
          { kind: "allow_once", name: "Yes" },
          { kind: "reject_once", name: "No" },
        ] as const;
        return await client.choose({ title: question }, { answers, signal }) === 0;
      },
    };
  }
}

function toAvailable({ name, summary, usage }: SlashCommand): AvailableCommand {
  return { name, description: summary, ...usage !== undefined && { input: { hint: usage } } };
}

function drawableText(content: Drawable): string {
  switch (content.form) {
    case "code":
      return fenced(content.text, content.language);
    case "preview":
      return previewText(content.preview);
    default:
      return content.text;
  }
}

function previewText(preview: Preview): string {
  switch (preview.kind) {
    case "diff":
      return `${preview.path}\n${fenced(preview.diff, "diff")}`;
    case "new_file":
      return `${preview.path}\n${fenced(preview.content)}`;
    case "deleted_file":
      return `${preview.path} is deleted.`;
    case "other_change":
      return `${preview.path}: ${preview.what}`;
    case "command":
      return fenced(preview.command, "sh");
    case "sent":
      return fenced(preview.text, "json");
  }
}
