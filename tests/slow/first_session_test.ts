/**
 * First sessions of twenty-eight calls, as a person would have them who chooses the breadth that they mean: at
 * most five questions each, and none that should not be one. The real pipeline, the real sandbox, real files.
 */
import assert from "node:assert/strict";
import { compose } from "../../src/app/compose.ts";
import { parseArguments } from "../../src/cli/args.ts";
import type { Answer, PermissionRequest } from "../../src/core/permission.ts";
import type { ScriptedReply } from "../../src/modes/demo/scripted_server.ts";
import { createMemoryIo } from "../support/memory_io.ts";
import { stage } from "../support/program.ts";
import { hasBubblewrap } from "../support/sandbox.ts";

/** A session: `edit FILE` changes a number in it, `new FILE` writes it, everything else is a command. */
interface Session {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  readonly calls: readonly string[];
  /** What each question is about, in their order. */
  readonly asks: readonly string[];
}

const SESSIONS: readonly Session[] = [
  {
    name: "TypeScript with npm",
    files: {
      "package.json":
        '{ "name": "w", "scripts": { "test": "node a.test.js", "build": "mkdir -p dist && cp a.js dist/a.js", "lint": "node --check a.js" } }\n',
      "a.js": "module.exports = 1;\n",
      "a.test.js": "if (require('./a.js') < 1) throw new Error('a');\n",
      "README.md": "# w\n",
      ".gitignore": "dist\nnode_modules\n",
    },
    calls: [
      "ls -la",
      "cat package.json README.md",
      "git status --short",
      "npm install --no-audit --no-fund",
      "npm test",
      "npm run lint",
      "edit a.js 1 2",
      "npm test",
      "npm run build",
      "node dist/a.js",
      "git diff",
      "git add -A",
      "git commit -m 'Raise a'",
      "grep -rn module --include=*.js .",
      "edit a.js 2 3",
      "npm test 2>&1 | tail -20",
      "new b.js",
      "node -e 'console.log(require(\"./b.js\"))'",
      "npm run build",
      "node --test",
      "mkdir -p lib",
      "mv b.js lib/b.js",
      "git add -A && git commit -m 'Add b, \"quoted\"'",
      "edit a.js 3 4",
      "npm run lint && npm test",
      "git diff --stat",
      "git commit -am 'Raise a again'",
      "git log --oneline -3",
    ],
    asks: ["npm install", "edit", "npm run build", "git add", "git commit"],
  },
  {
    name: "Python with a virtual environment and pytest",
    files: {
      "requirements.txt": "",
      "a.py": "def a():\n    return 1\n",
      "test_a.py": "from a import a\n\n\ndef test_a():\n    assert a() > 0\n",
      "setup.cfg": "[tool:pytest]\naddopts = -q\n",
      ".gitignore": ".venv\n__pycache__\n",
    },
    calls: [
      "pwd && ls",
      "cat a.py test_a.py",
      "python3 --version",
      "python3 -m venv --without-pip .venv",
      "git status",
      "pytest -q",
      "python3 -m pytest -q test_a.py",
      "edit a.py 1 2",
      "python3 -c 'import a; print(a.a())'",
      "python3 -m py_compile a.py",
      "pytest -q -x",
      "git diff",
      "git add -A",
      "git commit -m 'Return two'",
      "new b.py",
      "python3 b.py",
      "python3 -c 'import sys; print(sys.path)'",
      "find . -name '*.py' -not -path './.venv/*' | xargs wc -l",
      "edit a.py 2 3",
      "pytest -q",
      "python3 -m unittest discover",
      "mkdir -p tests && mv test_a.py tests/",
      "PYTHONPATH=. pytest -q tests",
      "sed -n 1,5p a.py",
      "git add -A",
      "git commit -m 'Move the tests'",
      "git log --stat -1",
      "head -3 setup.cfg",
    ],
    asks: ["python3 -m venv", "edit", "git add", "git commit"],
  },
  {
    name: "make with git",
    files: {
      "Makefile":
        "all: a.o\na.o: a.c\n\tcp a.c a.o\ntest: all\n\tgrep -q one a.o\nclean:\n\trm -f a.o\n",
      "a.c": "/* one */ int a = 1;\n",
      ".gitignore": "*.o\n",
    },
    calls: [
      "ls",
      "cat Makefile",
      "git log --oneline",
      "make",
      "make test",
      "edit a.c = - =",
      "make -j2",
      "make clean all",
      "git diff",
      "git checkout -b topic",
      "git add a.c",
      "git commit -m 'Change a'",
      "make clean",
      "wc -l a.c",
      "new b.c",
      "cp b.c c.c",
      "rm c.c",
      "make test",
      "git status --short",
      "git add b.c",
      "git commit -m 'Add b'",
      "git show --stat HEAD",
      "make -n",
      "echo done > notes.txt",
      "cat notes.txt",
      "git add -A && git commit -m 'Notes'",
      "git branch --show-current",
      "git diff HEAD~1 --stat",
    ],
    asks: ["make", "edit", "git checkout", "git add", "git commit"],
  },
  {
    name: "make with logs, links, patches and a bisection",
    files: {
      "Makefile":
        "all: prog\nprog: a.sh\n\tcp a.sh prog && chmod +x prog\ntest: all\n\t./prog | grep -q one\nclean:\n\trm -f prog\n",
      "a.sh": "#!/bin/sh\n: ${LEVEL:=one}\necho $LEVEL\n",
      "docs/a.txt": "alpha\n",
      "docs/b.txt": "alpha beta\n",
      ".gitignore": "prog\n*.tmp\n",
    },
    calls: [
      "ls; cat Makefile",
      "make 2>&1 | tee /tmp/make.log | tail -1",
      "cat /tmp/make.log",
      "sed -i 's/one/two/; s/two/one/' a.sh && make && LD_LIBRARY_PATH=. ./prog",
      "make clean && make -j2 test",
      "./prog > out.tmp && diff out.tmp docs/a.txt; true",
      "edit a.sh LEVEL:=one LEVEL:=one1",
      "make test > /tmp/test.log 2>&1; tail -3 /tmp/test.log",
      "git checkout -b topic",
      "git diff > /tmp/a.patch && wc -l /tmp/a.patch",
      "make && git commit -am 'Set the level'",
      "git mv docs/a.txt docs/a.md && git mv docs/b.txt docs/b.md",
      "sed -i 's/alpha/gamma/' docs/*.md",
      "sed -i s/beta/delta/ docs/b.md && git diff --stat",
      "cat docs/*.md",
      "git add -A && git commit -m 'Rename the pages'",
      "ln -s ../shared/data data",
      "touch a.tmp b.tmp && rm -f a.tmp",
      "find . -name '*.tmp' -delete",
      "make -n",
      "git bisect start HEAD HEAD~1",
      "git bisect good",
      "git bisect reset",
      "sed -i s/gamma/zeta/ docs/a.md && git commit -am 'Change a page'",
      "sed -i s/zeta/eta/ docs/a.md",
      "git checkout -- docs/a.md",
      "d=$(mktemp -d); cp a.sh $d/ && ls $d",
      "git log --oneline -3",
    ],
    asks: ["make", "edit", "git checkout", "find"],
  },
  {
    name: "Python with data, archives and a branch",
    files: {
      "src/pkg/__init__.py": "def f(x):\n    return x\n",
      "tests/test_f.py":
        "import unittest\nfrom pkg import f\nclass T(unittest.TestCase):\n    def test(self): self.assertEqual(f(1), 1)\n",
      "scripts/gen.py":
        "import os\nos.makedirs('out', exist_ok=True)\nfor i in range(3): open(f'out/{i}.txt', 'w').write('hello\\n')\n",
      ".gitignore": "__pycache__\n",
    },
    calls: [
      "ls && cat scripts/gen.py",
      "PYTHONPATH=src python3 -m unittest discover -s tests 2>&1 | tail -3",
      "python3 scripts/gen.py && ls out",
      "python3 - <<'X'\nimport json\njson.dump({'a': 1}, open('data.json', 'w'))\nX",
      "cat data.json",
      "edit src/pkg/__init__.py f(x) f(x,y=0)",
      "PYTHONPATH=src python3 -m unittest discover -s tests 2>&1 | tail -1",
      "new src/pkg/b.py",
      "git add -A && git commit -m 'Add b'",
      "mv out/0.txt out/0.md && mv out/1.txt out/1.md",
      "sed -i 's/hello/bye/' out/*",
      "git checkout -b feature && git rebase main",
      "python3 scripts/gen.py > /tmp/gen.log 2>&1 && cat /tmp/gen.log",
      "sed -i 's/y=0/y=1/' src/pkg/__init__.py && PYTHONPATH=src python3 -m unittest discover -s tests 2>&1 | tail -1",
      "git diff HEAD~1 --stat",
      "git checkout -- src/pkg/__init__.py",
      "tar czf dist.tgz src && tar tzf dist.tgz | head -2",
      "mkdir -p docs && echo '# hi' > docs/index.md",
      "cp docs/index.md docs/other.md && cat docs/other.md",
      "chmod +x scripts/gen.py && python3 scripts/gen.py",
      "find . -name '*.pyc' -delete",
      "rm -f dist.tgz out/0.md",
      "python3 scripts/gen.py && git add -A && git commit -m 'Write the pages'",
      "git stash list; git log --oneline -2",
      "rm -rf out",
      'echo "$(date) done" >> docs/index.md',
      "git commit -am 'Done' && git log --oneline -2",
      "git status --short",
    ],
    asks: ["python3 scripts/gen.py", "edit", "git add", "find", "rm -rf out"],
  },
  {
    name: "shell loops and lists over files that only running them shows",
    files: {
      "docs/a.md": "teh alpha\n",
      "docs/b.md": "teh beta\n",
      "tests/one.sh": "echo one\n",
      "a.sh": "#!/bin/sh\necho a\n",
      "gen.py": "print('generated')\n",
      "list.txt": "docs/a.md\ndocs/b.md\n",
      "q.sql": "select 1;\n",
      "Makefile": "all:\n\t@echo built\n",
      ".gitignore": "out\n*.log\n",
    },
    calls: [
      "mkdir -p out && ls docs; cat docs/*.md",
      'for f in docs/*.md; do echo more >> "$f"; done',
      "grep -rl teh docs | xargs sed -i 's/teh/the/'",
      "mkdir -p out && for i in 1 2 3; do echo $i > out/$i.txt; done",
      "sed -i s/more/less/ $(git ls-files '*.md')",
      "edit docs/a.md less most",
      'for f in docs/*.md; do cp "$f" "$f.bak"; done',
      'OUT=out/$(date +%F).txt; echo a > "$OUT"; cat out/*.txt',
      "tmp=$(mktemp); sort docs/a.md > $tmp && mv $tmp docs/a.md",
      "cp a.sh /tmp/a && chmod +x /tmp/a && /tmp/a",
      "echo 'echo t' > /tmp/t.sh; bash /tmp/t.sh",
      "printf '#!/bin/sh\\necho ok\\n' > r.sh && chmod +x r.sh && ./r.sh",
      'while read -r f; do sed -i s/alpha/omega/ "$f"; done < list.txt',
      'for t in tests/*.sh; do bash "$t"; done',
      'for i in $(seq 3); do python3 -c "print($i)"; done',
      "python3 -c 'print(1)' > out/py.txt",
      "PYTHONPATH=src python3 gen.py > out/gen.txt",
      "sqlite3 app.db 'create table t (a int)' && sqlite3 app.db 'update t set a = 2'",
      "sqlite3 app.db < q.sql",
      "sqlite3 app.db .dump > out/dump.sql",
      "make > build-$(date +%s).log 2>&1; tail -1 build-*.log",
      "find docs -name '*.md' -exec sed -i s/omega/sigma/ {} +",
      "for d in docs tests; do cd $d; echo x > note; cd ..; done",
      "git add -A && git commit -m 'One'",
      'names=(one two); for n in "${names[@]}"; do echo "$n" > "docs/$n.md"; done',
      'for f in docs/*.md; do mv "$f" "${f%.md}.txt"; done',
      "git commit -am 'Two' && git log --oneline -2",
      'for f in docs/*.txt; do rm "$f"; done',
    ],
    asks: ["mkdir -p out", "edit", "git add", "do rm"],
  },
];

