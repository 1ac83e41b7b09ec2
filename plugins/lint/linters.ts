/**
 * The linters that are known, one row each: for which files, chosen by which configuration, run with
 * which arguments, read how. A new linter is a new row.
 */
import type { ProjectProgram } from "../../src/api.ts";
import {
  readDeno,
  type Reader,
  readEslint,
  readFlat,
  readPylint,
  readRubocop,
  readRuff,
  readShellcheck,
  readSqlfluff,
} from "./json_readers.ts";
import { readAnnotations, readLines, readPhp } from "./line_reader.ts";

/** A program that finds faults in files and changes none. */
export interface Linter extends ProjectProgram {
  /** Words between the program and its files. */
  readonly args: readonly string[];
  readonly read: Reader;
  /** What follows the arguments. @default "files" */
  readonly takes?: "files" | "one file" | "directories";
  /** Whether findings may come on stderr. */
  readonly onStderr?: boolean;
}

const SCRIPTS = [".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts"];
const STYLES = [".css", ".scss", ".sass", ".less"];
const SHELLS = [".sh", ".bash", ".ksh"];
const C_FAMILY = [".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp"];
const ESLINT_CONFIGS = [
  ...["js", "mjs", "cjs", "ts", "mts", "cts"].map((end) => `eslint.config.${end}`),
  ...["", ".js", ".cjs", ".json", ".yaml", ".yml"].map((end) => `.eslintrc${end}`),
];
const STYLELINT_CONFIGS = [
  ...["js", "mjs", "cjs"].map((end) => `stylelint.config.${end}`),
  ...["", ".js", ".cjs", ".mjs", ".json", ".yaml", ".yml"].map((end) => `.stylelintrc${end}`),
];

/** All linters; of several that a directory chooses, the first is taken. */
export const LINTERS: readonly Linter[] = [
  {
    name: "biome",
    files: [...SCRIPTS, ".json", ".jsonc", ".css", ".graphql"],
    configs: ["biome.json", "biome.jsonc"],
    args: ["lint", "--reporter=github", "--max-diagnostics=200"],
    read: readAnnotations,
    onStderr: true,
  },
  {
    name: "oxlint",
    files: [...SCRIPTS, ".vue", ".svelte", ".astro"],
    configs: [".oxlintrc.json", "oxlintrc.json"],
    args: ["--format=unix"],
    read: readLines,
  },
  {
    name: "eslint",
    files: [...SCRIPTS, ".vue", ".svelte", ".astro"],
    configs: [...ESLINT_CONFIGS, ["package.json", '"eslint']],
    besideConfig: true,
    args: ["--format=json"],
    read: readEslint,
  },
  {
    name: "deno",
    files: SCRIPTS,
    configs: ["deno.json", "deno.jsonc"],
    byDefault: true,
    args: ["lint", "--json"],
    read: readDeno,
  },
  {
    name: "ruff",
    files: [".py", ".pyi", ".ipynb"],
    configs: ["ruff.toml", ".ruff.toml", ["pyproject.toml", "[tool.ruff"]],
    byDefault: true,
    args: ["check", "--output-format=json"],
    read: readRuff,
  },
  {
    name: "flake8",
    files: [".py", ".pyi"],
    configs: [".flake8", ["setup.cfg", "[flake8]"], ["tox.ini", "[flake8]"]],
    byDefault: true,
    args: [],
    read: readLines,
  },
  {
    name: "pylint",
    files: [".py"],
    configs: [".pylintrc", "pylintrc", ["pyproject.toml", "[tool.pylint"]],
    byDefault: true,
    args: ["--output-format=json"],
    read: readPylint,
  },
  {
    name: "golangci-lint",
    files: [".go"],
    configs: ["yml", "yaml", "toml", "json"].map((end) => `.golangci.${end}`),
    besideConfig: true,
    args: ["run"],
    takes: "directories",
    read: readLines,
  },
  {
    name: "go vet",
    files: [".go"],
    configs: ["go.mod"],
    besideConfig: true,
    args: ["vet"],
    takes: "directories",
    read: readLines,
    onStderr: true,
  },
  {
    name: "shellcheck",
    files: SHELLS,
    configs: [".shellcheckrc", "shellcheckrc"],
    byDefault: true,
    args: ["--format=json1"],
    read: readShellcheck,
  },
  {
    name: "rubocop",
    files: [".rb", ".rake", ".gemspec", "Gemfile", "Rakefile"],
    configs: [".rubocop.yml", ["Gemfile", "rubocop"]],
    byDefault: true,
    args: ["--format=json"],
    read: readRubocop,
  },
  {
    name: "stylelint",
    files: STYLES,
    configs: [...STYLELINT_CONFIGS, ["package.json", '"stylelint']],
    besideConfig: true,
    args: ["--formatter=unix"],
    read: readLines,
    onStderr: true,
  },
  {
    name: "yamllint",
    files: [".yaml", ".yml"],
    configs: [".yamllint", ".yamllint.yaml", ".yamllint.yml"],
    byDefault: true,
    args: ["--format=parsable"],
    read: readLines,
  },
  {
    name: "hadolint",
    files: ["Dockerfile", ".dockerfile", "Containerfile"],
    configs: [".hadolint.yaml", ".hadolint.yml"],
    byDefault: true,
    args: ["--format=json"],
    read: readFlat,
  },
  {
    name: "php -l",
    files: [".php"],
    configs: [],
    byDefault: true,
    args: ["-l"],
    takes: "one file",
    read: readPhp,
    onStderr: true,
  },
  {
    name: "luacheck",
    files: [".lua"],
    configs: [".luacheckrc"],
    byDefault: true,
    args: ["--formatter=plain", "--codes"],
    read: readLines,
  },
  {
    name: "swiftlint",
    files: [".swift"],
    configs: [".swiftlint.yml"],
    byDefault: true,
    args: ["lint", "--quiet", "--reporter=json"],
    read: readFlat,
  },
  {
    name: "ktlint",
    files: [".kt", ".kts"],
    configs: [[".editorconfig", "ktlint"]],
    byDefault: true,
    args: ["--log-level=error"],
    read: readLines,
  },
  {
    name: "clang-tidy",
    files: C_FAMILY,
    configs: [".clang-tidy"],
    args: ["--quiet"],
    read: readLines,
  },
  {
    name: "cppcheck",
    files: C_FAMILY,
    configs: [],
    byDefault: true,
    args: ["--quiet", "--enable=warning,style", "--template=gcc"],
    read: readLines,
    onStderr: true,
  },
  {
    name: "sqlfluff",
    files: [".sql"],
    configs: [".sqlfluff", ["pyproject.toml", "[tool.sqlfluff"]],
    args: ["lint", "--format=json"],
    read: readSqlfluff,
  },
];
