/**
 * `ally skills install`: copies skills from a folder, an archive or npm into the user's own, after a person has seen
 * what they say of themselves. All of them are installed or none; nothing of them runs.
 */
import { join } from "node:path";
import { type CheckedSkill, checkSkill } from "../../app/skill_check.ts";
import { UsageError } from "../../core/errors.ts";
import { exists, sha256 } from "../../lib/fs.ts";
import { plural, quoteName } from "../../lib/text.ts";
import type { Skill } from "../../skills/skill.ts";
import type { PluginSourceFile } from "../../store/plugin_archive.ts";
import { repairPluginFolder, stagePlugin } from "../../store/plugin_folder.ts";
import { readSource } from "../../store/plugin_source.ts";
import { SKILL_FILE } from "../../store/skill_files.ts";
import { escapeLine } from "../../ui/safe_text.ts";

/** What an installation works with. */
export interface InstallOptions {
  /** What the person named. */
  readonly source: string;
  readonly cwd: string;
  /** The folder of the user's skills. */
  readonly directory: string;
  /** Base URL of npm's registry. */
  readonly registry: string;
  readonly out: (text: string) => void;
  /** Asks whether to go on. @throws {UsageError} nobody can be asked */
  readonly confirm: (question: string) => Promise<boolean>;
  readonly signal: AbortSignal;
}

/** A skill with its files, relative to its folder. */
interface FoundSkill {
  readonly skill: Skill;
  readonly files: readonly PluginSourceFile[];
}

/** Installs; false if the person said no. @throws {UsageError} it cannot be installed, and why */
export async function installSkills(options: InstallOptions): Promise<boolean> {
  const { source, directory, out, confirm } = options;
  const { from, files } = await readSource(source, { ...options, select: requireSkill });
  const found = await findSkills(files, source);
  out(describe(found, { from, directory }));
  const names = found.map(({ skill }) => skill.name);
  const what = names.length === 1 ? `the skill ${names[0]}` : plural(names.length, "skill");
  if (!await confirm(`Install ${what}?`)) return false;
  await repairPluginFolder(directory);
  await using stack = new AsyncDisposableStack();
  const staged = [];
  for (const one of found) staged.push(stack.use(await stagePlugin(directory, one.files)));
  for (const [index, one] of staged.entries()) await one.publish(names[index]!);
  out(`Installed ${names.join(", ")} in ${directory}.`);
  return true;
}

function requireSkill(files: PluginSourceFile[]): PluginSourceFile[] {
  if (files.some(({ path }) => isSkillFile(path))) return files;
  throw new Error(`it holds no ${SKILL_FILE}`);
}

function isSkillFile(path: string): boolean {
  return path === SKILL_FILE || path.endsWith(`/${SKILL_FILE}`);
}

/** Each folder with a `SKILL.md` that is not in another one. @throws {UsageError} one of them cannot be used */
async function findSkills(
  files: readonly PluginSourceFile[],
  source: string,
): Promise<FoundSkill[]> {
  const folders = files.filter(({ path }) => isSkillFile(path))
    .map(({ path }) => path.slice(0, -SKILL_FILE.length))
    .sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  const outer = folders.filter((one) =>
    !folders.some((other) => other !== one && one.startsWith(other))
  );
  const checked = await Promise.all(outer.map(async (folder) => {
    const own = files.filter(({ path }) => path.startsWith(folder))
      .map((file) => ({ ...file, path: file.path.slice(folder.length) }));
    return { files: own, checked: await check(folder, own) };
  }));
  const problems = checked.flatMap(({ checked: { file, problems } }) =>
    problems.filter(({ isFatal }) => isFatal)
      .map(({ line, text }) => `  ${escapeLine(file.path)}:${line}: ${escapeLine(text)}`)
  );
  const names = checked.map(({ checked: { skill } }) => skill?.name);
  const twice = names.find((name, index) => name && names.indexOf(name) !== index);
  if (twice !== undefined) problems.push(`  two skills have the name ${twice}`);
  if (problems.length > 0) {
    throw new UsageError(`Cannot install ${quoteName(source)}:\n${problems.join("\n")}`);
  }
  return checked.flatMap(({ files, checked: { skill } }) => skill ? [{ skill, files }] : []);
}

async function check(
  folder: string,
  files: readonly PluginSourceFile[],
): Promise<CheckedSkill> {
  const bytes = files.find(({ path }) => path === SKILL_FILE)?.bytes ?? new Uint8Array();
  return await checkSkill({
    text: new TextDecoder().decode(bytes),
    hash: sha256(bytes),
    path: `${folder}${SKILL_FILE}`,
    folderName: folder.split("/").at(-2) ?? "",
    folder,
    source: "user",
  });
}

function describe(
  found: readonly FoundSkill[],
  { from, directory }: { from: string; directory: string },
): string {
  const each = found.flatMap(({ skill, files }) => {
    const { name, description, approval: { labels } } = skill;
    const scripts = files.filter(({ executable }) => executable).length;
    const size = plural(files.length, "file") + (scripts > 0 ? `, ${scripts} to be run` : "");
    return [
      `${name}: ${escapeLine(description)}`,
      `  ${size}${exists(join(directory, name)) ? "; REPLACES the one you have" : ""}`,
      // Nothing of it is cut: this is what is approved.
      ...labels.length > 0
        ? [`  WITHOUT ASKING, once loaded: ${escapeLine(labels.join(", "))}`]
        : [],
    ];
  });
  return [...each, "", `from ${escapeLine(from)}`, ""].join("\n");
}
