/**
 * Programming languages, judged by tree-sitter: the runtime and one grammar are WebAssembly from npm, loaded
 * when a file of that language is first changed.
 */
import type { Parser, Tree } from "web-tree-sitter";
import { type Asset, assetPath } from "../../lib/assets.ts";
import { mayRead } from "../../lib/fs.ts";
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
  const { Language, Parser } = await import("web-tree-sitter");
  const wasm = await readGrammar(grammar);
  await Parser.init({ locateFile: () => assetPath("tree-sitter.wasm") });
  const language = await Language.load(wasm);
  const parser = new Parser();
  parser.setLanguage(language);
  return (text) => {
    using parsed = own(parse(parser, text));
    return problemsOf(parsed.tree, { grammar, parser, text });
  };
}

/** Reads a grammar. Where ally runs from source, importing a package's JSON is what downloads the package. */
async function readGrammar(grammar: Grammar): Promise<Uint8Array> {
  switch (grammar) {
    case "c":
      await import("tree-sitter-c/package.json", { with: { type: "json" } });
      break;
    case "html":
      await import("tree-sitter-html/package.json", { with: { type: "json" } });
      break;
    default:
      await import("@vscode/tree-sitter-wasm/package.json", { with: { type: "json" } });
  }
  return await readAsset(`tree-sitter-${grammar}.wasm`);
}

/** @throws {Error} Deno's permissions do not reach it: it must not ask for a file of ally's own */
async function readAsset(name: Asset): Promise<Uint8Array> {
  const path = assetPath(name);
  if (!mayRead(path)) throw new Error(`Cannot read ${path}: Deno was not allowed to`);
  return await Deno.readFile(path);
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
