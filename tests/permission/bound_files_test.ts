/**
 * Which files a stored rule is bound to: all that decide what the allowed command does, by whatever name they are taken
 * in. One of them is changed, made or removed, and the rule no longer answers the question.
 */
import assert from "node:assert/strict";
import type { Access, Breadth } from "../../src/core/permission.ts";
import { listRules } from "../../src/permission/describe.ts";
import { RuleBook } from "../../src/permission/rule_book.ts";
import { Policy } from "../../src/permission/policy.ts";
import { followExecuted } from "../../src/permission/bound_files/closure.ts";
import { textPathFacts } from "../support/path_facts.ts";

const command = (target: string): Access => ({ kind: "run", target });

interface Row {
  readonly name: string;
  readonly run: string;
  /** @default "exact" */
  readonly breadth?: Breadth;
  readonly files: Readonly<Record<string, string>>;
  /** Each of these, changed by itself, voids the rule. */
  readonly binds: readonly string[];
  /** These do not. */
  readonly spares?: readonly string[];
}

const SCRIPTS = (scripts: Record<string, string>) => JSON.stringify({ scripts });

const ROWS: readonly Row[] = [
  {
    name: "a makefile that includes others, by whatever word",
    run: "make",
    breadth: "program",
    files: {
      "/w/Makefile":
        "include rules.mk \\\n  more.mk # not.mk\n-include local.mk\n  sinclude $(CURDIR)/x/cur.mk\ninclude mk/*.mk\nload ext.so\n",
      "/w/rules.mk": "include deep.mk\n",
      "/w/mk/a.mk": "",
      "/w/a.c": "",
    },
    binds: [
      ...["/w/Makefile", "/w/GNUmakefile", "/w/rules.mk", "/w/more.mk", "/w/local.mk", "/w/ext.so"],
      ...["/w/x/cur.mk", "/w/deep.mk", "/w/mk/a.mk", "/w/mk/new.mk"],
    ],
    spares: ["/w/not.mk", "/w/a.c", "/w/mk/b.c"],
  },
  {
    name: "a makefile in another directory, and where included files are looked for",
    run: "make -C sub -I mk -f build",
    files: { "/w/sub/build": "include a.mk b.mk\n", "/w/mk/b.mk": "" },
    binds: ["/w/sub/build", "/w/sub/a.mk", "/w/mk/b.mk"],
  },
  {
    name: "the scripts of recipes, of functions and the shell of a makefile",
    run: "make all",
    files: {
      "/w/Makefile":
        "SHELL := ./my.sh\nX := $(shell ./version.sh -a)\nall: ; @./one.sh\n\t@$(PY) x && sh scripts/two.sh $$A\n",
    },
    binds: ["/w/my.sh", "/w/version.sh", "/w/one.sh", "/w/scripts/two.sh"],
  },
  {
    name: "the scripts that variables, targets and prerequisites of a makefile name",
    run: "make",
    files: {
      "/w/Makefile":
        "include v.mk\nTOOL := ./lib/s.sh\nB = lib\nall: lib/t.sh\n\tsh $(TOOL)\n\tsh $<\n\t. $(B)/u.sh\nv.sh:\n\t@sh ./$@\n",
      "/w/v.mk": "OTHER = lib/w.sh\n",
      "/w/lib/w.sh": "",
    },
    binds: ["/w/lib/s.sh", "/w/lib/t.sh", "/w/lib/u.sh", "/w/v.sh", "/w/lib/w.sh"],
  },
  {
    name: "what make makes a makefile anew from, by its built-in rules",
    run: "make",
    files: { "/w/Makefile": "include inc.mk\n-include opt.mk\nall:\n\techo x\n", "/w/inc.mk": "" },
    binds: [
      ...["/w/Makefile.sh", "/w/inc.mk.sh", "/w/opt.mk.sh", "/w/Makefile,v", "/w/s.Makefile"],
      ...["/w/RCS/Makefile,v", "/w/SCCS/s.inc.mk", "/w/RCS/opt.mk"],
    ],
    spares: ["/w/all.sh", "/w/x.mk.sh", "/w/RCS/other,v"],
  },
  {
    name: "the programs of packages that scripts start, present or not",
    run: "npm run build",
    files: {
      "/w/package.json": SCRIPTS({
        build: "NODE_ENV=x tsc -p . && node t.js; (sh ./s.sh) | tee log",
      }),
      "/w/node_modules/.bin/tsc": "#!/usr/bin/env node\n",
    },
    binds: [
      ...["tsc", "node", "sh", "tee"].map((name) => `/w/node_modules/.bin/${name}`),
      "/w/s.sh",
    ],
    spares: ["/w/node_modules/.bin/jest", "/w/package-lock.json", "/w/binding.gyp"],
  },
  {
    name: "what installing packages runs, and where it takes them from",
    run: "npm install",
    files: {
      "/w/package.json": JSON.stringify({
        dependencies: { dep: "file:./dep", far: "^1.0.0" },
        workspaces: ["packages/*"],
      }),
      "/w/dep/package.json": SCRIPTS({ postinstall: "sh ./post.sh" }),
      "/w/packages/one/package.json": "{}",
      "/w/node_modules/.bin/x": "",
    },
    binds: [
      ...["/w/package-lock.json", "/w/npm-shrinkwrap.json", "/w/binding.gyp", "/w/.npmrc"],
      ...[
        "/w/dep/package.json",
        "/w/dep/binding.gyp",
        "/w/dep/post.sh",
        "/w/packages/one/package.json",
      ],
      ...["/w/node_modules/.bin/node-gyp", "/w/node_modules/.bin/node"],
    ],
    spares: ["/w/index.js", "/w/node_modules/.bin/jest"],
  },
  {
    name: "lists of pip's, and the packages of the project that they name",
    run: "pip install -r requirements-dev.txt",
    files: {
      "/w/requirements-dev.txt":
        "-r base/more.txt\n-c constraints.txt\n-e ./sub[extra]\nrequests\n",
      "/w/base/more.txt": "../other\n",
    },
    binds: [
      ...["/w/requirements-dev.txt", "/w/base/more.txt", "/w/constraints.txt", "/w/setup.cfg"],
      ...["/w/sub/setup.py", "/w/sub/pyproject.toml", "/w/sub/setup.cfg", "/w/other/setup.py"],
    ],
    spares: ["/w/requests", "/w/sub/a.py"],
  },
  {
    name: "what a shell script takes in and starts, wherever it stands",
    run: "bash a.sh",
    files: {
      "/w/a.sh":
        "if x; then . ./lib.sh; fi\nf() { source 'b c.sh'; }\nbash d.sh\nexec sh -e e.sh | ./f\nenv A=1 timeout 5 sh g.sh\nX=$(sh h.sh)\nbash < i.sh\nsh -c '. ./j.sh'\neval 'sh k.sh'\ncd sub && ./l.sh\nnode m.js\nsh <<'E'\n. ./n.sh\nE\nbash <<< '. ./o.sh'\narr=(a b)\n${!x}\n",
      "/w/lib.sh": "sh deep.sh\n",
      "/w/f": "#!/bin/sh\n. ./g2.sh\n",
    },
    binds: [
      ...["/w/a.sh", "/w/lib.sh", "/w/b c.sh", "/w/d.sh", "/w/e.sh", "/w/f", "/w/g.sh", "/w/h.sh"],
      ...[
        "/w/i.sh",
        "/w/j.sh",
        "/w/k.sh",
        "/w/sub/l.sh",
        "/w/m.js",
        "/w/n.sh",
        "/w/o.sh",
        "/w/deep.sh",
        "/w/g2.sh",
      ],
    ],
    spares: ["/w/other.sh"],
  },
  {
    name: "the files that a shell is fed through a pipe",
    run: "sh a.sh",
    files: { "/w/a.sh": "cat lib/s.sh lib/t.sh | sh\ncat < x | cat y.py | python3\n" },
    binds: ["/w/lib/s.sh", "/w/lib/t.sh", "/w/y.py"],
    spares: ["/w/x"],
  },
  {
    name: "what lies beside a shell script that finds out where it is itself",
    run: "sh tools/a.sh",
    files: {
      "/w/tools/a.sh":
        'DIR="$(cd "$(dirname "${BASH_SOURCE[0]}")" >/dev/null 2>&1 && pwd)"\n. "$DIR/b.sh"\n. "$(dirname -- "$0")/c.sh"\nROOT=$(cd "$(dirname "$0")/.." && pwd)\nsource $ROOT/d.sh\n. "${0%/*}/e.sh"\n',
    },
    binds: ["/w/tools/b.sh", "/w/tools/c.sh", "/w/d.sh", "/w/tools/e.sh"],
  },
  {
    name: "what a script copies to where it runs it",
    run: "sh a.sh",
    files: {
      "/w/a.sh": "cp -p lib/s.sh b.sh\nsh b.sh; install c.sh bin; bin/c.sh\ncp data.txt out.txt",
      "/w/lib/s.sh": ". ./d.sh",
    },
    binds: ["/w/b.sh", "/w/lib/s.sh", "/w/d.sh", "/w/c.sh", "/w/bin/c.sh"],
    spares: ["/w/data.txt", "/w/out.txt"],
  },
  {
    name: "what a Rakefile starts",
    run: "rake",
    files: { "/w/Rakefile": "task :x do\n  sh './a.sh'\n  sh \"sh b.sh #{x}\"\n  `./c.sh`\nend\n" },
    binds: ["/w/Rakefile", "/w/a.sh", "/w/b.sh", "/w/c.sh"],
  },
  {
    name: "what sessions of nox and environments of tox start",
    run: "nox",
    files: {
      "/w/noxfile.py": 'def t(session):\n  session.run("bash", "scripts/t.sh")\n',
      "/w/tox.ini": "commands = ./t2.sh {posargs}\n",
      "/w/scripts/t.sh": "sh u.sh\n",
      "/w/t2.sh": "",
    },
    binds: ["/w/noxfile.py", "/w/scripts/t.sh", "/w/u.sh", "/w/t2.sh"],
  },
  {
    name: "a script of npm's, those before and behind it, and what they start",
    run: "npm test",
    files: {
      "/w/package.json": SCRIPTS({
        pretest: "sh scripts/before.sh",
        test: "npm run lint && node scripts/test.js",
        lint: "sh scripts/lint.sh",
        deploy: "sh scripts/deploy.sh",
      }),
      "/w/scripts/lint.sh": ". ./scripts/env.sh",
    },
    binds: [
      ...["/w/package.json", "/w/.npmrc", "/w/.yarnrc", "/w/.yarnrc.yml", "/w/pnpm-workspace.yaml"],
      ...["/w/.pnpmfile.cjs", "/w/scripts/before.sh", "/w/scripts/test.js", "/w/scripts/lint.sh"],
      "/w/scripts/env.sh",
    ],
    spares: ["/w/scripts/deploy.sh"],
  },
  {
    name: "what npm is told to load, and the scripts of an installation",
    run: "npm ci",
    files: {
      "/w/package.json": SCRIPTS({ postinstall: "node post.js" }),
      "/w/.npmrc": "node-options=--require=./x.cjs\nscript-shell=/w/sh.sh\n",
    },
    binds: ["/w/post.js", "/w/x.cjs", "/w/sh.sh"],
  },
  {
    name: "cargo's settings, the programs that they name, and its toolchain",
    run: "cargo test",
    breadth: "program",
    files: {
      "/w/Cargo.toml": "",
      "/w/.cargo/config.toml": '[build]\nrustc-wrapper = "./wrap.sh"\n',
    },
    binds: [
      ...["/w/.cargo/config.toml", "/w/.cargo/config", "/w/rust-toolchain", "/w/wrap.sh"],
      "/w/rust-toolchain.toml",
    ],
    spares: ["/w/src/main.rs"],
  },
  {
    name: "what a justfile imports and starts",
    run: "just build",
    files: { "/w/justfile": "import 'a.just'\nmod b\nbuild:\n  @sh build.sh {{x}}\n" },
    binds: ["/w/a.just", "/w/b.just", "/w/b/mod.just", "/w/build.sh"],
  },
  {
    name: "what the files of CMake include",
    run: "cmake --build .",
    files: { "/w/CMakeLists.txt": "include(cmake/a.cmake)\nadd_subdirectory(lib)\n" },
    binds: ["/w/cmake/a.cmake", "/w/lib/CMakeLists.txt"],
    spares: ["/w/main.c"],
  },
  {
    name: "what a Gradle build applies",
    run: "gradle build",
    files: { "/w/build.gradle": "apply from: 'gradle/a.gradle'\n" },
    binds: ["/w/gradle/a.gradle"],
  },
  {
    name: "what python loads by itself",
    run: "python3 a.py > out.txt",
    files: { "/w/a.py": "" },
    binds: ["/w/sitecustomize.py", "/w/a.py"],
    spares: ["/w/conftest.py"],
  },
  {
    name: "hooks of git's and what they start, git's configuration and what it includes",
    run: "git checkout -b topic",
    breadth: "repository",
    files: {
      "/w/.husky/pre-commit": "#!/bin/sh\nsh scripts/lint.sh\nnpm run fast\n",
      "/w/.git/config":
        '[include]\n\tpath = ../shared.gitconfig\n[filter "x"]\n\tclean = ./clean.sh %f\n',
      "/w/shared.gitconfig": "[alias]\n\tzz = !sh zz.sh\n[core]\n\thooksPath = hooks\n",
      "/w/hooks/pre-push": "sh push.sh",
      "/w/package.json": SCRIPTS({ fast: "./fast.sh" }),
    },
    binds: [
      ...["/w/.husky/pre-commit", "/w/scripts/lint.sh", "/w/package.json", "/w/fast.sh"],
      ...["/w/.gitattributes", "/w/.gitmodules", "/w/shared.gitconfig", "/w/clean.sh", "/w/zz.sh"],
      ...["/w/hooks/pre-push", "/w/push.sh", "/w/hooks/commit-msg"],
    ],
    spares: ["/w/scripts/other.sh"],
  },
];

