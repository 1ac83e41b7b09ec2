import assert from "node:assert/strict";
import { homeDirectory } from "../../src/store/paths.ts";

Deno.test("homeDirectory() takes HOME, then USERPROFILE, then what the system says", () => {
  const homeIn = (values: Record<string, string>) => homeDirectory({ get: (name) => values[name] });
  assert.equal(homeIn({ HOME: "/a", USERPROFILE: "/b" }), "/a");
  assert.equal(homeIn({ HOME: "", USERPROFILE: "/b" }), "/b");
  assert.ok(homeIn({}).startsWith("/"));
});
