/**
 * Reads a `plugin.json`: the plugin it describes, or what is wrong with it, each problem with its line. Nothing of
 * the plugin is run or imported.
 */
import { isAbsolute, normalize } from "node:path";
import type { Effect } from "../core/tool.ts";
import { isDeeper, isObject, type JsonObject, type Violation, violations } from "../lib/schema.ts";
import { boundMessage } from "../lib/excerpt.ts";
import { stripControls, withoutBom } from "../lib/text.ts";
import { parseInputSchema, schemaFaults } from "./input_schema.ts";
import type { ManifestProblem } from "./manifest_lines.ts";
import { DEFAULT_TIMEOUT, MANIFEST_VERSION, PLUGIN_SCHEMA } from "./manifest_schema.ts";
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

/** Keys of the manifest itself. */
const KEYS = PLUGIN_SCHEMA.properties;
/** Levels of objects and lists in each other. */
const MAX_DEPTH = 64;

/** A path in a manifest: keys and indices. */
type KeyPath = readonly (string | number)[];

/** Something wrong, before its line is known. */
interface Fault {
  readonly path: KeyPath;
  readonly message: string;
}

/** Remembers manifests that passed every check: validating fifty of them would delay each start. */
export interface CheckedManifests {
  /** Whether just this text has passed. */
  has(text: string): boolean;
  add(text: string): void;
}