function makePolicy(
  files: Record<string, string>,
  sandboxed = true,
  book = new RuleBook({ pathFacts: textPathFacts(files) }),
): Policy {
  return new Policy({
    book,
    rules: { allow: {}, deny: {}, allowAll: false },
    interactive: true,
    pathFacts: textPathFacts(files),
    sandboxed: () => sandboxed,
    unasked: "safe",
  });
}

async function isAllowed(policy: Policy, run: string): Promise<boolean> {
  return (await policy.judge([command(run)])).decision === "allow";
}

for (const { name, run, breadth = "exact", files, binds, spares = [] } of ROWS) {
  Deno.test(`a rule for ${run} is bound to ${name}`, async () => {
    const onDisk: Record<string, string> = { ...files };
    const policy = makePolicy(onDisk);
    const access = command(run);
    const { decision, offers = [] } = await policy.judge([access]);
    assert.equal(decision, "ask");
    assert.ok(offers.some((offer) => offer.breadth === breadth), JSON.stringify(offers));
    assert.equal(await policy.grant([access], { scope: "session", breadth }), undefined);
    assert.ok(await isAllowed(policy, run));
    for (const path of [...binds, ...spares]) {
      const before = onDisk[path];
      onDisk[path] = `${before ?? ""}\n# changed`;
      assert.equal(await isAllowed(policy, run), spares.includes(path), path);
      if (before === undefined) delete onDisk[path];
      else onDisk[path] = before;
    }
    assert.ok(await isAllowed(policy, run));
  });
}

