/**
 * What commands with the user's keys or the services of the machine may do by a stored rule: what their words say, and
 * nothing that a file of the workspace says.
 */
import type { PathFacts } from "../../core/path_facts.ts";
import { findNamedPlaces } from "./named_places.ts";

/** Programs that do what their words say, and what looks at something elsewhere. */
const DECIDED_BY_WORDS = new RegExp(
  "^(?:(?:psql|mysql|mariadb|redis-cli)|(?:docker|podman|nerdctl) (?:run|exec|start|stop|restart|kill|pull)|" +
    "(?:gh|glab|hub|tea|aws|gcloud|gsutil|bq|doctl|kubectl|oc|docker|podman|nerdctl) (?:[a-z]\\S* )?" +
    "(?:ls|list|view|show|status|get|checks|diff|logs?|ps|images|inspect|stats|top|port|version|info|search|history|" +
    "explain|(?:describe|list|get)-\\S+|describe))(?: |$)",
);

/** Whether a program does what its words say, and neither these nor its input or a variable name anything else. */
export function isDecidedByWords(
  { argv, cwds, assignments, stdin = "" }: {
    readonly argv: readonly string[];
    /** What its script sets before it. */
    readonly assignments: readonly string[];
    readonly cwds: readonly string[];
    readonly stdin?: string | undefined;
  },
  pathFacts: PathFacts,
): boolean {
  if (assignments.length > 0 || /^(?:file:|pipe$)/.test(stdin)) return false;
  if (!DECIDED_BY_WORDS.test(argv.join(" "))) return false;
  const { files, others, isCut } = findNamedPlaces(argv.slice(1), { pathFacts, cwds });
  return files.length === 0 && others.length === 0 && !isCut;
}
