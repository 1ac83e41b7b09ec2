/**
 * How an ally that is one executable is told to be the process of a plugin. Apart from `launch.ts`, so that the
 * command line can know it without loading what starts plugins.
 */

/** The hidden subcommand; its argument says what the process may do. */
export const PROCESS_COMMAND = "plugin-process";
