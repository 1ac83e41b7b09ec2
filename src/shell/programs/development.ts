/**
 * Compilers, build tools, test runners, linters, formatters and package managers: they run the project's own code.
 * What plainly writes says so; of the others nobody knows. A grant holds while the files named here are unchanged.
 */

/** Rows of the program table. */
export const DEVELOPMENT = `
sensitive =writes ar ranlib strip objcopy: changes object files
  -M --dump-section: code
sensitive =reads cc gcc g++ clang clang++ c++ ld lld as javac kotlinc ghc cabal ocaml ocamlc ocamlopt dune opam gfortran
    zig nim crystal swift swiftc xcodebuild bison yacc flex lex swig: builds project code
  -d -MF -MJ -aux-info -dumpdir -Map --dependency-file: write
sensitive =reads protoc: builds project code
unknown npm pnpm yarn: runs a script of the project, or looks at its packages
  executes package.json
  -g --global --location: extreme changes what is installed outside the workspace
  --prefix -C --cwd --dir --pack-destination --cache --logs-dir: write
  --call --script-shell --node-options --editor --browser --viewer --shell --git --userconfig --globalconfig
      --init-module: code
- sensitive create init ci install i add remove rm uninstall un update up upgrade dedupe prune rebuild audit link pack
    why: changes the project's packages
- sensitive +repository version: changes the version of the project, and commits and tags that
- unknown view info show outdated search ping: asks a registry
- unknown exec x dlx: runs a package
  wraps project
  -y --yes --no -r --recursive -w --workspace-root --silent -s --quiet: flag
  -p --package --workspace --filter: text
- extreme explore edit: runs a program for a package
- extreme publish unpublish deprecate adduser login logout star: publishes, or changes what is outside the workspace
- extreme dist-tag access owner team token profile hook npm config set env global: changes what is outside the workspace
  looks
unknown npx bunx pnpx: runs a package
  executes package.json bunfig.toml
  wraps project
  -y --yes --no --no-install -q --quiet --prefer-offline --ignore-existing --bun: flag
  -p --package: text
sensitive corepack nx turbo ng vue nuxt next vite astro gatsby expo react-scripts webpack rollup
    esbuild parcel tsup babel gulp grunt tsc vue-tsc flow dprint cypress playwright storybook: builds project code
  executes package.json
  looks ^(--check|--diff|--dry-run|--noEmit|-n|-l)$
unknown svelte-check eslint prettier biome oxlint stylelint standard tslint jest vitest mocha ava
    tap jasmine c8: runs project code
  executes package.json
  --fix --write -w: sensitive changes files
sensitive make gmake bmake nmake: runs or builds project code
  executes Makefile makefile GNUmakefile
  -f --file --makefile -C --directory -I --include-dir: write
  -E --eval: code
  match ^(\\.?SHELL(FLAGS)?|MAKE(FLAGS|FILES)?|GNUMAKEFLAGS)\\s*[:?+]*=|!=|=.*[^\\w./:+=,@% -] => extreme sets what make runs
sensitive ninja cmake meson scons bazel bazelisk autoconf automake libtool qmake ant sbt mill lein
    thor just task mage mvn mvnw gradle gradlew rake rails artisan: runs or builds project code
  executes CMakeLists.txt build.gradle build.gradle.kts settings.gradle settings.gradle.kts pom.xml
      justfile Justfile .justfile Taskfile.yml Taskfile.yaml Rakefile build.sbt meson.build
  -C -B -S -f --file -p --project-dir -b: write
  -E: extreme runs a tool of cmake
  words deploy publish publishToMavenCentral release:perform db:drop db:reset db:purge db:setup
      migrate:fresh migrate:reset: extreme publishes, or destroys data
unknown ctest pytest py.test unittest coverage phpunit rspec cucumber: runs project code
  executes pyproject.toml setup.cfg tox.ini conftest.py
sensitive =writes rustc rustfmt: builds or formats project code
  executes .cargo/config.toml .cargo/config rust-toolchain.toml rust-toolchain
  looks ^--check$
sensitive cargo: runs or builds project code
  executes Cargo.toml build.rs .cargo/config.toml .cargo/config rust-toolchain.toml rust-toolchain
  --config -Z: code
  -C --manifest-path: write
- sensitive build b check c test t run r bench doc clippy fmt fix clean new init add remove update:
    runs or builds project code
  looks ^--check$
- extreme publish yank owner login logout install uninstall: publishes, or changes what is installed
  looks
- extreme +repository +network +keys release: publishes, and commits and sends that
sensitive go: runs or builds project code
  executes go.mod
  longdash
  -exec -toolexec -vettool --toolexec: code
  -C -coverprofile -cpuprofile -memprofile: write
- unknown version list doc: runs project code
- sensitive build test vet fmt mod clean work tool generate get fix run: runs or builds project code
- unknown env: reads or sets Go's settings
  -w -u: extreme changes settings outside the workspace
- extreme install telemetry: changes what is installed outside the workspace
sensitive =writes gofmt goimports clang-format black isort autopep8 yapf shfmt stylua php-cs-fixer taplo sqlfluff
    lint-staged: formats files of the workspace
  executes package.json pyproject.toml setup.cfg .lintstagedrc .lintstagedrc.json .lintstagedrc.yaml .lintstagedrc.yml
  looks ^--(check|check-only|diff|dry-run)$|(?<![^])-[nld]$
sensitive =writes husky simple-git-hooks pre-commit lefthook: installs or runs hooks of git
  executes package.json .pre-commit-config.yaml lefthook.yml .lefthook.yml lefthook-local.yml
unknown =reads ruff flake8 pylint mypy pyright basedpyright rubocop phpstan yamllint markdownlint markdownlint-cli2
    hadolint golangci-lint staticcheck clang-tidy actionlint: checks files of the workspace
  executes pyproject.toml setup.cfg .pre-commit-config.yaml
  --fix --write -i --inplace --autocorrect -a -A --auto-correct --install-types: sensitive changes files
  words format fmt clean: sensitive formats files of the workspace
sensitive pip pip3: changes the project's packages
  executes requirements.txt setup.py setup.cfg pyproject.toml
  --user --break-system-packages: extreme changes what is installed outside the workspace
  -t --target --prefix --root -d --dest -w --wheel-dir: write
  --python: code
- sensitive install uninstall download wheel: changes the project's packages
- unknown list show freeze check index search inspect debug hash help: reads the installed packages
- extreme config cache: changes settings outside the workspace
  looks
sensitive uv: runs in the project's environment
  executes pyproject.toml uv.lock
- unknown run: runs in the project's environment
  wraps project
  -q --quiet -v --verbose --frozen --locked --no-sync --isolated --offline --dev --all-extras --no-dev: flag
  --with --extra --group -p --python --package: text
- sensitive pip: changes the project's environment
  executes requirements.txt pyproject.toml
  --system --break-system-packages: extreme changes the system's packages
  --target --prefix: write
- sensitive tool: runs a tool
  words install uninstall upgrade update-shell: extreme changes what is installed
- extreme publish self: sends or changes what is outside the workspace
sensitive uvx: runs a package
  wraps project
  -q --quiet -v --verbose --isolated --offline: flag
  --from --with -p --python: text
sensitive poetry pipenv pdm rye hatch pixi bundle: runs in the project's environment
  executes pyproject.toml poetry.lock pdm.lock Pipfile Pipfile.lock setup.py Gemfile Gemfile.lock
- unknown run exec: runs in the project's environment
  wraps project
  -q --quiet -v --verbose --keep-file-descriptors --no-capture-output --live-stream: flag
  -n --name -p --prefix: text
- extreme publish config self: publishes, or changes settings outside the workspace
  looks
sensitive conda mamba micromamba: reads or changes what is installed outside the workspace
  words install remove update create clean config uninstall: extreme changes what is installed outside the workspace
  looks
- sensitive run: runs in an environment
  wraps project
  --no-capture-output --live-stream: flag
  -n --name -p --prefix: text
extreme rustup nvm fnm volta asdf mise rtx sdk pyenv rbenv pipx cpan cpanm: changes what is
    installed outside the workspace
  looks
sensitive composer stack bundler luarocks twine: reads or changes packages
  executes composer.json composer.lock
- extreme push yank publish trunk owner signin login upload register global self-update selfupdate:
    publishes what cannot be taken back
sensitive gem: reads or changes packages
- extreme install uninstall update cleanup sources push yank owner signin: changes what is outside the workspace
extreme semantic-release pm2 watchexec direnv: publishes, or starts what goes on by itself
sensitive +repository standard-version commit-and-tag-version bumpversion bump2version bump-my-version: changes the
    version of the project, and commits and tags that
unknown lerna: runs scripts of the project
  executes package.json
- extreme +repository +network +keys version publish: publishes, or commits and sends that
sensitive =writes virtualenv venv: makes an environment
sensitive alembic prisma sequelize knex typeorm drizzle-kit flyway liquibase goose dbmate sqlx
    diesel: may change a database
  words reset downgrade drop migrate:reset db:drop undo clean down push execute: extreme destroys data of a database
sensitive tox nox dart flutter rebar3 gleam mix jupyter streamlit gradio uvicorn gunicorn hypercorn
    flask django-admin fastapi celery puma sidekiq wp symfony serve http-server live-server
    json-server nodemon concurrently ts-node-dev hugo jekyll mkdocs sphinx-build air wasm-pack
    openapi-generator graphql-codegen ctags etags cscope adb: runs or builds project code
  executes pyproject.toml setup.cfg tox.ini noxfile.py mix.exs
  -f: write
`;
