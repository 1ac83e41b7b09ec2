import assert from "node:assert/strict";
import type { Access } from "../../src/core/access.ts";
import { Policy } from "../../src/permission/policy.ts";
import { readJudged } from "../../src/tools/judged_web.ts";
import { createPathFacts } from "../../src/workspace/path_facts.ts";
import { startWeb } from "../support/web_server.ts";

Deno.test("readJudged() reaches a private address by a name only where the user's configuration holds the name", async () => {
  const names = { "search.test": [["127.0.0.1"]], "other.test": [["127.0.0.1"]] };
  await using web = startWeb(() => new Response("found"), names);
  const host = `search.test:${web.port}`;
  const policy = new Policy({
    rules: { allow: {}, deny: {}, allowAll: true },
    interactive: false,
    pathFacts: createPathFacts({ roots: { cwd: "/", all: ["/"] }, home: "/", env: {} }),
  });
  const read = (url: string, access: Partial<Access>) =>
    readJudged(new URL(url), {
      reader: web.reader,
      accesses: [{ kind: "net", target: host, ...access }],
      policy,
      signal: new AbortController().signal,
    });
  await assert.rejects(read(`http://${host}/`, {}), /leads to 127\.0\.0\.1/);
  assert.equal((await read(`http://${host}/`, { named: true })).text, "found");
  const other = read(`http://other.test:${web.port}/`, { named: true });
  await assert.rejects(other, /was not named when the call was judged/);
});
