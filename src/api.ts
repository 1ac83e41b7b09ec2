/**
 * The only thing a tool may import from ally: types, the functions on text, trees and programs that tools
 * share, and `defineTool`, which ties a tool's functions to the argument types that follow from its schema.
 */
import type { Tool, ToolData, ToolDefinition } from "./core/tool.ts";

export { ToolError } from "./core/errors.ts";
export type { ErrorKind } from "./core/errors.ts";
export type {
  Change,
  DirectoryEntry,
  FileInfo,
  FileLines,
  Files,
  FileText,
  LineSpan,
  Plan,
  Receipt,
  ResolvedPath,
} from "./core/files.ts";
export type { CleanedResult, Memory, Results, State } from "./core/memory.ts";
export type { RunOptions, RunResult, Shell, TaskLook } from "./core/shell.ts";
export { countChangedLines } from "./lib/diff.ts";
export { findElision } from "./lib/elision.ts";
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
export { isObject } from "./lib/schema.ts";
export { type PathFilter, pathFilter, splitGlobs } from "./lib/path_filter.ts";
export { mapLimited } from "./lib/pool.ts";
export { chooseAll, type ChosenFile, type LeftOut } from "./lib/project_files.ts";
export {
  commandLine,
  fileArgument,
  type FoundProgram,
  type ProjectProgram,
} from "./lib/project_program.ts";
export { ripgrep } from "./lib/ripgrep.ts";
export { type SimpleCommand, simpleCommands } from "./lib/shell_syntax.ts";
export {
  cutEnd,
  formatBytes,
  messageOf,
  plural,
  quoteName,
  splitLines,
  stripControls,
} from "./lib/text.ts";
export {
  addTodos,
  findTodo,
  PRIORITIES,
  type Priority,
  readTodos,
  reportTodos,
  summarizeTodos,
  type Todo,
  TODO_KEY,
  todoLines,
  type TodoReport,
} from "./lib/todo_list.ts";
export { walk } from "./lib/walk.ts";
export type {
  Effect,
  Input,
  Limits,
  Parameters,
  RunContext,
  Tool,
  ToolContext,
  ToolData,
  ToolDefinition,
  ToolEntry,
  ToolResult,
} from "./core/tool.ts";

/** Makes a tool of its definition and functions; `I` is `Input<typeof definition>`. */
export function defineTool<I, D extends ToolData>(
  definition: ToolDefinition,
  functions: Omit<Tool<I, D>, "definition">,
): Tool<I, D> {
  return { definition, ...functions };
}
