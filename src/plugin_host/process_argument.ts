/**
 * How an ally that is one executable is told to be the process of a plugin: known to who starts it and to
 * `cli/run.ts`, which loads nothing else of this room for it.
 */

/** The first argument; the second says what the process may do. */
export const PROCESS_ARGUMENT = "--plugin-process";
