/**
 * A program for tests: adds rules to a file of permissions, one after another. Arguments: path, project, how
 * many, first number.
 */
import { PermissionStore } from "../../src/store/permissions.ts";

const [path = "", project = "", count = "0", first = "0"] = Deno.args;
const file = new PermissionStore({
  path,
  project,
  onProblem(text) {
    throw new Error(text);
  },
});
for (let number = Number(first); number < Number(first) + Number(count); number++) {
  const target = `/p/${number}`;
  await file.add({ kind: "write", text: `write=${target}`, target }, "project");
}
