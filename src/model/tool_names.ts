/**
 * The tool that a model means where its server lets marks of the chat template into the name:
 * `functions.read`, `default_api:read`, `read<|channel|>commentary`, `LineEdit`. Only a name that leads to
 * exactly one of the tools offered counts; anything else stays as it is, and no tool is found.
 */
import { findName } from "../lib/names.ts";

/** Name spaces that chat templates put before a tool's name. */
const PREFIX = /^(?:functions?|default_api|tools?|api|assistant)(?:\.|::?|\/)/i;
/** Kimi counts its calls; others write the call's brackets. */
const SUFFIX = /(?::\d+|\(\s*\))$/;
/** Words of the templates themselves, which may stand beside a name. */
const TEMPLATE_WORDS = new Set([
  "analysis",
  "assistant",
  "commentary",
  "final",
  "functions",
  "json",
]);

/** The name of the tool meant, or the name as it was written. */
export function resolveToolName(name: string, tools: readonly string[]): string {
  if (tools.includes(name)) return name;
  const pieces = name.split(/<\|[^|]*\|>|\bto=|[\s"'`]+/).filter((piece) => piece !== "");
  const words = pieces.length > 1
    ? pieces.filter((piece) => !TEMPLATE_WORDS.has(piece.toLowerCase()))
    : pieces;
  const found = new Set(words.flatMap((word) => {
    const bare = word.replace(PREFIX, "").replace(SUFFIX, "");
    return findName(word, tools) ?? findName(bare, tools) ?? [];
  }));
  const [only] = found;
  return only !== undefined && found.size === 1 ? only : name;
}
