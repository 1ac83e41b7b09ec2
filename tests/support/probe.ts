/**
 * Loaded into the real program before its first line (`--preload`): when it ends, it tries by itself what flags
 * deny, and prints what came of it. No code of ally's stands between this and Deno.
 */
const PROBES: Readonly<Record<string, () => unknown>> = {
  write: () => Deno.writeTextFileSync("probe.txt", "written"),
  run: () => new Deno.Command("touch", { args: ["probe.txt"] }).outputSync(),
  net: () => Deno.listen({ hostname: "127.0.0.1", port: 0 }).close(),
  env: () => Deno.env.get("PATH"),
};

const exit = Deno.exit;

Deno.exit = (code?: number) => {
  const outcomes = Object.entries(PROBES).map(([name, probe]) => [name, outcomeOf(probe)]);
  Deno.stderr.writeSync(
    new TextEncoder().encode(`PROBE ${JSON.stringify(Object.fromEntries(outcomes))}\n`),
  );
  return exit(code);
};

function outcomeOf(probe: () => unknown): string {
  try {
    probe();
    return "done";
  } catch (error) {
    return error instanceof Error ? error.name : String(error);
  }
}
