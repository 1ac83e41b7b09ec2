/**
 * The action for workflows: its steps as a runner would start them, with stand-ins for npm and ally.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { writeProgram } from "../../scripts/program_file.ts";

const ACTION = fileURLToPath(new URL("../../.github/actions/ally/action.yml", import.meta.url));

interface Action {
  readonly inputs: Readonly<
    Record<string, { readonly default?: string; readonly required?: true }>
  >;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: {
    readonly steps: readonly { readonly env: Record<string, string>; readonly run: string }[];
  };
}

const { inputs, outputs, runs }: Action = parse(await Deno.readTextFile(ACTION));
const [install, turn] = runs.steps;

const GIVEN = { prompt: "Fix it.", package: "ally.tgz", endpoint: "http://x/v1", model: "m" };

/** Stands for a program: writes its arguments and its environment down, and prints what the test says. */
const STAND_IN = `#!/bin/sh
printf '%s\\n' "$@" >"$STAND_IN/args"
env >"$STAND_IN/env"
cat "$STAND_IN/answer" 2>/dev/null
exit "$(cat "$STAND_IN/code" 2>/dev/null || echo 0)"
`;

/** Runs a step with inputs as a runner does; what it wrote into files is read back. */
async function runStep(
  step: { env: Record<string, string>; run: string } | undefined,
  { given = {}, answer = '{"type":"result","text":"Done."}', code = 0 }: {
    given?: Readonly<Record<string, string>>;
    answer?: string;
    code?: number;
  } = {},
) {
  const root = await Deno.makeTempDir({ prefix: "ally-action-" });
  try {
    const values = new Map(
      Object.entries(inputs).map(([name, one]) => [name, one.default ?? ""]),
    );
    for (const [name, value] of Object.entries({ ...GIVEN, ...given })) values.set(name, value);
    const env = Object.fromEntries(
      Object.entries(step!.env).map(([name, text]) => {
        const input = /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(text)?.[1];
        return [name, values.get(input ?? "") ?? assert.fail(text)];
      }),
    );
    await Deno.mkdir(join(root, "ally", "bin"), { recursive: true });
    for (const path of ["ally/bin/ally", "ally/bin/npm"]) {
      await writeProgram(join(root, path), STAND_IN);
    }
    await Deno.writeTextFile(join(root, "answer"), answer);
    await Deno.writeTextFile(join(root, "code"), String(code));
    const output = join(root, "output");
    const done = await new Deno.Command("bash", {
      args: ["--noprofile", "--norc", "-eo", "pipefail", "-c", step!.run],
      cwd: root,
      clearEnv: true,
      env: {
        ...env,
        PATH: `${root}/ally/bin:${Deno.env.get("PATH")}`,
        STAND_IN: root,
        RUNNER_TEMP: root,
        GITHUB_OUTPUT: output,
        GITHUB_ENV: join(root, "env-file"),
      },
      stdin: "null",
    }).output();
    const read = (name: string) => Deno.readTextFile(join(root, name)).catch(() => "");
    return {
      code: done.code,
      log: new TextDecoder().decode(done.stdout) + new TextDecoder().decode(done.stderr),
      args: (await read("args")).trimEnd().split("\n"),
      env: await read("env"),
      outputs: parseOutputs(await read("output")),
      files: Array.from(Deno.readDirSync(root), ({ name }) => name),
    };
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

/** As a runner reads the file of outputs. */
function parseOutputs(text: string): Record<string, string> {
  const found: Record<string, string> = {};
  const lines = text.split("\n");
  for (let index = 0; index < lines.length; index++) {
    const [, name = "", mark = ""] = /^([\w-]+)<<(.*)$/.exec(lines[index]!) ?? [];
    if (name !== "") {
      const end = lines.indexOf(mark, index + 1);
      found[name] = lines.slice(index + 1, end).join("\n");
      index = end;
    } else {
      const [, key = "", value = ""] = /^([\w-]+)=(.*)$/.exec(lines[index]!) ?? [];
      if (key !== "") found[key] = value;
    }
  }
  return found;
}

Deno.test("no input of the action is part of a script, and none allows anything by default", () => {
  for (const { run } of runs.steps) assert.ok(!run.includes("${{"), run);
  assert.equal(inputs.allow?.default, "");
  for (const { value } of Object.values(outputs)) {
    assert.match(value, /^\$\{\{ steps\.run\.outputs\./);
  }
});

Deno.test("the action installs the package that it is told, whatever its name holds", async () => {
  const { code, args } = await runStep(install, { given: { package: "--x; touch hacked" } });
  assert.equal(code, 0);
  assert.deepEqual(args.slice(-2), ["--", "--x; touch hacked"]);
  assert.equal((await runStep(install, { given: { package: "" } })).code, 2);
});

Deno.test("the action runs one turn, and gives result, answer and receipt", async () => {
  const answer = '{"type":"result","text":"Line one.\\nexit-code=9\\n"}';
  const { code, args, env, outputs: told } = await runStep(turn, { answer });
  assert.equal(code, 0);
  assert.deepEqual(args.slice(0, 2), ["--print", "--output-format=json"]);
  assert.deepEqual(args.slice(-2), ["--", "Fix it."]);
  assert.ok(!args.some((arg) => /^--(allow|yolo|no-sandbox|trust)|^-A/.test(arg)), args.join(" "));
  assert.equal(told.result, answer);
  assert.equal(told.text, "Line one.\nexit-code=9");
  assert.equal(told["exit-code"], "0");
  assert.ok(args.includes(`--receipt=${told.receipt}`));
  // A command of the model's cannot write outputs or variables of the workflow.
  assert.ok(!/^GITHUB_|^INPUT_/m.test(env), env);
});

Deno.test("text of an input is never run, and never an option", async () => {
  const hostile = '"; touch hacked; $(touch hacked) `touch hacked` --allow-all\n--yolo';
  const { code, args, files } = await runStep(turn, {
    given: { prompt: hostile, model: hostile, endpoint: hostile, "working-directory": hostile },
  });
  assert.equal(code, 0);
  assert.ok(!files.includes("hacked"));
  assert.equal(args.slice(args.indexOf("--") + 1).join("\n"), hostile);
});

Deno.test("rules are checked, and nothing else can be said with them", async () => {
  const allow = "allow-write=src\n\nallow-run=deno,git\ndeny-net";
  const { args } = await runStep(turn, { given: { allow } });
  assert.deepEqual(args.filter((arg) => /^--(allow|deny)/.test(arg)), [
    "--allow-write=src",
    "--allow-run=deno,git",
    "--deny-net",
  ]);
  for (
    const rule of ["allow-all", "-A", "yolo", "no-sandbox", "allow-plugin=x", "allow-write src"]
  ) {
    const { code, args } = await runStep(turn, { given: { allow: rule } });
    assert.deepEqual([code, args], [2, [""]], rule);
  }
});

Deno.test("what was denied is no failure of the step; everything else that went wrong is", async () => {
  for (const [code, expected] of [[0, 0], [3, 0], [1, 1], [4, 4], [6, 6], [75, 75]] as const) {
    const done = await runStep(turn, { code });
    assert.equal(done.code, expected, done.log);
    assert.equal(done.outputs["exit-code"], String(code));
  }
  const { code, outputs: told } = await runStep(turn, { answer: "", code: 2 });
  assert.deepEqual([code, told.result, told.text], [2, "", ""]);
});