const UNKNOWN: readonly { run: string; files: Record<string, string> }[] = [
  { run: "bash a.sh", files: { "/w/a.sh": '. "$LIB/b.sh"' } },
  { run: "bash a.sh", files: { "/w/a.sh": '"$@"' } },
  { run: "bash a.sh", files: { "/w/a.sh": 'eval "$X"' } },
  { run: "bash a.sh", files: { "/w/a.sh": "sh -c $X" } },
  { run: "bash a.sh", files: { "/w/a.sh": 'A=x.sh; A=y.sh; . "./$A"' } },
  { run: "bash a.sh", files: { "/w/a.sh": "if" } },
  ...[
    ...[
      "tac b.sh | sh",
      "cat $X | sh",
      "cat - | sh",
      "cat b.sh | tr a b | { sh; }",
      "tac b | (python3)",
    ],
    ...["PATH=lib:$PATH s.sh", "export PATH=lib:$PATH\ns.sh", 'export "PATH=$PWD/lib:$PATH"\ns.sh'],
    ...[
      "PATH=/tmp/x:$PATH\ns",
      "BASH_ENV=lib/s.sh bash -c true",
      "env BASH_ENV=lib/s.sh bash -c true",
    ],
    ...["NODE_OPTIONS=--require=./lib/x.js node a.js", "set -a\nNODE_OPTIONS=-r./x.js\nnode a.js"],
    ...["NODE_OPTIONS=-r./x.js\nexport NODE_OPTIONS\nnode a.js", "read -r PATH < lib/path\ns"],
    ...["shopt -s expand_aliases\nalias x='. lib/s.sh'\nx", "hash -p lib/s.sh ls\nls"],
    ...[
      `awk "{system(\\$0)}" lib/s.sh`,
      'awk "$(cat lib/a.awk)" x',
      "awk -f $X y",
      "sed e lib/s.sh",
    ],
    ...[
      "tar cf - lib | tar xf - -C /tmp\nsh /tmp/lib/s.sh",
      "cp lib/s /tmp/s\n/tmp/s",
      ". /dev/stdin <b.sh",
    ],
    ...["sh <<E\n: $(cat b.sh)\nE", "python3 -c 'exec(open(\"b.py\").read())'", 'node -e "$X"'],
    ...["cat x y > b.sh; sh b.sh", "curl x | tee b.sh; sh b.sh", "cp $X b.sh; sh b.sh"],
    ...["run-parts parts.d", 'cd "$1"\nsh b.sh', 'make -C "$1"', "xargs -I{} sh -c '{}' < b.sh"],
  ].map((text) => ({ run: "bash a.sh", files: { "/w/a.sh": text } })),
  { run: "bash a.sh", files: { "/w/a.sh": ". ./b.sh", "/w/b.sh": ". $X" } },
  { run: "make", files: { "/w/Makefile": "include $(X)" } },
  ...[
    ...["all:\n\tsh $(TOOL)\n", "all:\n\t$(TOOL) x\n", "TOOL += a.sh\nall:\n\tsh '$(TOOL)'\n"],
    ...["define run\nsh ./lib/s.sh\nendef\nall:\n\t$(run)\n", "all:\n\t$(call run,x)\n"],
    ...[
      ".RECIPEPREFIX = >\nall:\n>sh ./lib/s.sh\n",
      "%.x: %.sh\n\tsh $<\n",
      "all:\n\tcat $(X) | sh\n",
    ],
    ...["A = a.sh\n$(eval A = b.sh)\nall:\n\tsh $(A)\n", "all:\n\t$(MAKE) -C $(X)\n"],
    ...["export PATH := lib:$(PATH)\nall:\n\ts\n", "all: X=1\nall: a.sh\nall: b.sh\n\tsh $<\n"],
    ...[".SHELLFLAGS = ./lib/s.sh\nall:\n\tx\n", "SHELL = $(X)\nall:\n\tx\n"],
  ].map((text) => ({ run: "make", files: { "/w/Makefile": text } })),
  { run: "make", files: { "/w/Makefile": "$(eval include x.mk)" } },
  { run: "npm test", files: { "/w/package.json": SCRIPTS({ test: "sh $X" }) } },
];

