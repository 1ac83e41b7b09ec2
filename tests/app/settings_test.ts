/**
 * What `ally config list` says of each setting, beside what a run uses, through every source that it can come from.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { App } from "../../src/app/app.ts";
import { compose } from "../../src/app/compose.ts";
import { destinationOf } from "../../src/app/endpoints.ts";
import { parseArguments } from "../../src/cli/args.ts";
import { startScriptedServer } from "../../src/modes/demo/scripted_server.ts";
import { DEFAULT_BANNED } from "../../src/permission/banned.ts";
import type { EffectiveSetting } from "../../src/store/config_sources.ts";
import {
  type Config,
  DEFAULTS,
  SETTING_TABLE,
  type SettingKey,
} from "../../src/store/settings_table.ts";
import { createMemoryIo } from "../support/memory_io.ts";
import { makePlace, runAlly } from "../support/program.ts";

/** Two values of each setting, neither of them the default; a project may set the second. */
const SAMPLES: { readonly [K in SettingKey]: readonly [Config[K], Config[K]] } = {
  endpoint: ["http://127.0.0.1:1/v1", "http://127.0.0.1:2/v1"],
  endpoints: [{ lab: { url: "http://127.0.0.1:3/v1" } }, { far: { url: "http://127.0.0.1:4/v1" } }],
  prices: [{ input: 1, output: 2 }, { input: 3, output: 4 }],
  model: ["first", "second"],
  fallback_model: ["third", "fourth"],
  context_size: [20_000, 30_000],
  max_tokens: [500, 600],
  temperature: [0.25, 0.5],
  effort: ["low", "high"],
  max_turns: [9, 8],
  agent_max_turns: [7, 6],
  max_tokens_total: [900_000, 800_000],
  max_cost: [9.5, 8.5],
  max_time: [900, 800],
  max_parallel: [3, 2],
  bash_timeout: [11, 12],
  banned_commands: [["tac"], ["rev"]],
  permissions: [{ allow: { run: ["git status"] } }, { deny: { net: true } }],
  hooks: [{ stop: [{ command: "true" }] }, { prompt: [{ command: ["true"] }] }],
  sandbox: ["off", "off"],
  unasked: ["safe", "safe"],
  file_checks: [false, false],
  skills_compat: [true, true],
  search_url: ["http://localhost:8888", "https://search.example/x"],
  keep_sessions: [5, 6],
  mask_secrets: [false, false],
  show_thinking: ["full", "off"],
  stream: [false, false],
  warm: [false, false],
  editing_mode: ["vim", "vim"],
  tips: [false, false],
  retries: [1, 2],
  request_timeout: [101, 102],
  idle_timeout: [103, 104],
  reply_timeout: [105, 106],
  mcp_timeout: [5, 6],
  tool_result_max_tokens_normal: [901, 902],
  tool_result_max_tokens_moderate: [701, 702],
  tool_result_max_tokens_aggressive: [401, 402],
  tool_result_max_tokens_critical: [101, 102],
  context_percent_moderate: [60, 61],
  context_percent_aggressive: [80, 81],
  context_percent_critical: [90, 91],
  default_tool_tokens: [301, 302],
  tokens_per_message: [6, 7],
  token_buffer_ratio: [0.7, 0.75],
  min_compaction_interval: [10, 20],
  deduplication_ratio: [0.5, 0.6],
  check_context_msg: [false, false],
  max_recent_calls: [20, 30],
  max_same_calls: [6, 7],
  interrupt_debounce_seconds: [1, 3],
  rapid_interrupt_threshold: [4, 5],
  diff_display_enabled: [false, false],
  diff_display_context_lines: [1, 2],
  diff_display_max_file_size: [1000, 2000],
  status_line: ["off", { command: ["date"] }],
  terminal_integration: [false, false],
  screen_reader: [true, true],
  reduced_motion: [true, true],
  diff_display_theme: ["dark", "light"],
  theme: ["dark", "none"],
  diff_display_color_removed: ["#010101", "#020202"],
  diff_display_color_added: ["#030303", "#040404"],
  diff_display_color_modified: ["#050505", "#060606"],
};

