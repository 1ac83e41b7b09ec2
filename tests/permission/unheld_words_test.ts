/**
 * Without a sandbox a list of programs allows what is everyday use of them, and of the rest nothing whose words do not
 * say all that it does.
 */
import assert from "node:assert/strict";
import type { PathFacts } from "../../src/core/path_facts.ts";
import { Policy } from "../../src/permission/policy.ts";
import { textPathFacts } from "../support/path_facts.ts";

/** Links of the workspace, and where they lead. */
const LINKS: Readonly<Record<string, string>> = {
  "/w/lnk": "/out",
  "/w/dotgit": "/w/.git",
  "/w/key": "/home/me/.ssh/id_rsa",
  "/w/inner": "/w/src",
  "/w/5": "/out/leaf",
  "/w/6": "/home/me/.ssh/id_rsa",
};

function linkedPathFacts(files: Readonly<Record<string, string>> = {}): PathFacts {
  const facts = textPathFacts(files);
  return {
    ...facts,
    locate(path) {
      const { absolute } = facts.locate(path);
      const link = Object.keys(LINKS).find((one) => `${absolute}/`.startsWith(`${one}/`));
      return link === undefined
        ? facts.locate(path)
        : facts.locate(`${LINKS[link]}${absolute.slice(link.length)}`);
    },
  };
}

/** What a list of programs says of a command where nobody is asked. */
async function judge(
  list: string,
  command: string,
  { sandboxed = false, pathFacts = linkedPathFacts(), run = list.split(",") as string[] | true } =
    {},
) {
  const policy = new Policy({
    rules: { allow: { run }, deny: {}, allowAll: false },
    interactive: false,
    pathFacts,
    sandboxed: () => sandboxed,
  });
  return await policy.judge([{ kind: "run", target: command }]);
}

const EVERYDAY: readonly (readonly [list: string, command: string])[] = [
  ["git,npm,make", "git add a b && git commit -m 'see src/a.ts, b=c'"],
  ["git,npm,make", "npm test; make && git status"],
  ["git,npm,make", "npm run build 2>&1 | tail -20"],
  ["git,npm,make", "npm run build && ls dist && cat dist/a.txt"],
  ["git,npm,make", "npm ci && npm test -- src/a.test.ts --config=x"],
  ["git,npm,make", "make -j4 CC=gcc all && git diff --stat | head -5"],
  ["git", "git fetch origin && git checkout main && git pull --rebase && git log --oneline -5"],
  ["git", "git stash && git checkout -b x main && git stash pop && git push -u origin x"],
  ["git", "git checkout main | tail -3; git status --short | grep -c M; git branch | sort -r"],
  ["git", "git add lnk inner && git commit -qam lnk"],
  ["git", "git log --format='%h %s' --since=2.weeks -- src | head -n 20 | cut -d ' ' -f 1"],
  ["git", 'git status; echo "exit: $?"'],
  ["git", "cd src && git status"],
  ["git", "cat a.txt; git checkout main; [[ -n $x && $x != a/b ]] && git status"],
  ["cargo,go", "cargo build --release && cargo test && go test ./..."],
  ["cp", "cp -r src/a.ts inner/b.ts"],
  ["tar", "tar --exclude=node_modules -czf a.tgz src"],
  ["rg,head", "rg --files src | head -3"],
  ["sed", "sed -n '1,20p' src/a.ts; sed -n '/a/,/b/p' src/b.ts"],
  ["sed", "sed -i.bak -E -e 's/[^/]+$/x/; s|a|b|gI' -e '$d' a.txt"],
  ["awk,git", "awk -F: '$3 > 5 && /a|b/ {print $1, $NF}' a.txt"],
  ["awk,git", "git log --oneline | awk '{print $1 \" -> \" $2}'"],
  ["awk", "awk '{print \"a -> b\"}' a.txt"],
  ["sed", "sed -i -- 's/a/b/' a.txt; sed 's!a!b!; s;a;b;; s%/%_%' a.txt"],
  ["jq", "jq -r '.a[] | select(.b == 1)' a.json"],
  ["jq", "jq --indent 2 --arg x y '.token == $x' a.json"],
  [
    "head,tail,grep,make,git",
    "head -n 5 a.txt; tail -n 20 b.txt; grep -A 3 -m 1 x a.txt; make -j 4",
  ],
  ["git", "git log -n 5; git blame -L 1,5 a.txt | head -n 3"],
  ["git", "set -euo pipefail; git status --short"],
  ["git", "set -e\ngit merge -s ours x; git merge -S --strategy=ort y; git merge --stat -Xours z"],
  ["gcc", "gcc -DNDEBUG -Iinclude -MMD -MF a.d -c a.c -o a.o"],
  ["ar", "ar rcs lib.a a.o"],
  ["unzip", "unzip -qo a.zip -d src"],
  ["mkdir,touch,cp", "mkdir -p x && touch x/a && cp a.txt x/b"],
  ["tool", "tool --input=src --level 3"],
];

