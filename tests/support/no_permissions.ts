/**
 * What commands are told about permissions where a test has none.
 */
import { RuleBook } from "../../src/permission/rule_book.ts";
import type { CommandContext } from "../../src/slash/command.ts";
import { textPathFacts } from "./path_facts.ts";

/** No rule, no ban, no log. */
export function noPermissions(): CommandContext["permissions"] {
  return {
    rules: { allow: {}, deny: {}, allowAll: false },
    configured: [],
    book: new RuleBook({ pathFacts: textPathFacts() }),
    banned: [],
    decisionLog: "/home/me/.ally/decisions.jsonl",
    state: () => Promise.resolve(["Commands: sandbox: bubblewrap 0.8.0"]),
  };
}
