/**
 * From the text of a `plugin.json` to a plugin, or to what is wrong with it, each with its line. Nothing of
 * the plugin is run or imported. The loader and the commands about plugins call.
 */
import { isAbsolute, normalize } from "node:path";
import type { Effect } from "../core/tool.ts";
import { accepts } from "../lib/quick_schema.ts";
import { isObject, type JsonObject, type Violation, violations } from "../lib/schema.ts";
import { stripControls } from "../lib/text.ts";
import { parseInputSchema, schemaFaults } from "./input_schema.ts";
import type { ManifestProblem } from "./manifest_lines.ts";
import { DEFAULT_TIMEOUT, PLUGIN_SCHEMA } from "./manifest_schema.ts";
import {
  normalizeName,
  type Plugin,
  type PluginPermissions,
  type PluginProgram,
  type PluginTool,
} from "./plugin.ts";

export type { ManifestProblem } from "./manifest_lines.ts";

/** A manifest as read. */
export type ManifestResult =
  | { readonly ok: true; readonly plugin: Plugin }
  | { readonly ok: false; readonly problems: readonly ManifestProblem[] };

/** Where something is in a manifest: keys and indices. */
type KeyPath = readonly (string | number)[];

/** Something wrong, before its line is looked for. */
interface Fault {
  readonly path: KeyPath;
  readonly message: string;
}

/** Reads the text of a manifest; `folder` is canonical. */
export async function readManifest(
  text: string,
  { folder, development = false }: { folder: string; development?: boolean },
): Promise<ManifestResult> {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    const { syntaxProblems } = await import("./manifest_lines.ts");
    return { ok: false, problems: syntaxProblems(text) };
  }
  const faults = isObject(value)
    ? findFaults(value)
    : [createFault([], "it must be a JSON object")];
  if (faults.length > 0) {
    const { locateFaults } = await import("./manifest_lines.ts");
    return { ok: false, problems: locateFaults(text, faults) };
  }
  return { ok: true, plugin: toPlugin(value as unknown as Manifest, { folder, development }) };
}

/** A manifest that the schema accepted. */
interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly permissions?: PluginPermissions;
  readonly tools: readonly ManifestTool[];
}

interface ManifestTool {
  readonly name: string;
  readonly description: string;
  readonly effects?: readonly Effect[];
  readonly parameters?: JsonObject;
  readonly schema?: JsonObject;
  readonly requiresConfirmation?: boolean;
  readonly example?: JsonObject;
  readonly module?: string;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly timeout?: number;
}

/** What the schema finds, and what it cannot say. */
function findFaults(value: JsonObject): Fault[] {
  const wrong = accepts(PLUGIN_SCHEMA, value) ? [] : violations(PLUGIN_SCHEMA, value);
  const bySchema = wrong
    // A value that fits none of several shapes is told once, where it comes closest to one.
    .filter(({ keyword, path }) =>
      keyword !== "anyOf" && !wrong.some((one) => one.path.startsWith(`${path}[`) && path !== "")
    )
    .map((one) => createFault(keyPathOf(one.path), describeViolation(one)));
  if (bySchema.length > 0) return bySchema;
  const { tools, permissions = {} } = value as unknown as Manifest;
  const names = new Set<string>();
  return [
    ...pathFaults(permissions),
    ...tools.flatMap((tool, index) => {
      const at = ["tools", index] as const;
      const spelt = normalizeName(tool.name);
      const again = names.has(spelt);
      names.add(spelt);
      return [
        ...(again ? [createFault([...at, "name"], "an earlier tool has this name")] : []),
        ...toolFaults(tool, at),
      ];
    }),
  ];
}

/** What the names and places of a manifest must look like; by the last key of their place. */
const FORMAT_HINTS: Readonly<Record<string, string>> = {
  name: "it must begin with a letter, followed by letters, digits and _",
  read: 'it must be ".", "./PATH", "${plugin}", "${plugin}/PATH", "~", "~/PATH" or absolute',
  write: 'it must be ".", "./PATH", "${plugin}", "${plugin}/PATH", "~", "~/PATH" or absolute',
  net: "it must be a host, as example.com or example.com:443",
  run: "it must be the name of a program, without a path",
  env: "it must be the name of an environment variable",
  module: "it must be a file .ts, .mts, .js, .mjs, .tsx or .jsx",
};

