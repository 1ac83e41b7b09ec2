/**
 * Stores rules as answers of "Always" do, for the ally of a test that then runs.
 */
import { join } from "node:path";
import type { Breadth } from "../../src/core/permission.ts";
import { Policy } from "../../src/permission/policy.ts";
import { RuleBook } from "../../src/permission/rule_book.ts";
import { PermissionStore } from "../../src/store/permissions.ts";
import { createPathFacts } from "../../src/workspace/path_facts.ts";
import type { Place } from "./program.ts";
import { hasBubblewrap } from "./sandbox.ts";

/** Answers Always to a question about a command, as the files are now. */
export async function storeRule(
  { dir, home, env }: Place,
  { command, breadth = "exact" }: { command: string; breadth?: Breadth },
): Promise<void> {
  await Deno.mkdir(home, { recursive: true });
  const onProblem = (text: string) => {
    throw new Error(text);
  };
  const store = new PermissionStore({
    path: join(home, "permissions.json"),
    project: dir,
    onProblem,
  });
  const roots = { cwd: dir, all: [dir] };
  const pathFacts = createPathFacts({ roots, home: env.HOME!, allyHome: home, env });
  const policy = new Policy({
    rules: { allow: {}, deny: {}, allowAll: false },
    book: new RuleBook({ pathFacts, store }),
    interactive: true,
    pathFacts,
    sandboxed: hasBubblewrap,
    unasked: "safe",
  });
  const accesses = [{ kind: "run", target: command }] as const;
  const { decision, offers, why } = await policy.judge(accesses);
  if (decision !== "ask" || !offers?.some((one) => one.breadth === breadth)) {
    throw new Error(`No Always for ${command}: ${decision}, ${why}, ${JSON.stringify(offers)}`);
  }
  const problem = await policy.grant(accesses, { scope: "project", breadth });
  if (problem !== undefined) throw new Error(problem);
}
