/**
 * What is to be said of a model's window: its size, what happens beyond it, and how to get a larger one from
 * this kind of server. Pure; `examine.ts` calls it.
 */
import type { ServerKind } from "../../model/server_kind.ts";
import type { WindowAnswer } from "../../model/window.ts";
import type { Check } from "./doctor_report.ts";
import type { WindowFinding } from "./window_probe.ts";

/** What is known of a window. */
export interface WindowFacts {
  readonly kind: ServerKind;
  /** What the server said. */
  readonly said: WindowAnswer;
  /** What long prompts showed, if they were tried. */
  readonly found: WindowFinding | undefined;
  /** What the configuration takes it for. */
  readonly configuredSize: number | undefined;
  readonly quick: boolean;
}

/** A window in which little work can be done. */
const SMALL = 8_192;

/** The check of a window. */
export function windowCheck(facts: WindowFacts): Check {
  const { said, found, configuredSize } = facts;
  const size = found?.size ?? said.size;
  if (size === undefined) return unknown(facts);
  const id = "window";
  const detail = [`${grouped(size)} tokens${source(facts)}`, beyond(facts)].filter(Boolean).join(
    "; ",
  );
  const set = `set context_size to ${size} in ally`;
  if (configuredSize !== undefined && configuredSize > size) {
    const wrong = `${detail}; the configuration says ${grouped(configuredSize)}`;
    return { id, status: "failed", detail: wrong, mend: `Either ${set}, or ${enlarge(facts)}.` };
  }
  const disagrees = found?.size !== undefined && said.source === "server" &&
    said.size !== undefined && said.size > found.size;
  const cut = found?.beyond === "cut silently";
  if (!disagrees && !cut && size >= SMALL) return { id, status: "ok", detail };
  const more = sentence(enlarge(facts));
  const holds = configuredSize === undefined
    ? `Until then ally keeps to ${grouped(size)} (to be sure of it: ${set}).`
    : `ally keeps to the ${grouped(configuredSize)} of the configuration.`;
  return { id, status: "warning", detail, mend: `${more} ${holds}` };
}

function unknown({ found, configuredSize, quick }: WindowFacts): Check {
  const why = found?.why ?? (quick ? "long prompts were left out" : "it could not be told");
  const taken = configuredSize === undefined
    ? "ally takes it for 16,384 tokens"
    : `ally takes it for the ${grouped(configuredSize)} tokens of the configuration`;
  return {
    id: "window",
    status: "warning",
    detail: `the server does not say its size, and ${why}: ${taken}`,
    mend: "Set context_size to what the server runs the model with.",
  };
}

function source({ said, found }: WindowFacts): string {
  if (found?.size !== undefined && found.beyond !== "not tried") return ", found by trying";
  if (said.by === undefined) return found === undefined ? "" : " at least";
  if (found?.size === undefined) return ` (${said.by})`;
  const { triedTo } = found;
  return triedTo === undefined
    ? ` (${said.by}, tried)`
    : ` (${said.by}, tried to ${grouped(triedTo)})`;
}

function beyond({ said, found }: WindowFacts): string {
  const what = found?.beyond === "cut silently"
    ? "the beginning of a longer prompt is cut off silently"
    : found?.beyond === "refused"
    ? "a longer prompt is refused"
    : "";
  const { trained } = said;
  const size = found?.size ?? said.size ?? 0;
  const could = trained !== undefined && trained > size
    ? `the model could have ${grouped(trained)}`
    : "";
  return [what, could].filter((part) => part !== "").join("; ");
}

/** How a server of this kind is given a larger window, without a full stop. */
function enlarge({ kind, said: { trained } }: WindowFacts): string {
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

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function grouped(tokens: number): string {
  return tokens.toLocaleString("en-US");
}