/** What a run has of a setting, where a part of it shows that; of the others, what the parts are made with. */
const IN_RUN: Partial<Record<SettingKey, (app: App) => unknown>> = {
  endpoint: ({ settings: { endpoints: { default: home }, values } }) =>
    values.endpoint === home.name ? home.name : home.url,
  // Within a run the name of the endpoint stands before it.
  model: ({ current: { settings: { model } }, settings: { endpoints, values } }) =>
    values.model === model ? model : destinationOf(model, endpoints).model,
  fallback_model: ({ agent }) => agent.deps.fallbackModel,
  prices: ({ current, settings }) =>
    destinationOf(current.settings.model, settings.endpoints).endpoint.prices,
  context_size: ({ current }) => current.budget.size,
  max_tokens: ({ current }) => current.settings.maxTokens,
  temperature: ({ current }) => current.settings.temperature,
  effort: ({ current: { settings: { effort, model } }, models }) =>
    effort ?? models.factsOf(model).effort,
  max_turns: ({ agent }) => agent.deps.maxTurns,
  max_tokens_total: ({ agent }) => agent.deps.spending?.limits.tokens,
  max_cost: ({ agent }) => agent.deps.spending?.limits.cost,
  max_time: ({ agent }) => agent.deps.spending?.limits.seconds,
  max_parallel: ({ agent }) => agent.deps.scheduler.maxParallel,
  bash_timeout: ({ agent }) => agent.deps.scheduler.limits().bashTimeout,
  mask_secrets: ({ secrets }) => secrets.mask(SECRET) !== SECRET,
  context_percent_critical: ({ current }) => current.budget.blockedFrom,
  token_buffer_ratio: ({ agent }) => agent.deps.thresholds.compact,
  min_compaction_interval: ({ agent }) => agent.deps.thresholds.interval,
  deduplication_ratio: ({ agent }) => agent.deps.thresholds.dedupe,
  max_recent_calls: ({ agent }) => agent.deps.repetition.window,
  max_same_calls: ({ agent }) => agent.deps.repetition.maxSame,
  diff_display_context_lines: ({ agent }) => agent.deps.scheduler.diffs.lines,
  diff_display_max_file_size: ({ agent }) => agent.deps.scheduler.diffs.maxFileSize,
};

const SECRET = "ghp_7Qm2xZ81kPw0b91bVt6Ls3dYc4h2Kd8s9AbC";

/** What a run uses where the list has words instead of a value. */
const UNSAID: Readonly<Record<string, unknown>> = {
  banned_commands: DEFAULT_BANNED,
  model: "scripted",
  context_size: DEFAULTS.context_size,
};

const KEYS = [...SETTING_TABLE.keys()] as SettingKey[];

/** All settings with their first or their second sample. */
function samples(which: 0 | 1): Config {
  return Object.fromEntries(KEYS.map((key) => [key, SAMPLES[key][which]]));
}

interface Said {
  readonly user?: Config;
  readonly project?: Config;
  readonly env?: Readonly<Record<string, string>>;
  readonly flags?: readonly string[];
}

