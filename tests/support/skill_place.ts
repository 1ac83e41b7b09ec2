/**
 * Skills on the disk, for the user and for a project.
 */
import { dirname, join } from "node:path";
import type { Place } from "./program.ts";

/** Where skills of a place lie. */
export const SKILL_PLACES = {
  /** `~/.agents/skills` */
  agents: ({ env }: Place) => join(env.HOME ?? "", ".agents", "skills"),
  /** `~/.ally/skills` */
  own: ({ home }: Place) => join(home, "skills"),
  /** `~/.claude/skills` */
  claude: ({ env }: Place) => join(env.HOME ?? "", ".claude", "skills"),
  /** `.agents/skills` of the project */
  project: ({ dir }: Place) => join(dir, ".agents", "skills"),
} as const;

/** The text of a `SKILL.md`; `fields` are further lines of its head. */
export function skillText(name: string, body: string, fields: readonly string[] = []): string {
  const head = [`name: ${name}`, `description: What ${name} is for.`, ...fields];
  return `---\n${head.join("\n")}\n---\n\n${body}\n`;
}

/** Writes files below a folder, with the folders that they need. */
export async function writeFiles(
  root: string,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await Deno.mkdir(dirname(join(root, name)), { recursive: true });
    await Deno.writeTextFile(join(root, name), text);
  }
}
