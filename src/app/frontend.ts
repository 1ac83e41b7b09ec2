/**
 * What a mode brings to a run: where events go, who answers questions, and how the run is set up.
 */
import type { AnswerCheck } from "../agent/answer_check.ts";
import type { EventSink } from "../core/event.ts";
import type { AskPermission } from "../core/permission.ts";
import type { AskConsent } from "../core/plugin_consent.ts";
import type { AskTrust } from "../core/project.ts";
import type { ToolEntry } from "../core/tool.ts";
import type { Approve } from "../mcp/servers.ts";
import type { ForeignPlaces } from "../sandbox/sandbox_paths.ts";
import type { ReadBuffer } from "../workspace/open_buffers.ts";
import type { HostProcess } from "./host_process.ts";

/** What differs between modes. */
export interface Frontend {
  readonly sink: EventSink;
  readonly ask: AskPermission;
  /** Whether a person can answer. */
  readonly interactive: boolean;
  /** Whether events go to a program or a file, so that no secret may be in them. @default nobody can answer */
  readonly masked?: boolean;
  /** Tools beside ally's own. @default none */
  readonly tools?: readonly ToolEntry[];
  /** Asks whether the project's files may act; absent where nobody can answer. */
  readonly askTrust?: AskTrust;
  /** Whether the user's settings are left out, as in the demo. @default false */
  readonly isolated?: boolean;
  /** Whether the run works on a scratch copy: the process then gives up nothing. @default false */
  readonly scratch?: boolean;
  /**
   * Set if the run repeats what may be somebody else's: commands get nothing beyond the copy, and no server or plugin
   * starts that the command line does not name. @default the run is the user's own
   */
  readonly foreign?: ForeignPlaces & { readonly allowServers: boolean };
  /**
   * Whether the run serves its tools to another agent: a model is chosen only when a task needs one, and no MCP server
   * is started. @default false
   */
  readonly servesTools?: boolean;
  /** Asks whether a plugin may run; absent where nobody can answer. */
  readonly askConsent?: AskConsent;
  /** Asks about an MCP server that changed; absent where nobody can answer. */
  readonly approveServer?: Approve;
  /** Whether the whole texts of files that change are shown. @default the differences are enough */
  readonly showsWholeFiles?: boolean;
  /** Reads files as the person's editor has them. @default what is on disk is all there is */
  readonly readBuffer?: ReadBuffer | undefined;
  /** Whether the first turn waits for MCP servers whose tools are not known yet. @default where nobody can answer */
  readonly waitsForServers?: boolean;
  /** The MCP servers that the frontend brings, in the format of `mcp.json`. @default none */
  readonly mcpServers?: string;
  /** What the person has typed since the turn began. */
  readonly steer?: () => Promise<readonly string[]>;
  /** What checks the answer of a turn. @default the model answers as it likes */
  readonly createAnswerCheck?: (() => AnswerCheck) | undefined;
  /** The process around the run. */
  readonly io: HostProcess;
}
