/**
 * `ally doctor`: tests the machine, the endpoint and the model, shows each result as it comes, and saves what it
 * learnt of the model for later runs.
 */
import {
  configuredWindow,
  destinationOf,
  type KnownEndpoint,
  modelKeyOf,
} from "../../app/endpoints.ts";
import { EXIT } from "../../app/exit_codes.ts";
import type { Io } from "../../app/io.ts";
import type { Options } from "../../app/options.ts";
import { readVariables, resolveSettings, type Settings } from "../../app/settings.ts";
import { watchSignals } from "../../app/signals.ts";
import { openStandardStreams } from "../../app/standard_streams.ts";
import { clientLimitsOf } from "../../app/tuning.ts";
import type { ModelProfile } from "../../core/endpoint.ts";
import { EndpointError, UsageError } from "../../core/errors.ts";
import { reasonOf } from "../../lib/fs.ts";
import { messageOf } from "../../lib/text.ts";
import { displayUrl } from "../../model/endpoint.ts";
import { readConfig } from "../../store/config.ts";
import { type ModelKey, ModelProfiles } from "../../store/model_profiles.ts";
import { type AllyPaths, allyPaths } from "../../store/paths.ts";
import { requireOwnFiles } from "../../store/private_files.ts";
import { LiveRegion } from "../../ui/live_region.ts";
import { openTerminal, type Terminal } from "../../ui/terminal.ts";
import { createTheme, type Theme } from "../../ui/theme.ts";
import { fit, wrapProse } from "../../ui/wrap.ts";
import type { DoctorRequest } from "./command.ts";
import { examine, type ExamineOptions } from "./examine.ts";
import { checkMachine } from "./machine.ts";
import { type Check, formatCheck, reportJson } from "./report.ts";

/**
 * Runs all checks and returns the exit code: 0, 1 if something needed fails, 75 if the server cannot be
 * reached, 130 if it was interrupted.
 */
export async function runDoctor(
  { request, options }: { request: DoctorRequest; options: Options },
  io: Io,
): Promise<number> {
  const { out } = openStandardStreams(io);
  const terminal = openTerminal(io, { color: options.color });
  const theme = createTheme(terminal);
  const leaving = new AbortController();
  using signals = watchSignals(io, {
    onSignal: () => leaving.abort(new DOMException("Interrupted by the user", "AbortError")),
    onForced: () => {},
  });
  const onProgress = request.json ? () => {} : createProgressLine(terminal, theme);
  const checks: Check[] = [];
  const onCheck = (check: Check) => {
    checks.push(check);
    onProgress("");
    if (request.json) return;
    formatCheck(check, { theme, columns: terminal.columns }).forEach(out);
  };
  const { env } = io;
  const paths = allyPaths(options.cwd, env);
  requireOwnFiles(paths);
  const settings = await readSettings(options, { env, paths });
  const target = targetOf(settings);
  const address = displayUrl(target.endpoint.url);
  const outWrapped = (text: string) =>
    text.split("\n").flatMap((line) => wrapProse(line, terminal.columns - 1)).forEach(out);
  if (!request.json) outWrapped(theme.paint("bold", `ally doctor ${address}`));
  const { sandbox } = settings.values;
  const machine = { env, paths, terminal, sandbox, cwd: options.cwd };
  const { checks: found, guarantees } = await checkMachine(machine);
  found.forEach(onCheck);
  const base = { endpoint: address, checks, guarantees };
  try {
    const { quick } = request;
    const reporting = { signal: leaving.signal, onCheck, onProgress };
    const { server, model, profile } = await checkTarget(target, { settings, quick, ...reporting });
    if (profile) {
      const key = modelKeyOf(target.endpoint, model);
      await saveProfile(profile, { key, path: paths.models, onCheck });
    }
    onProgress("");
    if (request.json) out(reportJson({ ...base, server, model, profile }));
    else outWrapped(formatSummary(checks));
    return checks.some(({ status }) => status === "failed") ? EXIT.failed : EXIT.done;
  } catch (error) {
    if (leaving.signal.aborted) return signals.exitCode ?? EXIT.interrupted;
    if (!(error instanceof EndpointError) && !(error instanceof UsageError)) throw error;
    onCheck({ id: "server", status: "failed", detail: messageOf(error) });
    const nothing = { server: undefined, model: undefined, profile: undefined };
    if (request.json) out(reportJson({ ...base, ...nothing }));
    return error instanceof UsageError ? EXIT.usage : EXIT.endpoint;
  } finally {
    onProgress("");
  }
}

/** The settings that hold without a project. */
async function readSettings(
  options: Options,
  { env, paths }: { env: Io["env"]; paths: AllyPaths },
): Promise<Settings> {
  const { config } = await readConfig(paths.config);
  return resolveSettings(
    { flags: options.settings, environment: readVariables(env), project: {}, user: config },
    { env, keys: paths.keys, profiles: new ModelProfiles(paths.models) },
  );
}

/** The endpoint that is tried, and its model's name there; undefined for the server's first. */
interface Target {
  readonly endpoint: KnownEndpoint;
  readonly model: string | undefined;
}

function targetOf({ endpoints, values: { model } }: Settings): Target {
  return model === undefined
    ? { endpoint: endpoints.default, model: undefined }
    : destinationOf(model, endpoints);
}

async function checkTarget(
  { endpoint, model }: Target,
  { settings, ...options }: Omit<ExamineOptions, "model" | "configuredSize" | "limits"> & {
    settings: Settings;
  },
) {
  if (endpoint.problem !== undefined) throw new UsageError(endpoint.problem);
  const { values, windows } = settings;
  return await examine(endpoint, {
    ...options,
    model,
    configuredSize: configuredWindow(endpoint, windows),
    limits: { ...clientLimitsOf(values), retries: 1 },
  });
}

/** Saves the profile for later runs; if that fails, the report still stands. */
async function saveProfile(
  profile: ModelProfile,
  { key, path, onCheck }: { key: ModelKey; path: string; onCheck: (check: Check) => void },
): Promise<void> {
  try {
    await new ModelProfiles(path).update(key, profile);
  } catch (error) {
    const detail = `the findings cannot be saved in ${path}: ${reasonOf(error)}`;
    onCheck({ id: "profile", status: "warning", detail });
  }
}

function formatSummary(checks: readonly Check[]): string {
  const count = (status: Check["status"]) => checks.filter((one) => one.status === status).length;
  const failed = count("failed");
  const warnings = count("warning");
  const saved = "Later runs use what was found.";
  if (failed === 0 && warnings === 0) return `\nAll is well. ${saved}`;
  const parts = [
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(warnings > 0 ? [`${warnings} to look at`] : []),
  ];
  return `\n${parts.join(", ")}. ${saved}`;
}

/** Shows progress in one line below the results, on a terminal; an empty text removes it. */
function createProgressLine(terminal: Terminal, theme: Theme): (text: string) => void {
  const region = new LiveRegion(terminal);
  return (text) => {
    const line = theme.paint("dim", fit(`  ${text}`, terminal.columns - 1));
    region.update([], text === "" ? [] : [line]);
  };
}
