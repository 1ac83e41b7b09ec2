// deno-lint-ignore-file no-console
/**
 * An answer as a value: the model reads the project, and what it says fits a schema. Run by
 * `deno run --allow-all scripts/examples/ask.ts`.
 */
import { Ally, type AllyOptions } from "ally-agent";

const SCHEMA = {
  type: "object",
  properties: {
    language: { type: "string" },
    tests: { type: "boolean", description: "whether the project has tests" },
  },
  required: ["language", "tests"],
} as const;

/** Says what a project is written in. */
export async function describeProject(options: AllyOptions): Promise<string> {
  const ally = new Ally(options);
  const { structured, reason, error } = await ally.run("What is this project?", { schema: SCHEMA });
  if (reason !== "done") throw new Error(`No answer (${reason}): ${error ?? ""}`);
  const { language, tests } = structured as { language: string; tests: boolean };
  return `${language}, ${tests ? "with" : "without"} tests`;
}

if (import.meta.main) console.log(await describeProject({ cwd: Deno.args[0] ?? "." }));
