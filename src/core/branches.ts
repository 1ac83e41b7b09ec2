/**
 * The branches of a conversation: a rewind and new words after it leave one behind, and a person can go back to it.
 * The conversation and the reader of its file keep them by these same rules.
 */
import type { Message } from "./message.ts";

/** All that was said on one way through a conversation. */
export interface Branch {
  readonly messages: readonly Message[];
  /** What each compaction that stands has covered, the last one last. */
  readonly covered: readonly (readonly Message[])[];
}

/** A branch with what each rewind that can be taken back has dropped, the last one last. */
export interface RewoundBranch extends Branch {
  readonly rewound: readonly (readonly Message[])[];
}

/** The branch as it was before its rewinds. */
function withRewound({ messages, covered, rewound }: RewoundBranch): Branch {
  return { messages: [...messages, ...rewound.toReversed().flat()], covered: [...covered] };
}

/** The branches that were left, once something is said after the rewinds of the current one. */
export function leaveRewound(left: readonly Branch[], current: RewoundBranch): readonly Branch[] {
  return current.rewound.length === 0 ? left : [...left, withRewound(current)];
}

/** Goes on with a branch that was left, and leaves the current one; undefined if there is none at that place. */
export function switchBranch(
  left: readonly Branch[],
  { place, current }: { place: number; current: RewoundBranch },
): { readonly current: Branch; readonly left: readonly Branch[] } | undefined {
  const chosen = left[place];
  if (chosen === undefined) return undefined;
  return { current: chosen, left: [...left.toSpliced(place, 1), withRewound(current)] };
}
