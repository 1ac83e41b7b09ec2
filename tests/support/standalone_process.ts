/**
 * What an ally that is one executable does as the process of a plugin, without the rest of it.
 */
import { runPluginProcess } from "../../src/plugin_host/standalone.ts";

Deno.exit(await runPluginProcess(Deno.args[1] ?? ""));
