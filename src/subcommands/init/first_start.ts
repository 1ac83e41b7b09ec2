/**
 * The setup of a first start, in as few keys as it can: the model that a server of this machine has loaded is taken
 * unasked, and tried while the person types already.
 */
import type { Io } from "../../app/io.ts";
import type { Options } from "../../app/options.ts";
import { putChatModelsFirst } from "../../model/chat_models.ts";
import type { FoundServer } from "../../model/server_kind.ts";
import type { Terminal } from "../../ui/terminal.ts";
import { withSetup } from "./init.ts";
import { askWhatNow, chooseModel, reachElsewhere, searchServers } from "./server_choice.ts";
import type { InitContext, SetupChoice } from "./setup.ts";
import { writeSetup } from "./setup_file.ts";
import { findOutModel, type TrialFinding } from "./trial.ts";

/** Begins to try the model that was chosen. */
type Trial = (signal: AbortSignal) => Promise<TrialFinding | undefined>;

/** Sets ally up at the terminal of a session that begins right after; undefined if the person left. */
export async function runFirstStart(
  { options, terminal, io }: { options: Options; terminal: Terminal; io: Io },
): Promise<Trial | undefined> {
  return await withSetup({ request: { yes: false }, options, terminal, io }, async (run) => {
    run.say("Welcome to ally. It needs a model to talk to.");
    const choice = await chooseFirst(run);
    await writeSetup(choice, run);
    run.say(`ally talks to ${choice.model} now; /model chooses another one.\n`);
    return (signal) => findOutModel(choice, signal);
  });
}

async function chooseFirst(run: InitContext): Promise<SetupChoice> {
  for (;;) {
    const found = await searchServers(run);
    const choice = await chooseFound(found, run);
    if (choice !== undefined) return choice;
    const next = await askWhatNow(found, run);
    if (next === "again") continue;
    const { models, ...server } = await reachElsewhere(run, next);
    return { ...server, model: await chooseModel(models, run) };
  }
}

/** A model that a server offers. */
interface Candidate {
  readonly server: FoundServer;
  readonly model: string;
  readonly isLoaded: boolean;
}

/** The named model, the only one, the only one in memory, or the one that is picked; undefined if there is none. */
async function chooseFound(
  found: readonly FoundServer[],
  { ask, options, env, config }: InitContext,
): Promise<SetupChoice | undefined> {
  const candidates = found.flatMap((server) =>
    putChatModelsFirst(server.models).map((model): Candidate => ({
      server,
      model,
      isLoaded: server.loaded.includes(model),
    }))
  );
  const chosen = (one: Candidate | undefined) => one && { url: one.server.url, model: one.model };
  const wanted = options.settings.model ?? (env.get("ALLY_MODEL") || config.model);
  const named = candidates.find(({ model }) => model === wanted || model === `${wanted}:latest`);
  if (named !== undefined || candidates.length <= 1) return chosen(named ?? candidates[0]);
  const loaded = candidates.filter(({ isLoaded }) => isLoaded);
  if (loaded.length === 1 || ask === undefined) return chosen(loaded[0] ?? candidates[0]);
  const sorted = [...loaded, ...candidates.filter(({ isLoaded }) => !isLoaded)];
  const labels = sorted.map(({ model, server, isLoaded }) =>
    `${model}  (${server.name}${isLoaded ? ", loaded" : ""})`
  );
  return chosen(sorted[await ask.pick("Which model?", labels)]);
}
