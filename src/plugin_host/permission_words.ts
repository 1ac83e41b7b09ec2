/**
 * What a plugin may do, in plain words, and what it may not do, since that is what people want to know.
 */
import { isAbsolute } from "node:path";
import type { Plugin, PluginPermissions } from "./plugin.ts";

/** One line for each thing it may do, each a sentence without its subject; the last says what it may not do. */
export function permissionWords(
  plugin: Pick<Plugin, "permissions" | "tools">,
  options: {
    /** Whether the OS sandbox enforces the manifest on programs. */
    readonly sandboxed: boolean;
  },
): string[] {
  const { permissions, tools } = plugin;
  const commandLines = tools.flatMap(({ program }) =>
    program.kind === "command"
      ? [[program.command, ...program.args].join(" ").replace(/\s+/g, " ")]
      : []
  );
  const programs = [...new Set(commandLines)];
  const own = programs.length > 0;
  const may = [
    own ? `runs ${programs.join(", ")}` : "",
    own && !options.sandboxed
      ? "there is no sandbox on this system: what it runs can do whatever you can"
      : "",
    writeWords(permissions),
    readWords(permissions),
    linkWords(permissions, options),
    netWords(permissions, own),
    envWords(permissions),
    runWords(permissions),
  ].filter((line) => line !== "");
  return [...may, deniedLine(permissions)].filter((line) => line !== "");
}

/** What is not permitted, in one line. */
function deniedLine(permissions: PluginPermissions): string {
  const kinds: readonly (readonly [keyof PluginPermissions, string])[] = [
    ["write", "change files"],
    ["read", "read your files"],
    ["net", "reach the network"],
    ["env", "read environment variables"],
    ["run", "start other programs"],
  ];
  const refused = kinds.filter(([kind]) => isEmpty(permissions[kind])).map(([, words]) => words);
  const last = refused.pop();
  if (last === undefined) return "";
  return `may not ${refused.length > 0 ? `${refused.join(", ")} or ` : ""}${last}`;
}

function isEmpty(targets: true | readonly string[] | undefined): boolean {
  return targets === undefined || (targets !== true && targets.length === 0);
}

function runWords({ run = [] }: PluginPermissions): string {
  return run.length > 0 ? `may start ${run.join(", ")}, which can do whatever it can` : "";
}

function writeWords({ write }: PluginPermissions): string {
  return isEmpty(write) ? "" : `may change ${pathWords(write)}`;
}

function readWords({ read }: PluginPermissions): string {
  return isEmpty(read) ? "" : `may read ${pathWords(read)}`;
}

/** What Deno's permissions alone do not prevent. */
function linkWords(
  { read, write }: PluginPermissions,
  { sandboxed }: { sandboxed: boolean },
): string {
  return sandboxed || (isEmpty(read) && isEmpty(write))
    ? ""
    : "follows links there, wherever they lead: there is no sandbox on this system";
}

function netWords({ net }: PluginPermissions, programs: boolean): string {
  if (net === true) return "may reach any host of the network";
  if (net === undefined || net.length === 0) return "";
  const named = `may reach ${net.join(", ")}`;
  // What a program connects to cannot be limited to hosts.
  return programs ? `${named}; what it runs may reach any host` : named;
}

function envWords({ env = [] }: PluginPermissions): string {
  if (env.length === 0) return "";
  return `may read the environment ${env.length === 1 ? "variable" : "variables"} ${
    env.join(", ")
  }`;
}

function pathWords(paths: true | readonly string[] | undefined): string {
  const names = paths === true ? ["."] : paths ?? [];
  return [...new Set(names.map(pathWord))].join(" and ");
}

function pathWord(path: string): string {
  if (path === ".") return "the files of the working directory";
  if (path === "${plugin}") return "the files of its own folder";
  if (path.startsWith("${plugin}/")) return `${path.slice(10)} in its own folder`;
  if (path === "~") return "the files of your home directory";
  return isAbsolute(path) || path.startsWith("~/") ? path : `${path} in the working directory`;
}
