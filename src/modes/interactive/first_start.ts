/**
 * Whether this is the very first start: no model server is configured, named on the command line or by the
 * environment. Then one is set up at the terminal before the session begins.
 */
import type { Environment } from "../../app/environment.ts";
import type { Options } from "../../app/options.ts";
import { readConfig } from "../../store/config.ts";
import { findAllyPaths } from "../../store/paths.ts";
import type { Terminal } from "../../ui/terminal.ts";

const ENDPOINT_VARIABLES = ["OPENAI_BASE_URL", "OPENAI_API_KEY"];

/** What came of trying a model: what to say of it, and whether it is as it should be. */
interface TrialFinding {
  readonly isGood: boolean;
  readonly text: string;
}

/** Tries the model that was chosen; undefined if that was given up. */
export type Trial = (signal: AbortSignal) => Promise<TrialFinding | undefined>;

/** Tries a model beside the session until the first words are sent, which show as much. */
export class BackgroundTrial {
  readonly #giveUp = new AbortController();

  /** `say` tells what came of it, unless it was given up. */
  constructor(trial: Trial, say: (finding: TrialFinding) => void) {
    const { signal } = this.#giveUp;
    trial(signal).then((finding) => {
      if (finding !== undefined && !signal.aborted) say(finding);
    });
  }

  stop(): void {
    this.#giveUp.abort();
  }
}

/** Sets ally up at the terminal of the session; undefined if the person left. */
export type SetUp = (terminal: Terminal) => Promise<Trial | undefined>;

/** Whether nothing says yet which server to talk to, and a choice could be kept. */
export async function isFirstStart(options: Options, env: Environment): Promise<boolean> {
  const { settings, rules, replay } = options;
  if (settings.endpoint !== undefined || replay !== undefined) return false;
  if (ENDPOINT_VARIABLES.some((name) => env.get(name))) return false;
  if (rules.deny.net !== undefined || rules.deny.write !== undefined) return false;
  const paths = findAllyPaths(options.cwd, env);
  if (paths === undefined) return false;
  const { config } = await readConfig(paths.config);
  return config.endpoint === undefined;
}
