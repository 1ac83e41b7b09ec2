/**
 * What `ally doctor` says of a model's window: its size, what happens to longer prompts, and how to get a larger
 * window from this kind of server.
 */
import { formatCount } from "../../lib/text.ts";
import type { ServerKind } from "../../model/server_kind.ts";
import { type ServerWindow, SMALL_WINDOW } from "../../model/window.ts";
import { DEFAULTS } from "../../store/settings_table.ts";
import type { Check } from "./report.ts";
import type { WindowFinding } from "./window_probe.ts";

/** What is known of a window. */
interface WindowFacts {
  readonly kind: ServerKind;
  /** According to the server. */
  readonly declared: ServerWindow;
  /** What long prompts showed, if they were tried. */
  readonly measured: WindowFinding | undefined;
  /** The size in the configuration. */
  readonly configuredSize: number | undefined;
  readonly quick: boolean;
}

/** The check of a window. */
export function checkWindow(facts: WindowFacts): Check {
  const { declared, measured, configuredSize } = facts;
  const size = measured?.size ?? declared.size;
  if (size === undefined) return reportUnknown(facts);
  const id = "window";
  const detail = [`${formatCount(size)} tokens${describeSource(facts)}`, describeOverflow(facts)]
    .filter(Boolean).join(
      "; ",
    );
  const set = `set context_size to ${size} in ally`;
  if (configuredSize !== undefined && configuredSize > size) {
    const wrong = `${detail}; the configuration says ${formatCount(configuredSize)}`;
    return {
      id,
      status: "failed",
      detail: wrong,
      mend: `Either ${set}, or ${describeEnlarging(facts)}.`,
    };
  }
  const disagrees = measured?.size !== undefined && declared.source === "server" &&
    declared.size !== undefined && declared.size > measured.size;
  const cut = measured?.beyond === "cut silently";
  if (!disagrees && !cut && size >= SMALL_WINDOW) return { id, status: "ok", detail };
  const more = toSentence(describeEnlarging(facts));
  const holds = configuredSize === undefined
    ? `Until then ally keeps to ${formatCount(size)} (to make sure: ${set}).`
    : `ally keeps to the ${formatCount(configuredSize)} of the configuration.`;
  return { id, status: "warning", detail, mend: `${more} ${holds}` };
}

function reportUnknown({ measured, configuredSize, quick }: WindowFacts): Check {
  const why = measured?.why ?? (quick ? "long prompts were left out" : "it could not be found out");
  const taken = configuredSize === undefined
    ? `ally assumes ${formatCount(DEFAULTS.context_size)} tokens`
    : `ally assumes the ${formatCount(configuredSize)} tokens of the configuration`;
  return {
    id: "window",
    status: "warning",
    detail: `the server does not say its size, and ${why}: ${taken}`,
    mend: "Set context_size to what the server runs the model with.",
  };
}

function describeSource({ declared, measured }: WindowFacts): string {
  if (measured?.size !== undefined && measured.beyond !== "not tried") return ", found by trying";
  if (declared.by === undefined) return measured === undefined ? "" : " at least";
  if (measured?.size === undefined) return ` (${declared.by})`;
  const { triedTo } = measured;
  return triedTo === undefined
    ? ` (${declared.by}, tried)`
    : ` (${declared.by}, tried to ${formatCount(triedTo)})`;
}

function describeOverflow({ declared, measured }: WindowFacts): string {
  const what = measured?.beyond === "cut silently"
    ? "the beginning of a longer prompt is cut off silently"
    : measured?.beyond === "refused"
    ? "a longer prompt is refused"
    : "";
  const { trained } = declared;
  const size = measured?.size ?? declared.size ?? 0;
  const could = trained !== undefined && trained > size
    ? `the model could have ${formatCount(trained)}`
    : "";
  return [what, could].filter((part) => part !== "").join("; ");
}

/** How a server of this kind is given a larger window, without a full stop. */
function describeEnlarging({ kind, declared: { trained } }: WindowFacts): string {
  const want = Math.min(trained ?? 32_768, 32_768);
  switch (kind) {
    case "ollama":
      return `give Ollama more: start it with OLLAMA_CONTEXT_LENGTH=${want}, or set num_ctx ${want} ` +
        "in the model's Modelfile (PARAMETER num_ctx)";
    case "llamacpp":
      return `start llama-server with --ctx-size ${want} (it is shared by its --parallel slots)`;
    case "lmstudio":
      return `load the model with a context length of ${want} in LM Studio`;
    case "vllm":
      return `start vLLM with --max-model-len ${want}`;
    case "other":
      return "give the server a larger context (Ollama: OLLAMA_CONTEXT_LENGTH or num_ctx; " +
        "llama.cpp: --ctx-size; vLLM: --max-model-len)";
  }
}

function toSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
