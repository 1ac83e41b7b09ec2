/**
 * Programs that run another program: their own options end, and the inner command decides.
 */
import {
  extreme,
  extremeRows,
  type Row,
  rows,
  safeRows,
  sensitiveRows,
  tentative,
  tentativeRows,
} from "../program.ts";

/** Rows of the program table. */
export const WRAPPERS: readonly Row[] = [
  ...safeRows("env", {
    wrapper: {
      flags: "- -i --ignore-environment -0 --null -v --debug",
      valued: "-u --unset",
      assigns: true,
    },
  }),
  ...safeRows("nohup builtin", { wrapper: { flags: "", valued: "" } }),
  ...safeRows("command", { wrapper: { flags: "-p", valued: "" } }),
  ...safeRows("exec", { wrapper: { flags: "-c -l", valued: "-a" } }),
  ...safeRows("timeout gtimeout", {
    wrapper: {
      flags: "--preserve-status --foreground -v --verbose -f -p",
      valued: "-k --kill-after -s --signal",
      skip: 1,
    },
  }),
  ...safeRows("nice", { wrapper: { flags: "", valued: "-n --adjustment", numbers: true } }),
  ...safeRows("ionice", { wrapper: { flags: "-t --ignore", valued: "-c --class -n --classdata" } }),
  ...safeRows("chrt", { wrapper: { flags: "-b -f -i -o -r", valued: "", skip: 1 } }),
  ...safeRows("taskset", { wrapper: { flags: "-c --cpu-list", valued: "", skip: 1 } }),
  ...safeRows("stdbuf", { wrapper: { flags: "", valued: "-i --input -o --output -e --error" } }),
  ...safeRows("setsid", { wrapper: { flags: "-c --ctty -f --fork -w --wait", valued: "" } }),
  ...safeRows("time", {
    wrapper: { flags: "-p --portability -v --verbose -a --append", valued: "-f --format" },
  }),
  ...safeRows("xargs gxargs", {
    wrapper: {
      flags: "-0 --null -r --no-run-if-empty -t --verbose -x --exit -o --open-tty",
      valued: `
          -n --max-args -L --max-lines -I --replace -i -P --max-procs -d --delimiter -E -e
          --eof -s --max-chars -a --arg-file
        `,
      reads: "-a --arg-file",
      supplies: true,
    },
  }),
  ...safeRows("busybox toybox", { wrapper: { flags: "", valued: "" } }),
  ...sensitiveRows("flock", "holds a lock", {
    wrapper: {
      flags: `
          -s --shared -x -e --exclusive -n --nb --nonblock -u --unlock -o --close -F
          --no-fork -v --verbose
        `,
      valued: "-w --wait --timeout -E --conflict-exit-code",
      skip: 1,
    },
  }),
  ...tentativeRows("strace ltrace dtruss", "watches what a program does", {
    wrapper: {
      flags: "-f -ff -t -tt -ttt -T -c -C -v -y -yy -q -qq -r -i -k -h -d -w -x -xx -z -Z",
      valued: "-e -s -a -S -b -O",
    },
  }),
  ...tentativeRows(
    "valgrind rr heaptrack caffeinate unbuffer rlwrap faketime catchsegv",
    "runs a program",
    {
      wrapper: {
        flags: "-f -i -d -s -m -u -q --quiet --leak-check=full --error-exitcode=1",
        valued: "",
      },
    },
  ),
  ...tentativeRows("xvfb-run dbus-run-session", "runs a program with a display", {
    wrapper: { flags: "-a --auto-servernum --", valued: "-n --server-num -s --server-args" },
  }),
  ...sensitiveRows("uv", "runs in the project's environment", {
    executes: ["pyproject.toml", "uv.lock"],
    subcommands: [
      ...tentativeRows("run", "runs in the project's environment", {
        executes: ["pyproject.toml", "uv.lock"],
        wrapper: {
          flags: `
              -q --quiet -v --verbose --frozen --locked --no-sync --isolated --offline
              --dev --all-extras --no-dev
            `,
          valued: "--with --extra --group -p --python --package",
        },
      }),
      ...sensitiveRows(
        "sync lock add remove init venv tree export cache build python",
        "changes the project's environment",
      ),
      ...sensitiveRows("pip", "changes the project's environment", {
        executes: ["requirements.txt", "pyproject.toml"],
        options: {
          "--system --break-system-packages": extreme("changes the system's packages"),
          "--target --prefix": "write",
        },
      }),
      ...sensitiveRows("tool", "runs a tool", {
        subcommands: [
          ...extremeRows("install uninstall upgrade update-shell", "changes what is installed"),
        ],
      }),
      ...extremeRows("publish self", "sends or changes what is outside the workspace"),
    ],
  }),
  ...sensitiveRows("poetry pipenv pdm rye hatch pixi", "runs in the project's environment", {
    executes: ["pyproject.toml", "Pipfile"],
    subcommands: [
      ...tentativeRows("run", "runs in the project's environment", {
        executes: ["pyproject.toml", "Pipfile"],
        wrapper: { flags: "-q --quiet -v --verbose", valued: "" },
      }),
      ...extremeRows("publish", "publishes a package"),
      ...extremeRows("config self", "changes settings outside the workspace"),
    ],
  }),
  ...sensitiveRows("bundle", "runs in the project's environment", {
    executes: ["Gemfile", "Gemfile.lock"],
    subcommands: [
      ...tentativeRows("exec", "runs in the project's environment", {
        executes: ["Gemfile", "Gemfile.lock"],
        wrapper: { flags: "--keep-file-descriptors", valued: "" },
      }),
      ...sensitiveRows("config", "reads or changes its settings", {
        options: { "--global": extreme("changes settings outside the workspace") },
      }),
    ],
  }),
  ...sensitiveRows("npx bunx pnpx", "runs a package", {
    executes: ["package.json"],
    wrapper: {
      flags: "-y --yes --no --no-install -q --quiet --prefer-offline --ignore-existing --bun",
      valued: "-p --package",
    },
  }),
  ...sensitiveRows("uvx", "runs a package", {
    wrapper: {
      flags: "-q --quiet -v --verbose --isolated --offline",
      valued: "--from --with -p --python",
    },
  }),
  ...extremeRows("sudo doas pkexec run0 sudoedit gosu su-exec", "gains privilege", {
    wrapper: {
      flags: "-n -E -H -S -k -b -i -s -A --non-interactive --preserve-env --login --stdin",
      valued: "-u --user -g --group -h --host -p --prompt -C -D --chdir",
      assigns: true,
    },
  }),
  ...extremeRows("su runuser login newgrp sg", "gains privilege"),
  ...extremeRows(
    "chroot unshare nsenter setpriv capsh systemd-run systemd-nspawn bwrap firejail",
    "changes the confinement of a program",
  ),
  ...safeRows("watch", {
    grammar: "joined_text",
    options: { "-n --interval": "text", "-s --shotsdir": "write" },
  }),
  ...tentativeRows("hyperfine", "runs commands many times", {
    grammar: "joined_text",
    options: {
      "-p --prepare -c --cleanup -s --setup -C --conclude -S --shell": "code",
      "--export-json --export-csv --export-markdown --output": "write",
      "-w --warmup -r --runs -m --min-runs -M --max-runs -n --command-name": "text",
    },
  }),
  ...extremeRows(
    `
      dtrace bpftrace at batch tmux screen zellij sem daemonize dtach abduco start-stop-daemon
    `,
    "runs text as code",
  ),
  ...rows(
    "parallel script expect gdb lldb entr perf coreutils",
    tentative(extreme("runs text as code")),
  ),
];
