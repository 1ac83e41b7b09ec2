/**
 * A process that replaces one file over and over, and prints what became of it as JSON. Arguments: the
 * file and how often.
 */
import { replaceFile } from "../../src/lib/fs.ts";

const [path = "", count = "0"] = Deno.args;
const outcomes: Record<string, number> = { written: 0 };
for (let at = 0; at < Number(count); at++) {
  try {
    await replaceFile(path, new TextEncoder().encode(`inside ${at}`));
    outcomes.written!++;
  } catch (error) {
    const code = String((error as { code?: unknown }).code);
    outcomes[code] = (outcomes[code] ?? 0) + 1;
  }
}
await Deno.stdout.write(new TextEncoder().encode(JSON.stringify(outcomes)));
