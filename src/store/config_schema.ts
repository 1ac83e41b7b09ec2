/**
 * The JSON schema of `config.json`, from the table of settings.
 */
import type { JsonObject } from "../lib/schema.ts";
import { SETTING_TABLE } from "./settings_table.ts";

/** A JSON schema of the file, for editors. */
export function configSchema(): JsonObject {
  const properties = [...SETTING_TABLE].map(([key, { schema, help, otherwise, ...one }]) => [key, {
    ...schema,
    description: otherwise === undefined ? help : `${help} (without it: ${otherwise})`,
    ...(one.default !== undefined && { default: one.default }),
  }]);
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "ally: config.json",
    type: "object",
    properties: { $schema: { type: "string" }, ...Object.fromEntries(properties) },
  };
}
