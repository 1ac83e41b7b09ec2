/** One of the screens that `tests/slow/screens_test.ts` compares, and says how they are written anew. */
import { hasBubblewrap, hasSocketScope } from "../support/sandbox.ts";
import { reviewScreens } from "../support/screen_review.ts";
import { hasTmux } from "../support/tmux.ts";

Deno.test({
  name: "the first screen and an answer in Markdown are as they were reviewed",
  ignore: !hasTmux() || !hasBubblewrap() || !hasSocketScope(),
  fn: () => reviewScreens("60x20", { last: "markdown" }),
});
