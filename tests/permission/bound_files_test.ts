/**
 * Which files a stored rule is bound to: all that decide what the allowed command does, by whatever name they are taken
 * in. One of them is changed, made or removed, and the rule no longer answers the question.
 */
import assert from "node:assert/strict";
import type { Access } from "../../src/core/permission.ts";
import { listRules } from "../../src/permission/describe.ts";
import { RuleBook } from "../../src/permission/rule_book.ts";
import { Policy } from "../../src/permission/policy.ts";
import { followExecuted } from "../../src/permission/bound_files/closure.ts";
import { BOUND_ROWS, SCRIPTS } from "../support/bound_rows.ts";
import { textPathFacts } from "../support/path_facts.ts";

const command = (target: string): Access => ({ kind: "run", target });

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

for (const { name, run, breadth = "exact", files, binds, spares = [] } of BOUND_ROWS) {
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

/** As Gradle writes it. */
const GRADLEW =
  '#!/bin/sh\nCLASSPATH=$APP_HOME/gradle/wrapper/gradle-wrapper.jar\nexec "$JAVACMD" "$@"\n';

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
    // What may write the script that runs then, whose source no words tell.
    ...[
      "cp -r lib/. out; sh out/b.sh",
      "cp -a lib/. out/; . out/b.sh",
      "cp lib/*.sh out/; sh out/b.sh",
    ],
    ...[
      "cp -t out b.sh c.sh; sh out/b.sh",
      "ln -sfn lib cur; sh cur/b.sh",
      "mv lib out; sh out/b.sh",
    ],
    ...[
      "rsync -a lib/ out/; sh out/b.sh",
      "cp -r lib .; . ./x.sh",
      "cp /opt/x b.sh; sh b.sh",
      "ln -s ../b.sh; sh b.sh",
    ],
    ...["patch -s < b.patch; sh c.sh", "dd if=p of=c.sh; sh c.sh", "sort -o c.sh p; sh c.sh"],
    ...[
      "tar xf b.tar; sh c.sh",
      "unzip b.zip\n. ./c.sh",
      "sed -i s/a/b/ c.sh; sh c.sh",
      "gcc a.c; ./a",
    ],
    ...["python3 -c 'import b'; sh c.sh", "python3 -m zipfile -e b.zip .; sh c.sh", "fill x; make"],
    ...["env tar xf b.tar; timeout 5 sh c.sh", "git checkout x -- c.sh; sh c.sh"],
    // What no rule would allow by itself.
    ...["let 'x=a[$(sh b.sh)]'", "printf -v 'a[$(sh b.sh)]' x", "test -v 'a[$(sh b.sh)]'"],
    ...["bash --rcfile b.sh -i -c true", "vim -es -S b.vim -c q", "sqlite3 db < b.sql"],
    ...["PS4='$(sh b.sh)' bash -xc true", "su -c 'sh b.sh'", "node ../outside.js"],
    ...["cd sub && . ../b.sh", "(cd sub; sh ../b.sh)"],
    // Variables of any name.
    ...["export $(cat .env | xargs); node x.js", "export $(grep -v '^#' .env)", 'declare -x "$X"'],
    ...['while read -r l; do export "$l"; done < .env', 'printf -v "$X" y', 'read -r "$X" < y'],
    // What bash evaluates once more, of data that no rule is bound to.
    ...[
      "x=$(cat f); [[ $x -eq 0 ]]",
      "[[ $(cat f) =~ .* ]]; (( BASH_REMATCH ))",
      ': "$(cat f)"; (( _ ))',
      "while read x; do ((x)); done < f",
      "read x < f; echo $((x))",
    ],
    ...["x=$(cat f); echo ${x@P}", "x=$(cat f); echo ${!x}", "mapfile -t a < f; ((a))"],
    ...["echo ${PATH:$(cat f):1}", "x=$(cat f); echo ${a[$x]}", "read k < f; a[$k]=1"],
    ...['unset "$(cat f)"', 'x=$(cat f); unset "$x"', 'let "$(cat f)"', "read x < f; let x"],
    ...['test -v "$X"', '[ -v "$X" ]', 'mapfile -C "$X" -c 1 < f', 'wait -n -p "$X"'],
    ...["declare -i n; read n < f", "local -n r=$X", "read p < f; PS4=$p; set -x", "((`cat f`))"],
    ...[
      "[[ $(cat f) -eq 0 ]]",
      "for ((i=$(cat f); i<1; i++)); do :; done",
      "m4 f",
      "xargs env < f",
    ],
    ...["gcc @f", "gcc -specs=f -c a.c", "cc -wrapper ./f.sh -c a.c", "ld --plugin ./f.so a.o"],
    ...["gcc -Wl,-plugin,./f.so a.o", "rustc -C linker=./f a.rs", "clang-14 -fplugin=./f.so a.c"],
    ...["read k < f; a=([$k]=1)", 'g() { ((y=$1)); }; g "$(cat f)"', "set -- $(cat f); ((x=$1))"],
    ...["make CC=./f", 'x=$(cat f); compgen -W "$x"', "while read l; do n=$((n + l)); done < f"],
    ...["perl -I. -e 'require q(f)'", "ruby -e 'require \"./f\"'"],
  ].map((text) => ({ run: "bash a.sh", files: { "/w/a.sh": text, "/w/f": "" } })),
  ...["gcc @f", "gcc -specs=f -c a.c", "javac @f", "ld --plugin ./f a.o"]
    .map((run) => ({ run, files: { "/w/f": "" } })),
  { run: "bash a.sh", files: { "/w/a.sh": ". ./b.sh", "/w/b.sh": ". $X" } },
  { run: "bash a.sh", files: { "/w/a.sh": "sh b.sh; sh c.sh", "/w/b.sh": "tar xf b.tar" } },
  {
    run: "bash a.sh",
    files: { "/w/a.sh": "sh b.sh; sh c.sh", "/w/b.sh": "cp -r lib out", "/w/c.sh": ". out/d.sh" },
  },
  {
    run: "bash a.sh",
    files: { "/w/a.sh": "cp p q; sh c.sh", "/w/p": "", "/w/c.sh": ". ./q" },
  },
  {
    run: "node --env-file=.env a.js",
    files: { "/w/a.js": "", "/w/.env": "A=1\nNODE_OPTIONS=--require=./e.js\n" },
  },
  { run: "make -f - < x.mk", files: { "/w/x.mk": "" } },
  { run: "cmake -P x.cmake", files: { "/w/x.cmake": "" } },
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
    ...["all:\n\tcp -r lib/. out\n\tsh out/b.sh\n", "all:\n\ttar xf b.tar; sh ./b.sh\n"],
    ...[".ONESHELL:\nall:\n\tcd sub\n\t./x.sh\n", "all:\n\tmake -f - < x.mk\n"],
    ...[".SHELLFLAGS = ./lib/s.sh\nall:\n\tx\n", "SHELL = $(X)\nall:\n\tx\n"],
  ].map((text) => ({ run: "make", files: { "/w/Makefile": text } })),
  { run: "make", files: { "/w/Makefile": "$(eval include x.mk)" } },
  ...[
    ...["java -cp . Main", "java Main", "java @args", "java --enable-preview @args", "scala Main"],
    ...["node --run test", "node -r dotenv/config a.js", "tsx watch a.js", "elixir a"],
    ...["deno run npm:cowsay", "deno run --import-map=map.json a.js", "ruby -X sub a.rb"],
    ...["R --file=a.R", "./gradlew build", "./mvnw test"],
  ].flatMap((run) => {
    const files = {
      ...{ "/w/Main": "", "/w/Main.class": "", "/w/a.js": "", "/w/a.rb": "", "/w/args": "Main" },
      ...{ "/w/gradlew": GRADLEW, "/w/mvnw": GRADLEW },
    };
    return [{ run, files }, { run: "sh b.sh", files: { ...files, "/w/b.sh": run } }];
  }),
  { run: "npm test", files: { "/w/package.json": SCRIPTS({ test: "sh $X" }) } },
  {
    run: "npm test",
    files: { "/w/package.json": SCRIPTS({ pretest: "unzip a.zip", test: "node a.js" }) },
  },
];

