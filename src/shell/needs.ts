/**
 * What programs of development get in the sandbox once they are allowed, where their rows are about something else: those
 * that fetch, and those that serve. Rows of the tables say it of all other programs.
 */
import { join } from "node:path";
import type { Need } from "../core/sandbox.ts";
import { directoriesAbove } from "../lib/contains.ts";
import type { Invocation } from "./command_analysis.ts";
import type { PathContext } from "./paths.ts";

const SERVES = String.raw`(?:start|dev|serve|server|preview|develop)(?::\S+)?`;

/** What runs a program of a package, and fetches it only where the project has it not. */
const RUNS_INSTALLED = /^(?:npx|bunx|(?:npm|bun) (?:exec|x))\b(?: ([\w.-]+)(?= |$))?/;

/** What programs need, and how they begin with their subcommands. */
const ROWS: readonly (readonly [needs: readonly Need[], ...patterns: RegExp[]])[] = [
  [
    // They fetch packages, with the logins that the user has for their registries.
    ["network", "registries"],
    /^(?:npm|pnpm|yarn|bun) (?:install|i|in|add|ci|update|up|upgrade|create|dlx|audit|outdated|view|info|show|search|ping|dedupe|link|rebuild|install-test|it)\b/,
    // Without the name of a template only package.json is written.
    /^(?:npm|pnpm|yarn|bun) init \S/,
    RUNS_INSTALLED,
    /^(?:yarn|bun|pnpm)$|^(?:pnpx|corepack|degit)\b/,
    /^deno (?:add|install|i|cache|outdated|update|upgrade|publish|jupyter|serve)\b/,
    /^(?:uv|poetry|pdm|pipenv|hatch|rye) (?:sync|add|lock|install|update|pip|tool|self|publish)\b|^(?:uvx|pipx)\b/,
    /^pip3? (?:install|download|index|search|wheel)\b|^python[\d.]* pip (?:install|download)\b/,
    /^(?:gem|bundle|bundler|composer|pod|carthage|mint|luarocks|cpan|cpanm|mix|nimble|shards|opam|stack|cabal) (?:install|update|require|outdated|fetch|deps\.get|add|create-project|search)\b|^bundle$/,
  ],
  [
    // They fetch something else, or serve.
    ["network"],
    new RegExp(String.raw`^(?:npm|pnpm|yarn|bun|deno)(?: run| task)? ${SERVES}(?: |$)`),
    /^python[\d.]* (?:http\.server|uvicorn|flask|manage\.py runserver)\b/,
    /^cargo (?:fetch|add|update|search|install|publish|info|audit|outdated|vendor)\b|^go (?:get|install|mod (?:download|tidy|vendor))\b/,
    /^(?:apt|apt-get|dnf|yum|apk|pacman|zypper|brew|port|snap|flatpak|winget|choco|scoop)\b/,
    /^(?:rustup|nvm|fnm|volta|asdf|mise|pyenv|rbenv|sdk|conda|mamba|micromamba|nix|nix-shell|nix-env)\b/,
    /^(?:uvicorn|gunicorn|hypercorn|flask|streamlit|gradio|jupyter|serve|http-server|live-server|json-server|nodemon|php -S|jekyll serve|hugo server|mkdocs serve|rails (?:s|server))\b/,
    /^(?:vite|next|nuxt|astro|gatsby|expo|remix|ng|vue)(?: (?:dev|serve|start|preview|develop))?$/,
  ],
  // They read the logins whatever they do, and fail if these are empty.
  [["registries"], /^(?:composer|yarn)\b/, /^(?:npm|pnpm|bun) (?:config|get|c)\b/],
];

/** What a program with these words behind it needs. */
export function needsOf({ name, rest, analysis }: Invocation): readonly Need[] {
  const plain = rest.map(({ value }) => value).filter((value) => !/^-./.test(value)).slice(0, 3);
  const text = [name, ...plain].join(" ");
  const [, program] = RUNS_INSTALLED.exec(text) ?? [];
  if (program !== undefined && isInProject(program, analysis.context)) return [];
  return ROWS.flatMap(([needs, ...patterns]) =>
    patterns.some((one) => one.test(text)) ? needs : []
  );
}

/** Whether the packages of the project, here or in a directory above, have a program. */
function isInProject(name: string, { cwds = [], pathFacts }: PathContext): boolean {
  const has = (directory: string) =>
    pathFacts.exists(join(directory, "node_modules", ".bin", name));
  const isInside = (directory: string) => pathFacts.locate(directory).inside;
  return cwds.length > 0 &&
    cwds.every((cwd) => [cwd, ...directoriesAbove(cwd)].filter(isInside).some(has));
}
