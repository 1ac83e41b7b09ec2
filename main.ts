/** ally: a coding agent for the terminal. */
import { run } from "./src/cli/run.ts";

Deno.exit(await run(Deno.args));