/** Reads the text of a manifest; `folder` is canonical. One that `checked` knows is not checked again. */
export async function readManifest(
  text: string,
  { folder, development = false, checked }: {
    folder: string;
    development?: boolean;
    checked?: CheckedManifests | undefined;
  },
): Promise<ManifestResult> {
  let value: unknown;
  try {
    value = JSON.parse(withoutBom(text));
  } catch {
    const { syntaxProblems } = await import("./manifest_lines.ts");
    return { ok: false, problems: syntaxProblems(text) };
  }
  if (!checked?.has(text)) {
    const faults = isObject(value)
      ? findFaults(value)
      : [createFault([], "it must be a JSON object")];
    if (faults.length > 0) {
      const { locateFaults } = await import("./manifest_lines.ts");
      return { ok: false, problems: locateFaults(text, faults) };
    }
    // Others may put keys of their own here.
    if (Object.keys(value as JsonObject).some((key) => !Object.hasOwn(KEYS, key))) {
      const { misspelledKeys } = await import("./manifest_lines.ts");
      const problems = misspelledKeys(text, Object.keys(KEYS));
      if (problems.length > 0) return { ok: false, problems };
    }
    checked?.add(text);
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
  readonly parameters: JsonObject;
  readonly example?: JsonObject;
  readonly module?: string;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly timeout?: number;
}

/** What the schema finds wrong, else what a schema cannot express. */
function findFaults(value: JsonObject): Fault[] {
  if (isDeeper(value, MAX_DEPTH)) {
    return [createFault([], `it must not be nested deeper than ${MAX_DEPTH} levels`)];
  }
  const wrong = violations(PLUGIN_SCHEMA, value);
  const bySchema = wrong
    // A value that matches none of several shapes is reported once, where it comes closest to one.
    .filter(({ keyword, path }) => {
      const isShaped = wrong.some((one) => one.keyword === "anyOf" && one.path === path);
      const isCloser = wrong.some((one) => one.path.startsWith(`${path}[`) && path !== "");
      return !isCloser && (keyword === "anyOf" || !isShaped);
    })
    .map((one) => createFault(keyPathOf(one.path), describeViolation(one)));
  if (bySchema.length > 0) return bySchema;
  const { tools, permissions = {} } = value as unknown as Manifest;
  const names = new Set<string>();
  return [
    ...pathFaults(permissions),
    ...tools.flatMap((tool, index) => {
      const at = ["tools", index] as const;
      const key = normalizeName(tool.name);
      const again = names.has(key);
      names.add(key);
      return [
        ...(again ? [createFault([...at, "name"], "an earlier tool has this name")] : []),
        ...toolFaults(tool, at),
      ];
    }),
  ];
}

/** What a value must look like, by the last key of its path. */
const FORMAT_HINTS: Readonly<Record<string, string>> = {
  manifest: `this ally reads version ${MANIFEST_VERSION}: write "manifest": ${MANIFEST_VERSION}`,
  name: "it must begin with a letter, followed by letters, digits and _",
  read: 'it must be ".", "./PATH", "${plugin}", "${plugin}/PATH", "~", "~/PATH" or absolute',
  write: 'it must be ".", "./PATH", "${plugin}", "${plugin}/PATH", "~", "~/PATH" or absolute',
  net: "it must be a host, as example.com or example.com:443",
  run: "it must be the name of a program, without a path",
  env: "it must be the name of an environment variable",
  module: "it must be a file .ts, .mts, .js, .mjs, .tsx or .jsx",
};

/** What to write for a key that is required. */
const MISSING_HINTS: Readonly<Record<string, string>> = {
  manifest: `it has no "manifest": write "manifest": ${MANIFEST_VERSION}`,
  parameters: 'it has no "parameters": write the JSON Schema of the input',
};

function describeViolation({ path, keyword, ...violation }: Violation): string {
  // It stands behind a place, or among others.
  const message = violation.message.replace(/^It\b/, "it").replace(/\.$/, "");
  switch (keyword) {
    case "false": {
      const keys = path.startsWith("tools[") ? PLUGIN_SCHEMA.properties.tools.items.properties : {};
      const known = Object.keys(keys).join(", ");
      return `there is no such key${known === "" ? "" : `; a tool has ${known}`}`;
    }
    case "anyOf":
      return "it must be true or a list";
    case "required":
      return MISSING_HINTS[/"(\w+)"/.exec(message)?.[1] ?? ""] ?? message;
    case "pattern":
    case "const":
      return FORMAT_HINTS[/([a-z]+)(\[\d+\])?$/.exec(path)?.[1] ?? ""] ?? message;
    default:
      return message;
  }
}

/** Paths that do not mean what they look like: a person agrees to the words. */
function pathFaults({ read, write }: PluginPermissions): Fault[] {
  return Object.entries({ read, write }).flatMap(([kind, paths]) =>
    (Array.isArray(paths) ? paths : []).flatMap((path: string, index) => {
      const why = hasControls(path)
        ? "it must not contain control characters"
        : path.split(/[\\/]/).includes("..")
        ? "it must not contain '..': name the directory itself"
        : undefined;
      return why === undefined ? [] : [createFault(["permissions", kind, index], why)];
    })
  );
}

function hasControls(text: string): boolean {
  return stripControls(text) !== text;
}

function toolFaults(tool: ManifestTool, at: KeyPath): Fault[] {
  const { module, command, args = [], parameters } = tool;
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
    const key = index === 0 ? ["command"] : ["args", index - 1];
    faults.push(createFault([...at, ...key], "it must not contain the character NUL"));
  }
  for (const { path, message } of schemaFaults(parameters)) {
    faults.push(createFault([...at, "parameters", ...path], message));
  }
  const { required, properties } = parameters;
  for (const name of Array.isArray(required) ? required : []) {
    if (isObject(properties) && Object.hasOwn(properties, String(name))) continue;
    const message = `'${name}' is required but is not a property`;
    faults.push(createFault([...at, "parameters", "required"], message));
  }
  return faults;
}

/** Whether a relative path stays in the plugin's folder and outside of its data, which it may write, whatever their case. */
function isOwnFile(path: string): boolean {
  const plain = normalize(path).replaceAll("\\", "/");
  return !isAbsolute(plain) && plain !== ".." && !plain.startsWith("../") &&
    !/^data\//i.test(plain) && !path.includes("\0");
}

function createFault(path: KeyPath, message: string): Fault {
  return { path, message: boundMessage(message) };
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
  const { name, description, effects, parameters, module, command, example } = tool;
  const { args = [], timeout = DEFAULT_TIMEOUT } = tool;
  const program: PluginProgram = module !== undefined
    ? { kind: "module", module }
    : { kind: "command", command: command ?? "", args };
  return {
    name,
    description: stripControls(description),
    // A tool that names no effects is treated as if it ran a program.
    effects: effects === undefined || effects.length === 0 ? ["exec"] : effects,
    ...parseInputSchema(parameters),
    program,
    timeout,
    ...(example && { example }),
  };
}