/** Lists the settings and composes a run, from the same sources. */
async function listAndRun(said: Said) {
  await using server = await startScriptedServer({ replies: [], models: ["scripted"] });
  await using place = await makePlace();
  await Deno.mkdir(place.home);
  await Deno.mkdir(join(place.dir, ".ally"));
  await Deno.writeTextFile(join(place.home, "config.json"), JSON.stringify(said.user ?? {}));
  await place.write(".ally/config.json", JSON.stringify(said.project ?? {}));
  const isNamed = [said.user, said.project].some((one) => one?.endpoint !== undefined);
  const env = {
    ALLY_MODEL: "",
    ALLY_STATUS_LINE: "",
    ...(!isNamed && { OPENAI_BASE_URL: server.url }),
    ...said.env,
  };
  const flags = ["--trust-project", ...said.flags ?? []];
  const listed = await runAlly(place, { args: [...flags, "config", "list", "--json"], env });
  assert.equal(listed.code, 0, listed.stderr);
  const rows: readonly EffectiveSetting[] = JSON.parse(listed.stdout);
  const invocation = await parseArguments(["-p", ...flags, "go"], { cwd: place.dir });
  if (invocation.kind !== "run") throw new Error("Cannot compose: the flags ask for no run");
  const app = await compose(invocation.options, {
    sink: () => {},
    ask: (requests) => Promise.resolve(requests.map(() => ({ kind: "deny" }))),
    interactive: false,
    io: createMemoryIo({ env: { ...place.env, ...env }, cwd: place.dir }),
  });
  try {
    return new Map(rows.map((row) => {
      const key = row.key as SettingKey;
      const inRun = IN_RUN[key]?.(app) ?? app.settings.values[key];
      return [key, { ...row, inRun }];
    }));
  } finally {
    app.close();
  }
}

/** Asserts that list and run agree on every setting, and that those named are from a source with a value. */
async function assertAgree(
  said: Said,
  { source, values }: { source: string; values: Config },
): Promise<void> {
  const rows = await listAndRun(said);
  assert.deepEqual([...rows.keys()], KEYS);
  for (const [key, { value, inRun }] of rows) {
    assert.deepEqual(inRun, value ?? UNSAID[key], `${key} is listed otherwise than the run has it`);
  }
  const found = Object.keys(values).map((key) => [key, rows.get(key as SettingKey)]);
  assert.deepEqual(
    found.map((
      [key, row],
    ) => [key, (row as EffectiveSetting).source, (row as EffectiveSetting).value]),
    Object.entries(values).map(([key, value]) => [key, source, value]),
  );
}

const FLAGS = KEYS.flatMap((key) => {
  const flag = SETTING_TABLE.get(key)?.flags?.at(-1);
  return flag === undefined ? [] : [{ key, flag }];
});
const VARIABLES = KEYS.flatMap((key) => {
  const variable = SETTING_TABLE.get(key)?.variable;
  return variable === undefined ? [] : [{ key, variable }];
});

/** The samples of those settings alone. */
function pick(which: 0 | 1, keys: readonly SettingKey[]): Config {
  return Object.fromEntries(keys.map((key) => [key, SAMPLES[key][which]]));
}

Deno.test("every setting has samples that are not its default", () => {
  assert.deepEqual(Object.keys(SAMPLES).sort(), [...KEYS].sort());
  const defaults = new Map(Object.entries<unknown>(DEFAULTS));
  const same = Object.entries(SAMPLES)
    .filter(([key, values]) => values.some((value) => value === defaults.get(key)));
  assert.deepEqual(same, []);
});

Deno.test("config list and a run agree on every default", async () => {
  const { context_size: _, ...values } = DEFAULTS;
  await assertAgree({}, { source: "default", values });
  const unsaid = await listAndRun({ flags: ["--model=m"], env: { OPENAI_BASE_URL: "" } });
  const { value, source, inRun } = unsaid.get("endpoint")!;
  assert.deepEqual([value, source, inRun], ["http://localhost:11434/v1", "default", value]);
});

Deno.test("config list and a run agree on every setting of the user's", async () => {
  await assertAgree({ user: samples(0) }, { source: "user", values: samples(0) });
});