Deno.test("without a sandbox a list of programs allows their everyday use", async () => {
  for (const [list, command] of EVERYDAY) {
    const { decision, why } = await judge(list, command);
    assert.equal(decision, "allow", `${command}: ${why}`);
  }
});

const UNSAID: readonly (readonly [list: string, command: string])[] = [
  ["cp", "cp --target=dotgit config"],
  ["cp", "cp --target=src/../.git config"],
  ["mv", "mv --targ=dotgit/hooks f"],
  ["tar", "tar --directory=lnk -xf a.tar"],
  ["tar", "tar -xf a.tar -Clnk"],
  ["csplit", "csplit --prefix=lnk/x a.txt 1"],
  ["mktemp", "mktemp --tmpdir=lnk"],
  ["timeout,tar", "timeout 5 tar --directory=lnk -xf a.tar"],
  ["tool", "tool lnk/x"],
  ["tool", "tool --key=key"],
  ["tar", "tar cf a.tar -T list"],
  ["tar", "tar cfT a.tar list"],
  ["tar", "tar cf a.tar --files-f list"],
  ["wc", "wc --files0=list"],
  ["date", "date -f a.txt"],
  ["date", "date --file=a.txt"],
  ["file", "file -f list"],
  ["zip", "zip a.zip -@"],
  ["xargs", "xargs -a list cat"],
  ["xargs,git", "git ls-files | xargs cat"],
  ["find,cat", "find . -name a -exec cat {} +"],
  ["jq", "jq -n 'import \"k\" as $k; $k' -L src"],
  ["git", "git apply a.patch && cat l"],
  ["git", "git apply a.patch && git archive -o l/new.tar HEAD"],
  ["git", "git apply a.patch && git log -1 --output=l"],
  ["git", "git apply a.patch && git commit -F l"],
  ["git", "git apply a.patch && git -C l status"],
  ["git", "git apply a.patch && cd l && git status"],
  ["git", "git apply a.patch && git clone -q . l/clone"],
  ["git", "git checkout x && git restore --pathspec-from-file=l"],
  ["git", "[[ -e /home/me/.ssh/id_rsa ]] && git status"],
  ["git", "git status; [[ -n a || -e ~/.ssh/id_rsa ]]"],
  ["git", "git checkout x; wc -l < a.txt"],
  ["git", "git checkout x | cat - a.txt"],
  ["git", "cat a.txt l | git checkout x"],
  ["git", "while true; do cat l; git checkout x; done"],
  ["cp,sort", "cp -a inner n && sort -o n/x a.txt"],
  ["mv,tar", "tar xf a.tar && mv a.txt t/l"],
  ["tool", "tool unpack a && cat t/l"],
  ["git", "git status; echo ~/.ssh/*"],
  ["git", 'x=1; git status; echo ~/.ssh/* "$x"'],
];

/** What options of programs do, and what stands behind those that the tables do not know. */
const OPTIONS: readonly (readonly [list: string, command: string])[] = [
  ["tee", "tee -a 5"],
  ["cat", "cat -n 6"],
  ["cp", "cp a.txt -v 5"],
  ["cp", "cp -v 6 x"],
  ["chmod", "chmod -v 777 ../out/leaf"],
  ["chmod", "chmod -v 4755 a.txt"],
  ["chown", "chown -v 0 a.txt"],
  ["grep", "grep -n 1 ~/.ssh/id_rsa"],
  ["jq", "jq -nr --rawfile 1 key '$ARGS'"],
  ["jq", "jq -R . -e ~/.ssh/id_rsa"],
  ["yq", "yq -n 'load(\"key\")'"],
  ["git", "git hash-object -w 6"],
  ["git", "git clone -q 7 ../out/clone"],
  ["awk", "awk 'BEGIN {x = 1system(\"id\")}'"],
  ["cp", "cp --target ../out a.txt"],
  ["install", "install --targ ../out a.txt"],
  ["git", "git blame -s --contents key a.txt"],
  ["git", "git blame -S key a.txt"],
  ["git", "git interpret-trailers -v 6"],
  ["git", "git -C src blame --contents ../key a.ts"],
  ["git", "git init --separate-git store sub"],
  ["git", "git clone -q --separate-git-dir=store . sub"],
  ["git", "git merge -s touch x"],
  ["git", "git merge -qstouch x"],
  ["git", "git pull --strategy touch"],
  ["git", "set -e; set -k; git status"],
  ["gcc", "gcc -c a.c -MD -MF ../out/mf"],
  ["gcc", "gcc -fplugin=./x.so -c a.c"],
  ["gcc", "gcc -B. -c a.c"],
  ["nm", "nm --plugin ./x.so a.o"],
  ["ld", "ld @words"],
  ["arm-none-eabi-gcc-13", "arm-none-eabi-gcc-13 -specs=x a.c"],
  ["javac", "javac -processorpath src -processor X A.java"],
  ["ar", "ar rc ../out/lib.a a.o"],
  ["objcopy", "objcopy a.o ../out/a.o"],
  ["strip", "strip -v 5"],
  ["unzip", "unzip -q a.zip -d ../out"],
  ["zip", "zip -v ../out/a.zip a.txt"],
  ["curl", "curl -s --alt-svc ../out/as http://127.0.0.1/x"],
  ["curl", "curl -s --outp ../out/x http://127.0.0.1/x"],
  ["curl", "curl -sO http://127.0.0.1/5?x"],
  ["curl", "curl -s -o '#1' 'http://127.0.0.1/{5}'"],
  ["wget", "wget -N http://127.0.0.1/5"],
  ["curl", "curl file:/home/me/.ssh/id_rsa"],
  ["curl", "curl file://localhost/home/me/.ssh/id_rsa"],
  ["curl", "curl 'fil{e,x}:///home/me/.ssh/id_rsa'"],
  ["curl", "curl --proto-default file /home/me/.ssh/id_rsa"],
  ["make", "make 'A!=touch ../out/x'"],
  ["make", "make 'SHELL =./x' all"],
  ["npm", "npm explore x -- touch y"],
  ["npm", "npm docs --browser=./x"],
  ["npm", "npm edit x --editor=./x"],
  ["npm", "npm pack --pack-destination ../out"],
  ["npm", "npm --cache=lnk view x"],
];

