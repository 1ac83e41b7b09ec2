/**
 * The built-in tools, in the order in which the model sees them; each is loaded when it is first called.
 * What the compiler embeds of them is named by `scripts/build.ts`.
 */
import type { Tool, ToolEntry } from "../src/api.ts";
import { definition as agent } from "./agent/definition.ts";
import { definition as allyWrite } from "./ally_write/definition.ts";
import { definition as bash } from "./bash/definition.ts";
import { definition as cleanupToolCall } from "./cleanup_tool_call/definition.ts";
import { definition as edit } from "./edit/definition.ts";
import { definition as format } from "./format/definition.ts";
import { definition as glob } from "./glob/definition.ts";
import { definition as grep } from "./grep/definition.ts";
import { definition as lineEdit } from "./line_edit/definition.ts";
import { definition as lint } from "./lint/definition.ts";
import { definition as ls } from "./ls/definition.ts";
import { definition as read } from "./read/definition.ts";
import { definition as todoAdd } from "./todo_add/definition.ts";
import { definition as todoClear } from "./todo_clear/definition.ts";
import { definition as todoComplete } from "./todo_complete/definition.ts";
import { definition as todoUpdate } from "./todo_update/definition.ts";
import { definition as write } from "./write/definition.ts";

/** Every built-in tool: its definition now, the tool when it is called. */
export const MANIFEST: readonly ToolEntry[] = [
  bash,
  read,
  write,
  edit,
  lineEdit,
  glob,
  grep,
  ls,
  lint,
  format,
  todoAdd,
  todoComplete,
  todoUpdate,
  todoClear,
  cleanupToolCall,
  agent,
  allyWrite,
].map((definition) => ({ definition, load: () => load(definition.name) }));

/** The tool in the folder of its name; found by its address, so that Deno does not read all of them at each start. */
async function load(name: string): Promise<Tool> {
  const { default: tool }: { default: Tool } = await import(
    import.meta.resolve(`./${name}/mod.ts`)
  );
  return tool;
}
