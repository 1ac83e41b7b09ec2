/**
 * Programs that run code, given as an argument, on standard input, or in a file; and those that run another
 * program: their own options end, and the inner command decides.
 */

/** Rows of the program table. */
export const INTERPRETERS = `
unknown bash sh dash ash rbash: runs a script
  runs shell
  -B -C -E -H -P -T -a -b -c -e -f -h -i -k -l -m -n -p -s -u -v -x --norc --noprofile --posix --login --verbose: flag
  -o: next
  --rcfile --init-file -O: code= runs a file first
unknown zsh ksh mksh oksh yash posh fish csh tcsh nu pwsh powershell elvish xonsh cmd: runs a script
  runs
  -c --command -Command -EncodedCommand -e -C --init-command /c: script
unknown python python3 pypy pypy3 ipython ipython3: runs a script
  runs python
  executes sitecustomize.py usercustomize.py pyvenv.cfg
  -c: script
  -W -X --check-hash-based-pycs -m: text
unknown node nodejs tsx ts-node bun-node esno jiti swc-node: runs a script
  runs
  -e --eval -p --print -pe: script
  --env-file --conditions -C --title --max-old-space-size --tsconfig -P --project: text
  -r --require --import --loader --experimental-loader: loads
  --inspect --inspect-brk --inspect-wait --inspect-port: extreme lets other programs run code in it
unknown ruby irb perl raku php lua luajit Rscript R julia tclsh clojure clj bb elixir iex erl
    escript groovy kotlin scala: runs a script
  runs
  -e -E -n -p -i -c -R -B -x -g --eval --execute: script
  -I -C -M -m -l -L -d --load: text
  -r: loads
  -S: extreme serves files to the network
unknown java javaw: runs a program of the workspace
  longdash
  runs
  -cp -classpath --class-path -p --module-path -m: text
  -javaagent -agentpath -agentlib: code loads code into it
sensitive dotnet: runs or builds project code
  words push delete: extreme changes packages elsewhere
- sensitive tool: runs a tool
  -g --global: extreme changes what is installed outside the workspace
unknown deno: runs project code
  executes deno.json deno.jsonc package.json
  --fix: sensitive changes files
- unknown run serve: runs project code
  runs
  -c --config --import-map --lock --cert --location --seed --port --host --preload: text
- unknown eval repl: runs code
  runs text
  --eval: script
- unknown test bench task check lint doc info types coverage: runs project code
- sensitive =writes fmt: formats files of the workspace
  looks ^--check$
- sensitive install compile bundle cache add remove outdated update init vendor clean x create:
    changes the project or its packages
  -g --global -n --name --root -A --allow-all: extreme installs a program outside the workspace
- extreme uninstall upgrade publish deploy jupyter: publishes, or changes what is outside the workspace
unknown bun: runs project code
  executes package.json bunfig.toml
  -e --eval -p --print: code
- sensitive build install i add a remove rm update outdated pm link unlink init create x exec:
    builds the project, or changes its packages
  -g --global: extreme changes programs outside the workspace
- extreme publish upgrade: publishes or changes what is outside the workspace
safe env: only reads
  wraps assigns
  -S --split-string: script
  - -i --ignore-environment -0 --null -v --debug: flag
  -u --unset: text
safe setsid: only reads
  wraps
  -c --ctty -f --fork -w --wait: flag
safe nohup builtin busybox toybox command exec time: only reads
  wraps
  -c -l -p --portability -v --verbose: flag
  -a -f --format: text
safe stdbuf: only reads
  wraps
  -i --input -o --output -e --error: text
safe ionice: only reads
  wraps
  -t --ignore: flag
  -c --class -n --classdata: text
safe timeout gtimeout: only reads
  wraps skip 1
  --preserve-status --foreground -v --verbose -f -p: flag
  -k --kill-after -s --signal: text
safe nice: only reads
  wraps
  -#: flag
  -n --adjustment: text
safe chrt taskset: only reads
  wraps skip 1
  -b -f -i -o -r -c --cpu-list: flag
safe xargs gxargs: only reads
  wraps supplies
  -0 --null -r --no-run-if-empty -t --verbose -x --exit -o --open-tty: flag
  -n --max-args -L --max-lines -I -P --max-procs -d --delimiter -E -s --max-chars -a --arg-file: text
  -i --replace -e --eof: attached
sensitive =writes flock: holds a lock
  wraps skip 1
  -s --shared -x -e --exclusive -n --nb --nonblock -u --unlock -o --close -F --no-fork -v --verbose: flag
  -w --wait --timeout -E --conflict-exit-code: text
unknown strace ltrace dtruss valgrind rr heaptrack caffeinate unbuffer rlwrap faketime catchsegv
    xvfb-run dbus-run-session cpulimit numactl eatmydata fakeroot systemd-inhibit: runs a program
  wraps
  -f -ff -t -tt -ttt -T -c -C -v -y -yy -q -qq -r -i -k -h -d -w -x -xx -z -Z -m -u --quiet --auto-servernum --: flag
  --leak-check --error-exitcode --tool --track-origins --show-leak-kinds: attached
  -e -s -S -b -n -l -N --server-num --server-args: text
extreme sudo doas pkexec run0 sudoedit gosu su-exec: gains privilege
  wraps assigns
  -n -E -H -S -k -b -i -s -A --non-interactive --preserve-env --login --stdin: flag
  -u --user -g --group -h --host -p --prompt -C -D --chdir: text
`;
