/**
 * The Deno permissions that ally runs with, however it is started, and never a prompt of Deno's own. All
 * of them: Deno opens /proc/self/fd, through which directories are held open so that no link swapped in
 * can lead a write elsewhere, to such programs only. Beside run, which may start anything, the two that
 * ally has no use of itself (ffi, import) give no power; what flags deny is revoked when ally starts.
 */
export const PERMISSIONS = ["--allow-all", "--no-prompt"] as const;
