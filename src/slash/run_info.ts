/**
 * What commands can tell of the program and this run. `cli/about.ts` looks it up, `/debug` and `/tools` show it.
 */

/** What there is to know about the program and this run. */
export interface RunInfo {
  /** A fact a row: what, and its value. */
  facts(): Promise<readonly (readonly [what: string, value: string])[]>;
  /** Whether the events are told and kept. */
  readonly verbose: boolean;
  /** Tells and keeps events from now on, or neither; returns where they are kept. */
  setDebugging(on: boolean): string | undefined;
  /** Names of the tools that ally brings. */
  readonly builtInTools: ReadonlySet<string>;
}
