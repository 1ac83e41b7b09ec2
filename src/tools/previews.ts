/**
 * What a person is shown before a call runs: the diff of each planned change, the command line, or what is
 * sent to a server.
 */
import type { Change, Plan } from "../core/files.ts";
import type { Access, Preview } from "../core/permission.ts";
import { unifiedDiff } from "../lib/diff.ts";
import { splitLines } from "../lib/text.ts";

/** What a server's tool is sent. */
interface Sent {
  readonly to: string;
  readonly input: unknown;
}

/** The previews of a call, in the order in which it will act. */
export async function previewsOf(
  call: {
    plan: Plan | undefined;
    accesses: readonly Access[];
    cwd: string;
    sent?: Sent | undefined;
  },
): Promise<Preview[]> {
  const changes = await Promise.all((call.plan?.changes ?? []).map(previewOfChange));
  const commands = call.accesses
    .filter((access) => access.kind === "run")
    .map((access): Preview => ({ kind: "command", command: access.target, cwd: call.cwd }));
  return [...changes, ...commands, ...(call.sent ? [previewOfSent(call.sent)] : [])];
}

function previewOfSent({ to, input }: Sent): Preview {
  return { kind: "sent", to, text: JSON.stringify(input, null, 2) };
}

async function previewOfChange(change: Change): Promise<Preview> {
  const path = change.path.display;
  if (change.before === null) return { kind: "new_file", path, content: change.after ?? "" };
  if (change.after === null) {
    return { kind: "deleted_file", path, lines: splitLines(change.before).length };
  }
  return { kind: "diff", path, diff: await unifiedDiff(change.before, change.after, { path }) };
}
