/**
 * What ally and the process of a plugin say to each other: JSON lines, ally's on standard input, the
 * process's on standard output behind a word that only they know, so that what a plugin prints is not taken
 * for it. Both sides import this and nothing else of each other.
 */

/** The first line: who the process is for. */
export interface Handshake {
  /** Begins each line of the process's. */
  readonly marker: string;
  /** The plugin's folder, absolute and canonical. */
  readonly plugin: string;
  /** Absolute. */
  readonly workspace: string;
}

/** Every further line of ally's. */
export type HostMessage =
  | {
    readonly type: "call";
    readonly id: number;
    /** URL of the module. */
    readonly module: string;
    readonly input: unknown;
  }
  /** The call should end; soon after, the process is ended if it does not. */
  | { readonly type: "abort"; readonly id: number };

/** Every line of the process's. */
export type ProcessMessage =
  | { readonly type: "report"; readonly id: number; readonly text: string }
  | { readonly type: "value"; readonly id: number; readonly value: unknown }
  | { readonly type: "failure"; readonly id: number; readonly message: string };

/** Bytes that one result may have as JSON. */
export const MAX_RESULT = 10 * 1024 * 1024;