const KNOWN: typeof UNKNOWN = [
  ...[
    ...["node build", "node --enable-source-maps a.js", "node -r ./hook a.js", "node --test"],
    ...["python3 a.py", "python3 -u a.py", "python3 -m pytest", "python3 -m pkg.mod"],
    ...["java -jar a.jar", "java A.java", "java --version", "deno run -A x", "deno task dev"],
    ...["bun run x", "ruby x", "ruby -Ilib -rjson x", "perl x", "Rscript x.R", "gradle build"],
    ...["mvn -q test", "env X=1 timeout 5 node build"],
  ].map((run) => ({ run, files: { "/w/a.jar": "", "/w/A.java": "", "/w/build.js": "" } })),
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
    'log() { echo "$1"; }\nlog x\nmkdir -p out\nrm -rf "$T"\ngrep -c a b\nnode a.js > out/log',
    "cp a.txt out.txt\nsort x | uniq\nnpx eslint . && python3 -m pytest && sh b.sh",
    "i=0\nwhile ((i < 3)); do ((i++)); done\nfor ((j=0; j<3; j++)); do echo ${#X} $((j + 1)); done",
    '[[ $(id -u) -eq 0 ]] && exit\nfor k in "${!A[@]}"; do echo "${k^^} ${X@Q} ${X:2}"; done',
    "gcc -O2 -Wall -Wl,-rpath,lib -c a.c -o a.o\nar rcs liba.a a.o\nunset X\n[[ $# -eq 0 ]]",
    'retry() { for ((i=0; i<$1; i++)); do echo "$i"; done; }\nretry 3\na=(1 2)\necho "${a[0]} ${a[@]:1}"',
    'node -p \'require("fs").existsSync("x")\'\n[ "$X" -eq 0 ]\nif [ -n "$Y" ]; then :; fi',
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
  for (
    const hook of [". $X", "for f in scripts/*.sh; do sh $f; done", "PATH=$PWD/tools:$PATH; mylint"]
  ) {
    const hooks = { "/w/.husky/pre-commit": hook };
    const { offers = [] } = await makePolicy(hooks).judge([command("git commit -m x")]);
    assert.deepEqual(offers, [], "a hook may do lasting harm with what git gets");
  }
  for (const run of ["patch -p1 -i a.diff", "tar xf a.tar"]) {
    const { offers = [] } = await makePolicy({ "/w/a.diff": "", "/w/a.tar": "" }, false)
      .judge([command(run)]);
    assert.deepEqual(offers, [], run);
  }
});

