/**
 * The tool that takes back changes to files, those that were made since this server began: an earlier one is the
 * person's own to take back.
 */
import { ToolError } from "../../core/errors.ts";
import type { Input, Tool, ToolDefinition, ToolEntry } from "../../core/tool.ts";
import { isObject } from "../../lib/schema.ts";
import type { Workspace } from "../../workspace/workspace.ts";

/** Definition of `undo`. */
export const UNDO = {
  name: "undo",
  description:
    "Take back a change that these tools made to files, a command's too: the last one, or that with a patch_number.",
  parameters: {
    type: "object",
    properties: { patch_number: { type: "integer", minimum: 1 } },
    additionalProperties: false,
  },
  effects: ["write"],
  example: { patch_number: 12 },
} as const satisfies ToolDefinition;

/**
 * The tool for one call, whose paths are known before it runs, so that they are judged. `since` is the number of the
 * newest change when the server began.
 */
export function undoEntry(
  input: unknown,
  { workspace, since }: { workspace: Workspace; since: number },
): ToolEntry {
  const asked = isObject(input) && typeof input.patch_number === "number"
    ? input.patch_number
    : undefined;
  return {
    definition: UNDO,
    async load() {
      await workspace.recordTasks();
      const { patch: { number, tool, byTask }, paths } = await workspace.preview("undo", asked);
      if (number <= since) {
        throw new ToolError(`Change ${number} was made before this server began.`, {
          kind: "user",
          suggestion: "The person can take it back with /undo in ally.",
        });
      }
      if (byTask && asked === undefined) {
        throw new ToolError(
          `The last change, ${number}, was made while a background task ran, by that or by somebody else.`,
          {
            kind: "user",
            suggestion: `To take it back all the same, give patch_number ${number}.`,
          },
        );
      }
      const names = paths.map(({ display }) => display).join(", ");
      const undo: Tool<Input<typeof UNDO>> = {
        definition: UNDO,
        describe: () => `change ${number} (${tool}): ${names}`,
        accesses: () =>
          paths.map(({ absolute: target, display, inside }) => ({
            kind: "write",
            target,
            display,
            inside,
          })),
        // There is nothing to commit, and what is taken back is no change of its own.
        plan: () => Promise.resolve({ changes: [] }),
        async run() {
          const { files } = await workspace.undo(number);
          const done = files.map(({ action, path }) => ({ path: path.display, action }));
          return { ok: true, data: { patch_number: number, tool, files: done } };
        },
      };
      return undo;
    },
  };
}
