/**
 * `ally skills`: lists, checks, creates and installs skills. Nothing of them runs.
 */
import { basename, join, resolve } from "node:path";
import { confirmAtTerminal } from "../../app/confirm_at_terminal.ts";
import { EXIT } from "../../app/exit_codes.ts";
import type { Io } from "../../app/io.ts";
import type { Options } from "../../app/options.ts";
import {
  type CheckedSkill,
  checkFolder,
  type ListedSkill,
  listSkills,
} from "../../app/skill_check.ts";
import { watchSignals } from "../../app/signals.ts";
import { openStandardStreams, wrapForTerminal } from "../../app/standard_streams.ts";
import { UsageError } from "../../core/errors.ts";
import { exists, reasonOf } from "../../lib/fs.ts";
import { jsonLine, quoteWord } from "../../lib/text.ts";
import { isSkillName } from "../../skills/skill.ts";
import { readConfig } from "../../store/config.ts";
import { NPM_REGISTRY } from "../../store/npm_package.ts";
import { allyPaths, homeDirectory, ownFolders, skillPlaces } from "../../store/paths.ts";
import { DEFAULTS } from "../../store/settings_table.ts";
import { SKILL_FILE } from "../../store/skill_files.ts";
import { escapeLine } from "../../ui/safe_text.ts";
import { canonicalDirectory } from "../../workspace/roots.ts";
import type { SkillsRequest } from "./command.ts";
import { installSkills } from "./install.ts";

/** What all of it works with. */
interface SkillsContext {
  readonly options: Options;
  readonly io: Io;
  readonly out: (text: string) => void;
}

/** Runs `ally skills` and returns the exit code. @throws {UsageError} why it cannot */
export async function runSkills(
  { request, options }: { request: SkillsRequest; options: Options },
  io: Io,
): Promise<number> {
  const { out } = openStandardStreams(io);
  const context = { options, io, out };
  switch (request.what) {
    case "list":
      return await runList(request, context);
    case "check":
      return await runCheck(request, context);
    case "new":
      out(await newSkill(request, context));
      return EXIT.done;
    case "install":
      return await runInstall(request, context);
  }
}

async function runList(
  { json }: { json: boolean },
  { options, io, out }: SkillsContext,
): Promise<number> {
  const { env } = io;
  const paths = allyPaths(options.cwd, env);
  const { config } = await readConfig(paths.config);
  const compat = config.skills_compat ?? DEFAULTS.skills_compat;
  const { skills, problems } = await listSkills({
    directory: canonicalDirectory(options.cwd),
    home: paths.home,
    ownFolders: ownFolders(paths, env),
    skillPlaces: skillPlaces(paths, { env, compat }),
    userHome: homeDirectory(env),
    trustPath: paths.trust,
    trustAll: options.trustProject,
    // What was decided counts; nobody is asked here.
    ask: () => Promise.resolve("not_now"),
    warn: () => {},
  });
  if (json) out(jsonLine({ skills: skills.map(toJson), problems }));
  else out(await wrapForTerminal(formatList(skills, problems), { io, stream: "stdout" }));
  return EXIT.done;
}

function toJson({ checked: { file, skill, problems }, inactive }: ListedSkill) {
  return {
    name: skill?.name ?? file.folderName,
    description: skill?.description ?? null,
    source: file.source,
    path: file.path,
    folder: file.folder,
    active: inactive === undefined,
    ...inactive !== undefined && { why: inactive },
    for_model: skill?.isForModel ?? false,
    allowed: skill?.approval.labels ?? [],
    problems: problems.map(({ line, text }) => ({ line, text })),
  };
}

function formatList(skills: readonly ListedSkill[], problems: readonly string[]): string {
  const none = "There are no skills. Create one with: ally skills new NAME";
  const blocks = skills.map(({ checked: { file, skill }, inactive }) => {
    const labels = skill?.approval.labels ?? [];
    return [
      `${skill?.name ?? escapeLine(file.folderName)}  ${escapeLine(skill?.description ?? "")}`,
      `  ${file.source === "user" ? "yours" : "the project's"}: ${escapeLine(file.path)}`,
      ...skill?.isForModel === false ? ["  only you can load it"] : [],
      ...labels.length > 0 ? [`  may, without asking: ${escapeLine(labels.join(", "))}`] : [],
      ...inactive === undefined ? [] : [`  does not act: ${escapeLine(inactive)}`],
    ].join("\n");
  });
  const text = blocks.length === 0 ? none : blocks.join("\n\n");
  return [text, ...problems.map((one) => `Left out: ${escapeLine(one)}`)].join("\n");
}

