/**
 * Which parts of a script run closed, and so need no question: those of which nobody knows what they need and which
 * name no power, if all that shares a sandbox with them is so, or only reads.
 */
import { resolve } from "node:path";
import type { PathFacts } from "../core/path_facts.ts";
import { higherRisk, type Risk } from "../core/permission.ts";
import type { Finding } from "./program.ts";
import { commandsIn, type Segment, within } from "./segments.ts";

/** What of a part counts here. */
interface Part extends Finding {
  readonly openRisk?: Risk;
  readonly at: number;
  readonly cwds: readonly string[];
  readonly stdin?: string;
}

/** What of a script counts here. */
interface Script<P> extends Finding {
  readonly openRisk?: Risk;
  readonly parts: readonly P[];
  readonly segments: Segment | undefined;
}

/** The same script with those parts as safe; what is left decides about the whole. */
export function closeParts<P extends Part, S extends Script<P>>(
  analysis: S & Script<P>,
  { pathFacts, reasonOf }: {
    pathFacts: PathFacts;
    /** The reason of the riskiest of parts. */
    reasonOf: (parts: readonly P[]) => string;
  },
): S {
  if (analysis.tentative) return { ...close(analysis), parts: analysis.parts.map(close) };
  const held = heldApart(analysis, pathFacts);
  if (held.size === 0) return analysis;
  const parts = analysis.parts.map((part) => held.has(part) ? close(part) : part);
  const risk = parts.map((part) => part.risk).reduce(higherRisk);
  const { risk: openRisk } = analysis;
  return { ...analysis, risk, openRisk, why: reasonOf(parts), parts };
}

function close<T extends Finding>(judged: T): T {
  return judged.risk === "safe" ? judged : { ...judged, risk: "safe", openRisk: judged.risk };
}

/** The parts that nobody knows, and that no other shares a sandbox with which names a power. */
function heldApart<P extends Part>(
  { segments, parts }: Script<P>,
  pathFacts: PathFacts,
): ReadonlySet<P> {
  if (!segments) return new Set();
  const commands = commandsIn(segments);
  const isCut = commands.every((one) =>
    one.kind !== "cd" || staysInside(one, { parts, pathFacts })
  );
  if (!isCut) return new Set();
  const together = commands.map((command) => within(command, parts));
  return new Set(
    together.filter((some) => some.every(isHeld)).flat().filter(({ tentative }) => tentative),
  );
}

/** Beside a part with powers, code that comes through a pipe is what that part sent for: `curl URL | sh`. */
function isHeld({ risk, tentative, stdin }: Part): boolean {
  return risk === "safe" || (tentative === true && !(risk === "extreme" && stdin === "pipe"));
}

/** Whether a step leads within the workspace: elsewhere may be another place in a sandbox than outside of it. */
export function staysInside(
  step: Extract<Segment, { kind: "cd" }>,
  { parts, pathFacts }: { parts: readonly Part[]; pathFacts: PathFacts },
): boolean {
  const cwds = within(step, parts).flatMap((part) => part.cwds);
  return cwds.length > 0 &&
    cwds.every((cwd) => pathFacts.locate(resolve(cwd, step.directory)).inside);
}