function describeViolation({ path, keyword, message }: Violation): string {
  if (keyword === "false") return "there is no such key";
  const key = /([a-z]+)(\[\d+\])?$/.exec(path)?.[1] ?? "";
  return keyword === "pattern" ? FORMAT_HINTS[key] ?? message : message;
}

/** Places that are not what they read as: people agree to the words. */
function pathFaults({ read, write }: PluginPermissions): Fault[] {
  return Object.entries({ read, write }).flatMap(([kind, places]) =>
    (Array.isArray(places) ? places : []).flatMap((place: string, index) => {
      const why = hasControls(place)
        ? "it must not hold control characters"
        : place.split(/[\\/]/).includes("..")
        ? "it must not hold '..': name the place itself"
        : undefined;
      return why === undefined ? [] : [createFault(["permissions", kind, index], why)];
    })
  );
}

function hasControls(text: string): boolean {
  return stripControls(text) !== text;
}

function toolFaults(tool: ManifestTool, at: KeyPath): Fault[] {
  const { module, command, args = [], parameters, schema } = tool;
  const faults: Fault[] = [];
  if ((module === undefined) === (command === undefined)) {
    faults.push(createFault(at, 'a tool has either "module" or "command"'));
  }
  if (module !== undefined && !isOwnFile(module)) {
    faults.push(createFault([...at, "module"], "it must be a file below the plugin's folder"));
  }
  if (
    command !== undefined && command.includes("/") && !isAbsolute(command) && !isOwnFile(command)
  ) {
    faults.push(createFault([...at, "command"], "it must be a program, or a file of the plugin"));
  }
  for (const [index, word] of [command ?? "", ...args].entries()) {
    if (!word.includes("\0")) continue;
    const place = index === 0 ? ["command"] : ["args", index - 1];
    faults.push(createFault([...at, ...place], "it must not hold the character NUL"));
  }
  if (parameters === undefined && schema === undefined) {
    faults.push(createFault(at, 'it has no "parameters"'));
  }
  const key = parameters === undefined ? "schema" : "parameters";
  const given = parameters ?? schema ?? {};
  for (const { path, message } of schemaFaults(given)) {
    faults.push(createFault([...at, key, ...path], message));
  }
  const { required, properties } = given;
  for (const name of Array.isArray(required) ? required : []) {
    if (isObject(properties) && Object.hasOwn(properties, String(name))) continue;
    faults.push(createFault([...at, key, "required"], `'${name}' is required but no property`));
  }
  return faults;
}

/** Whether a relative path stays in the plugin's folder, and out of what the plugin itself may write. */
function isOwnFile(path: string): boolean {
  const plain = normalize(path).replaceAll("\\", "/");
  return !isAbsolute(plain) && plain !== ".." && !plain.startsWith("../") &&
    !plain.startsWith("data/") && !path.includes("\0");
}

function createFault(path: KeyPath, message: string): Fault {
  return { path, message };
}

/** `tools[0].name` as keys and indices. */
function keyPathOf(path: string): (string | number)[] {
  return [...path.matchAll(/\[(\d+)\]|([^.[\]]+)/g)]
    .map(([, index, key]) => index === undefined ? key ?? "" : Number(index));
}

function toPlugin(
  { name, version, description, permissions = {}, tools }: Manifest,
  where: { folder: string; development: boolean },
): Plugin {
  const words = { version: stripControls(version), description: stripControls(description) };
  return { name, ...words, ...where, permissions, tools: tools.map(toTool) };
}

function toTool(tool: ManifestTool): PluginTool {
  const { name, description, module, command, args = [], timeout = DEFAULT_TIMEOUT } = tool;
  const program: PluginProgram = module !== undefined
    ? { kind: "module", module }
    : { kind: "command", command: command ?? "", args };
  return {
    name,
    description: stripControls(description),
    effects: effectsOf(tool),
    ...parseInputSchema(tool.parameters ?? tool.schema ?? {}),
    program,
    timeout,
    ...(tool.example && { example: tool.example }),
  };
}

/** Who does not say what a tool does is asked about as if it ran a program. */
function effectsOf({ effects, requiresConfirmation }: ManifestTool): readonly Effect[] {
  const said = effects ?? (requiresConfirmation === false ? ["read"] as const : []);
  const asks = said.some((effect) => effect !== "read");
  const mustAsk = said.length === 0 || requiresConfirmation === true;
  return mustAsk && !asks ? [...said, "exec"] : said;
}
