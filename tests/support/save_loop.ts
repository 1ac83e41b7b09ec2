/**
 * A process that changes, undoes and redoes ten files without end, to be killed at any moment. Arguments:
 * the working directory and the directory of the patches.
 */
import { Workspace } from "../../src/workspace/workspace.ts";

const [cwd = "", patchDir = ""] = Deno.args;
const workspace = new Workspace({ cwd, patchDir });
await workspace.recover();
await Deno.stdout.write(new TextEncoder().encode("ready\n"));
const names = Array.from({ length: 10 }, (_, index) => `dir${index % 3}/file${index}`);
for (;;) {
  const changes = await Promise.all(names.map(async (name) => {
    const path = await workspace.resolve(name);
    const exists = await workspace.info(path) !== undefined;
    const before = exists ? (await workspace.read(path)).text : null;
    return { path, before, after: `${Number(before ?? 0) + 1}` };
  }));
  await workspace.commit(changes, { tool: "edit", callId: "call_1" });
  await workspace.undo();
  await workspace.redo();
}
