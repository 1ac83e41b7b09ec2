/**
 * ally with a person at the terminal: wires the REPL to the agent, the commands and the interrupts.
 */
import type { Composition } from "../../app/app.ts";
import { compose } from "../../app/compose.ts";
import { readEnvironment } from "../../app/environment.ts";
import type { Options } from "../../app/options.ts";
import { diffLookOf } from "../../app/tuning.ts";
import type { Server } from "../../mcp/server.ts";
import { createAsk } from "../../ui/ask.ts";
import { createConsentAsk } from "../../ui/consent_question.ts";
import { createEditor } from "../../ui/external_editor.ts";
import { oneAtATime } from "../../ui/one_at_a_time.ts";
import { Renderer } from "../../ui/render.ts";
import { openTerminal } from "../../ui/terminal.ts";
import { createTheme } from "../../ui/theme.ts";
import { createTrustAsk } from "../../ui/trust_question.ts";
import { Debugging, toldLine } from "./debugging.ts";
import { offerInit } from "./first_start.ts";
import { Interaction } from "./interaction.ts";

/** Runs a session until the person leaves; returns the exit code. */
export async function runInteractive(options: Options): Promise<number> {
  const terminal = openTerminal({ color: options.color });
  let composition: Composition | undefined;
  const theme = createTheme({
    depth: terminal.depth,
    unicode: terminal.unicode,
    isLight: /;(7|15)$/.test(readEnvironment().get("COLORFGBG") ?? ""),
    look: () => diffLookOf(composition?.settings.tuning ?? {}),
  });
  const renderer = new Renderer({ terminal, theme, cwd: options.cwd });
  const suspend = oneAtATime(() => renderer.suspend());
  let repl: Interaction | undefined;
  const ask = createAsk({
    terminal,
    theme,
    cwd: options.cwd,
    suspend,
    edit: createEditor({ terminal, theme, env: readEnvironment() }),
    onInterrupt: () => repl?.press("asking"),
  });
  const askTrust = createTrustAsk({ terminal, theme, suspend });
  const askConsent = createConsentAsk({ terminal, theme, suspend });
  const approveServer = async (server: Server) => await repl?.approveServer(server);
  const debugging = new Debugging({
    verbose: options.verbose,
    logging: options.debug,
    show: (text) => renderer.sink(toldLine(text)),
  });
  const steer = () => repl?.steer() ?? Promise.resolve([]);
  const front = {
    sink: debugging.watch(renderer.sink),
    ask,
    askTrust,
    askConsent,
    approveServer,
    steer,
    interactive: true,
  };
  try {
    await offerInit(options, { terminal, theme });
    composition = await compose(withoutChoice(options), front);
    renderer.thinking = composition.settings.showThinking;
    const { places, secrets } = composition;
    debugging.place({ home: places.home, secrets });
    repl = new Interaction({ terminal, theme, renderer, suspend, composition, debugging });
    return await repl.run(options);
  } finally {
    composition?.close();
    debugging.close();
    renderer.close();
    terminal.restore();
  }
}

/** `--resume` without an id: a session is chosen once there is one to choose in. */
function withoutChoice({ resume, ...options }: Options): Options {
  return resume === undefined || resume === true ? options : { ...options, resume };
}
