/**
 * Variables that turn the commands of a script into others.
 */
import type { ParsedCommand, SimpleCommand } from "./parsed_command.ts";
import { isBuiltin } from "./programs/table.ts";
import type { ShellWord } from "./words.ts";

/** Names that decide which program runs, what it loads or where it finds its settings. */
const HIJACKS = new RegExp(
  "^(" + [
    // Families, each with all that it has.
    "(ALLY|ANSIBLE|AWS|AZURE|BASH|BAT_CONFIG|BUN|BUNDLE|CARGO|CMAKE|COREPACK|CURL|DENO|DOCKER|DYLD|ELIXIR|ERL|FZF|GEM|GIO|GIT)_.*",
    "(GLIBC|GOOGLE|GRADLE|GUILE|HELM|JAVA|JULIA|LD|LUA|MALLOC|MAVEN|MYSQL|NIX|NPM_CONFIG|npm_config|OPENAI|OPENSSL|PIP)_.*",
    "(R|RESOLV|RSYNC|RUSTUP|SSH|SSL|SUDO|TF_CLI|UV|XDG|YARN)_.*|(KRB5|LESSKEY|MSBUILD|PERL|PHP|PYTHON|RUBY|RUSTC|RUSTDOC|WINEDLL).*",
    "PATH|IFS|ENV|BASHOPTS|SHELLOPTS|SHELL|PS[0-4]|PROMPT_COMMAND|CDPATH|GLOBIGNORE|EXECIGNORE|HOME|PWD|OLDPWD|TMPDIR|ZDOTDIR",
    "INPUTRC|HISTFILE|FUNCNEST|POSIXLY_CORRECT|TERMINFO|TERMCAP|MAILPATH|GCONV_PATH|LOCPATH|NLSPATH|HOSTALIASES|.*PAGER|EDITOR",
    "VISUAL|BROWSER|LESS|LESSOPEN|LESSCLOSE|MORE|MANOPT|GREP_OPTIONS|TAR_OPTIONS|NODE_(OPTIONS|PATH|EXTRA_CA_CERTS)|VIMINIT|EXINIT",
    "_JAVA_OPTIONS|JDK_JAVA_OPTIONS|CLASSPATH|MAKEFLAGS|MFLAGS|GNUMAKEFLAGS|MAKEFILES|AWK.*PATH|WGETRC|KUBECONFIG|PSQLRC|FCEDIT",
    "GO(FLAGS|PROXY|PATH|ROOT|BIN|TOOLCHAIN|NOSUMDB|SUMDB|ENV)|(http|https|all|no|ftp)_proxy|(HTTP|HTTPS|ALL|FTP)_PROXY|ACKRC",
    "PG(HOST|PASSFILE|SERVICEFILE|SYSCONFDIR)|GNUPGHOME|DOTNET_STARTUP_HOOKS|RIPGREP_CONFIG_PATH|TCLLIBPATH|EMACS(LOADPATH|DATA)",
    "GTK_(MODULES|PATH)|QT_.*PATH|GCC_EXEC_PREFIX|COMPILER_PATH|PYTEST_(ADDOPTS|PLUGINS)|COMSPEC|PATHEXT|MANROFFOPT|SYSTEMD_EDITOR",
  ].join("|") + ")$",
);

/** Of these names, values that change nothing but how a program speaks, or when it says that it worked. */
const HARMLESS: readonly (readonly [name: RegExp, value: RegExp])[] = [
  [/PAGER$/, /^(cat)?$/],
  [/^(GIT_(SEQUENCE_)?EDITOR|EDITOR|VISUAL)$/, /^(true|:|cat)$/],
  [/^GIT_(TERMINAL_PROMPT|OPTIONAL_LOCKS|PS1_.*|MERGE_AUTOEDIT)$/, /^\w*$/],
  [/^GIT_(AUTHOR|COMMITTER)_(NAME|EMAIL|DATE)$/, /^/],
  [/^PYTHON(UNBUFFERED|DONTWRITEBYTECODE|IOENCODING|UTF8|HASHSEED|NOUSERSITE|FAULTHANDLER)$/, /^/],
  [/^PIP_(DISABLE_PIP_VERSION_CHECK|NO_INPUT|NO_CACHE_DIR)$/, /^\w*$/],
  [/^CARGO_(TERM_\w+|INCREMENTAL|NET_OFFLINE)$/, /^\w*$/],
  [/^(DOCKER_(BUILDKIT|CLI_HINTS)|DENO_NO_(UPDATE_CHECK|PROMPT|PACKAGE_JSON))$/, /^\w*$/],
  [/^MAKEFLAGS$/, /^-?j\d*$/],
];
/** Names that say which program a build uses, harmless if the value is a name and nothing more. */
const BUILD_TOOLS = /^(CC|CXX|CPP|LD|AR|AS|FC|NM|RANLIB|STRIP|YACC|LEX|PKG_CONFIG|CROSS_COMPILE)$/;

/** Whether giving this variable a value can change what later commands are. */
export function isHijacking(name: string, value?: ShellWord): boolean {
  if (BUILD_TOOLS.test(name)) return value?.kind !== "literal" || !/^[\w+.-]*$/.test(value.value);
  if (!HIJACKS.test(name)) return false;
  return value?.kind !== "literal" ||
    !HARMLESS.some(([names, values]) => names.test(name) && values.test(value.value));
}

/** Runs builtins that the table does not name, or is one: these may keep variables set before them. */
const RUNS_BUILTINS = /^(:|builtin|command|exec|unset)$/;

/** A variable that the script itself sets for all of its commands and that changes what they are. */
export function findHijacking(script: ParsedCommand): string | undefined {
  const own = script.commands.filter((command) => setsForItself(command, script))
    .flatMap(({ assignments }) => assignments.map(({ name }) => name));
  return [...script.assignedValues].find(([name, values]) =>
    values.some((value) => isHijacking(name, value)) &&
    own.filter((one) => one === name).length < values.length
  )?.[0];
}

/** The same of a variable that a command gets alone; `IFS=, read ...` only says how that splits. */
export function findOwnHijacking(command: SimpleCommand, script: ParsedCommand) {
  const { assignments, words } = command;
  if (!setsForItself(command, script)) return undefined;
  return assignments.find(({ name, value }) =>
    isHijacking(name, value) && !(name === "IFS" && words[0]?.value === "read")
  )?.name;
}

/** Whether variables before a command are gone once it has ended: it is a program, or `read`, and no function. */
function setsForItself({ words: [name] }: SimpleCommand, { functions }: ParsedCommand): boolean {
  return name?.kind === "literal" && !RUNS_BUILTINS.test(name.value) && !isBuiltin(name.value) &&
    !functions.has(name.value);
}
