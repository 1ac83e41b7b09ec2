/**
 * Programs that read, filter and show text, and editors.
 */
import {
  extreme,
  extremeRows,
  type Row,
  rows,
  safeRows,
  sensitive,
  sensitiveRows,
  tentative,
  tentativeRows,
} from "../program.ts";

const GREP = {
  "-e --regexp": "text",
  "-f --file": "read",
  "-m --max-count": "text",
  "-A --after-context -B --before-context -C --context": "text",
  "--include --exclude --exclude-dir --color --colour": "text",
  "--exclude-from": "read",
} as const;

const COUNTS = {
  "-n --lines -c --bytes -w --width -s --separator -d --delimiter -f --fields -b -k -t": "text",
  "--pid --max-unchanged-stats -i": "text",
} as const;

/** Rows of the program table. */
export const TEXT: readonly Row[] = [
  ...safeRows(
    "cat tac nl zless zmore more most od hexdump hd strings rev fold fmt pr expand unexpand",
    {
      operands: "read",
    },
  ),
  ...safeRows("bat batcat", {
    operands: "read",
    options: { "--pager": "code", "-l --language -r --line-range": "text" },
  }),
  ...safeRows("xxd", {
    operands: "copy",
    options: {
      "-r": sensitive("writes bytes"),
      "-l -s -c -g -o -n": "text",
    },
  }),
  ...safeRows("less", {
    operands: "read",
    options: { "-o -O --log-file --LOG-FILE": "write", "-k --lesskey-file": "code", "+": "code" },
  }),
  ...safeRows("head tail", { operands: "read", options: COUNTS }),
  ...safeRows("cut paste column join look tsort ptx", { operands: "read", options: COUNTS }),
  ...safeRows("tr"),
  ...safeRows("seq yes factor numfmt expr echo"),
  ...safeRows("shuf", {
    operands: "read",
    options: { "-o --output": "write", "--random-source": "read", "-i -n": "text" },
  }),
  ...safeRows("wc", { operands: "read", options: { "--files0-from": "read" } }),
  ...safeRows("uniq", { operands: "copy", options: { "-f -s -w": "text" } }),
  ...safeRows("sort gsort", {
    operands: "read",
    options: {
      "-o --output": "write",
      "-T --temporary-directory": "write",
      "--compress-program": "code",
      "--files0-from --random-source": "read",
      "-k --key -t --field-separator -S --buffer-size": "text",
    },
  }),
  ...safeRows("grep egrep fgrep zgrep ggrep xzgrep bzgrep", {
    operands: "read",
    skip: 1,
    options: GREP,
  }),
  ...safeRows("rg ripgrep", {
    operands: "read",
    skip: 1,
    options: {
      ...GREP,
      "--pre --hostname-bin": "code",
      "-z --search-zip": tentative(sensitive("runs programs that unpack")),
      "-g --glob --iglob -t --type -T --type-not -r --replace -E --encoding --max-depth --sort":
        "text",
    },
  }),
  ...safeRows("ag ack ugrep", {
    operands: "read",
    skip: 1,
    options: { "--pager --filter": "code", "--ackrc": "code", "-G --ignore": "text" },
  }),
  ...safeRows("jq gojq jaq", {
    operands: "read",
    skip: 1,
    options: {
      "-f --from-file -L": "read",
      "--arg --argjson --indent": "text",
      "--slurpfile --rawfile": "text",
    },
  }),
  ...safeRows("yq", {
    operands: "read",
    skip: 1,
    options: {
      "-i --inplace --in-place": sensitive("changes files in place"),
      "--from-file": "read",
      "-o --output-format -p --input-format -I --indent": "text",
      "-s --split-exp": sensitive("writes files"),
    },
    rewrites: /^(-i|--in-?place)$/,
  }),
  ...safeRows("xmllint", {
    operands: "read",
    options: { "--output -o": "write", "--shell": "code", "--xpath": "text", "--schema": "read" },
  }),
  ...safeRows("gron csvcut csvgrep csvlook csvstat xsv tomlq hq pup htmlq", {
    operands: "read",
    skip: 1,
    options: { "-o --output": "write", "-I": sensitive("changes files in place") },
  }),
  ...tentativeRows(
    "mlr miller fx qsv dasel ast-grep",
    "transforms files, and may run code given as text",
    {
      operands: "read",
      options: { "-o --output --out -w": "write", "--load --mload --extract-with --diff": "code" },
    },
  ),
  ...safeRows("sed gsed", {
    grammar: "sed",
    operands: "read",
    options: {
      "-i --in-place": sensitive("changes files in place"),
      "-e --expression": "text",
      "-f --file": "read",
      "-l --line-length": "text",
    },
  }),
  ...safeRows("awk gawk mawk nawk", {
    grammar: "awk",
    operands: "read",
    options: {
      "-i --include -l --load": "code",
      "-f --file -E --exec": "read",
      "-v --assign -F --field-separator": "text",
      "-e --source": "code",
      "-o --pretty-print -p --profile -d --dump-variables": "write",
      "-D --debug": "code",
    },
  }),
  ...safeRows("iconv", {
    operands: "read",
    options: { "-o --output": "write", "-f --from-code -t --to-code": "text" },
  }),
  ...sensitiveRows("dos2unix unix2dos", "changes files", { operands: "write" }),
  ...safeRows("base64 base32 basenc", { operands: "read", options: { "-o --output": "write" } }),
  ...safeRows("cal ncal bc units", { operands: "read", options: { "-e --expression": "text" } }),
  ...rows("dc", tentative(extreme("runs text as code"))),
  ...safeRows("tokei scc sloccount onefetch cloc", {
    operands: "read",
    options: {
      "-o --out --output --report-file --write-lang-def --ignored --counted --found --sql": "write",
      "--vcs --extract-with --diff --config": "code",
    },
  }),
  ...sensitiveRows("tee sponge", "writes a file", { operands: "write" }),
  ...sensitiveRows("vi vim nvim view nano emacs ex pico micro hx joe ne subl", "edits files", {
    operands: "write",
    options: {
      "+": "code",
      "-c --cmd -S -s -u -U --eval --load -l -f --exec": extreme("runs commands of the editor"),
    },
  }),
  ...sensitiveRows("code codium cursor", "edits files", {
    operands: "write",
    options: {
      "--install-extension --uninstall-extension --extensions-dir --user-data-dir": extreme(
        "changes the editor",
      ),
      "-d --diff -g --goto": "text",
    },
  }),
  ...extremeRows("ed red", "runs commands of the editor"),
  ...tentativeRows("m4 cpp", "expands macros", { operands: "read", options: { "-o": "write" } }),
  ...tentativeRows("envsubst", "inserts the environment into text"),
  ...tentativeRows("fzf sk gum dialog whiptail", "asks on the terminal", {
    options: { "--preview --bind --execute": tentative(extreme("runs text as code")) },
  }),
  ...safeRows("figlet cowsay cowthink lolcat fortune banner toilet", {
    operands: "read",
    options: { "-f -C --cowfile": "code", "-w -d -t -n -s -l": "text" },
  }),
  ...tentativeRows("ispell aspell hunspell codespell typos vale", "checks spelling", {
    operands: "read",
    options: { "-w --write-changes": sensitive("changes files") },
  }),
];
