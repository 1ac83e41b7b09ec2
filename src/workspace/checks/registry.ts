/**
 * Which checker judges which file: by the end of its name, or by its whole name.
 */
import { basename, extname } from "node:path";
import { loadJson, loadToml, loadYaml } from "./data_formats.ts";
import { loadGrammar } from "./grammars.ts";
import type { FindProblems, Grammar } from "./problem.ts";

/** A checker under the name that results give it; `load` is expensive and called once. */
interface Checker {
  readonly name: string;
  /**
   * Whether right texts may be found wrong, such as those with macros: then nothing is said of a text
   * that was not understood before its change.
   */
  readonly hasFalsePositives: boolean;
  load(): Promise<FindProblems>;
}

const EXTENSIONS: Readonly<Record<Grammar | "json" | "jsonc" | "yaml" | "toml", string>> = {
  bash: "sh bash bats",
  c: "c",
  "c-sharp": "cs csx",
  cpp: "cc cpp cxx h hh hpp hxx",
  css: "css",
  go: "go",
  html: "html htm",
  java: "java",
  javascript: "js mjs cjs jsx",
  php: "php phtml",
  python: "py pyi",
  ruby: "rb rake gemspec ru",
  rust: "rs",
  tsx: "tsx",
  typescript: "ts mts cts",
  json: "json webmanifest ipynb",
  jsonc: "jsonc code-workspace code-snippets",
  yaml: "yaml yml",
  toml: "toml",
};

const NAMES: ReadonlyMap<string, string> = new Map([
  [".bashrc", "bash"],
  [".bash_profile", "bash"],
  [".profile", "bash"],
  ["Gemfile", "ruby"],
  ["Rakefile", "ruby"],
  ["Cargo.lock", "toml"],
  ["deno.lock", "json"],
  [".babelrc", "jsonc"],
  [".eslintrc.json", "jsonc"],
]);

const WITH_FALSE_POSITIVES = ["c", "cpp"];

/** JSON files whose readers take comments. */
const JSON_WITH_COMMENTS = /^(?:tsconfig|jsconfig)\b.*\.json$|[\\/]\.vscode[\\/][^\\/]+\.json$/;

const CHECKERS: ReadonlyMap<string, Checker> = new Map(
  Object.keys(EXTENSIONS).map((name): [string, Checker] => [
    name,
    { name, hasFalsePositives: WITH_FALSE_POSITIVES.includes(name), load: loaderOf(name) },
  ]),
);

const BY_EXTENSION: ReadonlyMap<string, string> = new Map(
  Object.entries(EXTENSIONS).flatMap(([name, ends]) =>
    ends.split(" ").map((end): [string, string] => [`.${end}`, name])
  ),
);

/** The checker for a file, or undefined if nothing is known of its kind. */
export function checkerFor(path: string, before: string | null): Checker | undefined {
  const file = basename(path);
  const name = NAMES.get(file) ?? BY_EXTENSION.get(extname(file).toLowerCase());
  const commented = JSON_WITH_COMMENTS.test(file) || JSON_WITH_COMMENTS.test(path) ||
    /^\s*(?:\/\/|\/\*)/m.test(before ?? "");
  return CHECKERS.get(name === "json" && commented ? "jsonc" : name ?? "");
}

function loaderOf(name: string): () => Promise<FindProblems> {
  switch (name) {
    case "json":
    case "jsonc":
      return () => loadJson({ comments: name === "jsonc" });
    case "yaml":
      return loadYaml;
    case "toml":
      return loadToml;
    default:
      return () => loadGrammar(name as Grammar);
  }
}
