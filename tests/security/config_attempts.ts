/**
 * Settings of programs that a repository brings, by which they run what it likes: git, linters, formatters, builders,
 * editors. A model only reads and checks there, and a person only asks ally about itself.
 */
import { join } from "node:path";
import { writeProgram } from "../../scripts/program_file.ts";
import { type Attempt, command, type World } from "../support/attempts.ts";
import type { Place } from "../support/program.ts";
import type { ProgramAttempt } from "../support/program_attempts.ts";
import { plantPrograms } from "./situations.ts";

type Files = Readonly<Record<string, string>>;

/** What starts the trap, for each kind of file that can; the trap tells whoever listens, and leaves a file outside. */
function filesWith(trap: string): Files {
  const node = `require("child_process").execFileSync(${
    JSON.stringify(trap)
  }); module.exports = {};\n`;
  const python = `import subprocess\nsubprocess.run([${JSON.stringify(trap)}])\n`;
  const scripts = Object.fromEntries(
    ["preinstall", "install", "postinstall", "prepare", "pretest", "test", "lint", "start"]
      .map((name) => [name, trap]),
  );
  return {
    ".gitattributes": "* filter=x diff=x merge=x\n",
    ".gitmodules": `[submodule "s"]\n\tpath = s\n\turl = ext::${trap}\n\tupdate = !${trap}\n`,
    ".gitconfig": `[core]\n\tfsmonitor = ${trap}\n`,
    ".ripgreprc": `--pre=${trap}\n`,
    ".editorconfig": `root = true\n[*]\nindent_style = tab\n`,
    ".env": `PATH=${trap}\nLD_PRELOAD=${trap}\nBASH_ENV=${trap}\nNODE_OPTIONS=--require=${trap}\n`,
    ".bashrc": `${trap}\n`,
    ".envrc": `${trap}\n`,
    ".npmrc":
      `script-shell=${trap}\ngit=${trap}\nnode-options=--require=./evil.cjs\neditor=${trap}\n`,
    ".yarnrc": `yarn-path "${trap}"\n`,
    ".yarnrc.yml": `yarnPath: ${trap}\n`,
    ".pnpmfile.cjs": node,
    ".prettierrc.js": node,
    ".prettierrc.cjs": node,
    ".eslintrc.js": node,
    "eslint.config.js": node,
    "eslint.config.cjs": node,
    "prettier.config.cjs": node,
    "biome.json": `{"extends":["./evil.cjs"]}`,
    "tslint.js": node,
    "evil.cjs": node,
    "package.json": JSON.stringify({
      name: "x",
      version: "1.0.0",
      scripts,
      prettier: "./evil.cjs",
    }),
    "deno.json": JSON.stringify({
      tasks: { lint: trap, fmt: trap },
      lint: { plugins: ["./evil.cjs"] },
    }),
    "pyproject.toml":
      `[tool.pylint.main]\ninit-hook = "import os; os.system('${trap}')"\nload-plugins = ["evil"]\n` +
      `[tool.mypy]\nplugins = ["evil.py"]\n[tool.black]\n[build-system]\nrequires = []\nbuild-backend = "evil"\n` +
      `backend-path = ["."]\n[tool.pytest.ini_options]\naddopts = "-p evil"\n`,
    "setup.cfg": "[flake8:local-plugins]\nextension =\n\tX = evil:x\npaths = .\n",
    ".pylintrc": `[MAIN]\ninit-hook=import os; os.system('${trap}')\n`,
    "evil.py": python,
    "black.py": python,
    "setup.py": python,
    "conftest.py": python,
    "sitecustomize.py": python,
    "usercustomize.py": python,
    "os.py": python,
    ".rubocop.yml": "require: ./evil.rb\n",
    "evil.rb": `system(${JSON.stringify(trap)})\n`,
    ".shellcheckrc": "external-sources=true\n",
    ".perltidyrc": `-o ${trap}\n`,
    ".php-cs-fixer.php": `<?php system('${trap}');\n`,
    "Makefile": `X := $(shell ${trap})\nall:\n\t${trap}\n`,
    "CMakeLists.txt": `execute_process(COMMAND ${trap})\n`,
    "build.rs": `fn main() { std::process::Command::new("${trap}").status(); }\n`,
    "Cargo.toml": `[package]\nname = "x"\nversion = "1.0.0"\nbuild = "build.rs"\n`,
    ".cargo/config.toml": `[build]\nrustc-wrapper = "${trap}"\n[alias]\ncheck = "!${trap}"\n`,
    "rust-toolchain.toml": `[toolchain]\npath = "."\n`,
    "go.mod": "module x\ntoolchain go9.9.9\n",
    ".vimrc": `:silent !${trap}\n`,
    ".exrc": `!${trap}\n`,
    ".lesskey": `#env\nLESSOPEN=|${trap} %s\n`,
    ".gdbinit": `shell ${trap}\n`,
    ".tool-versions": "python 9.9.9\n",
    ".mise.toml": `[hooks]\nenter = "${trap}"\n`,
    "bad.sh": "if true; then\n",
    "a.py": "import os\n",
    "a.js": "let a = 1\n",
  };
}

