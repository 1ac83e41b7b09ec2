/**
 * Writes what was chosen: the configuration, and a key in a file of its own.
 */
import { UsageError } from "../../core/errors.ts";
import { readApiKey, writeApiKey } from "../../store/api_keys.ts";
import { changeConfig } from "../../store/config_edit.ts";
import { InitCancelled } from "./questions.ts";
import type { InitContext, SetupChoice } from "./setup.ts";

/** Asks whether the configuration may be written. @throws {InitCancelled} the person would rather not */
export async function confirmSetup(choice: SetupChoice, run: InitContext): Promise<void> {
  const { config, paths, ask } = run;
  const before = [config.endpoint, config.model].filter((one) => one !== undefined);
  const { url, model } = choice;
  const name = endpointNameOf(choice);
  const what = name === undefined ? url : `${name} (${url})`;
  if (ask) {
    const replaces = before.length === 0 ? "" : ` It replaces ${before.join(", ")}.`;
    const question = `Use ${what} with ${model}, in ${paths.config}?${replaces}`;
    const words = { yes: "Write it", no: "Leave everything as it is" };
    if (!await ask.decide(question, { ...words, initial: before.length === 0 })) {
      throw new InitCancelled();
    }
  } else if (before.length > 0 && !run.request.yes) {
    throw new UsageError(
      `${paths.config} names ${before.join(", ")} already. Replace it with ally init --yes.`,
    );
  }
  if (run.signal.aborted) throw new InitCancelled();
}

/** Writes it. @throws {InitCancelled} another key is there, and the person would rather keep it */
export async function writeSetup(choice: SetupChoice, run: InitContext): Promise<void> {
  const { config, paths, say } = run;
  const { url, model, key, keyEnv } = choice;
  const name = endpointNameOf(choice);
  const keyFile = key === undefined || name === undefined
    ? undefined
    : await saveKey({ name, key }, run);
  await changeConfig(
    paths.config,
    name === undefined ? { endpoint: url, model } : {
      endpoint: name,
      model,
      endpoints: {
        ...config.endpoints,
        [name]: {
          ...config.endpoints?.[name],
          url,
          ...keyEnv !== undefined && { key_env: keyEnv },
        },
      },
    },
  );
  if (keyFile !== undefined) say(`The key is in ${keyFile}, for you alone.`);
  say(`Written: ${paths.config}`);
}

/** What the endpoint is called; one without a name and without a key needs none. */
function endpointNameOf({ name, key, keyEnv, url }: SetupChoice): string | undefined {
  return name ?? (key === undefined && keyEnv === undefined ? undefined : deriveName(url));
}

/** @throws {InitCancelled} another key is there, and the person would rather keep it */
async function saveKey(
  { name, key }: { name: string; key: string },
  { paths, ask }: InitContext,
): Promise<string> {
  let known: string | undefined;
  try {
    known = readApiKey(`${paths.keys}/${name}`);
  } catch {
    // One that cannot be used is replaced by one that can.
  }
  if (known !== undefined && known !== key && ask) {
    if (!await ask.confirm(`Replace the key of ${name} in ${paths.keys}?`)) {
      throw new InitCancelled();
    }
  }
  return await writeApiKey(paths.keys, { name, key });
}

/** A name for an endpoint: its host's. */
function deriveName(url: string): string {
  const parts = new URL(url).hostname.split(".").filter((part) =>
    !/^(api|www|com|ai|org|io)$/.test(part)
  );
  return parts[0]?.replace(/[^A-Za-z0-9._-]/g, "") || "server";
}
