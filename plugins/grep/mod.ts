/**
 * Searches the contents of files by regular expression, newest files first, without what git ignores, and
 * replaces what matches if asked to: planned, shown and committed like any other change.
 */
import {
  defineTool,
  type EditPlan,
  plural,
  previewCheck,
  type ReceiptFields,
  receiptFields,
  type RunContext,
  type ToolContext,
  ToolError,
} from "../../src/api.ts";
import { confirmHits } from "./confirm.ts";
import { definition } from "./definition.ts";
import { Hits } from "./hits.ts";
import { type Match, toMatches, toText } from "./render.ts";
import { planReplace, type ReplaceDetails, type ReplacedLine, replacedText } from "./replace.ts";
import { type GrepInput, search, type SearchRoot, searchRootOf } from "./search.ts";

/** Matches returned if the call does not say. */
const MAX_RESULTS = 50;
/** Matching lines that one call may replace. */
const MAX_REPLACED = 10_000;

/** Fields of a successful result. */
interface GrepData extends Partial<ReceiptFields> {
  readonly matches: readonly Match[];
  /** Matching lines, shown or not. */
  readonly total_matches: number;
  readonly limited_results: boolean;
  /** Absent if the search was stopped before its end. */
  readonly files_searched?: number;
  readonly suggestion?: string;
  /** Lines replaced, or with `preview_replace` those that would be. */
  readonly replacements?: readonly ReplacedLine[];
  readonly total_replacements?: number;
}

/** What a search came to. */
interface Outcome {
  readonly searchRoot: SearchRoot;
  readonly hits: Hits;
  readonly searched: number | undefined;
  readonly stopped: boolean;
}

/** What planning found: all of the result but what the commit adds. */
interface ReplacePlan extends EditPlan {
  readonly details: ReplaceDetails & { readonly found: FoundFields };
}

type FoundFields = Pick<
  GrepData,
  "matches" | "total_matches" | "limited_results" | "files_searched" | "suggestion"
>;

export default defineTool<GrepInput, GrepData>(definition, {
  effectsOf: (input) => isReplacing(input) ? definition.effects : ["read"],

  describe: ({ pattern, path, include, replace, preview_replace }) =>
    [
      pattern,
      replace !== undefined && `-> ${replace}`,
      preview_replace && "(preview)",
      path && `in ${path}`,
      include && `(${include})`,
    ].filter(Boolean).join(" "),

  async plan(input, context): Promise<EditPlan> {
    if (input.replace === undefined) return { changes: [] };
    if (context.files.pending) throw stoppedEarlyError();
    const outcome = await find(input, { context, limit: MAX_REPLACED });
    if (outcome.stopped && !outcome.hits.isFull) throw incompleteError();
    const limit = input.max_results ?? MAX_RESULTS;
    const { changes, details } = await planReplace(outcome.hits, {
      fileAt: outcome.searchRoot.fileAt,
      limit,
      context,
    });
    await confirm(outcome, context);
    const found = fieldsOf(outcome, input);
    const plan: ReplacePlan = {
      changes: isReplacing(input) ? changes : [],
      details: { ...details, found: { ...found, matches: found.matches.slice(0, limit) } },
    };
    return plan;
  },

  async run(input, context) {
    if (input.replace !== undefined) return await replace(input, context);
    if (input.preview_replace) {
      throw new ToolError("There is nothing to preview: replace is missing.", {
        kind: "validation",
        suggestion: "Give the text that is to take the place of each match as replace.",
      });
    }
    const outcome = await find(input, { context, limit: input.max_results ?? MAX_RESULTS });
    await confirm(outcome, context);
    const data = fieldsOf(outcome, input);
    const note = outcome.stopped
      ? "The search was stopped before its end: narrow it with path, include or file_types."
      : undefined;
    const text = data.suggestion === undefined
      ? toText(outcome.hits, { show: showOf(outcome.searchRoot), note })
      : `Found 0 matches. ${data.suggestion}`;
    return { ok: true, data, text };
  },

  preview({ matches, total_matches, replacements, total_replacements, patch_number }, lines) {
    if (replacements && total_replacements !== undefined) {
      const what = patch_number === undefined ? "to replace" : "replaced";
      const shown = replacements.map(({ file, line, after }) => `${file}:${line}: ${after.trim()}`);
      return [`${plural(total_replacements, "match", "matches")} ${what}`, ...shown]
        .slice(0, lines);
    }
    const shown = matches.map(({ file, line, content }) => `${file}:${line}: ${content.trim()}`);
    return [plural(total_matches, "match", "matches"), ...shown].slice(0, lines);
  },
});

