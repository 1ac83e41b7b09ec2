/**
 * What commands without the user's logins leave in caches is not run by those that have them; and no command makes
 * namespaces, in which it could undo what its sandbox keeps.
 */
import assert from "node:assert/strict";
import { guarded, hasBubblewrap } from "../support/sandbox.ts";

Deno.test({
  name: "a cache that commands without logins write is not that of commands with logins",
  ignore: !hasBubblewrap(),
  async fn() {
    const print =
      'cat "$npm_config_cache/planted" "$PIP_CACHE_DIR/planted" 2>&1; echo "$npm_config_cache"';
    await using at = await guarded([
      'mkdir -p "$npm_config_cache" "$PIP_CACHE_DIR"; echo evil | tee "$npm_config_cache/planted" >"$PIP_CACHE_DIR/planted"',
      "npm install",
      print,
    ], {
      files: {
        "package.json": JSON.stringify({ scripts: { postinstall: "sh show.sh > shown.txt" } }),
        "show.sh": print,
      },
    });
    await at.run(["-A", "--allow-run=npm"]);
    assert.match(at.results()[2]!, /evil\nevil\n.*cache/);
    const shown = await at.place.read("shown.txt");
    assert.doesNotMatch(shown, /evil/);
    assert.match(shown, /keyed-cache/);
  },
});

Deno.test({
  name: "no command makes a namespace of its own",
  ignore: !hasBubblewrap(),
  async fn() {
    // CLONE_NEWUSER alone, and with CLONE_NEWNS.
    const part =
      "import ctypes; c = ctypes.CDLL(None); print([c.unshare(f) for f in (1 << 28, 1 << 28 | 1 << 17, 1 << 17)])";
    for (const flags of [[], ["-A"]]) {
      await using at = await guarded([
        `python3 -c '${part}'`,
        "unshare -Ur true; unshare -Urm true",
      ]);
      await at.run(flags);
      assert.match(at.results()[0]!, /\[-1, -1, -1\]/);
      assert.match(
        at.results()[1]!,
        /Operation not permitted.*Operation not permitted|Permission denied/s,
      );
    }
  },
});
