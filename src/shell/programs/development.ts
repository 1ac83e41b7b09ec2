/**
 * Compilers, build tools, test runners, linters, formatters and package managers: they run the project's
 * own code, so they are sensitive, and a grant holds only while the files that say what they do are unchanged.
 */
import {
  extreme,
  extremeRows,
  type Row,
  safeRows,
  sensitive,
  sensitiveRows,
  tentativeRows,
} from "../program.ts";

const PROJECT = "runs or builds project code";
const PUBLISH = "publishes what cannot be taken back";
const OUTSIDE = "changes what is installed outside the workspace";
const GLOBAL = { "-g --global --location": extreme(OUTSIDE) } as const;
const CHECKS = "checks files of the workspace";
/** Options with which a program that checks files writes. */
const FIXES = {
  "--fix --write --in-place -i --inplace --autocorrect -a -A --auto-correct": sensitive(
    "changes files",
  ),
  "-o --output --output-file --outFile --outDir": "write",
} as const;
/** Options with which a program that writes files only says what it would write. */
const ONLY_CHECKS = /^(--check|--check-only|--diff|--dry-run|--noEmit|-n|-l|-d)$/;
const MAKE = ["Makefile", "makefile", "GNUmakefile"];

/** Rows of the program table. */
export const DEVELOPMENT: readonly Row[] = [
  ...tentativeRows("npm pnpm yarn", "runs or changes the project's packages", {
    executes: ["package.json"],
    options: {
      ...GLOBAL,
      "--prefix -C --cwd --dir": "write",
      "--script-shell --node-options": "code",
    },
    subcommands: [
      ...sensitiveRows(
        `
          create init ci install i add remove rm uninstall un update up upgrade dedupe prune
          rebuild audit link version pack why
        `,
        "runs or changes the project's packages",
        {
          executes: ["package.json"],
          options: { ...GLOBAL, "-c --call --script-shell --node-options": "code" },
        },
      ),
      ...tentativeRows(
        "test t tst start stop restart run run-script build dev lint",
        "runs a script of the project",
        {
          executes: ["package.json"],
          options: { ...GLOBAL, "-c --call --script-shell --node-options": "code" },
        },
      ),
      ...tentativeRows(
        `
          ls list ll la outdated view info show search explain fund doctor root bin prefix
          ping help docs repo
        `,
        "reads the project's packages or the registry",
      ),
      ...sensitiveRows("exec x dlx", "runs a package", {
        executes: ["package.json"],
        wrapper: {
          flags: "-y --yes --no -r --recursive -w --workspace-root --silent -s --quiet",
          valued: "-p --package --workspace --filter",
        },
      }),
      ...sensitiveRows("npm", "reads or changes the registry", {
        subcommands: [...extremeRows("publish login logout tag", PUBLISH)],
      }),
      ...extremeRows(
        `
          publish unpublish deprecate dist-tag access owner team token adduser login
          logout profile star hook
        `,
        PUBLISH,
      ),
      ...extremeRows("config set env global", "changes settings outside the workspace"),
    ],
  }),
  ...sensitiveRows(
    `
      corepack lerna nx turbo rush ng vue nuxt next vite astro gatsby expo react-scripts cra
      webpack rollup esbuild parcel tsup swc babel gulp grunt just-scripts
    `,
    PROJECT,
    {
      executes: ["package.json"],
    },
  ),
  ...sensitiveRows(
    `
      tsc vue-tsc flow dprint cypress playwright storybook
    `,
    PROJECT,
    {
      executes: ["package.json"],
      onlyChecks: ONLY_CHECKS,
      options: { "-o --output-file --outFile --outDir": "write" },
    },
  ),
  ...tentativeRows(
    `
      svelte-check eslint prettier biome oxlint stylelint standard xo tslint rome knip depcheck
      jest vitest mocha ava tap jasmine karma nyc c8
    `,
    PROJECT,
    { executes: ["package.json"], options: { ...FIXES, "-w": sensitive("changes files") } },
  ),
  ...sensitiveRows("make gmake bmake nmake", PROJECT, {
    grammar: "make",
    executes: MAKE,
    options: {
      "-f --file --makefile -C --directory -I --include-dir": "write",
      "-E --eval": "code",
      "-j --jobs -l --load-average -o -W": "text",
    },
  }),
  ...sensitiveRows(
    `
      ninja samu cmake ctest cpack meson scons bazel bazelisk buck2 pants waf xmake premake5
      autoconf automake autoreconf libtool qmake ant mvn mvnw gradle gradlew sbt mill lein
      rake thor just task mage tup redo earthly nix-build
    `,
    PROJECT,
    {
      executes: [
        "CMakeLists.txt",
        "build.gradle",
        "pom.xml",
        "justfile",
        "Justfile",
        "Taskfile.yml",
        "Rakefile",
        "build.sbt",
      ],
      options: { "-C -B -S": "write", "-E": extreme("runs a tool of cmake") },
    },
  ),
  ...sensitiveRows("mvn mvnw gradle gradlew", PROJECT, {
    executes: ["build.gradle", "pom.xml"],
    options: { "-f --file -p --project-dir -b": "write" },
    subcommands: [...extremeRows("deploy publish publishToMavenCentral release:perform", PUBLISH)],
  }),
  ...extremeRows("nix-shell nix nix-env nixos-rebuild", "changes the system's packages"),
  ...sensitiveRows(
    `
      cc gcc g++ clang clang++ c++ tcc icc nvcc ld gold lld as nasm yasm ar ranlib strip
      objcopy javac kotlinc scalac ghc stack cabal ocaml ocamlc ocamlopt dune opam fpc
      gfortran rustc zig nim crystal dmd ldc2 v swift swiftc xcodebuild vala valac gnatmake
      protoc flatc thrift bison yacc flex lex swig
    `,
    PROJECT,
    {
      operands: "read",
      options: {
        "-o --output --out-dir -d": "write",
        "-wrapper --rustc-wrapper": "code",
        "-B -I -L": "text",
      },
    },
  ),
  ...safeRows("nm objdump readelf size addr2line c++filt pkg-config pkgconf", {
    operands: "read",
    options: { "-o": "write", "--plugin": "code" },
  }),
  ...tentativeRows("ldd", "may run the program it looks at", { operands: "read" }),
  ...sensitiveRows("cargo", PROJECT, {
    executes: ["Cargo.toml", "build.rs"],
    options: { "--config -Z": "code", "-C --manifest-path --target-dir": "write" },
    subcommands: [
      ...sensitiveRows("fmt", "formats files of the workspace", {
        executes: ["Cargo.toml"],
        onlyChecks: /^--check$/,
      }),
      ...sensitiveRows(
        `
          build b check c test t run r bench doc clippy fix clean new init add remove
          update fetch tree metadata vendor nextest expand audit deny outdated watch miri
          llvm-cov search info locate-project pkgid verify-project generate-lockfile
          machete hack udeps
        `,
        PROJECT,
        {
          executes: ["Cargo.toml", "build.rs"],
          options: { "--config": "code", "--manifest-path --target-dir": "write" },
        },
      ),
      ...extremeRows("publish yank owner login logout", PUBLISH),
      ...extremeRows("install uninstall", OUTSIDE),
    ],
  }),
  ...extremeRows(
    `
      rustup nvm fnm volta asdf mise rtx sdk pyenv rbenv nodenv goenv jenv ghcup conda mamba
      micromamba virtualenvwrapper pipx gup
    `,
    OUTSIDE,
  ),
  ...sensitiveRows("conda mamba micromamba", OUTSIDE, {
    subcommands: [
      ...sensitiveRows("list info search", "reads the installed packages"),
      ...sensitiveRows("env", "reads the installed packages", {
        subcommands: [...extremeRows("create remove update config", OUTSIDE)],
      }),
      ...extremeRows("install remove update create clean config uninstall", OUTSIDE),
      ...sensitiveRows("run", "runs in an environment", {
        wrapper: { flags: "--no-capture-output --live-stream", valued: "-n --name -p --prefix" },
      }),
    ],
  }),
  ...sensitiveRows("go", PROJECT, {
    executes: ["go.mod"],
    subcommands: [
      ...sensitiveRows(
        "build test vet fmt mod list doc version clean work tool generate get fix",
        PROJECT,
        {
          executes: ["go.mod"],
          longDash: true,
          options: {
            "-exec -toolexec -vettool --exec --toolexec": "code",
            "-o -C -coverprofile -cpuprofile -memprofile": "write",
          },
        },
      ),
      ...safeRows("version"),
      ...sensitiveRows("env", "reads or sets Go's settings", {
        options: { "-w -u": extreme("changes settings outside the workspace") },
      }),
      ...sensitiveRows("run", PROJECT, {
        executes: ["go.mod"],
        longDash: true,
        options: { "-exec -toolexec": "code" },
      }),
      ...extremeRows("install telemetry", OUTSIDE),
    ],
  }),
  ...sensitiveRows(
    `
      gofmt goimports gofumpt golines rustfmt clang-format black isort autopep8 yapf shfmt
      stylua swiftformat php-cs-fixer phpcbf ormolu fourmolu ocamlformat mix_format nixfmt
      alejandra taplo sqlfluff buf djlint pre-commit lefthook husky lint-staged
    `,
    "formats files of the workspace",
    {
      operands: "write",
      onlyChecks: ONLY_CHECKS,
      executes: ["pyproject.toml", "setup.cfg", ".pre-commit-config.yaml"],
      options: { "--config-file --config -c --rcfile": "read", "--init-hook": "code" },
    },
  ),
  ...tentativeRows(
    `
      ruff flake8 pylint mypy pyright basedpyright pytype bandit pydocstyle ktlint detekt
      swiftlint rubocop standardrb phpcs phpstan psalm hlint yamllint markdownlint
      markdownlint-cli2 ansible-lint hadolint golangci-lint staticcheck gosec clang-tidy
      cppcheck cpplint checkstyle spotbugs pmd tflint editorconfig-checker commitlint actionlint
    `,
    CHECKS,
    {
      operands: "read",
      executes: ["pyproject.toml", "setup.cfg", ".pre-commit-config.yaml"],
      options: {
        ...FIXES,
        "--config-file --config -c --rcfile": "read",
        "--init-hook": "code",
        "--install-types": sensitive("changes the project's packages"),
      },
      subcommands: [
        ...sensitiveRows("format fmt clean", "formats files of the workspace", {
          operands: "write",
          onlyChecks: ONLY_CHECKS,
        }),
        ...tentativeRows("check run", CHECKS, { operands: "read", options: FIXES }),
      ],
    },
  ),
  ...safeRows("shellcheck", { operands: "read" }),
  ...tentativeRows(
    `
      pytest py.test unittest nose2 nosetests coverage behave robot phpunit pest rspec
      minitest cucumber busted bats ctest gtest xctest
    `,
    PROJECT,
    { executes: ["pyproject.toml", "setup.cfg", "tox.ini", "conftest.py"] },
  ),
  ...sensitiveRows("tox nox dart flutter rebar3 mix gleam", PROJECT, {
    executes: ["pyproject.toml", "setup.cfg", "tox.ini", "mix.exs"],
  }),
  ...sensitiveRows("pip pip3", "changes the project's packages", {
    options: {
      "--user": extreme(OUTSIDE),
      "--break-system-packages": extreme("changes the system's packages"),
      "-t --target --prefix --root": "write",
      "--python": "code",
    },
    subcommands: [
      ...sensitiveRows("install uninstall download wheel", "changes the project's packages", {
        executes: ["requirements.txt", "setup.py", "pyproject.toml"],
        options: {
          "--user": extreme(OUTSIDE),
          "--break-system-packages": extreme("changes the system's packages"),
          "-t --target --prefix --root -d --dest -w --wheel-dir": "write",
        },
      }),
      ...tentativeRows(
        "list show freeze check index search inspect debug hash help",
        "reads the installed packages",
      ),
      ...extremeRows("config cache", "changes settings outside the workspace"),
    ],
  }),
  ...sensitiveRows(
    `
      gem composer bundler pod carthage mint luarocks cpan cpanm cpm nimble shards dub spago
      elm raco stack
    `,
    "changes packages",
    {
      subcommands: [
        ...sensitiveRows(
          `
            list search info show outdated env help check install update require
            dump-autoload test build
          `,
          "reads or changes packages",
        ),
        ...extremeRows("push yank publish trunk owner signin login", PUBLISH),
        ...extremeRows("global self-update selfupdate", OUTSIDE),
      ],
    },
  ),
  ...sensitiveRows("composer", "changes the project's packages", {
    executes: ["composer.json"],
    subcommands: [
      ...extremeRows("global self-update selfupdate", OUTSIDE),
    ],
  }),
  ...sensitiveRows("gem", "reads the installed packages", {
    subcommands: [
      ...extremeRows("install uninstall update cleanup sources", OUTSIDE),
      ...extremeRows("push yank owner signin", PUBLISH),
    ],
  }),
  ...extremeRows("cpan cpanm", OUTSIDE),
  ...sensitiveRows("twine", "sends packages", {
    subcommands: [
      ...extremeRows("upload register", PUBLISH),
      ...sensitiveRows("check", "checks packages", {}),
    ],
  }),
  ...extremeRows(
    "flit semantic-release release-it np standard-version goreleaser changesets",
    PUBLISH,
  ),
  ...sensitiveRows("virtualenv venv", "makes an environment", { operands: "write" }),
  ...sensitiveRows(
    `
      jupyter streamlit gradio uvicorn gunicorn hypercorn flask django-admin fastapi celery
      alembic rails puma sidekiq mix artisan wp symfony serve http-server live-server
      json-server nodemon pm2 forever concurrently ts-node-dev hugo jekyll mkdocs sphinx-build
      eleventy docusaurus air reflex watchexec
    `,
    PROJECT,
  ),
  ...sensitiveRows("rails rake artisan", PROJECT, {
    executes: ["Rakefile"],
    subcommands: [
      ...extremeRows(
        "db:drop db:reset db:purge db:setup migrate:fresh migrate:reset",
        "destroys data of a database",
      ),
    ],
  }),
  ...extremeRows("direnv", "lets a file of the directory run by itself"),
  ...extremeRows("pm2 forever watchexec reflex", "starts programs that go on by themselves"),
  ...sensitiveRows(
    "alembic prisma sequelize knex typeorm drizzle-kit flyway liquibase goose dbmate sqlx diesel",
    "may change a database",
    {
      subcommands: [
        ...extremeRows(
          "reset downgrade drop migrate:reset db:drop undo clean down",
          "destroys data of a database",
        ),
        ...sensitiveRows("migrate db database", "may change a database", {
          subcommands: [...extremeRows("reset drop push execute", "destroys data of a database")],
        }),
      ],
    },
  ),
  ...sensitiveRows(
    "protoc-gen openapi-generator graphql-codegen sqlc wire mockgen stringer ent",
    "generates files",
  ),
  ...sensitiveRows("ctags etags cscope gtags", "writes an index", {
    options: { "-o -f": "write", "--options --etags-include": "code" },
  }),
  ...sensitiveRows("wasm-pack wasm-bindgen emcc wat2wasm wasm2wat wasmtime wasmer", PROJECT),
  ...sensitiveRows(
    "cloc-diff license-checker syft grype trivy snyk semgrep",
    "looks through the project",
    {
      options: { "-o --output --json-output": sensitive("writes a report") },
    },
  ),
  ...sensitiveRows(
    "adb fastboot idevice_id xcrun simctl avdmanager sdkmanager emulator",
    "acts on devices",
  ),
  ...extremeRows("fastboot", "changes a device"),
];