const KNOWN: typeof UNKNOWN = [
  ...[
    "CC ?= gcc\nCFLAGS += -O2 $(shell pkg-config --cflags x)\nOBJ := $(SRC:.c=.o)\napp: $(OBJ)\n\t$(CC) $(CFLAGS) -o $@ $^\n%.o: %.c\n\t@$(CC) -c $< -o $@\nclean:\n\t-$(RM) *.o\n",
    'SHELL := /bin/bash\n.SHELLFLAGS := -eu -o pipefail -c\n.PHONY: test\ntest: ## Tests\n\t@echo "$(X)"\n\tpython3 -m pytest $(ARGS)\n\t$(MAKE) lint\nlint: ; npx eslint .\n',
    "ifeq ($(V),1)\nQ =\nelse\nQ = @\nendif\nPYTHON = python3\nall: a.py\n\t$(Q)$(PYTHON) $< $$HOME\n\tif [ -f x ]; then rm x; fi\n\tcd src && $(MAKE) all\n",
    "ifndef S\n\tS = /bin/sh\nendif\nexport GOOS := linux\ninclude a.mk\nbuild:\n\tGOARCH=arm go build -ldflags '-X a=$(V)' ./...\n\t$(info done)\n\tdocker build -t $(IMAGE) .\n",
  ].map((text) => ({ run: "make", files: { "/w/Makefile": text } })),
  ...[
    'set -euo pipefail\nIFS=$\'\\n\\t\'\ncd "$(dirname "$0")"\nnode script.js "$@"\npython3 x.py\n',
    'npx eslint .\ncommand -v jq\nls | while read -r x; do echo "$x"; done | sort',
    "CC=gcc make -j4\nexport NODE_ENV=test\nX=1 node a.js\nexport PATH=/usr/local/bin:$PATH",
    "sed -i 's/a/b/' x\nsed \"s|@v@|$V|\" x > y\nawk '{print $1}' x\nfind . -name '*.o' -exec rm {} +",
    "V=$(node -p 'require(\"./package.json\").version')\necho x | python3 -c 'import json, sys'",
    "trap 'rm -f x' EXIT\nCDPATH= cd -- src && ls\ncat <<E\n$X\nE\ncat b.sh c.sh | sh -e",
    'cd "$(git rev-parse --show-toplevel)"\nsh scripts/lint.sh\nif [[ -n $X ]]; then exit 1; fi',
  ].map((text) => ({ run: "bash a.sh", files: { "/w/a.sh": text } })),
];

