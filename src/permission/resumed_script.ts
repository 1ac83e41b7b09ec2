/**
 * How a command line in parts goes on when one part failed for want of a power and is given it: again from the
 * beginning if nothing else that ran could change anything, else from that part on. No other part that has changed
 * something is run twice.
 */
import type { PartedScript, Power, SandboxBlock, ScriptPart } from "../core/sandbox.ts";
import { withPolicyPowers } from "./powers.ts";
import { scriptParts } from "./sandbox_policy.ts";

/** What runs now, and whether it begins with the part that failed. */
export interface ResumedScript {
  readonly parted: PartedScript;
  readonly from: "beginning" | "part";
}

/** What is to run; undefined if no way of running it again is sound. */
export function resumeScript(
  parted: PartedScript,
  { failed, started }: NonNullable<SandboxBlock["parts"]>,
  powers: readonly Power[],
): ResumedScript | undefined {
  const given = { ...failed, policy: withPolicyPowers(failed.policy, powers) };
  const order = scriptParts(parted);
  const at = order.indexOf(failed);
  if (at < 0) return undefined;
  const changing = started.filter((part) => part !== failed && part.policy.write)
    .map((part) => order.indexOf(part));
  if (changing.length === 0) {
    return { parted: replacePart(parted, { failed, given }), from: "beginning" };
  }
  if (failed.readsStatus || changing.some((index) => index > at)) return undefined;
  const rest = restFrom(parted, { failed, given });
  return rest && { parted: rest, from: "part" };
}

/** A part that failed, and the same with what it lacked. */
interface Replacement {
  readonly failed: ScriptPart;
  readonly given: ScriptPart;
}

function replacePart(parted: PartedScript, replacement: Replacement): PartedScript {
  switch (parted.kind) {
    case "script":
      return parted === replacement.failed ? replacement.given : parted;
    case "chain":
      return { ...parted, items: parted.items.map((item) => replacePart(item, replacement)) };
    case "subshell":
    case "group":
      return { ...parted, body: replacePart(parted.body, replacement) };
    default:
      return parted;
  }
}

/**
 * The script from the part on that failed, with what the shell itself did before it; undefined where that is not
 * certain, or where the part ran beside others or in a shell of its own.
 */
function restFrom(parted: PartedScript, replacement: Replacement): PartedScript | undefined {
  switch (parted.kind) {
    case "script":
      return parted === replacement.failed ? replacement.given : undefined;
    case "group": {
      const body = restFrom(parted.body, replacement);
      return body && { ...parted, body };
    }
    case "chain":
      return restOfChain(parted, replacement);
    default:
      return undefined;
  }
}

type Chain = Extract<PartedScript, { kind: "chain" }>;

function restOfChain(chain: Chain, replacement: Replacement): PartedScript | undefined {
  const { items, operators } = chain;
  const at = items.findIndex((item) => scriptParts(item).includes(replacement.failed));
  if (operators.some((one) => one.startsWith("|") && one !== "||")) return undefined;
  const rest = items[at] && restFrom(items[at], replacement);
  if (!rest) return undefined;
  const before = operators.slice(0, at);
  const certain = before.every((one) => one === ";") || before.every((one) => one === "&&");
  const steps: PartedScript[] = [];
  for (const item of items.slice(0, at)) {
    const step = stepOf(item);
    if (step === "none") continue;
    if (step === "uncertain" || !certain) return undefined;
    steps.push(item);
  }
  const joined = before.slice(0, steps.length);
  return {
    ...chain,
    items: [...steps, rest, ...items.slice(at + 1)],
    operators: [...joined, ...operators.slice(at)],
  };
}

/** Whether an item is a step of the shell that joins the parts, or holds one that may not have been taken. */
function stepOf(item: PartedScript): "step" | "none" | "uncertain" {
  switch (item.kind) {
    case "cd":
    case "options":
      return "step";
    case "exit":
      return "uncertain";
    case "chain":
      return item.items.every((one) => stepOf(one) === "none") ? "none" : "uncertain";
    case "group":
      return stepOf(item.body) === "none" ? "none" : "uncertain";
    default:
      return "none";
  }
}
