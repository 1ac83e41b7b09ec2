/**
 * Commands that destroy or change files in the ways people fear, each tried in a directory of its own, and the files
 * that lie there.
 */

/** Makes the files of one directory; run with `sh`, the umask is 022. */
export const PREPARE = `
printf 'alpha\\nbeta\\ngamma\\n' > a.txt
printf 'no line end' > b.txt
printf 'one\\r\\ntwo\\r\\n' > crlf.txt
printf '\\000\\001\\377\\376binary\\000' > bin.dat
printf '\\357\\273\\277with a mark\\n' > bom.txt
printf '#!/bin/sh\\necho hi\\n' > run.sh
printf 'quiet\\n' > private.txt
printf 'two words\\n' > 'two words.txt'
printf 'caf\\303\\251\\n' > 'caf\u00e9.txt'
: > empty.txt
mkdir -p dir/deep bare closed
printf 'export const one = 1;\\n' > dir/one.ts
printf 'export const two = 2;\\nexport const also = two;\\n' > dir/two.ts
printf 'three\\n' > dir/deep/three.txt
printf 'kept\\n' > closed/inner.txt
ln -s a.txt link
ln -s nowhere dangling
ln -s dir dirlink
mkdir other
printf 'ALPHA\\n' > other/a.txt
printf 'ONE\\n' > other/one.ts
tar -cf over.tar -C other a.txt
printf 'packed\\n' | gzip -n > packed.txt.gz
rm -r other
cat > fix.patch <<'END'
--- a.txt
+++ a.txt
@@ -1,3 +1,2 @@
-alpha
+omega
 beta
-gamma
END
chmod 640 b.txt
chmod 755 run.sh
chmod 600 private.txt
chmod 750 dir
chmod 500 closed
`;

/** One command, with the program beside coreutils that it needs. */
export type DestructiveCommand = string | readonly [command: string, needs: string];