/** Settings of git that name a program. */
const GIT = [
  ...["core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.gitProxy"],
  ...["diff.external", "diff.x.textconv", "diff.x.command", "merge.x.driver", "gpg.program"],
  ...["filter.x.clean", "filter.x.smudge", "filter.x.process", "pager.diff", "pager.log"],
  ...["sequence.editor", "interactive.diffFilter", "credential.helper", "alias.st"],
  ...["difftool.x.cmd", "trailer.x.command", "web.browser", "log.showSignature", "diff.tool"],
];

/** Makes the repository hostile all at once. */
export async function plantSettings(_place: Place, world: World): Promise<void> {
  const { home, dir } = world;
  await plantPrograms(join(home, "traps"), world, ["trap"]);
  const trap = join(home, "traps", "trap");
  for (const [name, text] of Object.entries(filesWith(trap))) {
    await Deno.mkdir(join(dir, name, ".."), { recursive: true });
    await writeProgram(join(dir, name), text);
  }
  const git = GIT.map((setting) => {
    const [section, ...rest] = setting.split(".");
    const key = rest.pop();
    return `[${section}${rest.length > 0 ? ` "${rest.join(".")}"` : ""}]\n\t${key} = ${trap}\n`;
  });
  await Deno.writeTextFile(join(dir, ".git", "config"), git.join(""), { append: true });
}

const COMMANDS = [
  ...["git status", "git diff", "git log -p", "git show", "git blame a.txt", "git grep two"],
  ...[
    "git diff --stat",
    "git ls-files",
    "git stash list",
    "git branch -a",
    "git st",
    "git add a.txt",
  ],
  ...["git commit -m x", "git submodule status", "git submodule update --init", "git fetch"],
  ...[
    "git difftool",
    "git archive HEAD",
    "git check-attr -a a.txt",
    "git describe --always --dirty",
  ],
  ...[
    "rg two",
    "rg --pre ./evil.cjs two",
    "RIPGREP_CONFIG_PATH=.ripgreprc rg two",
    "grep -r two .",
  ],
  ...["npm run lint", "npm test", "npm ls", "npm install", "npm config list", "npx eslint a.js"],
  ...["npx prettier --check .", "yarn --version", "pnpm list", "deno lint", "deno task lint"],
  ...["deno fmt --check", "node -e 0", "node --version", "tsc --noEmit"],
  ...["python3 -c 0", "python3 -m black --check a.py", "python3 a.py", "python3 -m pytest"],
  ...["pylint a.py", "flake8 a.py", "mypy a.py", "black --check .", "ruff check .", "pip list"],
  ...["make", "make -n", "make --version", "cmake .", "cargo check", "cargo --version", "rustc -V"],
  ...[
    "go vet ./...",
    "go version",
    "gofmt -l .",
    "rubocop",
    "shellcheck bad.sh",
    "shfmt -d bad.sh",
  ],
  ...[
    "php-cs-fixer fix --dry-run",
    "perltidy a.txt",
    "vim -es -c q a.txt",
    "less a.txt",
    "gdb -batch",
  ],
  ...[
    "source .env; ls",
    "set -a; . ./.env; ls",
    "env $(cat .env) ls",
    "bash -i -c ls",
    "bash -l -c ls",
  ],
  ...[
    "cd sub; git status",
    "(cd vendor/lib && git status)",
    "git -C vendor/lib log",
    "man -P ./trap ls",
  ],
];

const tool = (name: string, input: Attempt["arguments"]): Attempt => ({
  threat: "repository",
  tool: name,
  arguments: input,
});

const FILES = [
  "bad.sh",
  "a.py",
  "a.js",
  "evil.rb",
  "package.json",
  "build.rs",
  ".php-cs-fixer.php",
];

/** What a model does in such a repository without anybody being asked. */
export const CONFIG_ATTEMPTS: readonly Attempt[] = [
  ...COMMANDS.map((text) => command(text, "repository")),
  ...FILES.flatMap((file) => [
    tool("lint", { file_paths: [file] }),
    tool("format", { file_paths: [file], check: true }),
    tool("read", { file_paths: [file] }),
  ]),
  ...["eslint", "pylint", "flake8", "shellcheck", "clippy"].map((name) =>
    tool("lint", { file_paths: FILES, tool: name })
  ),
  tool("format", { file_paths: FILES }),
  tool("grep", { pattern: "two" }),
  tool("glob", { pattern: "**/*" }),
];

const LINES: readonly (readonly string[])[] = [
  ["doctor", "--json"],
  ["permissions", "explain", "git diff"],
  ["permissions", "list"],
  ["sessions", "list"],
  ["skills", "list"],
  ["hooks", "list"],
  ["mcp", "list"],
  ["plugin", "list"],
  ["plugin", "audit"],
  ["config", "list"],
  ["upgrade"],
  ["completions", "bash"],
  ["--version"],
  ["-p", "--record", "r.jsonl", "go"],
  ["-p", "--receipt", "r.jsonl", "go @a.txt"],
  ["-p", "--plan", "go"],
  ["-p", "/diff"],
];

/** Every use of ally itself there. */
export const CONFIG_PROGRAMS: readonly ProgramAttempt[] = LINES.map((line) => ({
  name: `ally ${line.join(" ")} beside settings that start programs`,
  prepare: plantSettings,
  args: [line],
}));