function reply(step: string): ScriptedReply {
  const [, kind, file = "", from = "", to = ""] = /^(edit|new) (\S+)(?: (\S+) (.+))?$/.exec(step) ??
    [];
  if (kind === "new") {
    return { calls: [{ name: "write", arguments: { file_path: file, content: "" } }] };
  }
  if (kind === undefined) return { calls: [{ name: "bash", arguments: { command: step } }] };
  const input = { file_path: file, old_string: from, new_string: to };
  return {
    calls: [
      { name: "read", arguments: { file_paths: [file] } },
      { name: "edit", arguments: input },
    ],
  };
}

/** What a person answers who trusts their own project: the widest that is offered. */
function answer({ offers }: PermissionRequest): Answer {
  const breadth = offers.at(-1)?.breadth;
  return breadth === undefined ? { kind: "allow" } : { kind: "always", scope: "project", breadth };
}

async function prepareRepository(dir: string): Promise<void> {
  const steps = [
    ["init", "-q", "-b", "main"],
    ["config", "user.name", "a"],
    ["config", "user.email", "a@b.c"],
    ["add", "-A"],
    ["commit", "-q", "-m", "Begin"],
  ];
  for (const args of steps) await new Deno.Command("git", { args, cwd: dir }).output();
}

for (const { name, files, calls, asks } of SESSIONS) {
  Deno.test({
    name: `a first session asks at most five times: ${name}`,
    ignore: !hasBubblewrap(),
    async fn() {
      assert.equal(calls.length, 28);
      await using t = await stage([...calls.map(reply), { text: "done" }], files);
      const { dir, env } = t.place;
      await prepareRepository(dir);
      const line = ["--context-size", "200000", "--max-turns", "100", "go"];
      const invocation = await parseArguments(line, { cwd: dir });
      assert.ok(invocation.kind === "run");
      const asked: PermissionRequest[] = [];
      const app = await compose(invocation.options, {
        sink: () => {},
        ask(requests) {
          asked.push(...requests);
          return Promise.resolve(requests.map(answer));
        },
        interactive: true,
        io: createMemoryIo({ env, cwd: dir }),
      });
      try {
        assert.equal((await app.agent.run("go")).reason, "done");
      } finally {
        app.close();
      }
      const told = asked.map((one) =>
        `${one.tool} ${one.description}: ${one.why} [${one.offers.map(({ text }) => text)}]`
      );
      assert.ok(asked.length <= 5, told.join("\n"));
      const wrong = asked.filter(({ tool, description }, index) =>
        !`${tool} ${description}`.includes(asks[index] ?? "nothing")
      );
      assert.deepEqual(wrong, [], told.join("\n"));
    },
  });
}