Deno.test("what names all that it takes in has an Always without a sandbox as well", async () => {
  for (const { run, files } of KNOWN) {
    const { offers = [] } = await makePolicy(files, false).judge([command(run)]);
    assert.ok(offers.some(({ breadth }) => breadth === "exact"), JSON.stringify(files));
  }
});

Deno.test("what takes in a file that nobody knows has no Always but in the sandbox, where it is bound as far as known", async () => {
  for (const { run, files } of UNKNOWN) {
    const { offers = [] } = await makePolicy(files, false).judge([command(run)]);
    assert.deepEqual(offers, [], `${run}: ${JSON.stringify(files)}`);
    const held = await makePolicy(files).judge([command(run)]);
    assert.ok(held.offers?.some(({ breadth }) => breadth === "exact"), run);
  }
  const hooks = { "/w/.husky/pre-commit": ". $X" };
  const { offers = [] } = await makePolicy(hooks).judge([command("git commit -m x")]);
  assert.deepEqual(offers, [], "a hook may do lasting harm with what git gets");
});

Deno.test("the files that are bound are bounded", async () => {
  const chain = Object.fromEntries(
    Array.from({ length: 20 }, (_, at) => [`/w/${at}.sh`, `. ./${at + 1}.sh`]),
  );
  const wide = {
    "/w/0.sh": Array.from({ length: 150 }, (_, at) => `. ./a${at}.sh; . ./b${at}.sh`).join("\n"),
  };
  const round = { "/w/0.sh": ". ./1.sh", "/w/1.sh": ". ./0.sh" };
  for (const [files, isKnown] of [[chain, false], [wide, false], [round, true]] as const) {
    const { offers = [] } = await makePolicy(files, false).judge([command("sh 0.sh")]);
    assert.equal(offers.length > 0, isKnown);
  }
});

