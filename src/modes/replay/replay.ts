/**
 * `ally replay FILE`: repeats a recorded session offline, on a scratch copy of its files: with the same prompts,
 * decisions and replies of the model, but the tools run for real. It fails where a request is not as recorded.
 */
import { basename, delimiter, dirname, isAbsolute, join, relative, resolve } from "node:path";
import type { App } from "../../app/app.ts";
import { compose } from "../../app/compose.ts";
import { createIsolatedEnvironment, type Environment } from "../../app/environment.ts";
import { EXIT } from "../../app/exit_codes.ts";
import type { Frontend } from "../../app/frontend.ts";
import type { Io } from "../../app/io.ts";
import type { Options } from "../../app/options.ts";
import { readRecordedOptions, recordedRunOf } from "../../app/recorded_run.ts";
import { watchSignals } from "../../app/signals.ts";
import { openStandardStreams } from "../../app/standard_streams.ts";
import { readRecord } from "../../app/traffic.ts";
import { UsageError } from "../../core/errors.ts";
import { contains } from "../../lib/contains.ts";
import { DirectoryHandle } from "../../lib/directory_handle.ts";
import { realPathOrSame, reasonOf } from "../../lib/fs.ts";
import { mapStrings } from "../../lib/json_strings.ts";
import { isObject } from "../../lib/schema.ts";
import { jsonLine, plural, stripControls } from "../../lib/text.ts";
import type { RecordingMismatch } from "../../model/failure.ts";
import type { Rules } from "../../permission/rules.ts";
import { layOutFiles } from "../../recording/lay_out.ts";
import { cloneAt, initRepository, readCommit } from "../../recording/start_commit.ts";
import { clearFiles, copyTree } from "../../recording/start_files.ts";
import type { Recording } from "../../recording/traffic.ts";
import { allyPaths } from "../../store/paths.ts";
import { createHeadlessSink } from "../../ui/headless.ts";
import { colorDepth } from "../../ui/terminal.ts";
import { createTheme, type Theme } from "../../ui/theme.ts";
import { followLinks } from "../../workspace/paths.ts";
import type { ReplayRequest } from "./command.ts";
import { ReplayedUser } from "./replayed_user.ts";

/** The result of a replay. */
interface ReplayOutcome {
  readonly turns: number;
  readonly requests: number;
  /** Whether the recording was cut off, and all before was the same. */
  readonly isTruncated: boolean;
  readonly difference: RecordingMismatch | undefined;
  /** Set if the person ended it. */
  readonly interrupted: boolean;
}

/** Replays it; the exit code is 0 if all requests were as recorded, 1 if one was not. */
export async function runReplay(
  { request, options }: { request: ReplayRequest; options: Options },
  io: Io,
): Promise<number> {
  const { out, err } = openStandardStreams(io);
  const record = await readRecord(resolve(io.cwd(), request.file));
  const scratch = await Deno.realPath(await Deno.makeTempDir({ prefix: "ally-replay-" }));
  const updated = join(scratch, "updated.jsonl");
  try {
    const project = await prepareFiles({ record, scratch, from: options.cwd, env: io.env });
    if (options.settings.sandbox === "off") {
      err("--no-sandbox: the recorded commands run without a sandbox, with all that you may do.");
    }
    const outcome = await rerun(record, { project, scratch, request, options, err, io });
    if (request.update && outcome.difference && !outcome.interrupted) {
      await Deno.copyFile(updated, record.name);
    }
    const serversOff = !options.trustProject && await hasServers(record, { project, env: io.env });
    const depth = options.color && io.stdout.isTerminal()
      ? colorDepth((name) => io.env.get(name))
      : "none";
    reportOutcome(outcome, { request, theme: createTheme({ depth }), serversOff, out, err });
    if (outcome.interrupted) return EXIT.interrupted;
    return outcome.difference && !request.update ? EXIT.failed : EXIT.done;
  } finally {
    await Deno.remove(scratch, { recursive: true }).catch(() => {});
  }
}

/** Whether MCP servers may have had a part in the recorded run: the user's own, or those of the project. */
async function hasServers(
  record: Recording,
  { project, env }: { project: string; env: Environment },
): Promise<boolean> {
  const { trusted, isolated } = recordedRunOf(record);
  const files = [
    ...isolated ? [] : [allyPaths(project, env).mcp],
    ...trusted ? [join(project, ".ally", "mcp.json")] : [],
  ];
  const found = await Promise.all(
    files.map((file) => Deno.stat(file).then(({ isFile }) => isFile, () => false)),
  );
  return found.includes(true);
}