/** What gets the user's logins or keys, or the services of the machine, and may obey what no rule is bound to. */
const NOT_DECIDED: readonly (readonly [run: string, files: Readonly<Record<string, string>>])[] = [
  ...[
    ...["npm install", "npm ci", "npm ci --ignore-scripts", "npm install ./local", "npm rebuild"],
    ...["npm view x", "pnpm install", "yarn add ./local", "bun install", "npx eslint ."],
    ...["pip install x", "pip install -qr a.txt", "pip install x.tar.gz", "pip download a"],
    ...["python3 -m pip install x", "uv pip install x", "uv sync", "uvx x", "poetry install"],
    ...["bundle install", "gem install x", "composer install", "deno install", "mix deps.get"],
  ].map((run) => [run, { "/w/package.json": "{}", "/w/a.txt": "" }] as const),
  ["AWS_PAGER=./a.sh aws s3 ls", { "/w/a.sh": "" }],
  ["docker compose up", { "/w/compose.yaml": "services: {}\n" }],
  ["docker compose up ps", { "/w/compose.yaml": "services: {}\n" }],
  ["docker exec app ./a.sh", { "/w/a.sh": "" }],
  ["gcloud builds submit --tag x", { "/w/Dockerfile": "" }],
  ["aws s3 ls --cli-input-json file://a.json", { "/w/a.json": "{}" }],
  ["yarn start", { "/w/package.json": SCRIPTS({ start: "node server" }) }],
  ["docker compose -f - ps < c.yml", { "/w/c.yml": "" }],
  ["docker build .", { "/w/Dockerfile": "" }],
  ["docker run --env-file e.env alpine", { "/w/e.env": "" }],
  ["docker run -v ./s:/s alpine sh", { "/w/s/a.sh": "" }],
  ["kubectl get -f x.yaml", { "/w/x.yaml": "" }],
  ["gh pr create -F body.md", { "/w/body.md": "" }],
  ["cat body.md | gh issue comment 1 -F -", { "/w/body.md": "" }],
  ["wrangler dev", { "/w/wrangler.toml": "" }],
  ["terraform plan", { "/w/main.tf": "" }],
];

Deno.test("what gets logins, keys or services has an Always only if its words decide all that it does", async () => {
  for (const [run, files] of NOT_DECIDED) {
    const { decision, offers = [] } = await makePolicy(files).judge([command(run)]);
    assert.equal(decision, "ask", run);
    assert.deepEqual(offers, [], `${run}: ${JSON.stringify(files)}`);
  }
  for (
    const [run, files] of [
      ["yarn test", { "/w/package.json": SCRIPTS({ test: "node a.js" }), "/w/a.js": "" }],
      ["docker run --rm alpine ls", { "/w/compose.yaml": "services: {}\n" }],
      ["docker compose ps", { "/w/compose.yaml": "services: {}\n" }],
      ["gh pr list", { "/w/a.md": "" }],
      ["aws s3 ls s3://bucket", { "/w/a.json": "{}" }],
      ["kubectl get pods", { "/w/a.json": "{}" }],
    ] as const
  ) {
    const { offers = [] } = await makePolicy(files).judge([command(run)]);
    assert.ok(offers.some(({ breadth }) => breadth === "exact"), run);
  }
});

const BUILDS = 'BIN = bin/prog\ntest: $(BIN) helper\n\ttest "$$(./$(BIN))" = 9 && ./helper\n' +
  "$(BIN): lib.c\n\tcc -o $@ lib.c\nhelper: helper.c\n";

