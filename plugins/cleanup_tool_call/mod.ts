/**
 * Gives up the content of earlier results for a line that says what they showed. All ids or none; the
 * conversation decides when its requests show it.
 */
import { cutEnd, defineTool, type Input, oneLine, plural, ToolError } from "../../src/api.ts";
import { definition } from "./definition.ts";

const DEFAULT_REASON = "not relevant to task";
/** Characters that the line may take. */
const MAX_SUMMARY = 300;
const MAX_REASON = 60;

/** Fields of a successful result. */
interface CleanUpData extends Readonly<Record<string, unknown>> {
  readonly message: string;
  /** Of a single result. */
  readonly original_tool?: string;
  /** One for each id, in their order. */
  readonly original_tools: readonly string[];
  readonly tokens_saved: number;
}

export default defineTool<Input<typeof definition>, CleanUpData>(definition, {
  describe: ({ tool_call_ids }) => plural(idsOf(tool_call_ids).length, "result"),

  async run({ tool_call_ids, summary, reason }, { results }) {
    const ids = idsOf(tool_call_ids);
    if (ids.length === 0) {
      throw new ToolError("Cannot clean up: no id is given.", {
        kind: "validation",
        suggestion: 'Example: cleanup_tool_call(tool_call_ids=["call_1"], reason="no matches")',
      });
    }
    const cleaned = await results.cleanUp(ids, placeholder(reason, summary));
    const tools = cleaned.map(({ tool }) => tool);
    const [only] = tools;
    const saved = cleaned.reduce((sum, { tokensSaved }) => sum + tokensSaved, 0);
    const data: CleanUpData = {
      message: `Cleaned up ${plural(ids.length, "result")} (${tools.join(", ")}).`,
      ...(only !== undefined && tools.length === 1 ? { original_tool: only } : {}),
      original_tools: tools,
      tokens_saved: saved,
    };
    return { ok: true, data, text: `${data.message} ${plural(saved, "token")} saved.` };
  },

  preview: ({ message, tokens_saved }) => [`${message} ${plural(tokens_saved, "token")} saved.`],
});

/** Each id once; several may come in one text, with commas. */
function idsOf(given: readonly string[]): string[] {
  const ids = given.flatMap((text) => text.split(",")).map((id) => id.trim());
  return [...new Set(ids)].filter((id) => id !== "");
}

/** `[Cleaned up - no matches]: What the result showed.` */
function placeholder(reason = "", summary = ""): string {
  const why = cutEnd(oneLine(reason), MAX_REASON) || DEFAULT_REASON;
  const what = cutEnd(oneLine(summary), MAX_SUMMARY);
  return `[Cleaned up - ${why}]${what === "" ? "" : `: ${what}`}`;
}
