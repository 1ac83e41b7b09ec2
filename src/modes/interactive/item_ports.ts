/**
 * What commands do with things that were shown: show them whole, copy them, run them. Only a terminal can.
 */
import type { App } from "../../app/app.ts";
import { findProgram } from "../../lib/find_program.ts";
import type { CommandContext } from "../../slash/command.ts";
import type { Renderer } from "../../ui/render.ts";
import { type Suspend, withScreen } from "../../ui/suspend.ts";
import type { Terminal } from "../../ui/terminal.ts";
import type { Theme } from "../../ui/theme.ts";

/** What they are made of. */
interface ItemParts {
  readonly terminal: Terminal;
  readonly theme: Theme;
  readonly renderer: Renderer;
  readonly suspend: Suspend;
  readonly app: App;
}

/** Makes these ports for one command; `onQuestion` is called before another program may have the keys. */
export function createItemPorts(
  parts: ItemParts,
  options: { readonly onQuestion: () => void },
): Pick<CommandContext, "items" | "showWhole" | "copy" | "shell"> {
  const { app, renderer, terminal } = parts;
  return {
    items: renderer.items,
    showWhole: (contents, how) => showWhole(contents, { ...how, parts, options }),
    async copy(text) {
      const { copyText } = await import("../../ui/clipboard.ts");
      await renderer.flush();
      return await copyText(text, { terminal, env: app.env, roots: app.workspace.roots });
    },
    shell: {
      async run(command) {
        const { runUserCommand } = await import("./user_command.ts");
        await runUserCommand({ command, foreground: false }, { ...parts, isPaused: false });
      },
      async has(program) {
        const where = { path: app.env.get("PATH") ?? "", cwd: app.workspace.cwd };
        return await findProgram(program, where).catch(() => undefined) !== undefined;
      },
    },
  };
}

async function showWhole(
  contents: Parameters<CommandContext["showWhole"]>[0],
  { facts, paged = false, parts, options }: Parameters<CommandContext["showWhole"]>[1] & {
    parts: ItemParts;
    options: { readonly onQuestion: () => void };
  },
): Promise<void> {
  const { app, terminal, theme, suspend } = parts;
  const [{ showLines }, { renderItem }] = await Promise.all([
    import("../../ui/pager.ts"),
    import("../../ui/item_view.ts"),
  ]);
  const layout = { theme, columns: Math.max(1, terminal.columns - 1), cwd: app.workspace.cwd };
  const lines = ["", theme.paint("dim", facts.join(` ${theme.glyphs.dot} `))];
  for (const content of contents) {
    const drawn = await renderItem(content, layout);
    lines.push(...contents.length > 1 ? [""] : [], ...drawn);
  }
  options.onQuestion();
  await withScreen(
    suspend,
    () =>
      showLines([...lines, ""], {
        terminal,
        env: app.env,
        roots: () => app.workspace.roots,
        alwaysPaged: paged,
      }),
  );
}
