/**
 * Programs that run code: given as an argument, on standard input, or in a file.
 */
import {
  extreme,
  extremeRows,
  type Row,
  sensitive,
  sensitiveRows,
  tentative,
  tentativeRows,
} from "../program.ts";

const RUNS = "runs a script";

/** Rows of the program table. */
export const INTERPRETERS: readonly Row[] = [
  ...tentativeRows("bash sh dash ash rbash", RUNS, {
    interpreter: { code: "-c", valued: "-o +o", language: "shell" },
    options: {
      "--rcfile --init-file -O +O": tentative(extreme("runs a file first")),
      "--norc --noprofile --posix --login --verbose": "text",
    },
  }),
  ...tentativeRows(
    "zsh ksh mksh oksh yash posh fish csh tcsh nu pwsh powershell elvish xonsh cmd",
    RUNS,
    {
      interpreter: { code: "-c --command -Command -EncodedCommand -e -C --init-command /c" },
    },
  ),
  ...tentativeRows("python python3 pypy pypy3 ipython ipython3", RUNS, {
    interpreter: { code: "-c", valued: "-W -X --check-hash-based-pycs", language: "python" },
  }),
  ...tentativeRows("node nodejs", RUNS, {
    interpreter: {
      code: "-e --eval -p --print -pe",
      valued: "--env-file --conditions -C --title --max-old-space-size",
      loads: "-r --require --import --loader --experimental-loader",
      language: "javascript",
    },
    options: {
      "--inspect --inspect-brk --inspect-wait --inspect-port": extreme(
        "lets other programs run code in it",
      ),
      "--test --run --watch": tentative(sensitive("runs project code")),
    },
  }),
  ...tentativeRows("tsx ts-node bun-node esno jiti swc-node", RUNS, {
    interpreter: {
      code: "-e --eval -p --print",
      valued: "--tsconfig -P --project",
      loads: "-r --require --import",
      language: "javascript",
    },
  }),
  ...tentativeRows("ruby irb", RUNS, {
    interpreter: { code: "-e", valued: "-I -C -E", loads: "-r" },
  }),
  ...tentativeRows("perl raku", RUNS, {
    interpreter: { code: "-e -E -n -p -i", valued: "-I -M -m" },
  }),
  ...tentativeRows("php", RUNS, {
    interpreter: { code: "-r -B -R -E", valued: "-c" },
    options: {
      "-S": extreme("serves files to the network"),
      "-d": { ...tentative(sensitive("changes its settings")), valued: true },
      "-l --syntax-check": tentative(sensitive("checks a file")),
    },
  }),
  ...tentativeRows("lua luajit", RUNS, { interpreter: { code: "-e", valued: "-l" } }),
  ...tentativeRows("Rscript R julia octave matlab", RUNS, {
    interpreter: { code: "-e -E --eval -r", valued: "-L --load" },
  }),
  ...tentativeRows(
    `
      tclsh wish guile scheme racket sbcl clisp clojure clj bb elixir iex erl escript groovy
      kotlin scala swipl gforth janet
    `,
    RUNS,
    {
      interpreter: { code: "-e -c --eval --execute -x -g -s -f -t --load" },
    },
  ),
  ...extremeRows("osascript", "runs text as code"),
  ...tentativeRows("java javaw", "runs a program of the workspace", {
    longDash: true,
    interpreter: { code: "", valued: "-cp -classpath --class-path -p --module-path -m" },
    options: { "-javaagent -agentpath -agentlib": tentative(extreme("loads code into it")) },
  }),
  ...sensitiveRows("dotnet", "runs or builds project code", {
    subcommands: [
      ...sensitiveRows("nuget", "reads or changes packages", {
        subcommands: [
          ...extremeRows("push delete add update remove", "changes packages elsewhere"),
        ],
      }),
      ...sensitiveRows("tool", "runs a tool", {
        options: { "-g --global": extreme("changes what is installed outside the workspace") },
      }),
    ],
  }),
  ...tentativeRows("mono wine", "runs a program of the workspace"),
  ...tentativeRows("deno", "runs project code", {
    executes: ["deno.json", "deno.jsonc"],
    subcommands: [
      ...sensitiveRows(
        `
          serve compile bundle cache add remove outdated update init vendor clean x create
        `,
        "runs or builds project code",
        {
          executes: ["deno.json", "deno.jsonc"],
        },
      ),
      ...tentativeRows("test bench task check lint doc info types coverage", "runs project code", {
        executes: ["deno.json", "deno.jsonc"],
        options: { "--fix": sensitive("changes files") },
      }),
      ...tentativeRows("run serve", "runs project code", {
        executes: ["deno.json", "deno.jsonc"],
        interpreter: {
          code: "",
          valued:
            "-c --config --import-map --lock --cert --location --seed --port --host --preload",
        },
      }),
      ...sensitiveRows("fmt", "formats files of the workspace", {
        operands: "write",
        onlyChecks: /^--check$/,
        executes: ["deno.json", "deno.jsonc"],
      }),
      ...tentativeRows("eval", "runs code", { interpreter: { code: "", language: "javascript" } }),
      ...tentativeRows("repl", "runs code", {
        interpreter: { code: "--eval", language: "javascript" },
      }),
      ...extremeRows(
        "install uninstall upgrade",
        "changes what is installed outside the workspace",
      ),
      ...sensitiveRows("install", "installs the project's packages", {
        executes: ["deno.json", "deno.jsonc", "package.json"],
        options: {
          "-g --global -n --name --root -A --allow-all": extreme(
            "installs a program outside the workspace",
          ),
        },
      }),
      ...extremeRows("publish deploy", "publishes the project"),
      ...extremeRows("jupyter", "installs a kernel"),
    ],
  }),
  ...tentativeRows("bun", "runs project code", {
    executes: ["package.json"],
    options: { "-e --eval -p --print": "code" },
    subcommands: [
      ...sensitiveRows(
        `
          build install i add a remove rm update outdated pm link unlink init create x exec
        `,
        "runs or builds project code",
        {
          executes: ["package.json"],
          options: { "-g --global": extreme("changes programs outside the workspace") },
        },
      ),
      ...tentativeRows("run test", "runs project code", { executes: ["package.json"] }),
      ...extremeRows("publish upgrade", "publishes or changes what is outside the workspace"),
    ],
  }),
];