Deno.test("a rule for make is not bound to programs that make builds, only to scripts in their place", async () => {
  const files: Record<string, string> = { "/w/Makefile": BUILDS, "/w/lib.c": "" };
  const policy = makePolicy(files);
  const test = [command("make test")];
  const { offers = [] } = await policy.judge(test);
  assert.deepEqual(offers.find(({ breadth }) => breadth === "exact")?.bound?.files, ["Makefile"]);
  assert.equal(await policy.grant(test, { scope: "session", breadth: "exact" }), undefined);
  for (const content of ["\x7fELF\0", "\x7fELF\0\0other"]) {
    files["/w/bin/prog"] = files["/w/helper"] = content;
    assert.ok(await isAllowed(policy, "make test"));
  }
  files["/w/helper"] = "#!/bin/sh\necho other\n";
  assert.equal(await isAllowed(policy, "make test"), false);
  delete files["/w/helper"];
  files["/w/Makefile"] = BUILDS.replace("lib.c\n\tcc -o $@ lib.c", "");
  assert.equal(await isAllowed(policy, "make test"), false);
});

Deno.test("what make does not build itself counts, whatever it is", () => {
  const text = "test:\n\t./prog\nall: prog\nprog:\n";
  const files = { "/w/Makefile": text, "/w/prog": "\x7fELF\0" };
  const make = { executes: ["/w/Makefile"], hooks: [], programs: ["make"], argv: ["make"] };
  const follow = (makefile: string, skipsBuilt: boolean) =>
    followExecuted(
      { ...make, cwds: ["/w"], skipsBuilt },
      textPathFacts({ ...files, "/w/Makefile": makefile }),
    ).files.includes("/w/prog");
  assert.equal(follow(text, true), true);
  assert.equal(follow(`${text}\tcc -o prog a.c\n`, true), false);
  assert.equal(follow(`${text}\tcc -o prog a.c\n`, false), true);
});

Deno.test("a program with any arguments is allowed in the sandbox alone, where options may name any files", async () => {
  const files = { "/w/Makefile": "all:\n\techo hi\n" };
  const book = new RuleBook({ pathFacts: textPathFacts(files) });
  const held = makePolicy(files, true, book);
  const make = [command("make")];
  await held.judge(make);
  await held.grant(make, { scope: "session", breadth: "program" });
  const open = makePolicy(files, false, book);
  assert.ok(await isAllowed(held, "make -j4 clean"));
  for (const run of ["make -kf evil.mk", "make CC=./e.sh", "make -C sub", "make -j4 clean"]) {
    const { decision, offers = [] } = await open.judge([command(run)]);
    assert.equal(decision, "ask", run);
    assert.deepEqual(offers.map(({ breadth }) => breadth), ["exact"], run);
  }
});

Deno.test("without a sandbox a rule is bound to what options name, in whatever form, and says that there is more", async () => {
  for (
    const [run, changed] of [
      ["make -kf x.mk", "/w/x.mk"],
      ["make -kfx.mk", "/w/x.mk"],
      ["make --fil=x.mk", "/w/x.mk"],
      ["make -ksC sub", "/w/sub/Makefile"],
      ["make --dir=sub", "/w/sub/Makefile"],
      ["ninja -vf x.ninja", "/w/x.ninja"],
      ["pytest -qc my.ini", "/w/my.ini"],
      ["npm --pref sub test", "/w/sub/package.json"],
    ] as const
  ) {
    const files: Record<string, string> = {
      "/w/x.mk": "",
      "/w/sub/Makefile": "",
      "/w/x.ninja": "",
      "/w/my.ini": "",
      "/w/sub/package.json": "{}",
      "/w/build.ninja": "",
    };
    const policy = makePolicy(files, false);
    const asked = [command(run)];
    const { offers = [] } = await policy.judge(asked);
    assert.deepEqual(offers.map(({ bound }) => bound?.runsUnknown), [true], run);
    await policy.grant(asked, { scope: "session", breadth: "exact" });
    assert.ok(await isAllowed(policy, run), run);
    files[changed] += "# changed";
    assert.ok(!await isAllowed(policy, run), run);
  }
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
    ["/w/Taskfile.yml", many((index) => `- a${index}`)],
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

Deno.test("the list of rules tells many endings of one name as one", async () => {
  const book = new RuleBook({ pathFacts: textPathFacts({ "/w/build.js": "" }) });
  const policy = makePolicy({ "/w/build.js": "" }, true, book);
  const access = command("node build");
  await policy.judge([access]);
  await policy.grant([access], { scope: "session", breadth: "exact" });
  const rules = { allow: {}, deny: {}, allowAll: false };
  const [rule] = await listRules({ rules, configured: [], book });
  assert.match(
    rule!.covers,
    /as long as build\.js stays as now and there is no build, other build\.\* or build\.d\.ts$/,
  );
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
