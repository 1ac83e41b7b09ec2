/**
 * `ally demo`: the real loop, offline, on a scratch copy of a small project with a failing test. Only the
 * model is scripted, behind real HTTP on loopback. Without a terminal it answers every question itself.
 */
import { join } from "node:path";
import { compose } from "../../app/compose.ts";
import { createIsolatedEnvironment, type Environment } from "../../app/environment.ts";
import { EXIT } from "../../app/exit_codes.ts";
import { findInstallation, findStartCommand } from "../../app/installation.ts";
import type { Io } from "../../app/io.ts";
import type { DemoOptions, Options } from "../../app/options.ts";
import { watchSignals } from "../../app/signals.ts";
import type { AskPermission } from "../../core/permission.ts";
import { createAsk } from "../../ui/ask.ts";
import { createEditor } from "../../ui/external_editor.ts";
import { watchKeys } from "../../ui/keys.ts";
import { Renderer } from "../../ui/render.ts";
import { openTerminal, type Terminal } from "../../ui/terminal.ts";
import { createTheme, type Theme } from "../../ui/theme.ts";
import { makeProject } from "./project.ts";
import { startScriptedServer } from "./scripted_server.ts";
import { DEMO_PROMPT, nextReply, STORY_LENGTH } from "./story.ts";

/** Runs the demo; the exit code is 0 unless it was interrupted or failed. */
export async function runDemo(
  { options }: { options: DemoOptions },
  io: Io,
): Promise<number> {
  const terminal = openTerminal(io, { color: options.color });
  const theme = createTheme(terminal);
  const scratch = await Deno.makeTempDir({ dir: io.env.get("TMPDIR"), prefix: "ally-demo-" });
  const project = await makeProject(scratch);
  await using server = await startScriptedServer({
    replies: Array.from({ length: STORY_LENGTH }, () => nextReply),
  });
  const renderer = new Renderer({ terminal, theme, cwd: project });
  const ask = terminal.isInteractive
    ? createAsk({
      terminal,
      theme,
      cwd: project,
      suspend: () => renderer.suspend(),
      edit: createEditor({ terminal, theme, env: io.env, roots: () => [project] }),
    })
    : createAutoAllow({ terminal, theme, renderer });
  const app = await compose({ ...demoOptions(project, server.url), ...options }, {
    sink: renderer.sink,
    ask,
    interactive: true,
    isolated: true,
    io: { ...io, env: createIsolatedEnvironment(io.env, join(scratch, "home")) },
  });
  const { agent } = app;
  terminal.write(introduction(project, theme));
  const keys = terminal.isInteractive
    ? watchKeys(terminal, { onInterrupt: () => agent.interrupt() })
    : undefined;
  using _signals = watchSignals(io, {
    onSignal: () => agent.interrupt(),
    onForced: () => app.close(),
    isLent: () => terminal.isLent,
  });
  try {
    const summary = await agent.run(DEMO_PROMPT);
    await app.stopTasks();
    await renderer.flush();
    terminal.write(await farewell(project, { theme, env: io.env }));
    if (summary.reason === "interrupted") return EXIT.interrupted;
    return summary.reason === "error" ? EXIT.failed : EXIT.done;
  } finally {
    keys?.release();
    app.close();
    renderer.close();
    terminal.restore();
  }
}

/** Answers every question with Allow, and shows that it does. */
function createAutoAllow(
  { terminal, theme, renderer }: { terminal: Terminal; theme: Theme; renderer: Renderer },
): AskPermission {
  return async (requests) => {
    const resume = await renderer.suspend();
    for (const { tool } of requests) {
      const line = `  ${tool}? Allow (there is no terminal, so the demo answers for you)`;
      terminal.write(`${theme.paint("dim", line)}\n`);
    }
    resume();
    return requests.map(() => ({ kind: "allow" }));
  };
}

function demoOptions(cwd: string, endpoint: string): Options {
  return {
    prompt: DEMO_PROMPT,
    print: false,
    outputFormat: "text",
    settings: { model: "scripted", endpoint },
    continue: false,
    session: true,
    cwd,
    addDirs: [],
    rules: { allow: {}, deny: {}, allowAll: false },
    allowedPlugins: [],
    pluginDirs: [],
    trustProject: false,
    plan: false,
    verbose: false,
    debug: false,
    color: true,
  };
}

function introduction(project: string, theme: Theme): string {
  const dim = (text: string) => theme.paint("dim", text);
  return [
    `${
      theme.paint("bold", "ally demo")
    }: everything is real but the model, which follows a script.`,
    dim(`Project: ${project}`),
    "",
    `${theme.paint("accent", theme.glyphs.prompt)} ${DEMO_PROMPT}`,
    "",
  ].join("\n");
}

async function farewell(
  project: string,
  { theme, env }: { theme: Theme; env: Environment },
): Promise<string> {
  const path = env.get("PATH") ?? "";
  const { ally, setUp } = await findStartCommand(findInstallation(), { path, cwd: project });
  const lines = [
    ...setUp ? [[setUp.command, setUp.does]] as const : [],
    [`${ally} init`, "finds a model server"],
    [`${ally} --endpoint http://localhost:11434/v1 --model NAME`, "with Ollama"],
    [`OPENAI_API_KEY=... ${ally} --model NAME`, "with OpenAI"],
  ] as const;
  const width = Math.max(...lines.map(([command]) => command.length));
  return [
    `The scratch project is in ${project}`,
    "",
    "Use ally for real, in a project of yours:",
    ...lines.map(([command, does]) =>
      `  ${theme.paint("bold", command)}${" ".repeat(width - command.length)}  ${does}`
    ),
    "",
  ].join("\n");
}
