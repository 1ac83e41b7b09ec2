/**
 * What each breadth of Always would have covered of earlier questions.
 */
import assert from "node:assert/strict";
import type { PastQuestion } from "../../src/core/decision.ts";
import type { Access, Breadth } from "../../src/core/permission.ts";
import { Policy } from "../../src/permission/policy.ts";
import { textPathFacts } from "../support/path_facts.ts";

const run = (target: string, more: Partial<Access> = {}): Access => ({
  kind: "run",
  target,
  ...more,
});
const write = (target: string, inside = true): Access => ({ kind: "write", target, inside });
const asked = (...accesses: Access[]): PastQuestion => ({ accesses, allowed: true });

/** By breadth, "covered of questions", with the denied ones after a minus. */
async function measure(access: Access, questions: readonly PastQuestion[], sandboxed = true) {
  const policy = new Policy({
    rules: { allow: {}, deny: {}, allowAll: false },
    interactive: true,
    pathFacts: textPathFacts({ "/w/Makefile": "all:" }),
    sandboxed: () => sandboxed,
  });
  const { offers = [] } = await policy.judge([access]);
  const measured = await policy.measure(offers, { accesses: [access], questions });
  const told = measured.map(({ breadth, coverage }): [Breadth, string] => {
    const { questions: all, covered, denied } = coverage!;
    return [breadth, `${covered}/${all}${denied > 0 ? ` -${denied}` : ""}`];
  });
  return Object.fromEntries(told);
}

const ROWS: readonly {
  readonly name: string;
  readonly access: Access;
  readonly questions: readonly PastQuestion[];
  readonly covered: Readonly<Partial<Record<Breadth, string>>>;
}[] = [
  {
    name: "each breadth covers more than the one before",
    access: run("make all"),
    questions: [run("make all"), run("make test"), run("touch x"), run("npm install")]
      .map((one) => asked(one)),
    covered: { exact: "1/4", program: "2/4", kind: "3/4" },
  },
  {
    name: "a question about several things is covered only if all of them are",
    access: run("make all"),
    questions: [asked(run("make all"), write("/w/a")), asked(run("make all"), run("ls"))],
    covered: { exact: "1/2", program: "1/2", kind: "1/2" },
  },
  {
    name: "what was denied is counted apart",
    access: run("make all"),
    questions: [asked(run("make all")), { accesses: [run("make all")], allowed: false }],
    covered: { exact: "2/2 -1", program: "2/2 -1", kind: "2/2 -1" },
  },
  {
    name: "all edits cover those of the workspace, and no protected place",
    access: write("/w/a"),
    questions: [write("/w/a"), write("/w/b"), write("/w/.git/config"), write("/etc/x", false)]
      .map((one) => asked(one)),
    covered: { exact: "1/4", kind: "2/4" },
  },
  {
    name: "a power that a first run lacked is covered only by a rule that gives it",
    access: run("make all"),
    questions: [asked(run("make all", { powers: ["network"] }))],
    covered: { exact: "0/1", program: "0/1", kind: "0/1" },
  },
  {
    name: "what no rule could have allowed is none",
    access: run("make all"),
    questions: [asked(), asked(run("rm -rf /w")), asked(run("ls"))],
    covered: { exact: "0/3", program: "0/3", kind: "0/3" },
  },
];

for (const { name, access, questions, covered } of ROWS) {
  Deno.test(name, async () => assert.deepEqual(await measure(access, questions), covered));
}
