/**
 * What a call of a plugin's tool may reach, worked out from the manifest: the paths, hosts, programs and
 * variables themselves, and the accesses that the policy judges. What a tool does not name among its
 * effects it does not get, whatever else the plugin may do.
 */
import { isAbsolute, join, relative, resolve } from "node:path";
import { ToolError } from "../core/errors.ts";
import type { Access } from "../core/permission.ts";
import type { Plugin, PluginTool } from "./plugin.ts";

/** Where things are; all absolute and canonical. */
export interface GrantContext {
  /** The working directory and each added directory, at this moment. */
  readonly roots: () => readonly string[];
  /** The user's home directory, or "" if it is not known. */
  readonly home: string;
}

/** What rules deny by name, of what a manifest may be granted as a whole: canonical paths, and hosts. */
export interface DenyRules {
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly net: readonly string[];
}

/** What a program of a plugin may do. */
export interface Grants {
  /** Absolute and canonical as far as they exist; the plugin's folder is always among them. */
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly net: true | readonly string[];
  readonly run: readonly string[];
  readonly env: readonly string[];
}

/**
 * What a tool of a plugin may reach.
 * @throws {ToolError} security: a place of the workspace or the plugin leads elsewhere through a link
 */
export function grantsOf(
  plugin: Plugin,
  { tool, places: context }: { tool: PluginTool; places: GrantContext },
): Grants {
  const { permissions: { read, write, net = [], run = [], env = [] }, folder } = plugin;
  const does = (effect: PluginTool["effects"][number]) => tool.effects.includes(effect);
  const pathsOf = (named: true | readonly string[] = []) =>
    (named === true ? ["."] : named).flatMap((name) => pathOf(name, { folder, places: context }));
  // In its own folder a plugin may keep what it needs; elsewhere only a tool that says that it writes.
  const written = pathsOf(write).filter((path) => does("write") || isBelow(path, folder));
  return {
    read: unique([folder, ...pathsOf(read), ...written]),
    write: unique(written),
    net: does("net") ? net : [],
    run: does("exec") ? run : [],
    env,
  };
}

/**
 * What a call is judged by. To what the plugin only reads and reaches the person agreed when it was
 * allowed, so that only a rule against it counts; changing files and running programs ask.
 */
export function accessesOf(
  plugin: Plugin,
  { tool, places: context }: { tool: PluginTool; places: GrantContext },
): Access[] {
  const reach = grantsOf(plugin, { tool, places: context });
  const roots = context.roots();
  const [cwd = ""] = roots;
  const path = (kind: "read" | "write") => (target: string): Access => {
    const inside = roots.some((root) => isBelow(target, root));
    const name = relative(cwd, target) || ".";
    return { kind, target, inside, display: inside ? name : target };
  };
  const agreed = (access: Access): Access => ({ ...access, consented: true });
  const own = (target: string) => isBelow(target, plugin.folder);
  const hosts = reach.net === true ? ["*"] : reach.net;
  const { program } = tool;
  const line = program.kind === "command"
    ? [program.command, ...program.args].join(" ")
    : `${plugin.name} ${program.module}`;
  return [
    ...reach.read.filter((target) => !own(target)).map(path("read")).map(agreed),
    ...hosts.map((target) => agreed({ kind: "net", target })),
    ...reach.env.map((target) => agreed({ kind: "env", target })),
    ...reach.write.filter((target) => !own(target)).map(path("write")),
    ...(tool.effects.includes("exec")
      ? [{ kind: "run", target: line, cwd: plugin.folder, tool: tool.name } as const]
      : []),
  ];
}

/** Equal for tools of a plugin that may share a process. */
export function grantsKey(grants: Grants): string {
  return JSON.stringify([grants.read, grants.write, grants.net, grants.run, grants.env]);
}

function pathOf(
  name: string,
  { folder, places: context }: { folder: string; places: GrantContext },
): readonly string[] {
  const [root = "/"] = context.roots();
  if (name === ".") return context.roots();
  if (name.startsWith("${plugin}")) {
    return [requireWithin(folder, resolve(folder, `.${name.slice("${plugin}".length)}`))];
  }
  if (name === "~" || name.startsWith("~/")) {
    return context.home === "" ? [] : [join(context.home, name.slice(1))];
  }
  return [isAbsolute(name) ? resolve(name) : requireWithin(root, resolve(root, name))];
}

/** The path, unless it leads out of the folder that people read it to be in. */
function requireWithin(folder: string, path: string): string {
  let at = folder;
  for (const part of relative(folder, path).split(/[\\/]/).filter((one) => one !== "")) {
    at = join(at, part);
    try {
      if (!Deno.lstatSync(at).isSymlink) continue;
    } catch (error) {
      // What is not there yet is made where it is named.
      if (error instanceof Deno.errors.NotFound) return path;
      throw error;
    }
    if (isBelow(linkTargetOf(at) ?? "/", folder)) continue;
    throw new ToolError(`The plugin cannot run: ${at} is a link that leads out of ${folder}`, {
      kind: "security",
      suggestion: "Tell the user: the plugin was granted this place, and not where the link leads.",
    });
  }
  return path;
}

/** Where a link leads; undefined if nowhere. */
function linkTargetOf(path: string): string | undefined {
  try {
    return Deno.realPathSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Whether a path is a folder or lies in it. */
export function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !/^\.\.[\\/]/.test(way) && !isAbsolute(way));
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
