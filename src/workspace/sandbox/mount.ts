/**
 * What a sandbox's profile is made of. `profile.ts` and `repository.ts` make them, `bubblewrap.ts` and
 * `seatbelt.ts` say them in the words of their system.
 */

/** One place. "empty" shows nothing and takes nothing, "blank" is that for a file, "scratch" is lost. */
export interface Mount {
  readonly kind: "writable" | "readonly" | "empty" | "scratch" | "blank";
  readonly path: string;
  /** Where its content comes from. @default the path itself */
  readonly source?: string;
}

export interface Profile {
  /** Whether the machine's network is shared. */
  readonly network: boolean;
  readonly mounts: readonly Mount[];
}
