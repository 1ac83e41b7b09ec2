/**
 * Programming languages, judged by tree-sitter: the runtime and one grammar are WebAssembly from npm, loaded
 * when a file of that language is first changed.
 */
import type { Parser, Tree } from "@vscode/tree-sitter-wasm";
import { diagnose } from "./diagnose.ts";
import { pairsOf } from "./pairs.ts";
import type { FindProblems, Grammar, Problem } from "./problem.ts";
import { findBlockProblems } from "./python_blocks.ts";
import { createMissingFinder } from "./repair.ts";
import { SourceLines } from "./source_lines.ts";
import { recordStops } from "./stops.ts";
import { readTree } from "./syntax.ts";
import { findUnmatchedTags, GRAMMARS_WITH_TAGS } from "./tags.ts";
import { copyWithFaultsMarked, own } from "./tree_edits.ts";

/** Milliseconds one parse may take. */
const TIME_LIMIT = 500;

/** Loads a grammar; what it gives throws if a text cannot be parsed in time. */
export async function loadGrammar(grammar: Grammar): Promise<FindProblems> {
  const { default: runtime } = await import("@vscode/tree-sitter-wasm");
  await runtime.Parser.init();
  const wasm = await Deno.readFile(new URL(await locate(grammar)));
  const language = await runtime.Language.load(wasm);
  const parser = new runtime.Parser();
  parser.setLanguage(language);
  return (text) => {
    using parsed = own(parse(parser, text));
    return problemsOf(parsed.tree, { grammar, parser, text });
  };
}

/** Where a grammar lies; importing a package's JSON makes the package part of a compiled ally. */
async function locate(grammar: Grammar): Promise<string> {
  switch (grammar) {
    case "c":
      await import("tree-sitter-c/package.json", { with: { type: "json" } });
      return import.meta.resolve("tree-sitter-c/tree-sitter-c.wasm");
    case "html":
      await import("tree-sitter-html/package.json", { with: { type: "json" } });
      return import.meta.resolve("tree-sitter-html/tree-sitter-html.wasm");
    default:
      return import.meta.resolve(`@vscode/tree-sitter-wasm/wasm/tree-sitter-${grammar}.wasm`);
  }
}

function problemsOf(
  tree: Tree,
  options: { grammar: Grammar; parser: Parser; text: string },
): Problem[] {
  const { grammar, parser, text } = options;
  const tags = GRAMMARS_WITH_TAGS.includes(grammar) ? findUnmatchedTags(tree, grammar) : [];
  // In HTML a lone `>` and much else is legal that its grammar does not take.
  if (tags.length > 0 || grammar === "html") return tags;
  if (!tree.rootNode.hasError) return grammar === "python" ? findBlockProblems(tree, text) : [];
  const lines = new SourceLines(text);
  const syntax = readTree(tree);
  using sound = copyWithFaultsMarked(tree, { faults: syntax.faults, lines });
  const again = (text: string, earlier: Tree) => parse(parser, text, earlier);
  const stops = recordStops(parser, { text, parse: () => again(text, sound.tree).delete() });
  const findMissing = createMissingFinder(sound.tree, { lines, grammar, parse: again });
  return diagnose(syntax, { lines, stops, findMissing, pairs: pairsOf(grammar) });
}

/** Parses a text; of an earlier tree of it all that is sound is taken over. */
function parse(parser: Parser, text: string, earlier?: Tree): Tree {
  const deadline = performance.now() + TIME_LIMIT;
  const tree = parser.parse(text, earlier, {
    progressCallback: () => performance.now() > deadline,
  });
  if (tree !== null) return tree;
  parser.reset();
  throw new Error(`Cannot parse in ${TIME_LIMIT} ms`);
}
