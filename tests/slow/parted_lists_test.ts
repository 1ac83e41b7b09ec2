/**
 * A command line cut into parts gives what bash gives for the whole: the same output in the same order, the same exit
 * code, wherever it is cut. The parts run without a sandbox here; what a sandbox adds is tested end to end.
 */
import assert from "node:assert/strict";
import { HAS_BASH, makeDirectory, partedBy, runParted, runWhole } from "../support/parted.ts";

/** Cut at each command. */
const LISTS = String.raw`
true; false
false; true
true && echo a
false && echo a
false || echo a
true || echo a
true && false || echo a
false || false || echo a
false && echo a || echo b && echo c
true || echo a && echo b
true && true && false
(exit 3) || echo a; (exit 4); echo b
! true; echo a
! false; echo a
! false | true
! true | false && echo a
true | false
false | true
echo a | cat
echo b | cat | cat | tr b c
cat f | sort | head -1
yes | head -2
yes y | head -100000 | tail -1
echo a; echo b >&2; echo c
echo a && (echo b; false) || echo c
{ echo a; false; } && echo b
{ echo a; exit 5; }; echo b
(exit 5); echo $?; echo a
false; echo $?
true | false; echo "was $?"
(exit 7) && true; echo "was $?"
(exit 7) || echo "was $?"; pwd
(echo a; exit 9) | cat; echo $?
false || exit; echo no
false || exit $?; echo no
sh -c 'exit 3'; exit "$?"; ls
true && exit 6; echo no
false; exit; ls
echo a; exit 4; echo b
cd d && cat in && pwd
cd d; cat in; pwd
cd d && cd .. && ls && pwd
cd nowhere && echo a; ls
cd nowhere; ls; pwd
cd nowhere || echo a; pwd
(cd d && cat in); ls
(cd d; cat in) | cat; ls
{ cd d; cat in; }; ls
cd d | cat; ls
no-such-program; echo $?
no-such-program || echo missing
cat missing; echo $?
bash -c 'kill -9 $$'; echo $?
sh -c 'exit 42'; echo $?
for i in 1 2 3; do echo $i; done; echo end
for i in 1 2; do (exit $i); done || echo a
if false; then echo a; else echo b; fi && echo c
cat f | while read -r l; do echo "<$l>"; done | sort
case a in a) echo yes;; esac; echo end
[[ -d d ]] && echo dir; [ -f f ] && echo file
echo a > new && cat new; rm new
cat < f | head -1 > out; cat out; rm out
echo a 2>/dev/null >&2; echo b
echo a |& cat
cat missing |& wc -l; echo c
(time true) >/dev/null 2>&1; echo a
echo "$(cat f | sort)" | tail -1; echo end
diff <(echo a) <(echo b); echo $?
X=1 env | grep '^X='; echo end
set -e; true; false; echo no
set -e; false && echo a; echo b
set -e; false || echo a; ! true; echo b
set -e; true && false || echo a; (false; echo no); echo no
set -e; { false; echo no; } && echo a; echo b
set -e; { true && false; }; echo b
set -e; { echo a; false; }; echo no
set -e; (echo a; false; echo b) || echo c; echo d
set -e; ! (false; echo a) || echo b; echo c
set -e; echo a; cd nowhere; echo no
set -e; cd d && cat in; pwd
set -e; false | true; echo a; true | false; echo no
set -e; echo $(false; echo a); echo b
set -e; (exit 3) || echo "was $?"; true; echo $?
set -e; echo a; exit 4; echo no
set -eo pipefail; false | true; echo no
set -o pipefail; false | cat; echo $?; cat missing | cat | cat; echo $?
set -o pipefail && yes | head -1 > /dev/null; echo $?
set -u; echo a; echo b
set -eu -o pipefail; X=1; echo "$X"; [ "$X" = 1 ]; echo end
X=1; echo $X; echo "$X" | cat; bash -c 'echo "<$X>"'
export X=1 Y='a b'; echo $Y; bash -c 'echo "<$X $Y>"'
X='a  b'; Y='*'; echo "$X"; echo "$Y"
X=1; export X; env | grep ^X; echo end
X=1; X=2; echo $X; true
X=1 && Y=2 && echo $X && false; echo $Y
set -o pipefail && X=1; for i in a b; do echo $i $X; done | cat; false; echo no
`.trim().split("\n");

const MULTILINE = [
  "cat <<'EOF' | sort\nb\na\nEOF\necho end",
  "cat > new <<'EOF' && cat new\n$x `y`\nEOF\nrm new; echo end",
  "echo a\n\n# a note\necho b &&\n  echo c |\n  cat\nfalse",
  "echo \"$(cat <<'EOF'\nin words\nEOF\n)\" && echo end",
  "echo 'two\nlines'; echo end",
];

Deno.test({
  name: "a list or pipeline in parts gives the output and the exit code of bash",
  ignore: !HAS_BASH,
  async fn() {
    await using directory = await makeDirectory();
    const cwd = directory.path;
    for (const [index, source] of [...LISTS, ...MULTILINE].entries()) {
      const form = index % 2 === 0 ? "written" : "canonical";
      const places: number[] = [];
      const cut = (at: number) => places.includes(at) ? places.indexOf(at) : places.push(at) - 1;
      const parted = partedBy(source, { form, cut, cwd });
      assert.ok(parted, `not cut: ${source}`);
      assert.deepEqual(await runParted(parted, cwd), await runWhole(source, cwd), source);
    }
  },
});
