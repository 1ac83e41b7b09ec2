/** What commands changed is known exactly, whether the tree is watched or scanned. */
import { TEST_SEED } from "../support/random.ts";
import { checkRandomCommands } from "../support/tracked_commands.ts";

for (const by of ["watch", "lossy", "scan"] as const) {
  Deno.test(`what random commands (${TEST_SEED}) did is known exactly by ${by}`, async () => {
    await checkRandomCommands({ seed: TEST_SEED, commands: 12, confined: true, by });
    await checkRandomCommands({ seed: TEST_SEED, commands: 6, confined: false, by });
  });
}
