/**
 * ally as a library: turns of an agent in a directory, with tools of one's own. `ally help library` tells more.
 *
 * ```ts
 * import { Ally } from "ally-agent";
 *
 * const ally = new Ally({ cwd: "my-project", settings: { model: "qwen3" } });
 * const { text } = await ally.run("Why does the test fail?");
 * ```
 *
 * @module
 */
export type { SpendingLimits } from "./agent/spending.ts";
export type { RequestFigures } from "./agent/statistics.ts";
export type * from "./api.ts";
export type { Environment } from "./app/environment.ts";
export type { HostProcess, PermissionName } from "./app/host_process.ts";
export {
  AnswerSchemaError,
  EndpointError,
  type EndpointErrorKind,
  type PartialReply,
  UsageError,
} from "./core/errors.ts";
export type {
  AnswerCut,
  CacheBreak,
  CallState,
  DelegatedUsage,
  Event,
  EventBody,
  EventSink,
  ResultRecord,
  TurnEndReason,
  TurnUsage,
} from "./core/event.ts";
export type {
  AssistantMessage,
  Message,
  Reasoning,
  SystemMessage,
  ToolCall,
  ToolMessage,
  UserMessage,
} from "./core/message.ts";
export type { PromptProgress } from "./core/model.ts";
export {
  type Answer,
  type AskPermission,
  type BoundFiles,
  type Breadth,
  BREADTHS,
  type CommandPart,
  type Coverage,
  type EditableCall,
  type EditableText,
  type EditAnswer,
  type GrantOffer,
  type GrantScope,
  type PermissionRequest,
  type Preview,
  type Risk,
  RULE_SCOPES,
  type RuleScope,
  type Targets,
} from "./core/permission.ts";
export type { SandboxProof, SandboxProofs } from "./core/sandbox.ts";
export type { PromptPart } from "./core/system_prompt.ts";
export type { JsonObject } from "./lib/schema.ts";
export {
  Ally,
  type AllyOptions,
  type Permissions,
  type PermittedTargets,
  type TurnOptions,
} from "./modes/library/ally.ts";
export type { Turn, TurnResult } from "./modes/library/turn_result.ts";
export type { ReceiptSummary } from "./receipt/lines.ts";
export type { Config } from "./store/settings_table.ts";
export { defineTool } from "./tools/define_tool.ts";
