/**
 * Text of others as the model gets it: between marks that the text cannot write.
 */
import { hashText } from "./content_hash.ts";

/** Puts a text between marks that hold a hash of it: no text can know its own, so none can end before its end. */
export function markAsData(kind: string, text: string): string {
  const mark = `${kind} ${hashText(text).slice(0, 12)}`;
  return [`<${mark}>`, text, `</${mark}>`].join("\n");
}