Deno.test("without a sandbox no list allows what options do beside what a program is for", async () => {
  for (const [list, command] of OPTIONS) {
    const { decision } = await judge(list, command);
    assert.equal(decision, "deny", command);
  }
});

Deno.test("without a sandbox git follows no file .git to what a clone may have brought", async () => {
  const pathFacts = (gitdir: string) =>
    linkedPathFacts({ "/w/sub/.git": `gitdir: ${gitdir}\n`, "/w/store/HEAD": "ref: x\n" });
  for (const command of ["git -C sub status", "cd sub && git status"]) {
    for (
      const [gitdir, expected] of [
        [".", "deny"],
        ["../store", "deny"],
        ["/w/store/worktrees/sub", "deny"],
        ["../.git/worktrees/sub", "allow"],
        ["/home/me/main/.git/worktrees/sub", "allow"],
      ] as const
    ) {
      const { decision } = await judge("git", command, { pathFacts: pathFacts(gitdir) });
      assert.equal(decision, expected, `${command}: ${gitdir}`);
    }
  }
});

Deno.test("without a sandbox no list allows what its words do not say, and the denial says what to do", async () => {
  for (const [list, command] of UNSAID) {
    const { decision, why = "" } = await judge(list, command);
    assert.equal(decision, "deny", command);
    if (!/echo|^cp --target=/.test(command)) {
      assert.match(
        why,
        /no sandbox holds it.*; make one plain command a call of its own, or give/,
        command,
      );
    }
  }
});

Deno.test("what words do not say is allowed where every command is, or in a sandbox", async () => {
  for (const command of ["cp --target=inner/x a", "git checkout x && cat a", "tar cf a.tar -T l"]) {
    assert.equal((await judge("", command, { run: true })).decision, "allow", command);
    const sandboxed = await judge("cp,git,tar", command, { sandboxed: true });
    assert.equal(sandboxed.decision, "allow", command);
  }
});

Deno.test("no rule is stored for what words do not say where no sandbox holds it", async () => {
  const policy = new Policy({
    rules: { allow: {}, deny: {}, allowAll: false },
    interactive: true,
    pathFacts: linkedPathFacts(),
  });
  const offersOf = async (target: string) => {
    const { decision, offers } = await policy.judge([{ kind: "run", target }]);
    assert.equal(decision, "ask", target);
    return offers?.length ?? 0;
  };
  assert.equal(await offersOf("git checkout x"), 1);
  assert.equal(await offersOf("git checkout x && cat a"), 0);
  assert.equal(await offersOf("sed -n 'w x' a"), 0);
});

Deno.test("git that begins in what only looks like a repository is allowed by no list", async () => {
  const pathFacts = linkedPathFacts({
    "/w/docs/HEAD": "",
    "/w/docs/objects/x": "",
    "/w/docs/refs/x": "",
    "/w/docs/in/x": "",
  });
  for (const command of ["git -C docs status", "cd docs/in && git status"]) {
    const { why } = await judge("git", command, { pathFacts });
    assert.match(why ?? "", /may take a directory of the workspace for a repository/, command);
  }
  assert.equal((await judge("git", "git -C src status", { pathFacts })).decision, "allow");
});