async function runCheck(
  { directory, json }: { directory: string; json: boolean },
  { options, io, out }: SkillsContext,
): Promise<number> {
  const folder = resolve(options.cwd, directory);
  const own = join(allyPaths(options.cwd, io.env).skills, directory);
  const isOwn = basename(directory) === directory && !exists(folder) && exists(own);
  const checked = await checkFolder(isOwn ? own : folder).catch((error) => {
    throw new UsageError(`Cannot check ${quoteWord(directory)}: ${reasonOf(error)}.`);
  });
  if (checked.length === 0) {
    throw new UsageError(
      `There is no ${SKILL_FILE} in ${
        quoteWord(folder)
      }. Name a skill's folder: ally skills check DIR`,
    );
  }
  const isGood = checked.every(({ problems }) => problems.length === 0);
  out(json ? jsonLine({ ok: isGood, skills: checked.map(checkedJson) }) : formatChecks(checked));
  return isGood ? EXIT.done : EXIT.failed;
}

function checkedJson({ file, skill, problems }: CheckedSkill) {
  return {
    name: skill?.name ?? file.folderName,
    path: file.path,
    usable: skill !== undefined,
    problems: problems.map(({ line, text }) => ({ line, text })),
  };
}

function formatChecks(checked: readonly CheckedSkill[]): string {
  return checked.flatMap(({ file, skill, problems }) =>
    problems.length === 0
      ? [`${skill?.name} is in order.`]
      : problems.map(({ line, text }) => `${escapeLine(file.path)}:${line}: ${escapeLine(text)}`)
  ).join("\n");
}

/** Creates the folder and its file; returns what to do next. @throws {UsageError} why it cannot */
async function newSkill(
  { name, directory }: Extract<SkillsRequest, { what: "new" }>,
  { options: { cwd }, io: { env } }: SkillsContext,
): Promise<string> {
  if (!isSkillName(name)) {
    throw new UsageError(
      `Cannot name a skill ${
        quoteWord(name)
      }: use at most 64 lower-case letters and digits, with single hyphens between them.`,
    );
  }
  const parent = directory === undefined ? allyPaths(cwd, env).skills : resolve(cwd, directory);
  const folder = join(parent, name);
  const file = join(folder, SKILL_FILE);
  try {
    await Deno.mkdir(parent, { recursive: true, mode: 0o700 });
    await Deno.mkdir(folder, { mode: 0o700 });
    await Deno.writeTextFile(file, skeleton(name), { createNew: true, mode: 0o600 });
  } catch (error) {
    throw new UsageError(`Cannot make ${folder}: ${reasonOf(error)}.`, { cause: error });
  }
  return [
    `Made the skill ${name}: ${file}`,
    "",
    "Say in it what to do, and in its description when. Then:",
    `  ally skills check ${quoteWord(folder)}`,
    `  ally "/${name} ..."`,
  ].join("\n");
}

function skeleton(name: string): string {
  return `---
name: ${name}
description: What it does, and when to use it. The model chooses by these words alone.
---

# ${name}

1. Say step by step what to do.
2. Put long texts into references/ and scripts into scripts/, and name them here.
`;
}

/** Installs, unless a signal comes: then nothing is installed. */
async function runInstall(
  { source, yes }: Extract<SkillsRequest, { what: "install" }>,
  { options: { cwd, color }, io, out }: SkillsContext,
): Promise<number> {
  const { env } = io;
  const stop = new AbortController();
  using signals = watchSignals(io, { onSignal: () => stop.abort(), onForced: () => {} });
  const ask = (question: string) => {
    const refusal =
      `${question} Cannot ask without a terminal. Read what they say, then confirm with --yes.`;
    return confirmAtTerminal(question, { io, color, refusal });
  };
  try {
    const isDone = await installSkills({
      source,
      cwd,
      directory: allyPaths(cwd, env).skills,
      registry: env.get("npm_config_registry") || env.get("NPM_CONFIG_REGISTRY") || NPM_REGISTRY,
      out,
      confirm: yes ? () => Promise.resolve(true) : ask,
      signal: stop.signal,
    });
    if (!isDone) out("Nothing was installed.");
    return isDone ? EXIT.done : EXIT.failed;
  } catch (error) {
    if (signals.exitCode === undefined) throw error;
    out("Interrupted: nothing was installed.");
    return signals.exitCode;
  }
}