/** The scratch copy of the project as it was; its directory has the name that it had. */
async function prepareFiles(
  { record, scratch, from, env }: {
    record: Recording;
    scratch: string;
    from: string;
    env: Environment;
  },
): Promise<string> {
  const name = projectName(record);
  const then = record.runLines.find(({ type }) => type === "files");
  const stored = isObject(then?.files) ? then.files : undefined;
  const start = readCommit(then?.git);
  const clone = join(scratch, "files", start?.prefix ? "repository" : name);
  const project = join(clone, start?.prefix ?? "");
  if (start !== undefined) {
    await prepareRepository(start, { record, from, clone, env });
    // A part of it may be a link of the repository's.
    requireOwnDirectory(project);
  }
  if (stored) {
    requireOwnDirectory(project);
    if (start?.commit !== undefined) clearFiles(project, stored);
    layOutFiles(stored, project, { follow: (path) => followLinks(path, project) });
  } else if (start?.commit === undefined) {
    await copyTree(from, project, { without: [record.name] });
  }
  return project;
}

/** The name of the recorded directory, if it is one that can be made anywhere. */
function projectName({ header }: Recording): string {
  const name = basename(header.directories["cwd"] ?? "");
  return /^(?!\.*$)[^\p{Cc}\\:]{1,60}$/u.test(name) ? name : "project";
}

/** Makes a directory below the scratch directory, reached without a link. @throws {UsageError} there is a link */
function requireOwnDirectory(path: string): void {
  try {
    DirectoryHandle.open(path, { create: true })[Symbol.dispose]();
  } catch (cause) {
    throw new UsageError(`Cannot use ${path} for a replay: ${reasonOf(cause)}.`, { cause });
  }
}

async function prepareRepository(
  { commit, ...start }: NonNullable<ReturnType<typeof readCommit>>,
  { record, from, clone, env }: {
    record: Recording;
    from: string;
    clone: string;
    env: Environment;
  },
): Promise<void> {
  try {
    if (commit === undefined) await initRepository(start, { directory: clone, env });
    else await cloneAt({ ...start, commit }, { from, to: clone, env });
  } catch (cause) {
    const begin = commit === undefined
      ? `its repository cannot be made: ${reasonOf(cause)}.`
      : `it began at commit ${
        commit.slice(0, 12)
      }, and the repository of ${from} cannot give that: ` +
        `${reasonOf(cause)}. Name the directory with -C DIR.`;
    throw new UsageError(`Cannot replay ${record.name}: ${begin}`, { cause });
  }
}

async function rerun(
  record: Recording,
  { project, scratch, request, options, err, io }: {
    project: string;
    scratch: string;
    request: ReplayRequest;
    options: Options;
    err: (line: string) => void;
    io: Io;
  },
): Promise<ReplayOutcome> {
  const run = recordedRunOf(record);
  const watch = createHeadlessSink("text", { stdout: err, stderr: err });
  const person = new ReplayedUser(record, { app: () => app });
  const env = moveSearchPath(io.env, { from: options.cwd, to: project });
  const app: App = await compose(
    createRerunOptions(record, { project, scratch, request, options }),
    {
      sink: (event) => {
        if (options.verbose) watch(event);
        person.sink(event);
      },
      ask: person.ask,
      interactive: run.interactive,
      steer: person.steer,
      isolated: run.isolated,
      scratch: true,
      foreign: foreignLimits(options, scratch),
      io: {
        ...io,
        env: run.isolated ? createIsolatedEnvironment(env, join(scratch, "home")) : env,
      },
    },
  );
  let interrupted = false;
  using _signals = watchSignals(io, {
    onSignal: () => {
      interrupted = true;
      app.agent.interrupt();
    },
    onForced: () => app.close(),
  });
  const replay = app.traffic!.replay!;
  replay.onCancelled = () => app.agent.interrupt();
  let turns = 0;
  try {
    for (const note of record.runLines) {
      if (note.type !== "prompt") continue;
      if (interrupted || replay.isTruncated || (replay.difference && !request.update)) break;
      if (await person.replayLine(note)) turns++;
    }
    if (!interrupted) await replay.end();
    await app.stopTasks();
  } finally {
    app.close();
    await Deno.remove(app.paths.project, { recursive: true }).catch(() => {});
  }
  const { requests, isTruncated, difference } = replay;
  return { turns, requests, isTruncated, difference, interrupted };
}

/** What the recorded run gets at the most: the copy, and what the command line names. */
function foreignLimits(
  { trustProject, rules }: Options,
  scratch: string,
): NonNullable<Frontend["foreign"]> {
  const { read } = rules.allow;
  return {
    allowServers: trustProject,
    copy: join(scratch, "files"),
    readable: Array.isArray(read) ? read.map(realPathOrSame) : [],
  };
}

/**
 * The environment, where directories of the workspace on PATH are those of its copy: the workspace is none in this
 * run, and ally would take its programs for the person's own.
 */
function moveSearchPath(
  env: Environment,
  { from, to }: { from: string; to: string },
): Environment {
  const root = realPathOrSame(from);
  const path = (env.get("PATH") ?? "").split(delimiter).map((directory) => {
    const real = realPathOrSame(directory);
    const moves = isAbsolute(real) && dirname(root) !== root && contains(root, real);
    return moves ? join(to, relative(root, real)) : directory;
  }).join(delimiter);
  return {
    get: (name) => name === "PATH" ? path : env.get(name),
    toObject: () => ({ ...env.toObject(), PATH: path }),
  };
}

