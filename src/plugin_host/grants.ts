/**
 * What a call of a plugin's tool is granted, derived from the manifest: the paths, hosts, programs and variables,
 * and the accesses that the policy judges. A tool gets nothing beyond its effects, whatever else the plugin may
 * do.
 */
import { isAbsolute, join, relative, resolve } from "node:path";
import { ToolError } from "../core/errors.ts";
import type { Access } from "../core/permission.ts";
import { contains } from "../lib/contains.ts";
import type { Plugin, PluginTool } from "./plugin.ts";

/** The directories that paths of a manifest refer to; absolute and canonical. */
export interface GrantContext {
  /** The working directory and each added directory, at this moment. */
  readonly roots: () => readonly string[];
  /** The user's home directory, or "" if it is not known. */
  readonly home: string;
}

/** What rules deny of what a manifest may be granted: by name canonical paths and hosts, and whole kinds. */
export interface DenyRules {
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly net: readonly string[];
  /** Kinds that are denied as a whole, in plain words. */
  readonly kinds: readonly string[];
}

/** What a plugin's process may do. */
export interface Grants {
  /** Absolute and canonical as far as they exist; the plugin's folder is always among them. */
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly net: true | readonly string[];
  readonly run: readonly string[];
  readonly env: readonly string[];
}

/**
 * The grants of a plugin's tool.
 * @throws {ToolError} security: a path of the workspace or the plugin leads elsewhere through a link
 */
export function grantsOf(
  plugin: Plugin,
  { tool, context }: { tool: PluginTool; context: GrantContext },
): Grants {
  const { permissions: { read, write, net = [], run = [], env = [] }, folder } = plugin;
  const does = (effect: PluginTool["effects"][number]) => tool.effects.includes(effect);
  const pathsOf = (named: true | readonly string[] = []) =>
    (named === true ? ["."] : named).flatMap((name) => pathOf(name, { folder, context }));
  // A plugin may always write in its own folder, elsewhere only with a tool whose effects include "write".
  const written = pathsOf(write).filter((path) => does("write") || contains(folder, path));
  return {
    read: [...new Set([folder, ...pathsOf(read), ...written])],
    write: [...new Set(written)],
    net: does("net") ? net : [],
    run: does("exec") ? run : [],
    env,
  };
}

/**
 * The accesses that a call is judged by. A person agreed to what the plugin reads and reaches when they allowed
 * it, so there only a rule against it counts; changing files and running programs ask.
 */
export function accessesOf(
  plugin: Plugin,
  { tool, context }: { tool: PluginTool; context: GrantContext },
): Access[] {
  const grants = grantsOf(plugin, { tool, context });
  const roots = context.roots();
  const [cwd = ""] = roots;
  const path = (kind: "read" | "write") => (target: string): Access => {
    const inside = roots.some((root) => contains(root, target));
    const name = relative(cwd, target) || ".";
    return { kind, target, inside, display: inside ? name : target };
  };
  const agreed = (access: Access): Access => ({ ...access, consented: true });
  const own = (target: string) => contains(plugin.folder, target);
  const hosts = grants.net === true ? ["*"] : grants.net;
  const { program } = tool;
  const line = program.kind === "command"
    ? [program.command, ...program.args].join(" ")
    : `${plugin.name} ${program.module}`;
  return [
    ...grants.read.filter((target) => !own(target)).map(path("read")).map(agreed),
    ...hosts.map((target) => agreed({ kind: "net", target })),
    ...grants.env.map((target) => agreed({ kind: "env", target })),
    ...grants.write.filter((target) => !own(target)).map(path("write")),
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
  { folder, context }: { folder: string; context: GrantContext },
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

/** The path. @throws {ToolError} a link on it leads out of the folder that it is named in */
function requireWithin(folder: string, path: string): string {
  let at = folder;
  for (const part of relative(folder, path).split(/[\\/]/).filter((one) => one !== "")) {
    at = join(at, part);
    try {
      if (!Deno.lstatSync(at).isSymlink) continue;
    } catch (error) {
      // What does not exist yet will be created where it is named.
      if (error instanceof Deno.errors.NotFound) return path;
      throw error;
    }
    if (contains(folder, linkTargetOf(at) ?? "/")) continue;
    throw new ToolError(`The plugin cannot run: ${at} is a link that leads out of ${folder}`, {
      kind: "security",
      suggestion: "Tell the user: the plugin was granted this path, and not where the link leads.",
    });
  }
  return path;
}

/** The target of a link; undefined if it does not exist. */
function linkTargetOf(path: string): string | undefined {
  try {
    return Deno.realPathSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
