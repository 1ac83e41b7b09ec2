// deno-lint-ignore-file no-console
/**
 * A turn followed event by event: it may edit files, asks this program about anything else, and ends when its budget
 * is spent. A second turn goes on with the session. Run by `deno run --allow-all scripts/examples/follow.ts`.
 */
import { Ally, type AllyOptions, type AskPermission } from "ally-agent";

/** Allows what a test needs, and says no to everything else. */
const ask: AskPermission = (requests) =>
  Promise.resolve(requests.map(({ tool, risk }) => ({
    kind: tool === "bash" && risk === "sensitive" ? "allow" : "deny",
  })));

/** Fixes a project, and tells what happens meanwhile. */
export async function fix(options: AllyOptions, tell: (line: string) => void): Promise<string> {
  const ally = new Ally({ ...options, permissions: { allow: { write: true } } });
  const turn = ally.run("Fix the failing test.", {
    ask,
    budget: { tokens: 200_000, seconds: 600 },
  });
  for await (const event of turn) {
    if (event.type === "tool_start") tell(`${event.name} ${event.description}`);
    if (event.type === "permission") tell(`${event.decision}: ${event.why}`);
  }
  const { reason } = await turn;
  tell(`ended: ${reason}`);
  const { text } = await ally.run("Say in one line what was wrong.", { continue: true });
  return text;
}

if (import.meta.main) console.log(await fix({ cwd: Deno.args[0] ?? "." }, console.error));
