/**
 * The built-in tools, in the order in which the model sees them. The literal imports let the compiler
 * embed each tool while it loads only when it is first called.
 */
import type { ToolEntry } from "../src/api.ts";
import { definition as agent } from "./agent/definition.ts";
import { definition as allyWrite } from "./ally_write/definition.ts";
import { definition as bash } from "./bash/definition.ts";
import { definition as cleanupToolCall } from "./cleanup_tool_call/definition.ts";
import { definition as edit } from "./edit/definition.ts";
import { definition as fetchPage } from "./fetch/definition.ts";
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
  { definition: bash, load: async () => (await import("./bash/mod.ts")).default },
  { definition: read, load: async () => (await import("./read/mod.ts")).default },
  { definition: write, load: async () => (await import("./write/mod.ts")).default },
  { definition: edit, load: async () => (await import("./edit/mod.ts")).default },
  { definition: lineEdit, load: async () => (await import("./line_edit/mod.ts")).default },
  { definition: glob, load: async () => (await import("./glob/mod.ts")).default },
  { definition: grep, load: async () => (await import("./grep/mod.ts")).default },
  { definition: ls, load: async () => (await import("./ls/mod.ts")).default },
  { definition: fetchPage, load: async () => (await import("./fetch/mod.ts")).default },
  { definition: lint, load: async () => (await import("./lint/mod.ts")).default },
  { definition: format, load: async () => (await import("./format/mod.ts")).default },
  { definition: todoAdd, load: async () => (await import("./todo_add/mod.ts")).default },
  { definition: todoComplete, load: async () => (await import("./todo_complete/mod.ts")).default },
  { definition: todoUpdate, load: async () => (await import("./todo_update/mod.ts")).default },
  { definition: todoClear, load: async () => (await import("./todo_clear/mod.ts")).default },
  {
    definition: cleanupToolCall,
    load: async () => (await import("./cleanup_tool_call/mod.ts")).default,
  },
  { definition: agent, load: async () => (await import("./agent/mod.ts")).default },
  { definition: allyWrite, load: async () => (await import("./ally_write/mod.ts")).default },
];
