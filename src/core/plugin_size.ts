/**
 * How large a plugin may be: one that is larger is neither installed nor run.
 */

/** Files of a plugin. */
export const MAX_PLUGIN_FILES = 5_000;
/** Bytes of all its files together. */
export const MAX_PLUGIN_BYTES = 64 * 1024 * 1024;
