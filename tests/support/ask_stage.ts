/**
 * A question of permission at a terminal in memory, and the calls that tests ask about.
 */
import type { PermissionRequest } from "../../src/core/permission.ts";
import { type AskOptions, createAsk } from "../../src/ui/ask.ts";
import { createTheme } from "../../src/ui/theme.ts";
import { MemoryTerminal } from "./memory_terminal.ts";

export const BASH: PermissionRequest = {
  callId: "c1",
  agent: { id: "a1", name: "main", depth: 0 },
  tool: "bash",
  description: "deno test",
  risk: "sensitive",
  why: "runs a program",
  offers: [{ breadth: "exact", text: "run=deno test" }],
  previews: [],
};
export const EDIT: PermissionRequest = {
  ...BASH,
  callId: "c2",
  tool: "edit",
  description: "src/a.ts",
  why: "writes a file",
  offers: [{ breadth: "exact", text: "write=src" }],
};
export const EXTREME: PermissionRequest = { ...BASH, risk: "extreme", why: "deletes files" };

export interface StageOptions extends Pick<AskOptions, "edit" | "onInterrupt" | "page"> {
  readonly columns?: number;
  readonly rows?: number;
  readonly canRedraw?: boolean;
  readonly unicode?: boolean;
}

/** A terminal and the port that asks at it. */
export function stage(
  { edit, onInterrupt, page, unicode = true, ...options }: StageOptions = {},
) {
  const terminal = new MemoryTerminal(options);
  const seen = { suspended: 0, resumed: 0 };
  const ask = createAsk({
    terminal,
    theme: createTheme({ depth: terminal.depth, unicode }),
    cwd: "/",
    edit,
    onInterrupt,

    page,
    suspend() {
      seen.suspended++;
      return Promise.resolve(() => void seen.resumed++);
    },
  });
  return { terminal, seen, ask };
}

/** A signal that nobody aborts. */
export const never = () => new AbortController().signal;
