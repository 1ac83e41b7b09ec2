/**
 * The programs of a project that its hooks run: they act as the configuration does, so that they are trusted with it,
 * and asked about anew when they change. What these load in turn is not followed: the sandbox holds them.
 */
import { basename } from "node:path";
import type { HookSetting, HookSettings } from "../core/hooks.ts";
import type { ProjectFile } from "../core/project.ts";
import { parseJsonc } from "../lib/jsonc.ts";
import { isObject } from "../lib/schema.ts";
import { readProjectFile } from "./project_file.ts";

/** Programs of hooks that are looked at. */
const MAX_FILES = 100;
/** Programs that run the file they are given. */
const INTERPRETER = /^(?:(?:ba|da|z|k|fi)?sh|python[\d.]*|node|deno|bun|tsx|ruby|perl|php|lua)$/;

/** The paths of programs in a command that may be the project's: what it starts, and what an interpreter runs. */
function programPaths(command: HookSetting["command"]): string[] {
  const commands = typeof command === "string"
    ? command.split(/[;|&()\n`]+/).map((part) => part.trim().split(/[\s"'<>]+/))
    : [command];
  return commands.flatMap(([first = "", ...rest]) => {
    const runs = INTERPRETER.test(basename(first));
    const file = runs && rest.find((word) => !word.startsWith("-") && word !== "run");
    return [first, file || ""];
  }).map((path) => path.replace(/^(?:\.\/+)+/, "")).filter((path) => path !== "");
}

/** The programs that the hooks of a project's configuration run; none if it has no hooks, or cannot be understood. */
export async function findHookFiles(
  config: ProjectFile,
  { root }: { root: string },
): Promise<ProjectFile[]> {
  const parsed = await parseJsonc(config.text);
  const value = "value" in parsed ? parsed.value : undefined;
  const hooks = isObject(value) && isObject(value.hooks) ? value.hooks : {};
  const commands = Object.values(hooks as HookSettings).flat().flatMap((hook) =>
    isObject(hook) && isCommand(hook.command) ? [hook.command] : []
  );
  return await readHookFiles(commands, { root });
}

/** The programs of the project that commands run, as they are now. */
export async function readHookFiles(
  commands: readonly HookSetting["command"][],
  { root }: { root: string },
): Promise<ProjectFile[]> {
  const paths = new Set(commands.flatMap(programPaths));
  const files = await Promise.all(
    [...paths].slice(0, MAX_FILES).map((path) =>
      readProjectFile(path, { root }).catch(() => undefined)
    ),
  );
  return files.filter((file) => file !== undefined);
}

function isCommand(value: unknown): value is HookSetting["command"] {
  return typeof value === "string" ||
    (Array.isArray(value) && value.every((word) => typeof word === "string"));
}
