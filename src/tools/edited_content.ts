/**
 * The one file that a call changes, and what a person wants it to hold instead of what the call would write.
 */
import { ToolError } from "../core/errors.ts";
import type { Change, EditPlan } from "../core/files.ts";

/** The change of a plan that changes one file and does not delete it. */
export function singleChange(plan: EditPlan | undefined): (Change & { after: string }) | undefined {
  const [change, ...others] = plan?.changes ?? [];
  if (change === undefined || others.length > 0 || change.after === null) return undefined;
  return { ...change, after: change.after };
}

/** The plan with other content for the one file it changes. @throws {ToolError} nothing would change */
export function withEditedContent(plan: EditPlan | undefined, content: string): EditPlan {
  const change = singleChange(plan);
  if (change === undefined) throw new Error("Cannot edit this call: it changes no single file");
  if (content === change.before) {
    throw new ToolError(`The edited content is what ${change.path.display} holds already.`, {
      kind: "user",
    });
  }
  return { ...plan, changes: [{ ...change, after: content }] };
}

/** The files that a plan changes, as absolute paths. */
export function changedPaths(plan: EditPlan | undefined): string[] {
  return plan?.changes.map(({ path }) => path.absolute) ?? [];
}
