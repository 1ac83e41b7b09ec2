/**
 * The port of `/plugins` where there are none.
 */
import type { PluginControl } from "../../src/slash/command.ts";

export const NO_PLUGINS: PluginControl = {
  names: () => Promise.resolve([]),
  list: () => Promise.resolve([]),
  allow: () => Promise.resolve(false),
  forget: () => Promise.resolve(),
  audit: () => Promise.resolve([]),
};
