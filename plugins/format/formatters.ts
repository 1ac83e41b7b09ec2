/**
 * The formatters that are known, one row each. Each is given a text on standard input and prints it
 * formatted, so that none ever writes a file by itself. A new formatter is a new row.
 */
import type { ProjectProgram } from "../../src/api.ts";

/** A program that prints its input formatted. */
export interface Formatter extends ProjectProgram {
  /** `{file}` stands for the file's name, `{type}` for the end of its name without the dot. */
  readonly args: readonly string[];
  /** Exit codes with which its output counts. @default only 0 */
  readonly codes?: readonly number[];
}

const SCRIPTS = [".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts"];
const STYLES = [".css", ".scss", ".less"];
const DATA = [".json", ".jsonc", ".yaml", ".yml"];
const MARKUP = [".md", ".html", ".vue", ".svelte", ".astro"];
const C_FAMILY = [".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".m", ".mm", ".proto"];
const PRETTIER_CONFIGS = [
  ...["", ".json", ".yml", ".yaml", ".json5", ".js", ".mjs", ".cjs", ".ts", ".toml"]
    .map((end) => `.prettierrc${end}`),
  ...["js", "mjs", "cjs", "ts"].map((end) => `prettier.config.${end}`),
];

/** All formatters; of several that a directory chooses, the first is taken. */
export const FORMATTERS: readonly Formatter[] = [
  {
    name: "biome",
    files: [...SCRIPTS, ".json", ".jsonc", ".css", ".graphql"],
    configs: ["biome.json", "biome.jsonc"],
    args: ["format", "--stdin-file-path={file}"],
  },
  {
    name: "dprint",
    files: [...SCRIPTS, ...DATA, ".md", ".toml"],
    configs: ["dprint.json", "dprint.jsonc", ".dprint.json", ".dprint.jsonc"],
    besideConfig: true,
    args: ["fmt", "--stdin", "{file}"],
  },
  {
    name: "prettier",
    files: [...SCRIPTS, ...STYLES, ...DATA, ...MARKUP, ".json5", ".graphql", ".mdx"],
    configs: [...PRETTIER_CONFIGS, ["package.json", '"prettier']],
    args: ["--stdin-filepath={file}"],
  },
  {
    name: "deno",
    files: [...SCRIPTS, ...STYLES, ...DATA, ...MARKUP],
    configs: ["deno.json", "deno.jsonc"],
    byDefault: true,
    besideConfig: true,
    args: ["fmt", "--ext={type}", "-"],
  },
  {
    name: "black",
    files: [".py", ".pyi"],
    configs: [["pyproject.toml", "[tool.black"]],
    args: ["--quiet", "--stdin-filename={file}", "-"],
  },
  {
    name: "ruff",
    files: [".py", ".pyi"],
    configs: ["ruff.toml", ".ruff.toml", ["pyproject.toml", "[tool.ruff"]],
    byDefault: true,
    args: ["format", "--stdin-filename={file}", "-"],
  },
  {
    name: "yapf",
    files: [".py"],
    configs: [".style.yapf", ["setup.cfg", "[yapf]"], ["pyproject.toml", "[tool.yapf"]],
    args: [],
  },
  { name: "gofmt", files: [".go"], configs: ["go.mod"], byDefault: true, args: [] },
  {
    name: "rustfmt",
    files: [".rs"],
    configs: ["rustfmt.toml", ".rustfmt.toml", "Cargo.toml"],
    byDefault: true,
    args: ["--edition=2021", "--emit=stdout"],
  },
  {
    name: "shfmt",
    files: [".sh", ".bash"],
    configs: [],
    byDefault: true,
    args: ["--filename={file}"],
  },
  {
    name: "clang-format",
    files: C_FAMILY,
    configs: [".clang-format", "_clang-format"],
    args: ["--assume-filename={file}"],
  },
  {
    name: "rubocop",
    files: [".rb", ".rake", ".gemspec", "Gemfile", "Rakefile"],
    configs: [".rubocop.yml", ["Gemfile", "rubocop"]],
    args: ["--autocorrect", "--only=Layout", "--stderr", "--stdin", "{file}"],
    // 1 says that offenses remain.
    codes: [0, 1],
  },
  {
    name: "stylua",
    files: [".lua"],
    configs: ["stylua.toml", ".stylua.toml"],
    byDefault: true,
    args: ["--stdin-filepath={file}", "-"],
  },
  {
    name: "taplo",
    files: [".toml"],
    configs: [".taplo.toml", "taplo.toml"],
    byDefault: true,
    args: ["format", "--stdin-filepath={file}", "-"],
  },
  {
    name: "zig",
    files: [".zig"],
    configs: ["build.zig"],
    byDefault: true,
    args: ["fmt", "--stdin"],
  },
  {
    name: "terraform",
    files: [".tf", ".tfvars"],
    configs: [],
    byDefault: true,
    args: ["fmt", "-"],
  },
  {
    name: "mix",
    files: [".ex", ".exs"],
    configs: [".formatter.exs"],
    besideConfig: true,
    args: ["format", "-"],
  },
  {
    name: "dart",
    files: [".dart"],
    configs: ["pubspec.yaml"],
    byDefault: true,
    args: ["format", "--stdin-name={file}"],
  },
];
