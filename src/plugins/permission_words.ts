/**
 * What a plugin may do, in plain words: for the question of consent, for `ally plugin` and for `/plugins`. What it
 * may not do is said too, because that is what people want to know.
 */
import { isAbsolute } from "node:path";
import type { Plugin, PluginPermissions } from "./plugin.ts";

/** One line for each kind of permission, the grave ones first. */
export function permissionWords(
  plugin: Pick<Plugin, "permissions" | "tools">,
  options: {
    /** Whether programs are held to the manifest by the system. */
    readonly sandboxed: boolean;
  },
): string[] {
  const { permissions, tools } = plugin;
  const programs = tools.flatMap(({ program }) =>
    program.kind === "command" ? [[program.command, ...program.args].join(" ")] : []
  );
  return [
    ...(programs.length > 0 ? [`runs programs of its own: ${unique(programs).join(", ")}`] : []),
    ...(programs.length > 0 && !options.sandboxed
      ? ["there is no sandbox on this system: its programs can do whatever you can"]
      : []),
    runWords(permissions),
    writeWords(permissions),
    readWords(permissions),
    netWords(permissions, programs.length > 0),
    envWords(permissions),
  ].filter((line) => line !== "");
}

function runWords({ run = [] }: PluginPermissions): string {
  return run.length > 0
    ? `may start ${run.join(", ")}, which can do whatever the plugin can`
    : "may not start other programs";
}

function writeWords({ write }: PluginPermissions): string {
  const places = placeWords(write);
  return places === "" ? "may not change files" : `may change ${places}`;
}

function readWords({ read }: PluginPermissions): string {
  const places = placeWords(read);
  return places === "" ? "may not read your files" : `may read ${places}`;
}

function netWords({ net }: PluginPermissions, programs: boolean): string {
  if (net === undefined || (net !== true && net.length === 0)) return "may not reach the network";
  if (net === true) return "may reach any host of the network";
  const named = `may reach ${net.join(", ")}`;
  // What a program connects to cannot be limited to hosts.
  return programs ? `${named}; its programs may reach any host` : named;
}

function envWords({ env = [] }: PluginPermissions): string {
  if (env.length === 0) return "may not read environment variables";
  return `may read the environment ${env.length === 1 ? "variable" : "variables"} ${
    env.join(", ")
  }`;
}

function placeWords(places: true | readonly string[] | undefined): string {
  const names = places === true ? ["."] : places ?? [];
  return unique(names.map(placeWord)).join(" and ");
}

function placeWord(place: string): string {
  if (place === ".") return "the files of the working directory";
  if (place === "${plugin}") return "the files of its own folder";
  if (place.startsWith("${plugin}/")) return `${place.slice(10)} in its own folder`;
  if (place === "~") return "the files of your home directory";
  return isAbsolute(place) || place.startsWith("~/") ? place : `${place} in the working directory`;
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
