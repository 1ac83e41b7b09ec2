/**
 * The version, as `deno.json` has it.
 */
import manifest from "../../deno.json" with { type: "json" };

/** Semantic version of this ally. */
export const VERSION: string = manifest.version;