Deno.test("files made to be looked through for ever are given up", () => {
  const many = (line: (index: number) => string) =>
    Array.from({ length: 3000 }, (_, index) => line(index)).join("\n");
  const texts: readonly (readonly [path: string, text: string])[] = [
    ["/w/Makefile", many((index) => `\tsh ${index}.sh`)],
    ["/w/Makefile", many((index) => `include ${index}.mk`)],
    ["/w/Makefile", `include ${"a/".repeat(100_000)}$x!`],
    ["/w/a.sh", many((index) => `. ./${index}`).slice(0, 60_000)],
    ["/w/a.sh", many((index) => `cd ${index}`).slice(0, 30_000)],
    ["/w/a.sh", "{ ".repeat(20_000)],
    ["/w/.npmrc", many((index) => `a=./${index}`)],
    ["/w/CMakeLists.txt", many((index) => `include(${index})`)],
    ["/w/.git/config", many((index) => `a = ${index}`)],
    ["/w/big.sh", "a\n".repeat(600_000)],
  ];
  for (const [path, text] of texts) {
    const command = { executes: [path], hooks: [], programs: [], argv: [], cwds: ["/w"] };
    const { files, complete } = followExecuted(command, textPathFacts({ [path]: text }));
    assert.equal(complete, false, path);
    assert.ok(files.length <= 200, path);
  }
});