/**
 * The recorded flags, for the directories of the scratch copy. What reaches beyond the copy comes from the command
 * line alone, whatever a recording says: directories outside, and running without the sandbox.
 */
function createRerunOptions(
  record: Recording,
  { project, scratch, request, options: own }: {
    project: string;
    scratch: string;
    request: ReplayRequest;
    options: Options;
  },
): Options {
  const { name, header } = record;
  const { trusted } = recordedRunOf(record);
  const cwd = header.directories["cwd"] ?? "";
  const here = (text: string) =>
    text === cwd || text.startsWith(`${cwd}/`) ? project + text.slice(cwd.length) : text;
  const then = mapStrings(readRecordedOptions(record), here);
  const { fallbackModel, contextSize, maxTokens, temperature, effort, maxTurns } = then;
  const { appendSystemPrompt, rules, plan } = then;
  // Each field by its name: many of them name files that are read or written.
  return {
    ...appendSystemPrompt !== undefined && { appendSystemPrompt },
    allowedPlugins: own.allowedPlugins,
    pluginDirs: own.pluginDirs,
    prompt: "",
    print: true,
    outputFormat: "text",
    settings: {
      model: header.model,
      endpoint: header.endpoint,
      fallback_model: fallbackModel,
      context_size: contextSize,
      max_tokens: maxTokens,
      temperature,
      effort,
      max_turns: maxTurns,
      sandbox: own.settings.sandbox === "off" ? "off" : "required",
    },
    continue: false,
    session: false,
    cwd: project,
    addDirs: own.addDirs,
    rules: { ...rules, allow: mergeAllowed(project, rules.allow, own.rules.allow) },
    plan,
    trustProject: trusted,
    verbose: false,
    debug: false,
    replay: name,
    ...request.update && { record: join(scratch, "updated.jsonl"), lenient: true },
    color: false,
  };
}

/**
 * What the recording allows inside the project, and what the command line allows outside of it. Which variables commands
 * see, and what they reach, the command line alone says.
 */
function mergeAllowed(project: string, then: Rules["allow"], now: Rules["allow"]): Rules["allow"] {
  const { env: _env, net: _net, ...inside } = then;
  const lists = (["read", "write"] as const).flatMap((kind) => {
    const [before, named] = [then[kind], now[kind]];
    if (!Array.isArray(before)) return [];
    const inside = before.filter((path) => contains(project, path));
    return [[kind, [...inside, ...Array.isArray(named) ? named : []]] as const];
  });
  return {
    ...inside,
    ...now.env !== undefined && { env: now.env },
    ...now.net !== undefined && { net: now.net },
    ...Object.fromEntries(lists),
  };
}

function reportOutcome(
  outcome: ReplayOutcome,
  { request, theme, serversOff, out, err }: {
    request: ReplayRequest;
    theme: Theme;
    serversOff: boolean;
    out: (line: string) => void;
    err: (line: string) => void;
  },
): void {
  const { turns, requests, isTruncated, difference, interrupted } = outcome;
  const updated = request.update && difference !== undefined && !interrupted;
  if (request.json) {
    const { parts = [], ...where } = difference?.difference ?? {};
    const differing = parts.map(({ where, recorded, now }) => ({ where, recorded, now }));
    const shown = difference && { ...where, parts: differing };
    const same = difference === undefined && !interrupted;
    out(jsonLine({
      type: "replay",
      file: request.file,
      same,
      turns,
      requests,
      cut: isTruncated,
      updated,
      ...shown && { difference: shown },
    }));
    return;
  }
  if (interrupted) return err("Interrupted.");
  const count = `${plural(requests, "request")} in ${plural(turns, "turn")}`;
  if (difference) out(paintDifference(difference.message, theme));
  if (serversOff && lacksServerTool(difference)) {
    out("MCP servers stayed off: --trust-project starts them.");
  }
  if (updated) out(`${request.file} now holds the requests as they are.`);
  else if (difference) {
    out(
      `${request.file} is not what ally does now. If that is wanted: ally replay --update ${request.file}`,
    );
  } else if (isTruncated) out(`As recorded: ${count}; there the recording was cut off.`);
  else out(`As recorded: ${count}.`);
}

/** Whether a request lacks a tool that an MCP server gave, or the one that calls those. */
function lacksServerTool(difference: RecordingMismatch | undefined): boolean {
  return difference?.difference.parts.some(({ where, now }) =>
    now === null && /^the definition of (\S+__\S+|mcp_call)$/.test(where)
  ) ?? false;
}

/** A difference with the recorded text in one colour and the new one in another. */
function paintDifference(message: string, theme: Theme): string {
  return stripControls(message).split("\n").map((line) => {
    if (/^ {4}(recorded:|-)/.test(line)) return theme.paint("removed", line);
    return /^ {4}(now:|\+)/.test(line) ? theme.paint("added", line) : line;
  }).join("\n");
}
