/**
 * What an ally that is one executable does as the process of a plugin, without the rest of it.
 */
import { systemIo } from "../../src/app/system_io.ts";
import { runPluginProcess } from "../../src/subcommands/plugin/standalone_process.ts";

Deno.exit(await runPluginProcess({ grants: Deno.args[1] ?? "" }, systemIo()));
