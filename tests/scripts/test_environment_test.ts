import assert from "node:assert/strict";
import manifest from "../../deno.json" with { type: "json" };
import { createTestEnvironment } from "../../scripts/test_environment.ts";

/** What a person, a CI or another program may have set, and a test once depended on or well might. */
const MACHINE: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    (
      "CI GITHUB_ACTIONS FORCE_COLOR CLICOLOR_FORCE COLORTERM COLUMNS LINES TMUX DISPLAY WAYLAND_DISPLAY EDITOR " +
      "VISUAL PAGER BROWSER SHELL BASH_ENV ENV CDPATH LC_ALL LANGUAGE LS_COLORS GREP_OPTIONS GIT_DIR GIT_WORK_TREE " +
      "GIT_CONFIG_GLOBAL GIT_EDITOR NODE_OPTIONS NODE_PATH PYTHONPATH SSH_AUTH_SOCK DBUS_SESSION_BUS_ADDRESS " +
      "XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME OPENAI_API_KEY OPENAI_BASE_URL OPENAI_LOG OPENAI_ORG_ID " +
      "ALLY_HOME ALLY_MODEL DENO_NO_PACKAGE_JSON DENO_JOBS DENORT_BIN npm_config_prefix npm_lifecycle_event INIT_CWD"
    ).split(" ").map((name) => [name, "of the machine"]),
  ),
  PATH: "/usr/bin",
  HOME: "/home/person",
  LANG: "de_DE.UTF-8",
  TZ: "Asia/Kolkata",
  TERM: "xterm-kitty",
};
const MADE = { home: "/tmp/home", temporary: "/tmp/scratch", denoDir: "/cache/deno" };

Deno.test("tests see nothing of what the machine has set, but where programs and packages are", () => {
  const bare = createTestEnvironment({ PATH: "/usr/bin", HOME: "/home/person" }, MADE);
  assert.deepEqual(createTestEnvironment(MACHINE, MADE), bare);
  assert.equal(bare.HOME, "/tmp/home");
  assert.equal(bare.TMPDIR, "/tmp/scratch");
  assert.equal(bare.XDG_CACHE_HOME, "/home/person/.cache");
});

Deno.test("how packages are fetched and what tests are told comes through, but no proxy for loopback", () => {
  const given = {
    HTTPS_PROXY: "http://proxy:3128",
    NO_PROXY: "intranet",
    npm_config_registry: "https://registry.example",
    NPM_CONFIG_CAFILE: "/ca.pem",
    ALLY_TEST_SEED: "7",
  };
  const { NO_PROXY, ...made } = createTestEnvironment(given, MADE);
  assert.equal(NO_PROXY, "intranet,127.0.0.1,localhost,::1");
  for (const [name, value] of Object.entries(given)) {
    if (name !== "NO_PROXY") assert.equal(made[name], value, name);
  }
});

Deno.test("a directory for temporary files with a blank, or too long for a socket, is not taken", () => {
  for (const temporary of ["/a b", "", "relative", `/${"long/".repeat(20)}`]) {
    const made = createTestEnvironment({ HOME: "/" }, { ...MADE, temporary });
    assert.equal("TMPDIR" in made, false, temporary);
  }
});

Deno.test("every task that runs tests runs them in that environment", () => {
  const tasks = Object.entries(manifest.tasks).filter(([name]) => /^test\b/.test(name));
  assert.equal(tasks.length, 4);
  for (const [, { command }] of tasks) {
    assert.match(command, /^deno run --allow-all scripts\/test\.ts( \w+)?$/);
  }
});