function isReplacing({ replace, preview_replace }: GrepInput): boolean {
  return replace !== undefined && !preview_replace;
}

async function find(
  input: GrepInput,
  { context, limit }: { context: ToolContext; limit: number },
): Promise<Outcome> {
  const searchRoot = await searchRootOf(input.path ?? ".", context);
  const hits = new Hits(limit);
  return { searchRoot, hits, ...await search(input, { searchRoot, hits, context }) };
}

/** Leaves in what was found only what the files hold. */
async function confirm({ hits, searchRoot }: Outcome, context: ToolContext): Promise<void> {
  hits.replaceFiles(await confirmHits(hits.files, { context, fileAt: searchRoot.fileAt }));
}

function fieldsOf({ searchRoot, hits, searched, stopped }: Outcome, input: GrepInput): FoundFields {
  const suggestion = hits.total === 0 ? suggest(input) : undefined;
  return {
    matches: toMatches(hits, { context: input.context ?? 0, show: showOf(searchRoot) }),
    total_matches: hits.total,
    limited_results: stopped || hits.keptCount < hits.total,
    ...(searched !== undefined && { files_searched: searched }),
    ...(suggestion !== undefined && { suggestion }),
  };
}

/** How a file that was found is shown. */
function showOf({ fileAt }: SearchRoot): (path: string) => string {
  return (path) => fileAt(path).display;
}

/** Commits what was planned and shown. */
async function replace(input: GrepInput, { files, plan, callId }: RunContext) {
  const planned = plan?.details as ReplacePlan["details"] | undefined;
  if (!plan || !planned) throw new Error("Cannot replace: it was not planned");
  const { found, ...details } = planned;
  const receipt = plan.changes.length === 0
    ? undefined
    : await files.commit(plan.changes, { tool: definition.name, callId, unseen: true });
  const fields = receipt && receiptFields(receipt, plan.changes);
  const data: GrepData = { ...found, ...details, ...fields };
  const text = found.suggestion === undefined
    ? [replacedText(details, { preview: !isReplacing(input) }), ...previewCheck(fields ?? {})].join(
      "\n",
    )
    : `Found 0 matches. ${found.suggestion}`;
  return { ok: true as const, data, text };
}

/** A search sees the disk only; the scheduler plans the call again once earlier ones have run. */
function stoppedEarlyError(): ToolError {
  return new ToolError("Cannot replace: earlier calls of this reply change files first.", {
    kind: "user",
    suggestion: "Call grep again, once they have run.",
  });
}

function incompleteError(): ToolError {
  return new ToolError("Nothing was replaced: the search was stopped before its end.", {
    kind: "system",
    suggestion: "Search less: name a directory in path, or limit the files by include.",
  });
}

function suggest(input: GrepInput): string {
  const narrowed = input.include ?? input.exclude ?? input.file_types ?? input.max_depth;
  const tries = [
    input.case_sensitive ? "without case_sensitive" : "",
    input.whole_words ? "without whole_words" : "",
    input.literal_text || !/[\\^$.|?*+()[\]{}]/.test(input.pattern) ? "" : "with literal_text",
    narrowed === undefined ? "" : "in more files",
  ].filter((one) => one !== "");
  const others = tries.length > 0 ? `, or search ${tries.join(", ")}` : "";
  return `Try a broader pattern${others}. Hidden and ignored files are searched only if path names them.`;
}
