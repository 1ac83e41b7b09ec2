/**
 * What ally looks like: the same script of keys at terminals of three sizes, and each screen as it was reviewed in
 * `tests/fixtures/screens/NAME.SIZE.txt`, where all of the sandbox can be had. After a change of what is drawn, write
 * them anew, look at each, and keep them:
 *
 *     ALLY_WRITE_SCREENS=1 deno task test tests/slow/screens_test.ts
 */
import { reviewScreens, SCREEN_SIZES } from "../support/screen_review.ts";
import { hasBubblewrap, hasSocketScope } from "../support/sandbox.ts";
import { hasTmux } from "../support/tmux.ts";

for (const size of SCREEN_SIZES) {
  Deno.test({
    name: `the screens at ${size} are as they were reviewed`,
    ignore: !hasTmux() || !hasBubblewrap() || !hasSocketScope(),
    fn: () => reviewScreens(size),
  });
}
