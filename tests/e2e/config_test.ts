/**
 * The settings as a user changes them, and that runs honour them.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { startInTerminal } from "../support/ally_terminal.ts";
import { makePlace, type Place, runAlly, stage } from "../support/program.ts";

async function config(place: Place, ...args: string[]) {
  return await runAlly(place, { args: ["config", ...args] });
}

const fileOf = ({ home }: Place) => join(home, "config.json");

Deno.test("ally config set, get and unset change one key and nothing else of the file", async () => {
  await using place = await makePlace();
  await Deno.mkdir(place.home);
  const written = '{\n    "future_key": [1,  2],\n    "model": "m"\n}\n';
  await Deno.writeTextFile(fileOf(place), written);
  const set = await config(place, "set", "max_turns", "7");
  assert.match(set.stdout, /^max_turns is now 7 in .*config\.json\n$/);
  const text = await Deno.readTextFile(fileOf(place));
  assert.equal(
    text,
    '{\n    "future_key": [1,  2],\n    "model": "m",\n    "max_turns": 7\n}\n',
  );
  assert.equal((await Deno.stat(fileOf(place))).mode! & 0o777, 0o600);
  const got = await config(place, "get", "max_turns");
  assert.equal(got.stdout, "7\n");
  assert.match(got.stderr, /unknown setting 'future_key' is ignored/);
  await config(place, "unset", "max_turns");
  assert.equal(await Deno.readTextFile(fileOf(place)), written);
  const again = await config(place, "unset", "max_turns");
  assert.equal(again.code, 0);
  assert.match(again.stdout, /was not set/);
});

Deno.test("ally config set says where its value does not hold", async () => {
  await using place = await makePlace();
  const set = await config(place, "set", "model", "mine");
  assert.match(
    set.stdout,
    /^model is now mine in .*no effect: the environment says otherwise\.\n$/,
  );
});

Deno.test("a value is read by the type of its key", async () => {
  await using place = await makePlace();
  await config(place, "set", "file_checks", "off");
  await config(place, "set", "banned_commands", "nc, curl");
  await config(place, "set", "model", "123");
  await config(place, "set", "permissions", '{"allow":{"run":["git status"]}}');
  assert.deepEqual(JSON.parse(await Deno.readTextFile(fileOf(place))), {
    file_checks: false,
    banned_commands: ["nc", "curl"],
    model: "123",
    permissions: { allow: { run: ["git status"] } },
  });
});

Deno.test("a value that may be an object or something else is what it looks like", async () => {
  await using place = await makePlace();
  const rows: [key: string, text: string, value: unknown][] = [
    ["status_line", '{"command": ["date", "+%H"]}', { command: ["date", "+%H"] }],
    ["status_line", "{model} {window}", "{model} {window}"],
    ["prices", '{"input": 1, "output": 2}', { input: 1, output: 2 }],
    ["screen_reader", "1", true],
  ];
  for (const [key, text, value] of rows) {
    const { code, stderr } = await config(place, "set", key, text);
    assert.equal(code, 0, stderr);
    assert.deepEqual(JSON.parse(await Deno.readTextFile(fileOf(place)))[key], value);
  }
});

Deno.test("what cannot be a setting is refused with 2, says why, and leaves the file", async () => {
  await using place = await makePlace();
  const cases: [args: string[], says: RegExp][] = [
    [["set", "modle", "x"], /no setting 'modle'\. Did you mean model\?/],
    [["set", "max-turns", "3"], /Did you mean max_turns\?/],
    [
      ["set", "max_turns", "many"],
      /'max_turns' \(requests one turn may make\) is "many"\. It must be a whole number/,
    ],
    [["set", "temperature", "-1"], /'temperature' .* is -1/],
    [
      ["set", "permissions", '{"allow":3}'],
      /Nothing was set: 'permissions\.allow' is not an object/,
    ],
    [["set", "search_url", "nowhere"], /It must be an http or https URL without/],
    [["set", "prices", "5"], /'prices' .* It must be an object, not a string\./],
    [
      ["set", "permissions.allow.run", "git"],
      /no setting 'permissions\.allow\.run'\. 'permissions' is one setting: give all of it as JSON/,
    ],
    [["unset", "modle"], /no setting 'modle'\. Did you mean model\?/],
    [["get", "nothing_like_it"], /ally config list shows them all/],
    [["set", "max_turns"], /missing required argument 'VALUE'/],
    [[], /Name what to do: ally config list, get, .*See ally config --help/],
  ];
  for (const [args, says] of cases) {
    const done = await config(place, ...args);
    assert.equal(done.code, 2, args.join(" "));
    assert.match(done.stderr, says);
  }
  await assert.rejects(Deno.stat(fileOf(place)), Deno.errors.NotFound);
});

Deno.test("a broken file is named with line and column, and is never written over", async () => {
  await using place = await makePlace();
  await Deno.mkdir(place.home);
  const broken = '{\n  "model": "m",\n  oops\n}\n';
  await Deno.writeTextFile(fileOf(place), broken);
  for (const args of [["set", "max_turns", "3"], ["unset", "model"], ["list"]]) {
    const done = await config(place, ...args);
    assert.equal(done.code, 2);
    assert.match(done.stderr, /config\.json: at line 3 column 3 it is not valid JSON/);
  }
  assert.equal(await Deno.readTextFile(fileOf(place)), broken);
});

Deno.test("ally config list says of every setting what holds and who says so", async () => {
  await using place = await makePlace({ files: {} });
  await config(place, "set", "max_turns", "7");
  await Deno.mkdir(join(place.dir, ".ally"));
  await place.write(".ally/config.json", '{"bash_timeout":9,"max_turns":50,"endpoint":"http://x"}');
  const args = ["--trust-project", "--temperature", "0.5", "config", "list", "--json"];
  const done = await runAlly(place, { args });
  assert.equal(done.code, 0, done.stderr);
  const rows = JSON.parse(done.stdout) as { key: string; value?: unknown; source: string }[];
  const found = (key: string) => {
    const { value, source } = rows.find((one) => one.key === key)!;
    return [value, source];
  };
  assert.deepEqual(found("temperature"), [0.5, "flag"]);
  assert.deepEqual(found("model"), ["scripted", "environment"]);
  assert.deepEqual(found("bash_timeout"), [9, "project"]);
  assert.deepEqual(found("max_turns"), [7, "user"]);
  assert.deepEqual(found("endpoint"), ["http://localhost:11434/v1", "default"]);
  assert.deepEqual(found("retries"), [4, "default"]);
  const untrusted = await config(place, "get", "bash_timeout", "--json");
  assert.equal(JSON.parse(untrusted.stdout).source, "default");
});

Deno.test("the schema describes every key, and config path says where the file is", async () => {
  await using place = await makePlace();
  const { properties } = JSON.parse((await config(place, "schema")).stdout);
  assert.equal(properties.max_turns.default, 100);
  assert.equal(properties.tool_result_max_tokens_normal.default, 1000);
  assert.match(properties.diff_display_context_lines.description, /unchanged lines/);
  assert.equal((await config(place, "path")).stdout, `${fileOf(place)}\n`);
});

Deno.test("a run honours the limits that were set", async () => {
  const cat = { calls: [{ name: "bash", arguments: { command: "cat long.txt" } }] };
  await using at = await stage([cat, cat, { text: "Done." }, cat, { text: "Done." }], {
    "long.txt": "word ".repeat(2000),
  });
  const { place } = at;
  const run = async () => await runAlly(place, { args: ["-p", "-A", "go"] });
  const result = () => {
    const { messages } = at.server.requests.at(-1)!.body as {
      messages: { role: string; content: string }[];
    };
    return messages.findLast(({ role }) => role === "tool")!.content;
  };
  await config(place, "set", "max_turns", "1");
  assert.equal((await run()).code, 4);
  await config(place, "unset", "max_turns");
  assert.equal((await run()).code, 0);
  const before = result().length;
  await config(place, "set", "tool_result_max_tokens_normal", "250");
  assert.equal((await run()).code, 0);
  assert.match(result(), /truncated/);
  assert.ok(result().length < before / 2, `${result().length} of ${before}`);
});

Deno.test("diffs have the context lines that were set, and none in files over the size", async () => {
  const lines = Array.from({ length: 9 }, (_, index) => `line ${index + 1}\n`).join("");
  const edit = (from: string, to: string) => [
    { calls: [{ name: "read", arguments: { file_paths: ["a.txt"] } }] },
    {
      calls: [
        { name: "edit", arguments: { file_path: "a.txt", old_string: from, new_string: to } },
      ],
    },
    { text: "Done." },
  ];
  await using at = await stage([...edit("line 5", "changed"), ...edit("changed", "again")], {
    "a.txt": lines,
  });
  const shown = async () => {
    const args = ["-p", "--allow-write", "--output-format", "stream-json", "go"];
    const { stdout } = await runAlly(at.place, { args });
    const previews = stdout.split("\n").filter((line) => line.includes('"tool_preview"'));
    return JSON.parse(previews[0]!).previews[0].diff as string;
  };
  await config(at.place, "set", "diff_display_context_lines", "1");
  assert.match(await shown(), /@@ -4,3 \+4,3 @@\n line 4\n-line 5\n\+changed\n line 6\n$/);
  await config(at.place, "set", "diff_display_max_file_size", "10");
  assert.match(await shown(), /@@ -5 \+5 @@\n-changed\n\+again\n$/);
});

Deno.test("/config shows who says what, sets a key with effect at once, and refuses what it does not know", async () => {
  await using at = await stage([{ text: "Hello." }]);
  await using session = startInTerminal(at.place, { columns: 100, rows: 60 });
  const say = async (text: string) => {
    await session.shows(/›$/);
    await session.keys("-l", text);
    await session.keys("Enter");
  };
  await say("/config");
  await session.shows(/model\s+│? ?scripted\s+│? ?environment/);
  await say("/config temperature 0.25");
  await session.shows(/temperature is now 0\.25[^]*from\s+the\s+next\s+request\s+on/);
  await say("/config modle x");
  await session.shows(/Did you mean model\?/);
  await say("/config file_checks");
  await session.shows(/file_checks is true \(default\)/);
  await say("go");
  await session.shows("Hello.");
  assert.equal(at.server.requests.at(-1)!.body.temperature, 0.25);
});

Deno.test("one of several endpoints is set, read and taken out by its name, and the others stay", async () => {
  await using place = await makePlace();
  const done = async (...args: string[]) => {
    const { code, stdout, stderr } = await config(place, ...args);
    assert.equal(code, 0, stderr);
    return stdout;
  };
  const set = await done("set", "endpoints.lab.url", "http://lab.example/v1");
  assert.match(set, /^endpoints\.lab\.url is now http:\/\/lab\.example\/v1 in \S+\n$/);
  await done("set", "endpoints.far", "https://far.example/v1");
  await done("set", "endpoints.far.prices", '{"input": 1, "output": 2}');
  await done("set", "endpoints.far.prices.output", "3");
  await done("set", "endpoints.lab.model", "7");
  assert.match(await done("set", "endpoint", "far"), /^endpoint is now far in /);
  assert.equal(await done("get", "endpoints.far.prices.output"), "3\n");
  const written = async () => JSON.parse(await Deno.readTextFile(fileOf(place)));
  assert.deepEqual(await written(), {
    endpoints: {
      lab: { url: "http://lab.example/v1", model: "7" },
      far: { url: "https://far.example/v1", prices: { input: 1, output: 3 } },
    },
    endpoint: "far",
  });
  await done("unset", "endpoints.far.prices");
  await done("unset", "endpoints.lab");
  assert.deepEqual((await written()).endpoints, { far: { url: "https://far.example/v1" } });
});

Deno.test("an endpoint that no run could use is not set", async () => {
  await using place = await makePlace();
  await config(place, "set", "endpoints.lab", "http://lab.example/v1");
  const rows: [args: string[], why: RegExp][] = [
    [
      ["endpoint", "labx"],
      /no endpoint of that name is configured\. The configuration names lab\./,
    ],
    [["endpoint", "lab.example:80/v1"], /Did you mean http:\/\/lab\.example:80\/v1\?/],
    [
      ["endpoints.lab.url", "ftp://x"],
      /Nothing was set: 'endpoints\.lab\.url' is "ftp:\/\/x"\. .*an http or https URL, such as/,
    ],
    [["endpoints.new.model", "m"], /no server 'new' yet.*ally config set endpoints\.new URL/],
    [["endpoints.lab.modl", "m"], /a server has no 'modl'\. Did you mean model\?/],
    [["endpoints.lab.nonsense", "1"], /no 'nonsense'\. There are url, key_env, .*effort_by\./],
  ];
  for (const [args, why] of rows) {
    const { code, stderr } = await config(place, "set", ...args);
    assert.equal(code, 2, args.join(" "));
    assert.match(stderr, why);
  }
  assert.deepEqual(JSON.parse(await Deno.readTextFile(fileOf(place))), {
    endpoints: { lab: { url: "http://lab.example/v1" } },
  });
});

Deno.test("the levels of the window hold from where they were set, for agents too", async () => {
  const look = { name: "bash", arguments: { command: "echo same" } };
  const task = { agents: [{ agent_name: "general", task_prompt: "look" }] };
  await using at = await stage([
    { calls: [look] },
    { text: "Stopped." },
    { calls: [{ name: "agent", arguments: task }] },
    { calls: [look] },
    { text: "Agent done." },
    { text: "All done." },
    { calls: [look] },
    { text: "Blocked." },
  ]);
  const { place, server } = at;
  const toolTexts = (index: number) =>
    (server.requests[index]!.body.messages as { role: string; content: string }[])
      .filter(({ role }) => role === "tool").map(({ content }) => content);
  const run = (...args: string[]) => runAlly(place, { args: ["-p", "-A", ...args] });
  await config(place, "set", "context_percent_moderate", "30");
  const filling = ["--context-size", "4096"];
  await run(...filling, "go");
  assert.match(toolTexts(1)[0]!, /\[(Notice: [3-6]\d|WARNING: \d\d)% of the context is used/);
  await run(...filling, "agents");
  assert.match(toolTexts(4)[0]!, /% of the context is used/);
  await config(place, "set", "context_percent_critical", "30");
  const blocked = await run(...filling, "go");
  assert.match(toolTexts(7)[0]!, /CRITICAL CONTEXT LIMIT: \d\d% used/);
  assert.equal(blocked.stdout, "Blocked.\n");
});
