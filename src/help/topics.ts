/**
 * The help pages, one Markdown file each beside this one, in the order in which they are listed. A page is loaded
 * only when it is shown.
 */

/** A page of help. */
export interface HelpTopic {
  /** What is typed after `help`. */
  readonly name: string;
  /** What it is about, for the list. */
  readonly summary: string;
  /** Its Markdown; the first line is its heading. */
  load(): Promise<string>;
}

type TextModule = Promise<{ readonly default: string }>;

/** All pages; the imports are literal, so that a bundle and a compiled program hold them. */
export const HELP_TOPICS: readonly HelpTopic[] = [
  page(
    "start",
    "set it up, and five things to do first",
    () => import("./start.md", { with: { type: "text" } }),
  ),
  page(
    "prompt",
    "what you can type in a session: keys, commands, attaching files",
    () => import("./prompt.md", { with: { type: "text" } }),
  ),
  page(
    "images",
    "images and PDFs: how the model sees them",
    () => import("./images.md", { with: { type: "text" } }),
  ),
  page(
    "keys",
    "every key, and those you know from elsewhere",
    () => import("./keys.md", { with: { type: "text" } }),
  ),
  page(
    "terminal",
    "status line, title, notifications, links, screen readers",
    () => import("./terminal.md", { with: { type: "text" } }),
  ),
  page(
    "models",
    "servers, models and keys",
    () => import("./models.md", { with: { type: "text" } }),
  ),
  page(
    "settings",
    "every setting, its flag, variable and default",
    () => import("./settings.md", { with: { type: "text" } }),
  ),
  page(
    "permissions",
    "what asks, what does not, flags and stored rules",
    () => import("./permissions.md", { with: { type: "text" } }),
  ),
  page(
    "hooks",
    "commands of yours at certain moments: format, forbid, notify",
    () => import("./hooks.md", { with: { type: "text" } }),
  ),
  page(
    "sandbox",
    "how commands are held by the operating system",
    () => import("./sandbox.md", { with: { type: "text" } }),
  ),
  page(
    "trust",
    "what a project's own files may do",
    () => import("./trust.md", { with: { type: "text" } }),
  ),
  page(
    "secrets",
    "what never reaches the model",
    () => import("./secrets.md", { with: { type: "text" } }),
  ),
  page(
    "tools",
    "what the model can call, and how files are changed",
    () => import("./tools.md", { with: { type: "text" } }),
  ),
  page(
    "undo",
    "take changes back, go back in the conversation",
    () => import("./undo.md", { with: { type: "text" } }),
  ),
  page(
    "sessions",
    "go on with a conversation, export it, delete it",
    () => import("./sessions.md", { with: { type: "text" } }),
  ),
  page(
    "context",
    "the model's window, and what happens as it fills",
    () => import("./context.md", { with: { type: "text" } }),
  ),
  page(
    "scripts",
    "one answer without a terminal: output, exit codes, CI",
    () => import("./scripts.md", { with: { type: "text" } }),
  ),
  page(
    "receipts",
    "what a run did, hash by hash; check it, take it back",
    () => import("./receipts.md", { with: { type: "text" } }),
  ),
  page(
    "acp",
    "ally in Zed, JetBrains, Neovim, Emacs and VS Code",
    () => import("./acp.md", { with: { type: "text" } }),
  ),
  page(
    "library",
    "ally in a program of your own",
    () => import("./library.md", { with: { type: "text" } }),
  ),
  page(
    "replay",
    "record a run and repeat it offline",
    () => import("./replay.md", { with: { type: "text" } }),
  ),
  page(
    "agents",
    "agents that take tasks, and your own",
    () => import("./agents.md", { with: { type: "text" } }),
  ),
  page(
    "commands",
    "slash commands of your own",
    () => import("./commands.md", { with: { type: "text" } }),
  ),
  page(
    "skills",
    "instructions for kinds of tasks, in folders",
    () => import("./skills.md", { with: { type: "text" } }),
  ),
  page("mcp", "servers that bring tools", () => import("./mcp.md", { with: { type: "text" } })),
  page(
    "serve",
    "ally's tools for other agents",
    () => import("./serve.md", { with: { type: "text" } }),
  ),
  page(
    "plugins",
    "tools of your own or of others",
    () => import("./plugins.md", { with: { type: "text" } }),
  ),
  page(
    "files",
    "where ally keeps things, and how to remove it",
    () => import("./files.md", { with: { type: "text" } }),
  ),
  page(
    "trouble",
    "when something does not work",
    () => import("./trouble.md", { with: { type: "text" } }),
  ),
];

/** The page of that name; undefined if there is none. */
export function findTopic(name: string): HelpTopic | undefined {
  return HELP_TOPICS.find((topic) => topic.name === name);
}

function page(name: string, summary: string, load: () => TextModule): HelpTopic {
  return { name, summary, load: async () => removeComments((await load()).default) };
}

/** Markdown without the comments that mark its generated parts. */
function removeComments(markdown: string): string {
  return markdown.replace(/^<!--.*-->\n+/gm, "").trimEnd();
}