Deno.test("a command is judged without a look into the files that it runs, as long as there is no rule and no question", async () => {
  const read: string[] = [];
  const facts = textPathFacts({ "/w/package.json": SCRIPTS({ test: "sh a.sh" }) });
  const policy = new Policy({
    rules: { allow: {}, deny: {}, allowAll: false },
    interactive: true,
    pathFacts: {
      ...facts,
      read: (path) => (read.push(path), facts.read(path)),
      fingerprint: (path) => (read.push(path), facts.fingerprint(path)),
    },
    sandboxed: () => true,
  });
  assert.ok(await isAllowed(policy, "npm test"));
  assert.deepEqual(read, []);
});

Deno.test("the list of rules says in words what a rule is bound to, and what voided it", async () => {
  const files: Record<string, string> = {
    "/w/Makefile": "include a.mk\ninclude b.mk\n",
    "/w/a.mk": "",
  };
  const book = new RuleBook({ pathFacts: textPathFacts(files) });
  const policy = makePolicy(files, true, book);
  const access = command("make");
  await policy.judge([access]);
  await policy.grant([access], { scope: "session", breadth: "exact" });
  const list = async () => {
    const rules = { allow: {}, deny: {}, allowAll: false };
    const [rule] = await listRules({ rules, configured: [], book });
    return rule!;
  };
  assert.match(
    (await list()).covers,
    /as long as Makefile, a\.mk stay as now and there is no GNUmakefile, b\.mk or makefile$/,
  );
  assert.equal((await list()).void, undefined);
  files["/w/b.mk"] = "X := 1";
  assert.equal((await list()).void, "b.mk changed since; the command asks again");
});
