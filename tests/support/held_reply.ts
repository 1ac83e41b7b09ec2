/**
 * A reply that a test holds back, so that what is tried while it runs does not race with its end.
 */
import type { ScriptedReply } from "../../src/modes/demo/scripted_server.ts";

/** A reply, and what lets it go on. */
export interface HeldReply {
  readonly reply: ScriptedReply;
  /** Sends what was held back. */
  readonly release: () => void;
}

/** Holds back all of a reply but its first chunks; without a number, all but its thinking and its text. */
export function holdReply(reply: ScriptedReply, first = chunksOfText(reply)): HeldReply {
  const { promise, resolve: release } = Promise.withResolvers<void>();
  const pause = (index: number) => index === first ? promise : undefined;
  return { reply: { ...reply, pause }, release };
}

function chunksOfText({ thinking = "", text = "", chunkSize = 24 }: ScriptedReply): number {
  return [thinking, text].reduce((sum, part) => sum + Math.ceil([...part].length / chunkSize), 0);
}
