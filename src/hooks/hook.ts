/**
 * A hook as it is run and listed, and what it is matched by.
 */
import { relative } from "node:path";
import type { HookEvent, HookSetting, HookSettings } from "../core/hooks.ts";
import { contains } from "../lib/contains.ts";
import { quoteWord } from "../lib/text.ts";

/** Seconds a hook may take if it does not say. */
const DEFAULT_TIMEOUT = 10;

/** One hook of a run. */
export interface Hook {
  readonly name: string;
  readonly event: HookEvent;
  /** Whose configuration names it. */
  readonly source: "user" | "project";
  readonly command: HookSetting["command"];
  readonly tools?: readonly string[];
  readonly paths?: readonly string[];
  /** Seconds. */
  readonly timeout: number;
  readonly required: boolean;
  /** Whether it runs outside of the sandbox. */
  readonly trusted: boolean;
}

/** The hooks of a configuration. A project cannot have them run outside of the sandbox. */
export function hooksOf(settings: HookSettings, source: Hook["source"]): Hook[] {
  return Object.entries(settings).flatMap(([event, list]) =>
    list.map(({ name, timeout, required = false, trusted = false, ...rest }, index) => ({
      ...rest,
      name: `${source === "project" ? "project:" : ""}${name ?? `${event}-${index + 1}`}`,
      event: event as HookEvent,
      source,
      timeout: timeout ?? DEFAULT_TIMEOUT,
      required,
      trusted: trusted && source === "user",
    }))
  );
}

/** Its command on one line, as a shell would take it. */
export function commandLine({ command }: Pick<Hook, "command">): string {
  return typeof command === "string" ? command : command.map(quoteWord).join(" ");
}

/** Whether a hook is for a tool, by its name. */
export async function matchesTool(
  { tools }: Pick<Hook, "tools">,
  tool: string,
): Promise<boolean> {
  if (tools === undefined) return true;
  const { pathMatcher } = await import("../lib/path_pattern.ts");
  return tools.some((pattern) => {
    const texts = pattern.split("*").map((text) => ({ kind: "text", text }) as const);
    const parts = texts.flatMap((text) => [{ kind: "anything" } as const, text]).slice(1);
    return pathMatcher({ kind: "sequence", parts }, { dot: true })(tool);
  });
}

/** Whether a hook is for one of some absolute paths. */
export async function matchesPaths(
  { paths: globs }: Pick<Hook, "paths">,
  { paths, cwd }: { paths: readonly string[]; cwd: string },
): Promise<boolean> {
  if (globs === undefined) return true;
  const { globMatcher } = await import("../lib/glob.ts");
  const fits = globMatcher(globs.map((glob) => glob.replace(/^\.\//, "")), { dot: true });
  return paths.some((path) =>
    fits(path) || (contains(cwd, path) && fits(relative(cwd, path).replaceAll("\\", "/")))
  );
}

/** One line for people: when it runs, on what, what, and how. */
export function describeHook(hook: Hook, { isSandboxOff }: { isSandboxOff: boolean }): string {
  const { event, name, source, tools = [], paths = [], timeout, required, trusted } = hook;
  const on = [...tools, ...paths].join(", ");
  const how = [
    trusted || isSandboxOff ? "outside of the sandbox" : "in the sandbox",
    `${timeout} s`,
    ...required ? ["required"] : [],
  ];
  return `${event}  ${name}${on && ` (${on})`}: ${commandLine(hook)}  [${source}; ${
    how.join(", ")
  }]`;
}
