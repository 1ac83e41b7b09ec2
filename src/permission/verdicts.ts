/**
 * The verdicts on all that one call wants to do as one verdict, and what its question offers.
 */
import {
  type Breadth,
  BREADTHS,
  type GrantOffer,
  higherRisk,
  type Verdict,
} from "../core/permission.ts";
import type { GrantOffers } from "../core/rule.ts";
import { boundFiles, isAllEdits } from "./grants.ts";

/** The verdicts on the accesses of one call as one; the strictest decides. */
export function mergeVerdicts(verdicts: readonly Verdict[]): Verdict {
  const risk = verdicts.map((one) => one.risk).reduce(higherRisk, "safe");
  const denied = verdicts.find((one) => one.banned !== undefined) ??
    verdicts.find((one) => one.decision === "deny");
  if (denied) {
    const { why, rule, banned } = denied;
    const by = { ...(rule !== undefined && { rule }), ...(banned !== undefined && { banned }) };
    return { decision: "deny", risk, why, ...by };
  }
  const [first, ...others] = verdicts.filter((one) => one.decision === "ask");
  if (!first) {
    const why = verdicts.map((one) => one.why).join("; ") || "reads only";
    const rules = [...new Set(verdicts.flatMap(({ rule }) => rule ?? []))].join("; ");
    const runs = new Map(verdicts.flatMap((one) => [...one.runs ?? []]));
    return {
      decision: "allow",
      risk,
      why,
      ...(rules && { rule: rules }),
      ...(runs.size > 0 && { runs }),
    };
  }
  const asking = [first, ...others];
  const decisive = asking.find((one) => one.risk === "extreme") ?? first;
  const offers = decisive.risk === "extreme" ? [] : mergeOffers(asking);
  return {
    decision: "ask",
    risk: decisive.risk,
    why: decisive.why,
    ...(offers.length > 0 && { offers }),
  };
}

/** The breadths that all of what asks offers; of those that read the same, the narrowest. */
function mergeOffers(asking: readonly Verdict[]): GrantOffer[] {
  const all = BREADTHS.flatMap((breadth) => {
    const offered = asking.flatMap(({ offers = [] }) =>
      offers.filter((one) => one.breadth === breadth)
    );
    return offered.length === asking.length ? [mergeBreadth(breadth, offered)] : [];
  });
  return all.filter(({ text }, at) => all.findIndex((one) => one.text === text) === at);
}

function mergeBreadth(breadth: Breadth, offered: readonly GrantOffer[]): GrantOffer {
  const text = [...new Set(offered.map((one) => one.text))].join(" ");
  const [scopes, ...others] = offered.map((one) => one.scopes);
  const isForEdits = scopes !== undefined && !others.includes(undefined);
  const bound = offered.flatMap((one) => one.bound ?? []);
  return {
    breadth,
    text,
    ...(isForEdits && { scopes }),
    ...(bound.length > 0 && {
      bound: {
        files: [...new Set(bound.flatMap(({ files }) => files))],
        runsUnknown: bound.some(({ runsUnknown }) => runsUnknown),
      },
    }),
  };
}

/** What a question shows of what "Always" could store. */
export function publicOffers(offers: GrantOffers): GrantOffer[] {
  return BREADTHS.flatMap((breadth) => {
    const grant = offers[breadth];
    if (!grant) return [];
    const bound = boundFiles(grant.parts);
    const scopes = isAllEdits(grant) && EDIT_SCOPES;
    return [{ breadth, text: grant.text, ...scopes, ...(bound && { bound }) }];
  });
}

/** All edits may also be allowed for no longer than the turn. */
const EDIT_SCOPES = { scopes: ["turn", "session", "project", "user"] } as const;
