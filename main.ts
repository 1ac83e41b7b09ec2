/** ally: a coding agent for the terminal. */
import { systemIo } from "./src/app/system_io.ts";
import { run } from "./src/cli/run.ts";

Deno.exit(await run(Deno.args, systemIo()));