Deno.test("config list and a run agree on what a project sets, makes stricter, and may not say", async () => {
  const keysOf = (...rules: string[]) =>
    KEYS.filter((key) => rules.includes(SETTING_TABLE.get(key)!.project));
  const values = {
    ...pick(1, keysOf("free", "tighten", "add")),
    banned_commands: [...DEFAULT_BANNED, "rev"],
  };
  const { endpoint: _, ...project } = samples(1);
  await assertAgree({ project }, { source: "project", values });
  const user = samples(0);
  await assertAgree({ project: samples(1), user }, {
    source: "user",
    values: pick(0, keysOf("never")),
  });
});

Deno.test("config list and a run agree on every variable, before project and user", async () => {
  const env = Object.fromEntries(
    VARIABLES.map(({ key, variable }) => [variable, String(SAMPLES[key][0])]),
  );
  const values = pick(0, VARIABLES.map(({ key }) => key));
  await assertAgree({ env, project: samples(1), user: samples(1) }, {
    source: "environment",
    values,
  });
});

Deno.test("config list and a run agree on every flag, before variable, project and user", async () => {
  const env = Object.fromEntries(
    VARIABLES.map(({ key, variable }) => [variable, String(SAMPLES[key][0])]),
  );
  const flags = FLAGS.map(({ key, flag }) => {
    const name = /--[\w-]+/.exec(flag.term)![0];
    return flag.value === undefined ? `${name}=${SAMPLES[key][1]}` : name;
  });
  const values = pick(1, FLAGS.map(({ key }) => key));
  await assertAgree({ flags, env, project: samples(0), user: samples(0) }, {
    source: "flag",
    values,
  });
});

Deno.test("config list and a run agree on what a named endpoint says for itself", async () => {
  const a = {
    url: "http://127.0.0.1:1/v1",
    model: "x-model",
    context_size: 4096,
    prices: { input: 5, output: 6 },
  };
  const { url: _, ...values } = a;
  const said = { source: "endpoint a", values };
  await assertAgree({ user: { endpoint: "a", endpoints: { a } } }, said);
  // Where another endpoint than the configured one is chosen, its model goes along.
  const user = { ...pick(0, ["endpoint", "model", "context_size", "prices"]), endpoints: { a } };
  await assertAgree({ user, flags: ["--endpoint=a"] }, said);
  // The configured endpoint has the configured model, by whichever of its names it is called.
  for (const endpoint of ["a", a.url]) {
    const user = { endpoint, model: "own", endpoints: { a } };
    await assertAgree({ user }, { source: "user", values: { model: "own" } });
  }
  await assertAgree({ user, flags: ["--model=a/other"] }, {
    source: "endpoint a",
    values: { context_size: 4096, prices: a.prices },
  });
});

Deno.test("config list and a run agree on a window that is known from an earlier run", async () => {
  await using place = await makePlace();
  const env = { OPENAI_BASE_URL: "http://127.0.0.1:1/v1", ALLY_MODEL: "m" };
  await Deno.mkdir(place.home);
  await Deno.writeTextFile(
    join(place.home, "models.json"),
    JSON.stringify({
      "http://127.0.0.1:1/v1 m": {
        checked: "2026-01-01T00:00:00Z",
        window: { size: 5000, source: "server" },
      },
    }),
  );
  const { stdout } = await runAlly(place, {
    args: ["config", "get", "context_size", "--json"],
    env,
  });
  const { value, source } = JSON.parse(stdout);
  assert.deepEqual([value, source], [5000, "server"]);
});

Deno.test("settings are listed though no run could use the endpoint, and why is said", async () => {
  await using place = await makePlace();
  await Deno.mkdir(place.home);
  await Deno.writeTextFile(join(place.home, "config.json"), '{"endpoint":"gone","max_turns":7}');
  const { code, stdout, stderr } = await runAlly(place, { args: ["config", "list"] });
  assert.equal(code, 0);
  assert.match(stdout, /endpoint +user +gone\n/);
  assert.match(stdout, /max_turns +user +7\n/);
  assert.match(stderr, /Cannot use the endpoint 'gone'/);
});
