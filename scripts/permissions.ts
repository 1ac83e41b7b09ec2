/**
 * The Deno permissions that ally runs with, however it is started, and never a prompt of Deno's own. All
 * of them: Deno opens /proc/self/fd, through which directories are held open so that no link swapped in
 * can lead a write elsewhere, to such programs only. Beside run, which may start anything, ffi (for inotify) and
 * import, which ally has no use of itself, give no power; what flags deny is revoked when ally starts.
 */
export const PERMISSIONS = ["--allow-all", "--no-prompt"] as const;

/** What else a bundle is compiled with: it needs no configuration, no package and no registry. */
export const COMPILE_FLAGS = [
  ...PERMISSIONS,
  "--no-config",
  "--no-remote",
  "--no-npm",
  "--no-lock",
  // A worker with permissions of its own is what reaches the model server where the rest of the network is denied.
  "--unstable-worker-options",
  // What a turn leaves behind is collected early: without it 100 calls take a fifth more memory, and are no faster.
  "--v8-flags=--max-semi-space-size=4",
] as const;

/**
 * What `deno run` starts a bundle with: chunks are read when they are used, not all of them at the start. Quietly,
 * because at a terminal Deno erases the line of the cursor each time that it reads one, as for a bar of progress.
 */
export const RUN_FLAGS = [...COMPILE_FLAGS, "--unstable-lazy-dynamic-imports", "--quiet"] as const;
