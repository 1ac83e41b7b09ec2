/**
 * What other agents (claude, codex, gemini, opencode, aider, pi) call what ally has by another name: said to a person
 * whose fingers know one of them. Loaded only for a command line that cannot be read.
 */

const ALLOW_LISTS = "--allow-write, --allow-run=PROGRAMS and --allow-net=HOSTS";
const ONE_ANSWER = 'ally -p "what to do"';

/** Options, without their dashes, in lower case and without hyphens. */
const OPTIONS: ReadonlyMap<string, string> = new Map([
  ...named("--allow-all (-A)", [
    "dangerously-skip-permissions",
    "dangerously-bypass-approvals-and-sandbox",
    "full-auto",
    "yes",
    "yes-always",
  ]),
  ...named(ALLOW_LISTS, ["allowed-tools"]),
  ...named("--deny-write, --deny-run=PROGRAMS and --deny-net=HOSTS", ["disallowed-tools"]),
  ...named(`--plan, or ${ALLOW_LISTS}`, ["permission-mode", "approval-mode", "ask-for-approval"]),
  ...named("--output-format json or stream-json", ["json", "format", "mode"]),
  ...named("--output-schema", ["json-schema"]),
  ...named("--append-system-prompt", ["system-prompt"]),
  ...named("--max-cost", ["max-budget-usd", "max-budget"]),
  ...named("--max-time", ["timeout"]),
  ...named("--max-turns", ["max-steps", "max-iterations"]),
  ...named("--effort", ["thinking", "reasoning-effort", "variant"]),
  ...named("--endpoint", ["base-url", "api-base", "openai-api-base", "oss", "provider"]),
  ...named("--add-dir", ["include-directories"]),
  ...named("--resume", ["session", "session-id"]),
  ...named("--fork", ["fork-session"]),
  ...named(ONE_ANSWER, ["message", "prompt"]),
  ...named("@PATH in the prompt", ["file", "read"]),
  ...named("@NAME at the beginning of the prompt", ["agent"]),
  ...named("the variable OPENAI_API_KEY, or ally init", ["api-key", "openai-api-key"]),
  ...named("ally mcp add", ["mcp-config"]),
  ...named("ally config set", ["config", "settings"]),
  ...named("ally config set stream false", ["no-stream"]),
]);

/** Commands. */
const COMMANDS: ReadonlyMap<string, string> = new Map([
  ["update", "ally upgrade"],
  ["version", "ally --version"],
  ["login", "ally init"],
  ["auth", "ally init"],
  ["setup", "ally init"],
  ["configure", "ally init"],
  ["settings", "ally config list"],
  ["resume", "ally --resume"],
  ["continue", "ally --continue"],
  ["exec", ONE_ANSWER],
  ["run", ONE_ANSWER],
  ["chat", "ally, which begins a session"],
]);

/** What an option of another agent is here. */
export function optionLike(name: string): string | undefined {
  return OPTIONS.get(fold(name));
}

/** What a command of another agent is here. */
export function commandLike(name: string): string | undefined {
  return COMMANDS.get(name);
}

function named(here: string, names: readonly string[]): (readonly [string, string])[] {
  return names.map((name) => [fold(name), here]);
}

/** `allowedTools` and `allowed-tools` are one. */
function fold(name: string): string {
  return name.toLowerCase().replaceAll("-", "");
}
