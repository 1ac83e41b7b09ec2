/**
 * The JSON Schema of `plugin.json`. It is published as `plugins/plugin.schema.json` and printed by
 * `ally plugin schema`; what a schema cannot express is checked in `manifest.ts`.
 */

/** The version of the format; a manifest names it as `"manifest": 1`. */
export const MANIFEST_VERSION = 1;

/** Seconds a tool may take if its manifest sets no timeout. */
export const DEFAULT_TIMEOUT = 60;

const NAMES = {
  type: "array",
  maxItems: 100,
  items: { type: "string", pattern: "^[A-Za-z0-9._+*-]+$" },
} as const;

const PATHS = {
  description:
    '"." is the workspace, "${plugin}" the plugin\'s own folder, "~" the home directory; true is ["."]',
  anyOf: [
    { type: "boolean", const: true },
    {
      type: "array",
      maxItems: 100,
      items: {
        type: "string",
        pattern: "^(\\.|\\./.+|\\$\\{plugin\\}(/.+)?|~(/.+)?|/.*|[A-Za-z]:[\\\\/].*)$",
      },
    },
  ],
} as const;

const PERMISSIONS = {
  type: "object",
  description: "What the plugin may do; the person agrees to exactly this.",
  additionalProperties: false,
  properties: {
    read: PATHS,
    write: PATHS,
    net: {
      description: "Hosts, as example.com or example.com:443; true is any host.",
      anyOf: [
        { type: "boolean", const: true },
        {
          type: "array",
          maxItems: 100,
          items: {
            type: "string",
            pattern: "^((\\*\\.)?[A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+\\])(:[0-9]{1,5})?$",
          },
        },
      ],
    },
    run: { ...NAMES, description: "Names of programs that a module may start." },
    env: { ...NAMES, description: "Names of environment variables." },
  },
} as const;

const TOOL = {
  type: "object",
  required: ["name", "description", "parameters"],
  additionalProperties: false,
  properties: {
    name: { type: "string", pattern: "^[A-Za-z][A-Za-z0-9_]{0,63}$" },
    description: { type: "string", minLength: 1, maxLength: 2000 },
    effects: {
      type: "array",
      description: "What a call may do; without it, a call counts as running a program and asks.",
      uniqueItems: true,
      items: { enum: ["read", "write", "exec", "net"] },
    },
    parameters: {
      type: "object",
      description:
        'JSON Schema of the input; format "path" marks a path, "command" a command line.',
      required: ["type"],
      properties: {
        type: { const: "object" },
        properties: { type: "object", additionalProperties: { type: "object" } },
        required: { type: "array", items: { type: "string" } },
      },
    },
    example: {
      type: "object",
      description: "A correct call, shown to a model that sent a wrong one.",
    },
    module: {
      type: "string",
      description: "A TypeScript or JavaScript module below the plugin's folder.",
      pattern: "\\.(ts|mts|js|mjs|tsx|jsx)$",
    },
    command: {
      type: "string",
      description: "A program that gets its input as JSON on standard input.",
      minLength: 1,
    },
    args: { type: "array", maxItems: 100, items: { type: "string" } },
    timeout: { type: "number", description: "Seconds.", exclusiveMinimum: 0, maximum: 600 },
  },
} as const;

/** The schema as data. */
export const PLUGIN_SCHEMA = {
  $schema: "http://json-schema.org/draft-07/schema#",
  title: "Plugin of ally",
  type: "object",
  required: ["manifest", "name", "version", "description", "tools"],
  properties: {
    $schema: { type: "string" },
    manifest: { const: MANIFEST_VERSION, description: "The version of this format." },
    name: { type: "string", pattern: "^[a-z][a-z0-9_-]{0,39}$" },
    version: { type: "string", minLength: 1, maxLength: 60 },
    description: { type: "string", minLength: 1, maxLength: 500 },
    permissions: PERMISSIONS,
    tools: { type: "array", minItems: 1, maxItems: 64, items: TOOL },
  },
} as const;
