/**
 * The very first start: where no model server is configured and none answers at Ollama's address, it names those that
 * answer elsewhere on this machine, and offers to set one up.
 */
import { OLLAMA_URL } from "../../app/endpoints.ts";
import type { Environment } from "../../app/environment.ts";
import type { Options } from "../../app/options.ts";
import { listModels } from "../../model/models.ts";
import { describeServer, findLocalServers } from "../../model/server_kind.ts";
import { readConfig } from "../../store/config.ts";
import { findAllyPaths } from "../../store/paths.ts";
import { confirm } from "../../ui/confirm.ts";
import type { Terminal } from "../../ui/terminal.ts";
import type { Theme } from "../../ui/theme.ts";
import { wrapIndented } from "../../ui/wrap.ts";

/** Milliseconds that a server of this machine may take to answer. */
const SERVER_TIMEOUT_MS = 1_500;
const ENDPOINT_VARIABLES = ["OPENAI_BASE_URL", "OPENAI_API_KEY"];

/** Runs `ally init` at the terminal of the session. */
export type SetUp = (terminal: Terminal) => Promise<unknown>;

/** Offers `ally init` if there is no server to talk to. Whatever is answered, the start goes on. */
export async function offerInit(
  options: Options,
  { terminal, theme, env, setUp }: {
    terminal: Terminal;
    theme: Theme;
    env: Environment;
    setUp: SetUp;
  },
): Promise<void> {
  if (options.settings.endpoint !== undefined || ENDPOINT_VARIABLES.some((name) => env.get(name))) {
    return;
  }
  if (options.rules.deny.net !== undefined || options.rules.deny.write !== undefined) return;
  const paths = findAllyPaths(options.cwd, env);
  if (paths === undefined) return;
  const { config } = await readConfig(paths.config);
  if (config.endpoint !== undefined) return;
  const isThere = await listModels({ url: OLLAMA_URL, timeoutMs: SERVER_TIMEOUT_MS })
    .then(() => true, () => false);
  if (isThere) return;
  const found = await findLocalServers();
  const said = found.length === 0
    ? ["No model server is configured, and none answers at the usual addresses."]
    : ["No model server is configured. On this machine:", ...found.map(describeServer)];
  for (const line of said) {
    terminal.write(`${wrapIndented(line, terminal.columns - 1).join("\n")}\n`);
  }
  const { signal } = new AbortController();
  if (await confirm("Set one up now?", { terminal, theme, signal })) await setUp(terminal);
}
