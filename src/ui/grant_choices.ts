/**
 * What "Always" may be offered for a question, and how each answer is worded: the same at the prompt and in an editor.
 */
import {
  type Breadth,
  type GrantOffer,
  type GrantScope,
  type PermissionRequest,
  RULE_SCOPES,
} from "../core/permission.ts";
import { cutEnd, oneLine } from "../lib/text.ts";
import { escapeControls } from "./safe_text.ts";

/** Characters of a rule in the answer that would store it: it repeats what is shown in full beside the question. */
export const MAX_RULE = 300;

/** For how long and where an answer holds, as the answer says it. */
export const SCOPE_WORDS: Readonly<Record<GrantScope, string>> = {
  turn: "in this turn",
  session: "in this session",
  project: "in this project",
  user: "everywhere",
};

/** One answer of "Always". */
export interface GrantChoice {
  readonly breadth: Breadth;
  readonly scope: GrantScope;
  /** As a person reads it. */
  readonly label: string;
}

/** "Always" in one breadth, an answer for each scope; none if it is not offered. */
export function grantChoices(
  requests: readonly PermissionRequest[],
  breadth: Breadth,
): readonly GrantChoice[] {
  const offers = alwaysOffers(requests, breadth);
  if (offers.length === 0) return [];
  const rules = cutEnd(rulesIn(offers).join(", "), MAX_RULE);
  return commonScopes(offers).map((scope) => ({
    breadth,
    scope,
    label: `${scope === "turn" ? "Allow" : "Always allow"} ${withScope(rules, scope)}`,
  }));
}

/** What "Always" would store; nothing if a single call does not offer it or is extremely sensitive. */
export function alwaysOffers(
  requests: readonly PermissionRequest[],
  breadth: Breadth,
): readonly GrantOffer[] {
  const offers = requests.flatMap((request) =>
    request.risk === "extreme" ? [] : request.offers.filter((one) => one.breadth === breadth)
  );
  return offers.length === requests.length ? offers : [];
}

/** The rules of offers, each once. */
export function rulesIn(offers: readonly GrantOffer[]): string[] {
  return [...new Set(offers.map(({ text }) => oneLine(escapeControls(text))))];
}

/** For how long all of it may hold. */
function commonScopes(offers: readonly GrantOffer[]): readonly GrantScope[] {
  const [scopes = RULE_SCOPES, ...others] = offers.map((one) => one.scopes ?? RULE_SCOPES);
  return scopes.filter((scope) => others.every((some) => some.includes(scope)));
}

/** A rule and how long it holds; that of a repository says itself where. */
function withScope(rules: string, scope: GrantScope): string {
  const isSaid = scope === "project" && rules.includes("in this repository");
  return isSaid ? rules : `${rules} ${SCOPE_WORDS[scope]}`;
}
