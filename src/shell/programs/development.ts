/**
 * Compilers, build tools, test runners, linters, formatters and package managers: they run the project's
 * own code, so they ask, and a grant binds the files that say what they do.
 */
import { asks, extreme, grave, type Row, safe, sensitive } from "../program.ts";

const PROJECT = "runs or builds project code";
const PUBLISH = "publishes what cannot be taken back";
const OUTSIDE = "changes what is installed outside the workspace";
const GLOBAL = { "-g --global --location": extreme(OUTSIDE) } as const;
const MAKE = ["Makefile", "makefile", "GNUmakefile"];

/** Rows of the program table. */
export const DEVELOPMENT: readonly Row[] = [
  ...asks("npm pnpm yarn", "runs or changes the project's packages", {
    executes: ["package.json"],
    options: {
      ...GLOBAL,
      "--prefix -C --cwd --dir": "write",
      "--script-shell --node-options": "code",
    },
    subcommands: [
      ...asks(
        `
          test t tst start stop restart run run-script build dev lint create
          init ci install i add remove rm uninstall un update up upgrade dedupe prune
          rebuild audit link version pack why
        `,
        "runs or changes the project's packages",
        {
          executes: ["package.json"],
          options: { ...GLOBAL, "-c --call --script-shell --node-options": "code" },
        },
      ),
      ...asks(
        `
          ls list ll la outdated view info show search explain fund doctor root bin prefix
          ping help docs repo
        `,
        "reads the project's packages or the registry",
      ),
      ...asks("exec x dlx", "runs a package", {
        executes: ["package.json"],
        wrapper: {
          flags: "-y --yes --no -r --recursive -w --workspace-root --silent -s --quiet",
          valued: "-p --package --workspace --filter",
        },
      }),
      ...asks("npm", "reads or changes the registry", {
        subcommands: [...grave("publish login logout tag", PUBLISH)],
      }),
      ...grave(
        `
          publish unpublish deprecate dist-tag access owner team token adduser login
          logout profile star hook
        `,
        PUBLISH,
      ),
      ...grave("config set env global", "changes settings outside the workspace"),
    ],
  }),
  ...asks(
    `
      corepack lerna nx turbo rush ng vue nuxt next vite astro gatsby expo react-scripts cra
      webpack rollup esbuild parcel tsup swc babel gulp grunt just-scripts
    `,
    PROJECT,
    {
      executes: ["package.json"],
    },
  ),
  ...asks(
    `
      tsc vue-tsc svelte-check flow eslint prettier biome oxlint stylelint standard xo tslint
      rome dprint knip depcheck jest vitest mocha ava tap jasmine karma cypress playwright nyc
      c8 storybook
    `,
    PROJECT,
    {
      executes: ["package.json"],
      options: { "-o --output-file --outFile --outDir": "write" },
    },
  ),
  ...asks("make gmake bmake nmake", PROJECT, {
    grammar: "make",
    executes: MAKE,
    options: {
      "-f --file --makefile -C --directory -I --include-dir": "write",
      "-E --eval": "code",
      "-j --jobs -l --load-average -o -W": "text",
    },
  }),
  ...asks(
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
  ...asks("mvn mvnw gradle gradlew", PROJECT, {
    executes: ["build.gradle", "pom.xml"],
    options: { "-f --file -p --project-dir -b": "write" },
    subcommands: [...grave("deploy publish publishToMavenCentral release:perform", PUBLISH)],
  }),
  ...grave("nix-shell nix nix-env nixos-rebuild", "changes the system's packages"),
  ...asks(
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
  ...safe("nm objdump readelf size addr2line c++filt pkg-config pkgconf", {
    operands: "read",
    options: { "-o": "write", "--plugin": "code" },
  }),
  ...asks("ldd", "may run the program it looks at", { operands: "read" }),
  ...asks("cargo", PROJECT, {
    executes: ["Cargo.toml", "build.rs"],
    options: { "--config -Z": "code", "-C --manifest-path --target-dir": "write" },
    subcommands: [
      ...asks(
        `
          build b check c test t run r bench doc clippy fmt fix clean new init add remove
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
      ...grave("publish yank owner login logout", PUBLISH),
      ...grave("install uninstall", OUTSIDE),
    ],
  }),
  ...grave(
    `
      rustup nvm fnm volta asdf mise rtx sdk pyenv rbenv nodenv goenv jenv ghcup conda mamba
      micromamba virtualenvwrapper pipx gup
    `,
    OUTSIDE,
  ),
  ...asks("conda mamba micromamba", OUTSIDE, {
    subcommands: [
      ...asks("list info search", "reads the installed packages"),
      ...asks("env", "reads the installed packages", {
        subcommands: [...grave("create remove update config", OUTSIDE)],
      }),
      ...grave("install remove update create clean config uninstall", OUTSIDE),
      ...asks("run", "runs in an environment", {
        wrapper: { flags: "--no-capture-output --live-stream", valued: "-n --name -p --prefix" },
      }),
    ],
  }),
  ...asks("go", PROJECT, {
    executes: ["go.mod"],
    subcommands: [
      ...asks("build test vet fmt mod list doc version clean work tool generate get fix", PROJECT, {
        executes: ["go.mod"],
        longDash: true,
        options: {
          "-exec -toolexec -vettool --exec --toolexec": "code",
          "-o -C -coverprofile -cpuprofile -memprofile": "write",
        },
      }),
      ...safe("version"),
      ...asks("env", "reads or sets Go's settings", {
        options: { "-w -u": extreme("changes settings outside the workspace") },
      }),
      ...asks("run", PROJECT, {
        executes: ["go.mod"],
        longDash: true,
        options: { "-exec -toolexec": "code" },
      }),
      ...grave("install telemetry", OUTSIDE),
    ],
  }),
  ...asks(
    `
      gofmt goimports gofumpt golines rustfmt clang-format black isort autopep8 yapf ruff
      flake8 pylint mypy pyright basedpyright pytype bandit pydocstyle djlint shfmt stylua
      ktlint detekt swiftlint swiftformat rubocop standardrb php-cs-fixer phpcs phpcbf phpstan
      psalm ormolu fourmolu hlint ocamlformat mix_format nixfmt alejandra taplo yamllint
      markdownlint markdownlint-cli2 ansible-lint sqlfluff buf hadolint golangci-lint
      staticcheck gosec clang-tidy cppcheck cpplint checkstyle spotbugs pmd tflint
      editorconfig-checker pre-commit lefthook husky lint-staged commitlint actionlint
    `,
    "checks or formats files of the workspace",
    {
      operands: "write",
      executes: ["pyproject.toml", "setup.cfg", ".pre-commit-config.yaml"],
      options: { "--config-file --config -c --rcfile": "read", "--init-hook": "code" },
    },
  ),
  ...safe("shellcheck", { operands: "read" }),
  ...asks(
    `
      pytest py.test unittest nose2 nosetests tox nox coverage behave robot phpunit pest rspec
      minitest cucumber busted bats ctest gtest xctest dart flutter rebar3 mix gleam
    `,
    PROJECT,
    {
      executes: ["pyproject.toml", "setup.cfg", "tox.ini", "conftest.py", "mix.exs"],
    },
  ),
  ...asks("pip pip3", "changes the project's packages", {
    options: {
      "--user": extreme(OUTSIDE),
      "--break-system-packages": extreme("changes the system's packages"),
      "-t --target --prefix --root": "write",
      "--python": "code",
    },
    subcommands: [
      ...asks("install uninstall download wheel", "changes the project's packages", {
        executes: ["requirements.txt", "setup.py", "pyproject.toml"],
        options: {
          "--user": extreme(OUTSIDE),
          "--break-system-packages": extreme("changes the system's packages"),
          "-t --target --prefix --root -d --dest -w --wheel-dir": "write",
        },
      }),
      ...asks(
        "list show freeze check index search inspect debug hash help",
        "reads the installed packages",
      ),
      ...grave("config cache", "changes settings outside the workspace"),
    ],
  }),
  ...asks(
    `
      gem composer bundler pod carthage mint luarocks cpan cpanm cpm nimble shards dub spago
      elm raco stack
    `,
    "changes packages",
    {
      subcommands: [
        ...asks(
          `
            list search info show outdated env help check install update require
            dump-autoload test build
          `,
          "reads or changes packages",
        ),
        ...grave("push yank publish trunk owner signin login", PUBLISH),
        ...grave("global self-update selfupdate", OUTSIDE),
      ],
    },
  ),
  ...asks("composer", "changes the project's packages", {
    executes: ["composer.json"],
    subcommands: [
      ...grave("global self-update selfupdate", OUTSIDE),
    ],
  }),
  ...asks("gem", "reads the installed packages", {
    subcommands: [
      ...grave("install uninstall update cleanup sources", OUTSIDE),
      ...grave("push yank owner signin", PUBLISH),
    ],
  }),
  ...grave("cpan cpanm", OUTSIDE),
  ...asks("twine", "sends packages", {
    subcommands: [...grave("upload register", PUBLISH), ...asks("check", "checks packages", {})],
  }),
  ...grave("flit semantic-release release-it np standard-version goreleaser changesets", PUBLISH),
  ...asks("virtualenv venv", "makes an environment", { operands: "write" }),
  ...asks(
    `
      jupyter streamlit gradio uvicorn gunicorn hypercorn flask django-admin fastapi celery
      alembic rails puma sidekiq mix artisan wp symfony serve http-server live-server
      json-server nodemon pm2 forever concurrently ts-node-dev hugo jekyll mkdocs sphinx-build
      eleventy docusaurus air reflex watchexec
    `,
    PROJECT,
  ),
  ...asks("rails rake artisan", PROJECT, {
    executes: ["Rakefile"],
    subcommands: [
      ...grave(
        "db:drop db:reset db:purge db:setup migrate:fresh migrate:reset",
        "destroys data of a database",
      ),
    ],
  }),
  ...grave("direnv", "lets a file of the directory run by itself"),
  ...grave("pm2 forever watchexec reflex", "starts programs that go on by themselves"),
  ...asks(
    "alembic prisma sequelize knex typeorm drizzle-kit flyway liquibase goose dbmate sqlx diesel",
    "may change a database",
    {
      subcommands: [
        ...grave(
          "reset downgrade drop migrate:reset db:drop undo clean down",
          "destroys data of a database",
        ),
        ...asks("migrate db database", "may change a database", {
          subcommands: [...grave("reset drop push execute", "destroys data of a database")],
        }),
      ],
    },
  ),
  ...asks(
    "protoc-gen openapi-generator graphql-codegen sqlc wire mockgen stringer ent",
    "generates files",
  ),
  ...asks("ctags etags cscope gtags", "writes an index", {
    options: { "-o -f": "write", "--options --etags-include": "code" },
  }),
  ...asks("wasm-pack wasm-bindgen emcc wat2wasm wasm2wat wasmtime wasmer", PROJECT),
  ...asks("cloc-diff license-checker syft grype trivy snyk semgrep", "looks through the project", {
    options: { "-o --output --json-output": sensitive("writes a report") },
  }),
  ...asks("adb fastboot idevice_id xcrun simctl avdmanager sdkmanager emulator", "acts on devices"),
  ...grave("fastboot", "changes a device"),
];
