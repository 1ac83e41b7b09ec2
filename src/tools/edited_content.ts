/**
 * The files that a call changes, and what a person wants them to hold instead of what the call would write.
 */
import { ToolError } from "../core/errors.ts";
import type { Change, EditPlan } from "../core/files.ts";

/** A change that leaves a file behind. */
type Written = Change & { readonly after: string };

/** The changes of a plan that a person can edit: of the files that it does not delete. */
export function editableChanges(plan: EditPlan | undefined): readonly Written[] {
  return plan?.changes.filter(isWritten) ?? [];
}

function isWritten(change: Change): change is Written {
  return change.after !== null;
}

/**
 * The plan with other content for the files that it writes, in their order; a file that would stay as it is is left
 * alone. @throws {ToolError} nothing would change
 */
export function withEditedContent(
  plan: EditPlan | undefined,
  contents: readonly string[],
): EditPlan {
  const written = editableChanges(plan);
  if (written.length !== contents.length) {
    throw new Error("Cannot edit this call: it changes other files now");
  }
  const edited = new Map<Change, string | undefined>(
    written.map((change, index) => [change, contents[index]]),
  );
  const changes = (plan?.changes ?? []).map((change) => ({
    ...change,
    after: edited.get(change) ?? change.after,
  })).filter(({ before, after }) => before !== after);
  if (changes.length === 0) {
    const names = written.map(({ path }) => path.display).join(", ");
    throw new ToolError(`The edited content is what ${names} holds already.`, { kind: "user" });
  }
  return { ...plan, changes };
}

/** The files that a plan changes, as absolute paths. */
export function changedPaths(plan: EditPlan | undefined): string[] {
  return plan?.changes.map(({ path }) => path.absolute) ?? [];
}
