/**
 * The only thing a tool may import from ally: types, the functions on text, trees and programs that tools
 * share, and `defineTool`, which ties a tool's functions to the argument types that follow from its schema.
 */
import type { Change, CommitResult, FileCheck } from "./core/files.ts";
import type { RunContext, ToolData } from "./core/tool.ts";
import { plural } from "./lib/text.ts";

export { type Access, ACCESS_KINDS, type AccessKind } from "./core/access.ts";
export type {
  CleanedResult,
  ConversationAccess,
  Results,
  State,
} from "./core/conversation_access.ts";
export type { AgentTask, AgentTaskResult, Delegate } from "./core/delegate.ts";
export { type ErrorKind, ToolError } from "./core/errors.ts";
export type {
  Change,
  CommitResult,
  Committer,
  DirectoryEntry,
  EditPlan,
  FileCheck,
  FileCheckError,
  FileInfo,
  FileKind,
  FileLines,
  Files,
  FileText,
  LineRange,
  LineSpan,
  ResolvedPath,
} from "./core/files.ts";
export { pathBelow } from "./workspace/paths.ts";
export type {
  ImageInput,
  ImagePart,
  ImageType,
  Media,
  MediaJobOptions,
  PdfPages,
  PdfRange,
} from "./core/image.ts";
export type { FileMark, LoadedSkill } from "./core/message.ts";
export type {
  GitSetting,
  NamedSetting,
  Need,
  PartedScript,
  Power,
  SandboxBlock,
  SandboxPolicy,
  ScriptPart,
  TextSpan,
} from "./core/sandbox.ts";
export type {
  BackgroundOptions,
  RunOptions,
  RunResult,
  Shell,
  TaskOutput,
  Tasks,
  TaskState,
} from "./core/shell.ts";
export type {
  AgentIdentity,
  Effect,
  Input,
  Limits,
  Parameters,
  RemoteTool,
  RunContext,
  Tool,
  ToolContext,
  ToolData,
  ToolDefinition,
  ToolEntry,
  ToolInput,
  ToolResult,
} from "./core/tool.ts";
export { describeImage, type FileType, fileTypeOf } from "./lib/file_type.ts";
export type { Web, WebAge, WebPage } from "./core/web.ts";
export { type Count, headOf } from "./context/tokens.ts";
export {
  addTodos,
  findTodo,
  type MissingTodo,
  PRIORITIES,
  type Priority,
  readTodos,
  reportTodos,
  saveTodos,
  type Status,
  summarizeTodos,
  type Todo,
  todoLines,
  type TodoReport,
} from "./context/todo_list.ts";
export { hashText } from "./lib/content_hash.ts";
export { markAsData } from "./lib/data_marks.ts";
export { cutAfter, cutBefore, cutSafely, rangeAround } from "./lib/excerpt.ts";
export { countChangedLines, type LineCounts } from "./lib/diff.ts";
export { dominantLineEnd, type LineEnd, withLineEnds } from "./lib/line_ends.ts";
export {
  findFolded,
  type Fold,
  LINE_ENDS,
  lineCounter,
  type Replacement,
  substitute,
  type Substitution,
} from "./lib/match.ts";
export { type DatedPath, sortNewestFirst } from "./lib/newest_first.ts";
export { nameMatcher, type PathFilter, pathFilter, splitGlobs } from "./lib/path_filter.ts";
export { mapLimited } from "./lib/pool.ts";
export { ripgrep, type RipgrepOutcome, type RipgrepRun } from "./lib/ripgrep.ts";
export { isObject } from "./lib/schema.ts";
export { setAsideNote } from "./lib/set_aside.ts";
export {
  cutEnd,
  elideLines,
  formatBytes,
  formatDuration,
  messageOf,
  oneLine,
  overwriteLines,
  plural,
  quoteName,
  splitLines,
  stripControls,
  withNote,
} from "./lib/text.ts";
export { TimeSlice } from "./lib/time_slice.ts";
export {
  type WalkedFile,
  type WalkEntry,
  walkFiles,
  type WalkPath,
  type WalkPort,
} from "./lib/walk.ts";
export { defineTool } from "./tools/define_tool.ts";
export { type Elision, findElision, refuseElision } from "./tools/elision.ts";
export {
  type ChooseOptions,
  choosePrograms,
  type ChosenFile,
  type SkippedFile,
} from "./workspace/project_files.ts";
export {
  commandLine,
  fileArgument,
  type FoundProgram,
  type ProjectProgram,
} from "./workspace/project_program.ts";

/** What to run instead of a command line that would wait for somebody at a keyboard; undefined if it would not. */
export async function keyboardAdvice(command: string): Promise<string | undefined> {
  const { keyboardAdvice } = await import("./shell/keyboard_use.ts");
  return keyboardAdvice(command);
}

/** What every tool that changes files says of a commit. */
export interface ReceiptFields extends ToolData {
  /** Number of the undo patch. */
  readonly patch_number: number;
  /** Of the only file changed, if its kind is checked. */
  readonly file_check?: FileCheck;
  /** By display path, of several files changed: those with new errors. */
  readonly file_checks?: Readonly<Record<string, FileCheck>>;
  /** Display paths changed last in this session, newest first. */
  readonly recently_modified: readonly string[];
}

/** The fields of a result record that follow from a commit, in their order. */
export function receiptFields(receipt: CommitResult, changes: readonly Change[]): ReceiptFields {
  const { patchNumber, fileChecks, recentlyModified } = receipt;
  const only = changes.length === 1 ? fileChecks[0] : undefined;
  const failed = changes.length === 1 ? [] : changes.flatMap(({ path }, index) => {
    const check = fileChecks[index];
    return check === undefined || check.passed ? [] : [[path.display, check] as const];
  });
  return {
    patch_number: patchNumber,
    ...(only !== undefined && { file_check: only }),
    ...(failed.length > 0 && { file_checks: Object.fromEntries(failed) }),
    recently_modified: recentlyModified,
  };
}

/** One line for people about new syntax errors, none if there are none. */
export function previewCheck(
  { file_check, file_checks = {} }: Pick<ReceiptFields, "file_check" | "file_checks">,
): string[] {
  const failed: [name: string, check: FileCheck][] = Object.entries(file_checks);
  if (file_check && !file_check.passed) failed.push(["", file_check]);
  return failed.map(([name, { errors, additional_errors = 0 }]) => {
    const count = plural(errors.length + additional_errors, "new syntax error");
    const where = name === "" ? "" : ` in ${name}`;
    return `${count}${where}: line ${errors[0]?.line}: ${errors[0]?.message}`;
  });
}

/** A committed change with what follows from it. */
export interface Committed<D> {
  /** What only planning knew. */
  readonly details: D;
  /** The change itself. */
  readonly change: Change;
  /** Bytes on disk. */
  readonly bytesWritten: number;
  /** What the record says of the commit. */
  readonly fields: ReceiptFields;
}

/** Commits the one change that a call planned and showed. @throws as `Files.commit` */
export async function commitPlanned<D = unknown>(
  tool: string,
  { files, plan, callId }: RunContext,
): Promise<Committed<D>> {
  const change = plan?.changes[0];
  if (!change) throw new Error(`Cannot run ${tool}: it was not planned`);
  const receipt = await files.commit([change], { tool, callId });
  return {
    details: plan.details as D,
    change,
    bytesWritten: receipt.bytesWritten[0] ?? 0,
    fields: receiptFields(receipt, [change]),
  };
}
