/**
 * What `/plugins` needs of plugins. `cli/plugin_control.ts` provides it.
 */

/** A plugin as `/plugins` shows it. */
export interface ListedPlugin {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly tools: readonly string[];
  readonly problems: readonly string[];
  /** Whether it may run, in a few words. */
  readonly status: string;
}

/** What is known of a plugin: a label can come several times. */
export interface PluginAudit {
  readonly name: string;
  readonly facts: readonly { readonly label: string; readonly text: string }[];
}

/** What the command needs of plugins. */
export interface PluginControl {
  names(): Promise<readonly string[]>;
  list(): Promise<readonly ListedPlugin[]>;
  /** Shows what a plugin may do and asks; true if it may run now. @throws {Error} there is none */
  allow(name: string): Promise<boolean>;
  /** The plugin asks again. @throws {Error} there is none, or that cannot be stored */
  forget(name: string): Promise<void>;
  /** All that is known of one plugin, or of each. @throws {Error} there is none */
  audit(name: string | undefined): Promise<readonly PluginAudit[]>;
}