export const DESTRUCTIVE_COMMANDS: readonly DestructiveCommand[] = [
  // Removing.
  "rm a.txt",
  "rm -f a.txt b.txt bin.dat",
  "rm -rf dir",
  "rm -rf ./*",
  "rm -rf -- * .[!.]*; true",
  "rm link dangling dirlink",
  "rm -r bare dir/deep",
  "rm 'two words.txt' caf*",
  "rmdir bare",
  "rmdir -p dir/deep 2>/dev/null; rm dir/deep/three.txt && rmdir dir/deep",
  "unlink empty.txt",
  "find . -type f -delete",
  "find . -name '*.txt' -exec rm {} +",
  "find . -type l -delete",
  "find . -depth -mindepth 1 -delete",
  "ls *.txt | head -n 3 | xargs rm",
  "chmod 700 closed && rm -r closed",
  ["git clean -fdxq .", "git"],
  ["git clean -fq .", "git"],
  ["git rm -rqf --ignore-unmatch . && true; rm -rf dir", "git"],
  ["perl -e 'unlink glob(\"*.txt\")'", "perl"],
  ["python3 -c 'import shutil; shutil.rmtree(\"dir\")'", "python3"],
  // Moving and copying over.
  "mv a.txt b.txt",
  "mv b.txt dir/one.ts",
  "mv dir elsewhere",
  "mv dir bare/",
  "mv dir/* .",
  "mv a.txt link",
  "mv link b.txt",
  "mv 'two words.txt' words",
  "mv -f private.txt run.sh",
  "mv run.sh dir/deep/three.txt",
  "cp a.txt b.txt",
  "cp -f bin.dat a.txt",
  "cp -r dir/deep/. .",
  "cp -a dir copy && rm -r dir",
  "cp --remove-destination a.txt link",
  "cp a.txt dangling 2>/dev/null || cp a.txt nowhere",
  "install -m 777 a.txt run.sh",
  "ln -sf b.txt a.txt",
  "ln -sfn bare dirlink",
  "ln -f a.txt b.txt && echo more >> b.txt",
  "rm -r bare && ln -s dir bare",
  "rm a.txt && mkdir a.txt && echo in > a.txt/in",
  "rm -r dir && echo a file > dir",
  'for f in *.txt; do mv "$f" "$f.bak"; done',
  ["rsync -a --delete bare/ dir/", "rsync"],
  // Emptying and overwriting.
  ": > a.txt",
  "> b.txt",
  "truncate -s 0 a.txt bin.dat",
  "truncate -s 2 crlf.txt",
  "truncate -s 100000 empty.txt",
  "cat b.txt > a.txt",
  "echo gone > link",
  "echo new > dangling",
  "echo more >> b.txt",
  "tee a.txt b.txt < crlf.txt > /dev/null",
  "dd if=/dev/zero of=a.txt bs=1 count=4 2>/dev/null",
  "dd if=/dev/zero of=bin.dat bs=1 count=2 seek=3 conv=notrunc 2>/dev/null",
  "shred -n 1 -z private.txt",
  "shred -u private.txt",
  "head -c 50000 /dev/urandom > bin.dat",
  "yes | head -n 20000 > a.txt",
  "printf '' | tee *.txt",
  "sort -r -o a.txt a.txt",
  "split -l 1 a.txt part. && rm a.txt",
  "echo x | tee -a dir/*.ts dir/deep/* > /dev/null",
  "exec 3>a.txt; echo by a descriptor >&3",
  ['python3 -c \'open("a.txt","w").write("python")\'', "python3"],
  ["perl -i -pe 's/a/b/g' a.txt crlf.txt", "perl"],
  // Permissions and times.
  "chmod 777 a.txt private.txt",
  "chmod -R a-rwx dir",
  "chmod 000 a.txt b.txt",
  "chmod -R 777 .",
  "chmod u+s,g+s run.sh",
  "chmod +t bare && chmod 700 dir/deep",
  "chmod 755 closed && echo changed > closed/inner.txt",
  "chmod -x run.sh && echo done >> run.sh",
  "touch made && touch -d 2001-01-01 a.txt",
  "mkdir -m 700 made && mkdir -p bare/x/y/z",
  // Codemods.
  "sed -i s/alpha/omega/ a.txt",
  "sed -i.orig 's/$/!/' *.txt",
  "sed -i '1d' a.txt dir/two.ts",
  "find dir -name '*.ts' -exec sed -i 's/export //' {} +",
  "grep -rl export dir | xargs sed -i 's/const/let/'",
  "awk '{print NR\": \"$0}' a.txt > t && mv t a.txt",
  "tr a-z A-Z < a.txt > t && cat t > a.txt && rm t",
  "tr -d '\\r' < crlf.txt > t && mv t crlf.txt",
  "expand dir/one.ts > t; cp t dir/one.ts",
  "cut -c1-2 a.txt > t && mv -f t a.txt",
  'for f in dir/*.ts; do { echo \'// head\'; cat "$f"; } > t; mv t "$f"; done',
  ["patch -s < fix.patch", "patch"],
  ["ed -s a.txt <<< $'1d\\nw\\nq'", "ed"],
  // Archives, and what packs.
  "tar -xf over.tar",
  "mkdir x && tar -xf over.tar -C x && cp x/a.txt dir/one.ts",
  "tar -cf all.tar --remove-files a.txt b.txt dir/deep",
  "gzip a.txt b.txt",
  "gunzip packed.txt.gz",
  "gzip -dc packed.txt.gz > a.txt",
  "tar -cf over.tar b.txt",
  "tar -czf - dir | tar -xzf - -C bare && rm -r dir",
  ["zip -qm all.zip a.txt b.txt", "zip"],
  ["bzip2 a.txt", "bzip2"],
  ["xz bin.dat", "xz"],
  // Several at once.
  "rm a.txt; mkdir -p new/er; mv dir new/er; ln -s new/er/dir dir; chmod 600 b.txt; echo 1 > empty.txt",
  "(cd dir && rm -r deep && mv one.ts ../a.txt); find . -empty -delete",
  "rm -rf dir & echo over > a.txt; wait",
  "bash -c 'rm -r dir; mkdir dir; echo other > dir/one.ts'",
  "set -e; mv a.txt t; mv b.txt a.txt; mv t b.txt",
  "rm -rf dir; false",
  "echo half > a.txt; kill -9 $$",
];
