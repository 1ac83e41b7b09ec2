/** Commands, the files that decide what they do, and those that do not. */
import type { Breadth } from "../../src/core/permission.ts";

/** A command whose rule of "Always" is bound to files. */
export interface BoundRow {
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

/** A `package.json` with these scripts. */
export const SCRIPTS = (scripts: Record<string, string>) => JSON.stringify({ scripts });

/** Every such command. */
export const BOUND_ROWS: readonly BoundRow[] = [
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
    name: "what node takes for a name, and loads first",
    run: "node -r ./hook build",
    files: { "/w/build.js": "", "/w/hook.cjs": "" },
    binds: [
      ...["/w/build", "/w/build.js", "/w/build.mjs", "/w/build.json", "/w/hook.js", "/w/hook.cjs"],
    ],
    spares: ["/w/other.js"],
  },
  {
    name: "a script behind an option that may have a value",
    run: "node --unhandled-rejections strict a.js out.txt",
    files: { "/w/a.js": "" },
    binds: ["/w/strict", "/w/strict.js", "/w/a.js"],
    spares: ["/w/out.txt"],
  },
  {
    name: "what scripts of packages and of shells take for a name",
    run: "npm test",
    files: {
      "/w/package.json": SCRIPTS({ test: "node build && sh a.sh" }),
      "/w/a.sh": "cd lib\ntimeout 5 tsx ./x.js\npython3 -m m\n",
    },
    binds: ["/w/build.js", "/w/lib/x.ts", "/w/lib/m/__main__.py", "/w/lib/m.py"],
  },
  {
    name: "the packages in which a module of Python lies",
    run: "python3 -m pkg.sub.mod",
    files: { "/w/pkg/__init__.py": "", "/w/pkg/sub/mod.py": "" },
    binds: [
      ...["/w/pkg/__init__.py", "/w/pkg/__init__.so", "/w/pkg/sub/__init__.py", "/w/pkg.py"],
      ...["/w/pkg/sub/mod.py", "/w/pkg/sub/mod.pyc", "/w/pkg/sub/mod/__main__.py"],
    ],
    spares: ["/w/pkg/other.py", "/w/pkg/__main__.py"],
  },
  {
    name: "what deno completes and maps",
    run: "deno run --preload ./first x",
    files: {
      "/w/deno.json": JSON.stringify({ imports: { "x": "./y.ts", "z": "./z.ts" } }),
      "/w/x.ts": "",
    },
    binds: ["/w/x", "/w/x.ts", "/w/x.tsx", "/w/y.ts", "/w/first.ts"],
    spares: ["/w/z.ts"],
  },
  {
    name: "the script of deno without a word before it, and of bun",
    run: "deno x.js && bun run a",
    files: { "/w/a.tsx": "" },
    binds: ["/w/x.js", "/w/x.ts", "/w/a.tsx", "/w/a.js"],
  },
  {
    name: "where ruby looks for what it runs",
    run: "ruby -C sub -Ilib -r ./hook -rtool x",
    files: { "/w/sub/x": "" },
    binds: ["/w/sub/x", "/w/hook.rb", "/w/lib/tool.rb"],
    spares: ["/w/x.rb", "/w/sub/x.rb"],
  },
  {
    name: "the classes that Java looks for, and its words in a file",
    run: "java pkg.Main; java @args",
    files: { "/w/pkg/Main.class": "", "/w/args": "Main" },
    binds: ["/w/pkg/Main.class", "/w/args"],
  },
  {
    name: "what R begins with",
    run: "Rscript a.R",
    files: { "/w/a.R": "" },
    binds: ["/w/a.R", "/w/.Rprofile", "/w/.Renviron"],
  },
  {
    name: "what the wrapper script of Gradle reads and starts",
    run: "make",
    files: {
      "/w/Makefile": "all:\n\tsh ./gradlew build\n",
      "/w/gradlew": "#!/bin/sh\nexec java -jar gradle/wrapper/gradle-wrapper.jar\n",
      "/w/gradle/wrapper/gradle-wrapper.properties": "distributionUrl=file\\:../dist.zip\n",
      "/w/gradle/wrapper/gradle-wrapper.jar": "",
    },
    binds: [
      ...["/w/gradlew", "/w/gradle/wrapper/gradle-wrapper.properties", "/w/gradle/dist.zip"],
      "/w/gradle/wrapper/gradle-wrapper.jar",
    ],
  },
  {
    name: "the properties of Gradle, and what they name",
    run: "./gradlew -p sub build",
    files: {
      "/w/gradlew": "#!/bin/sh\n",
      "/w/sub/build.gradle": "",
      "/w/sub/gradle.properties": "org.gradle.java.home=./jdk\n",
      "/w/sub/jdk/bin/java": "",
    },
    binds: [
      ...["/w/gradle.properties", "/w/sub/gradle.properties", "/w/sub/jdk/bin/java"],
      ...["/w/sub/buildSrc/build.gradle", "/w/gradle/wrapper/gradle-wrapper.properties"],
    ],
  },
  {
    name: "what Maven obeys, and the modules of its project",
    run: "mvn test",
    files: {
      "/w/pom.xml": "<modules><module>core</module><module>\n  app</module></modules>",
      "/w/core/pom.xml": "<parent><relativePath>../base.xml</relativePath></parent>",
      "/w/base.xml": "",
      "/w/app/pom.xml": "",
      "/w/.mvn/jvm.config": "-javaagent:tools/agent.jar",
    },
    binds: [
      ...["/w/pom.xml", "/w/core/pom.xml", "/w/app/pom.xml", "/w/base.xml"],
      ...["/w/.mvn/extensions.xml", "/w/.mvn/jvm.config", "/w/tools/agent.jar"],
    ],
    spares: ["/w/.mvn/wrapper/maven-wrapper.properties"],
  },
  {
    name: "the files that other tools find by themselves",
    run: "ant && ninja && sbt test && bazel build x",
    files: {},
    binds: ["/w/build.xml", "/w/build.ninja", "/w/project/plugins.sbt", "/w/tools/bazel"],
  },
  {
    name: "what lint-staged, lefthook and pre-commit run",
    run: "sh hook.sh",
    files: {
      "/w/hook.sh": "npx lint-staged\nlefthook run pre-commit\npre-commit run\n",
      "/w/package.json": JSON.stringify({
        "lint-staged": { "*.js": ["./a.sh", "eslint"], "*.ts": "sh b.sh --fix" },
      }),
      "/w/.lintstagedrc.json": '{"*.js": "./c.sh", "*.css": ["sh d.sh", "./e.sh"]}',
      "/w/lefthook.yml":
        "pre-commit:\n  jobs:\n    - name: x\n      run: >\n        sh f.sh &&\n        ./g.sh\n  commands: {y: {run: ./h.sh}}\n",
      "/w/.lefthook/pre-commit/i.sh": "",
      "/w/.pre-commit-config.yaml":
        "repos:\n- repo: local\n  hooks: [{id: z, entry: ./j.sh, language: script, args: [./k.sh]}]\n",
    },
    binds: [
      ...["/w/package.json", "/w/a.sh", "/w/b.sh", "/w/c.sh", "/w/d.sh", "/w/e.sh", "/w/f.sh"],
      ...["/w/g.sh", "/w/h.sh", "/w/.lefthook/pre-commit/i.sh", "/w/j.sh", "/w/k.sh"],
    ],
    spares: ["/w/eslint"],
  },
  {
    name: "lists of a Taskfile, and the files that it includes",
    run: "task build",
    files: {
      "/w/Taskfile.yml":
        "includes:\n  docs: ./docs\n  more: more.yml\ndotenv: ['.env.local']\ntasks:\n  build:\n    cmds:\n      - sh a.sh\n      - cmd: ./b.sh\n",
      "/w/docs/Taskfile.yml": "tasks:\n  x: ./docs/c.sh\n",
      "/w/more.yml": "",
      "/w/.env.local": "",
    },
    binds: [
      ...["/w/Taskfile.yml", "/w/docs/Taskfile.yml", "/w/more.yml", "/w/.env.local", "/w/a.sh"],
      ...["/w/b.sh", "/w/docs/c.sh"],
    ],
  },
  {
    name: "what meson takes in and runs",
    run: "meson setup build",
    files: {
      "/w/meson.build": "subdir('src')\nrun_command('gen.py', check: true)\n",
      "/w/src/meson.build": "find_program('tool')\n",
      "/w/gen.py": "",
      "/w/src/tool": "",
    },
    binds: ["/w/meson.build", "/w/src/meson.build", "/w/gen.py", "/w/src/tool"],
  },
  {
    name: "tasks that a task of deno's depends on, and scripts of package.json",
    run: "deno task dev",
    files: {
      "/w/deno.json": JSON.stringify({
        tasks: { dev: { command: "echo", dependencies: ["a"] }, a: "sh a.sh", b: "sh b.sh" },
      }),
      "/w/package.json": SCRIPTS({ dev: "sh d.sh" }),
    },
    binds: ["/w/deno.json", "/w/a.sh", "/w/d.sh", "/w/node_modules/.bin/sh"],
    spares: ["/w/b.sh"],
  },
  {
    name: "scripts of members",
    run: "npm run dev -w one",
    files: {
      "/w/package.json": JSON.stringify({ workspaces: ["packages/*"] }),
      "/w/packages/one/package.json": SCRIPTS({ dev: "sh ./dev.sh" }),
    },
    binds: ["/w/packages/one/package.json", "/w/packages/one/dev.sh"],
  },
  {
    name: "the interpreter of a script, and programs of packages that a hook begins with",
    run: "git commit -m x",
    files: {
      "/w/.husky/pre-commit": "#!/usr/bin/env -S ./interp -x\nmylint src\n",
      "/w/interp": "#!./other.sh\n",
    },
    binds: ["/w/interp", "/w/other.sh", "/w/node_modules/.bin/mylint", "/w/node_modules/.bin/sh"],
    spares: ["/w/mylint"],
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
    name: "what lies above a directory that a script enters",
    run: "bash a.sh",
    files: {
      "/w/a.sh":
        "cd sub && . ../b.sh\n(cd sub; sh ../c.sh)\ncd sub && ../d.sh\nsh sub/e.sh\nmake\nnpm test",
      "/w/sub/e.sh": 'cd "$(dirname "$0")"; sh ../f.sh',
      "/w/Makefile": "all:\n\tcd sub && ../g.sh\n",
      "/w/package.json": SCRIPTS({ test: "cd sub && node ../h.js" }),
    },
    binds: ["b.sh", "c.sh", "d.sh", "f.sh", "g.sh", "h.js"].map((name) => `/w/${name}`),
  },
  {
    name: "what it looks for with tests, and its plugins",
    run: "python3 -m pytest -q -p plug tests/unit/test_a.py::b",
    files: {
      "/w/tests/unit/test_a.py": "",
      "/w/tests/unit/conftest.py": "",
      "/w/tests/conftest.py": "",
    },
    binds: ["plug.py", "conftest.py", "tests/conftest.py", "tests/unit/conftest.py", ".pytest.ini"]
      .map((name) => `/w/${name}`),
    spares: ["/w/other/conftest.py"],
  },
  {
    name: "all conftest.py below what is named",
    run: "pytest tests",
    files: { "/w/tests/a/b/conftest.py": "" },
    binds: ["/w/tests/conftest.py", "/w/tests/a/b/conftest.py", "/w/conftest.py"],
  },
  {
    name: "the modules of perl and the variables of node",
    run: "perl -Ilib -I more -MFoo::Bar=x a.pl; node --env-file .env a.js",
    files: { "/w/a.pl": "", "/w/a.js": "", "/w/.env": "A=1\n" },
    binds: ["/w/lib/Foo/Bar.pm", "/w/more/Foo/Bar.pm", "/w/.env"],
  },
  {
    name: "tasks elsewhere",
    run: "task -d sub build && rake",
    files: { "/w/sub/Taskfile.yml": "", "/w/rakelib/a.rake": "sh './b.sh'\n" },
    binds: [
      ...["/w/sub/Taskfile.yml", "/w/sub/Taskfile.dist.yml", "/w/rakefile", "/w/rakelib/a.rake"],
      ...["/w/rakelib/new.rake", "/w/b.sh"],
    ],
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
