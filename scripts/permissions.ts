/**
 * The Deno permissions that ally runs with, however it is started. No ffi, and never a prompt of Deno's own.
 */
export const PERMISSIONS = [
  "--allow-read",
  "--allow-write",
  "--allow-run",
  "--allow-net",
  "--allow-env",
  "--allow-sys",
  "--no-prompt",
] as const;
