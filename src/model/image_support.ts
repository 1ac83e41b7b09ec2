/**
 * Whether a model takes images, as its server says: each kind of server does so elsewhere, and many say nothing.
 */
import { listOf, objectOf, textOf } from "./fields.ts";

type Fields = Readonly<Record<string, unknown>>;

/** What servers answered of themselves and of the model; what they did not is absent. */
export interface ServerAnswers {
  /** llama-server's `/props`. */
  readonly props: Fields | undefined;
  /** Ollama's `/api/show`. */
  readonly shown: Fields | undefined;
  /** The model's entry in LM Studio's `/api/v0/models`. */
  readonly studio: Fields | undefined;
  /** Its entry in `/v1/models`. */
  readonly listed: Fields | undefined;
}

/** Whether the model takes images; undefined if nothing says so. */
export function readImageSupport(
  { props, shown, studio, listed }: ServerAnswers,
): boolean | undefined {
  const { vision } = objectOf(props?.["modalities"]) ?? {};
  if (typeof vision === "boolean") return vision;
  return amongNames(shown?.["capabilities"]) ?? ofStudio(textOf(studio?.["type"])) ??
    amongNames(objectOf(listed?.["architecture"])?.["input_modalities"]) ??
    amongNames(listed?.["input_modalities"]) ?? ofCapabilities(listed?.["capabilities"]);
}

/** Whether a list of what a model can or takes names images; an empty one says nothing. */
function amongNames(list: unknown): boolean | undefined {
  const names = Array.isArray(list) ? listOf(list).flatMap((one) => textOf(one) ?? []) : [];
  if (names.length === 0) return undefined;
  return names.some((name) => /^(image|vision|multimodal)$/i.test(name));
}

function ofStudio(type: string | undefined): boolean | undefined {
  return type === "vlm" ? true : type === "llm" ? false : undefined;
}

/** Mistral's fields by name, or llama-server's list. */
function ofCapabilities(value: unknown): boolean | undefined {
  const vision = objectOf(value)?.["vision"];
  return typeof vision === "boolean" ? vision : amongNames(value);
}
