/**
 * What an answer of "Always" would have covered of earlier questions: each is judged again as it would be now, with
 * nothing but that answer as a rule.
 */
import type { PastQuestion } from "../core/decision.ts";
import type { PathFacts } from "../core/path_facts.ts";
import type { Access, GrantOffer } from "../core/permission.ts";
import type { Grant } from "../core/rule.ts";
import type { AccessRisk } from "./assess.ts";
import { RuleBook } from "./rule_book.ts";

/** What earlier questions are measured with. */
interface CoverageOptions {
  /** What an offer would store. */
  readonly grantsOf: (offer: GrantOffer) => readonly Grant[];
  readonly questions: readonly PastQuestion[];
  readonly pathFacts: PathFacts;
  readonly assess: (access: Access) => Promise<AccessRisk>;
}

/** The offers, with what each would have covered. */
export async function measureOffers(
  offers: readonly GrantOffer[],
  { grantsOf, questions, pathFacts, assess }: CoverageOptions,
): Promise<GrantOffer[]> {
  const assessed = await assessEach(questions, assess);
  return await Promise.all(offers.map(async (offer) => {
    const book = new RuleBook({ pathFacts });
    for (const grant of grantsOf(offer)) await book.add(grant, "session");
    const covered: PastQuestion[] = [];
    for (const [question, risks] of assessed) if (await covers(book, risks)) covered.push(question);
    const denied = covered.filter(({ allowed }) => !allowed).length;
    const coverage = { questions: questions.length, covered: covered.length, denied };
    return { ...offer, coverage };
  }));
}

/** The same call is often asked about again: it is assessed once. */
async function assessEach(
  questions: readonly PastQuestion[],
  assess: CoverageOptions["assess"],
): Promise<(readonly [PastQuestion, readonly AccessRisk[]])[]> {
  const known = new Map<string, Promise<readonly AccessRisk[]>>();
  const risksOf = ({ accesses }: PastQuestion) => {
    const key = JSON.stringify(accesses);
    const risks = known.get(key) ?? Promise.all(accesses.map(assess));
    known.set(key, risks);
    return risks;
  };
  return await Promise.all(questions.map(async (one) => [one, await risksOf(one)] as const));
}

/** Whether rules cover all that would ask, of which there is something. */
async function covers(book: RuleBook, risks: readonly AccessRisk[]): Promise<boolean> {
  const asking = risks.filter(({ risk }) => risk !== "safe");
  for (const { offers } of asking) {
    if (!offers || !await book.findCovering(offers())) return false;
  }
  return asking.length > 0;
}
