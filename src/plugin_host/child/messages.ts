/**
 * The protocol between ally and the process of a plugin: JSON lines, ally's on standard input, the process's on
 * standard output behind a marker that only they know, so that what a plugin prints is never a message.
 */

/** The first line, which says whom the process works for. */
export interface Handshake {
  /** The beginning of each message of the process. */
  readonly marker: string;
  /** The plugin's folder, absolute and canonical. */
  readonly plugin: string;
  /** Absolute. */
  readonly workspace: string;
}

/** Every further line from ally. */
export type HostMessage =
  | {
    readonly type: "call";
    readonly id: number;
    /** URL of the module. */
    readonly module: string;
    readonly input: unknown;
  }
  /** The call should end; if it does not, the process is ended soon after. */
  | { readonly type: "abort"; readonly id: number };

/** Every message from the process. */
export type ProcessMessage =
  | { readonly type: "report"; readonly id: number; readonly text: string }
  | { readonly type: "value"; readonly id: number; readonly value: unknown }
  | { readonly type: "failure"; readonly id: number; readonly message: string };

/** Bytes that one result may have as JSON. */
export const MAX_RESULT = 10 * 1024 * 1024;
