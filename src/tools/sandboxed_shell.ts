/**
 * What a call runs, in the OS sandbox: each command line through the tool's shell gets the confinement that
 * was judged. Where the sandbox is why a command failed, a person may let the call run once outside. The
 * pipeline and the scheduler call.
 */
import type { Answer } from "../core/permission.ts";
import type { SandboxBlock, SandboxPolicy } from "../core/sandbox.ts";
import type { RunOptions, Shell } from "../core/shell.ts";
import type { ToolResult } from "../core/tool.ts";

/** Of a call whose commands were judged at an earlier try. */
const DEFAULT: SandboxPolicy = { write: true, needs: [], sandboxRequired: false };

/**
 * A shell that confines what runs the workspace's code. A tool without the effect `exec` starts only what
 * ally brings, such as the search program, which reads no configuration and runs nothing else.
 */
export function sandboxedShell(
  shell: Shell,
  options: {
    effects: readonly string[];
    confinement?: SandboxPolicy | undefined;
    onBlocked?: ((blocked: SandboxBlock) => void) | undefined;
  },
): Shell {
  const { effects, confinement: sandboxPolicy = DEFAULT, onBlocked } = options;
  if (!effects.includes("exec")) return shell;
  return {
    ...shell,
    async run(request: RunOptions) {
      const result = await shell.run({ ...request, sandboxPolicy });
      if (result.blocked) onBlocked?.(result.blocked);
      return result;
    },
  };
}

/** A failed result with what the sandbox had to do with it, and what the person asked had to say. */
export function withSandboxHint(
  result: ToolResult,
  { why, instead }: SandboxBlock,
  answer: Answer | undefined,
): ToolResult {
  if (result.ok) return result;
  const next = answer === undefined
    ? instead ??
      "Do without it, or tell the user: in an interactive session they can let it run outside."
    : answer.kind === "instead"
    ? `The user did not let it run outside and says: ${answer.text}`
    : ["The user did not let it run outside.", instead].filter(Boolean).join(" ");
  const suggestion = [`It probably failed because ${why}. ${next}`, result.error.suggestion]
    .filter((text) => text !== undefined).join(" ");
  return {
    ...result,
    error: { ...result.error, suggestion },
    data: { ...result.data, sandbox: why },
  };
}

/** The result of a call that ran outside. */
export function withOutsideNote(result: ToolResult): ToolResult {
  const note = { sandbox: "ran outside, once, because the user allowed it" };
  return result.ok
    ? {
      ...result,
      data: { ...result.data, ...note },
      ...(result.text !== undefined &&
        { text: `[It ran outside of the sandbox.]\n${result.text}` }),
    }
    : { ...result, data: { ...result.data, ...note } };
}

/** Why a call that failed in the sandbox is asked about again. */
export function outsideQuestion({ why }: SandboxBlock): string {
  return `it failed because ${why}; run it once more outside of the sandbox?`;
}
