import assert from "node:assert/strict";
import { writeProgram } from "../../scripts/program_file.ts";
import { ToolError } from "../../src/core/errors.ts";
import type { RunOptions } from "../../src/core/shell.ts";
import { createShell } from "../../src/workspace/shell.ts";
import { childEnvironment } from "../../src/workspace/shell_environment.ts";

const signal = new AbortController().signal;
const env = { PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin", HOME: "/nowhere" };

async function inDirectory(body: (dir: string) => Promise<void>): Promise<void> {
  const dir = await Deno.realPath(await Deno.makeTempDir());
  try {
    await body(dir);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

async function failure(dir: string, options: Partial<RunOptions>): Promise<ToolError> {
  const shell = createShell({ cwd: dir, env, logDir: `${dir}/logs` });
  const error = await shell.run({ command: "true", signal, ...options }).then(
    () => undefined,
    (thrown) => thrown,
  );
  assert.ok(error instanceof ToolError);
  assert.equal(error.kind, "system");
  return error;
}

Deno.test("childEnvironment() hides secrets and what changes how bash reads a text", () => {
  const child = childEnvironment({
    PATH: "/bin:.::node_modules/.bin",
    LANG: "C.UTF-8",
    MY_API_KEY: "x",
    MYSQL_PWD: "x",
    NPM_CONFIG__AUTH: "x",
    GITHUB_PAT: "x",
    github_token: "x",
    AWS_SECRET_ACCESS: "x",
    DB_PASSWORD: "x",
    GOOGLE_APPLICATION_CREDENTIALS: "x",
    OPENAI_BASE_URL: "x",
    ALLY_HOME: "x",
    "BASH_FUNC_ls%%": "() { evil; }",
    BASH_ENV: "x",
    ENV: "x",
    SHELLOPTS: "xtrace",
    PS4: "$(evil)",
    TERM: "xterm",
    PAGER: "less",
  });
  assert.deepEqual(child, {
    PATH: "/bin",
    LANG: "C.UTF-8",
    TERM: "dumb",
    PAGER: "cat",
    GIT_PAGER: "cat",
    GIT_TERMINAL_PROMPT: "0",
    GIT_EDITOR: "true",
    NO_COLOR: "1",
    PYTHONUNBUFFERED: "1",
  });
});

const SECRET = "kT7vQ2xM9pLw4Nf9Zr8u";

Deno.test("childEnvironment() hides what holds a secret by its name or its value, and nothing else", () => {
  const hidden = {
    ...Object.fromEntries(
      ["DB_PASS", "SSHPASS", "PGPASS", "SMTP_PASS2", "ROOT_PW", "MAIL_CREDS", "CI_JOB_JWT_V2"]
        .map((name) => [name, "hush"]),
    ),
    DOCKER_AUTH_CONFIG: `{"auths":{"r":{"auth":"${SECRET}"}}}`,
    DATABASE_URL: `postgres://app:${SECRET}@db.example/x`,
    DEPLOY_HOOK: "https://hooks.slack.com/services/T00000000/B00000000/Zq8vR2mX7pLw4Nf9Zq8vR2mX",
    WHO: `ghp_${SECRET.repeat(2).slice(0, 36)}`,
    CURL_OPTIONS: `-u me:${SECRET}`,
    GIT_CONFIG_PARAMETERS: `'http.extraheader=Authorization: Basic ${SECRET}'`,
    HTTPS_PROXY_OF_ALL: `http://me:${SECRET}@proxy.example`,
  };
  const shown = {
    ...{ PWD: "/w", OLDPWD: "/home/me", HOME: "/home/me", USER: "me", SSH_ASKPASS: "/usr/bin/x" },
    ...{ COMPASS: "north1234", BYPASS_CACHE: "yes12345", PASSENGER_APP_ENV: "production" },
    ...{
      DATABASE_URL: "postgres://postgres:postgres@localhost/test",
      API_URL: "https://a.example/v1",
    },
    ...{
      HTTPS_PROXY: `http://me:${SECRET}@proxy.example`,
      NODE_OPTIONS: "--max-old-space-size=4096",
    },
    ...{
      SESSION_ID: "3f9a1c2b-7d8e-4f60-a5b6-c7d8e9f01234",
      SHA: "3f9a1c2b7d8e4f60a5b6c7d8e9f01234",
    },
  };
  const names = (env: Record<string, string>) =>
    Object.keys(childEnvironment(env)).filter((name) => Object.hasOwn(env, name));
  assert.deepEqual(names(hidden), []);
  assert.deepEqual(names(shown), Object.keys(shown));
});

Deno.test("childEnvironment() passes settings of git on that hold no secret, numbered anew", () => {
  const settings = {
    GIT_CONFIG_COUNT: "3",
    GIT_CONFIG_KEY_0: "http.https://a.example/.extraHeader",
    GIT_CONFIG_VALUE_0: "AUTHORIZATION: basic x",
    GIT_CONFIG_KEY_1: "push.default",
    GIT_CONFIG_VALUE_1: "current",
    GIT_CONFIG_KEY_2: "user.name",
  };
  const child = childEnvironment(settings);
  const passed = Object.entries(child).filter(([name]) => name.startsWith("GIT_CONFIG"));
  assert.deepEqual(Object.fromEntries(passed), {
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "push.default",
    GIT_CONFIG_VALUE_0: "current",
  });
  const shown = childEnvironment(settings, (name) => name === "GIT_CONFIG_VALUE_0" || undefined);
  assert.equal(shown.GIT_CONFIG_COUNT, "2");
  assert.equal(shown.GIT_CONFIG_VALUE_0, "AUTHORIZATION: basic x");
});

Deno.test("run() gives the child the cleaned environment and nothing of ally's own", async () => {
  await inDirectory(async (dir) => {
    const shell = createShell({
      cwd: dir,
      env: { ...env, SOME_TOKEN: "hush", "BASH_FUNC_cat%%": "() { echo fake; }" },
      logDir: dir,
    });
    const result = await shell.run({ command: "env; cat /dev/null", signal });
    assert.doesNotMatch(result.output, /hush|fake/);
    assert.match(result.output, /^TERM=dumb$/m);
    assert.match(result.output, /^HOME=\/nowhere$/m);
  });
});

Deno.test("run() runs a command line in bash, its text unchanged, in the working directory", async () => {
  await inDirectory(async (dir) => {
    const shell = createShell({ cwd: dir, env, logDir: dir });
    const result = await shell.run({
      command: `pwd; [[ a == a ]] && printf '%s\n' "\${BASH_EXECUTION_STRING@Q}"; pwd -P`,
      signal,
    });
    assert.ok(result.output.startsWith(`${dir}\n`));
    assert.ok(result.output.includes("[[ a == a ]]"));
    await Deno.mkdir(`${dir}/sub`);
    const sub = await shell.run({ command: "pwd", cwd: `${dir}/sub`, signal });
    assert.equal(sub.output, `${dir}/sub\n`);
  });
});

Deno.test("run() runs sh where there is no bash", async () => {
  await inDirectory(async (dir) => {
    await Deno.symlink("/bin/sh", `${dir}/sh`);
    const shell = createShell({ cwd: dir, env: { PATH: dir }, logDir: dir });
    const result = await shell.run({ command: 'echo "$0 $BASH_VERSION"', signal });
    assert.equal(result.output, "/bin/sh \n");
  });
});

Deno.test("run() passes a program's arguments on without a shell reading them", async () => {
  await inDirectory(async (dir) => {
    const shell = createShell({ cwd: dir, env, logDir: dir });
    const result = await shell.run({
      command: ["printf", "[%s]", "a b", "$HOME", "'", "-e"],
      signal,
    });
    assert.equal(result.output, "[a b][$HOME]['][-e]");
  });
});

Deno.test("run() counts the timeout in seconds", async () => {
  await inDirectory(async (dir) => {
    const shell = createShell({ cwd: dir, env, logDir: dir });
    const result = await shell.run({ command: "exec sleep 100", timeout: 0.1, signal });
    assert.equal(result.ended, "timeout");
  });
});

Deno.test("run() keeps a long output in a log file on demand, and makes the directory only then", async () => {
  await inDirectory(async (dir) => {
    const shell = createShell({ cwd: dir, env, logDir: `${dir}/logs` });
    await shell.run({ command: "echo short", keepLog: true, signal });
    await shell.run({ command: "seq 100000", signal });
    await assert.rejects(Deno.stat(`${dir}/logs`), Deno.errors.NotFound);
    const result = await shell.run({ command: "seq 100000", keepLog: true, signal });
    assert.ok(result.logPath !== undefined && result.logPath.startsWith(`${dir}/logs/`));
    assert.equal((await Deno.readTextFile(result.logPath)).split("\n").length, 100_001);
  });
});

Deno.test("killAll() ends every group that runs", async () => {
  await inDirectory(async (dir) => {
    const shell = createShell({ cwd: dir, env, logDir: dir });
    const started = Promise.withResolvers<void>();
    let seen = 0;
    const onOutput = () => ++seen === 2 && started.resolve();
    const command = "trap '' TERM; echo up; sleep 100; sleep 100";
    const runs = [1, 2].map(() => shell.run({ command, onOutput, signal }));
    await started.promise;
    shell.killAll();
    assert.deepEqual((await Promise.all(runs)).map((result) => result.code), [137, 137]);
  });
});

Deno.test("run() says that the working directory is missing or is none", async () => {
  await inDirectory(async (dir) => {
    const missing = await failure(dir, { cwd: `${dir}/gone` });
    assert.match(missing.message, /the working directory .*\/gone is missing/);
    await Deno.writeTextFile(`${dir}/file`, "");
    const file = await failure(dir, { cwd: `${dir}/file`, command: ["true"] });
    assert.match(file.message, /the working directory .*\/file is not a directory/);
  });
});

Deno.test("run() says that a program is missing or may not be executed", async () => {
  await inDirectory(async (dir) => {
    const missing = await failure(dir, { command: ["no-such-program"] });
    assert.equal(
      missing.message,
      "Cannot run no-such-program: it is not installed, or may not be executed",
    );
    await Deno.writeTextFile(`${dir}/data`, "x", { mode: 0o644 });
    const data = await failure(dir, { command: ["./data"] });
    assert.match(data.message, /may not be executed/);
  });
});

Deno.test("run() says that a command line is too long for the system", async () => {
  await inDirectory(async (dir) => {
    const long = await failure(dir, { command: `: ${"x".repeat(3_000_000)}` });
    assert.match(long.message, /longer than the system allows/);
  });
});

Deno.test("run() names the Deno permission that is missing", async () => {
  const script = `
    import { createShell } from ${
    JSON.stringify(import.meta.resolve("../../src/workspace/shell.ts"))
  };
    const shell = createShell({ cwd: "/", env: { PATH: "/usr/bin:/bin" }, logDir: "/nowhere" });
    const signal = new AbortController().signal;
    for (const command of ["true", ["true"]]) {
      await shell.run({ command, signal }).catch((error) => console.log(error.kind, error.message));
    }`;
  const dir = await Deno.makeTempDir();
  await Deno.writeTextFile(`${dir}/main.ts`, script);
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "--no-config", "--allow-read", `${dir}/main.ts`],
    stderr: "null",
  });
  const lines = new TextDecoder().decode((await child.output()).stdout).trim().split("\n");
  await Deno.remove(dir, { recursive: true });
  assert.equal(lines.length, 2);
  for (const line of lines) assert.match(line, /^system Cannot run .*permission "run" is missing/);
});

Deno.test("which() finds programs in the directories of PATH and nowhere else", async () => {
  await inDirectory(async (dir) => {
    await writeProgram(`${dir}/tool`, "#!/bin/sh\n");
    await Deno.writeTextFile(`${dir}/notes`, "text");
    const shell = createShell({ cwd: "/", env: { PATH: dir }, logDir: `${dir}/logs` });
    assert.equal(await shell.which("tool"), `${dir}/tool`);
    assert.equal(await shell.which("notes"), undefined);
    assert.equal(await shell.which("bash"), undefined);
  });
});
