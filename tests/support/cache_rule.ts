/**
 * The rule by which nothing is read twice: what a server has read for a request, and said to it, is what the next
 * request begins with.
 */
import assert from "node:assert/strict";
import type { RecordedRequest } from "../../src/modes/demo/scripted_server.ts";
import { messagesOf } from "./by_content.ts";

/** A request, and what the template of a server makes of it. */
export interface RenderedRequest {
  readonly body: Record<string, unknown>;
  /** What the model sees. */
  readonly rendered: string;
  /** The same with what the model says then, as far as it came. */
  readonly answered: string;
}

/** Writes the first so many messages of a request as the template does. */
export type RenderFirst = (
  body: Record<string, unknown>,
  count: number,
) => string | Promise<string>;

/** By what a request is held to the rule. */
interface RuleOptions {
  readonly renderFirst: RenderFirst;
  /** Whether the template leaves out what was thought before the user's last words. */
  readonly strips: boolean;
  /**
   * How many messages of a request are those of the one before, by number of the request: only where something of the
   * conversation was meant to change.
   */
  readonly keeps?: Readonly<Record<number, number>>;
}

/** Tells of each request but the first what it has to begin with; the requests are those of one conversation. */
export async function findKeptTexts(
  requests: readonly RenderedRequest[],
  { renderFirst, strips, keeps = {} }: RuleOptions,
): Promise<string[]> {
  return await Promise.all(
    requests.slice(1).map(async (next, index) => {
      const before = requests[index]!;
      const words = lastWords(before);
      const isStripped = strips && lastWords(next) !== words;
      const count = Math.min(keeps[index + 1] ?? Infinity, isStripped ? words + 1 : Infinity);
      return count === Infinity ? before.answered : await renderFirst(before.body, count);
    }),
  );
}

/** The same, and holds the requests to it. */
export async function assertNothingChanges(
  requests: readonly RenderedRequest[],
  options: RuleOptions,
): Promise<string[]> {
  const kept = await findKeptTexts(requests, options);
  for (const [index, text] of kept.entries()) {
    const { rendered } = requests[index + 1]!;
    assert.equal(rendered.slice(0, text.length), text, `request ${index + 1} begins otherwise`);
  }
  return kept;
}

/** Which agent asks: "main", or what a sub-agent was told. */
export function agentOf(request: Pick<RecordedRequest, "body">): string {
  const [system, first] = messagesOf(request);
  return system?.content.includes("You work as the agent") ? first!.content : "main";
}

function lastWords(request: Pick<RecordedRequest, "body">): number {
  return messagesOf(request).findLastIndex(({ role }) => role === "user");
}
