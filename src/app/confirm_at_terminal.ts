/**
 * A Yes or No outside a session, from the person at the terminal that ally was started in.
 */
import { UsageError } from "../core/errors.ts";
import type { Io } from "./io.ts";

/** Asks; anything but y means No. @throws {UsageError} with `refusal`: there is no terminal */
export async function confirmAtTerminal(
  question: string,
  { io, color, refusal }: { io: Io; color: boolean; refusal: string },
): Promise<boolean> {
  if (!io.stdin.isTerminal() || !io.stdout.isTerminal()) throw new UsageError(refusal);
  const [{ confirm }, { openTerminal }, { createTheme }] = await Promise.all([
    import("../ui/confirm.ts"),
    import("../ui/terminal.ts"),
    import("../ui/theme.ts"),
  ]);
  const terminal = openTerminal(io, { color });
  try {
    return await confirm(question, {
      terminal,
      theme: createTheme(terminal),
      signal: new AbortController().signal,
    });
  } finally {
    terminal.restore();
  }
}
