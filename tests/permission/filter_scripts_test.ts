/**
 * Scripts of sed and awk: those that people write every day are known, and none is that names a file or runs something.
 */
import assert from "node:assert/strict";
import { isKnownAwk, isKnownSed } from "../../src/permission/filter_scripts.ts";

const SED: readonly (readonly string[])[] = [
  ["s/a/b/", "f"],
  ["-n", "10,20p", "f"],
  ["-n", "-e", "/^## /p", "f"],
  ["-i", "s/[[:space:]]*$//", "f"],
  ["-i.bak", "-E", "s#(a|b)#\\1/x#g", "f"],
  ["-e", "s/a/b/2", "-e", "$!d;y/ab/cd/", "f"],
  ["--expression=s/a/b/gI", "--in-place", "f"],
  [":a;N;$!ba;s/\\n/ /g"],
  ["/^$/d; /x/,+2{s/a/b/;p}"],
  ["1i\\\nw out", "f"],
  ["$a w out; e x", "f"],
  ["2q5"],
  ["0~3d # every third"],
  ["s/[^/]*$//"],
  ["-i", "--", "s/a/b/", "-n"],
  ["s!a!b!; s;a;b;; s%/%_%; s~a~b~"],
];

const UNKNOWN_SED: readonly (readonly string[])[] = [
  ["\\,a,e touch x"],
  ["/a/Ie touch x"],
  ["e"],
  ["1e id"],
  ["s/a/id/e"],
  ["s_a_id_e"],
  ["s!a!id!e"],
  ["s;a;b;w out"],
  ["--", "w out", "-n"],
  ["s,a,id,ge"],
  ["s/[/]a/id/e"],
  ["s/a/[/w out"],
  ["y/[/]/w out"],
  ["/[/]/w out"],
  ["s/x\\/y/id/e"],
  ["w out"],
  ["$!w out"],
  ["/a/{p;w out", "}"],
  ["s/a/b/w out"],
  ["s/a/b/;s/c/d/gw out"],
  ["-e", "1i\\", "-e", "a", "-e", "w out"],
  ["r /etc/passwd"],
  ["1R/etc/passwd"],
  ["W out"],
  ["p\nw out"],
  ["p}w out"],
  ["# a\nw out"],
  ["-f", "x", "f"],
  ["-i../x/*", "s/a/b/", "f"],
  ["--in-place=../x", "s/a/b/", "f"],
  ["s/[\\]/w out/;x]/p"],
  [`1${" ".repeat(1900)}w`],
  [`${"p;".repeat(3000)}`],
];

Deno.test("isKnownSed() knows scripts that transform text, and no others", () => {
  for (const words of SED) assert.ok(isKnownSed(words), words.join(" "));
  for (const words of UNKNOWN_SED) assert.ok(!isKnownSed(words), words.join(" "));
});

const AWK: readonly (readonly string[])[] = [
  ["{print $1}", "f"],
  ["-F:", "-v", "x=1", '$3 >= x {printf "%s\\n", $1}', "f"],
  ["-F", ",", "NR > 1 {s += $2} END {print s}"],
  ["/a|b/ {n++} END {print n}"],
  ["!seen[$0]++"],
  ['{print $1 " -> " $2 " | " $3}'],
  ["--", "{print}"],
  ["{file_system = x1system + 1}"],
];

const UNKNOWN_AWK: readonly (readonly string[])[] = [
  ['{print > "out"}'],
  ['{print >> "out"}'],
  ['{print | "sh"}'],
  ['{x = "sh"; print | x}'],
  ['{printf("%s", $0) > "out"}'],
  ['/"/ {print > "out"}'],
  ["/a/ {print $1 > x}"],
  ['BEGIN {system("id")}'],
  ['BEGIN {x = 1system("id")}'],
  ['BEGIN {x = 0xasystem("id") + 1.e5system("id")}'],
  ['BEGIN {x = 1getline < "/etc/passwd"; print}'],
  ['BEGIN {"id" | getline x; print x}'],
  ['BEGIN {while ((getline l < "/etc/passwd") > 0) n++}'],
  ['BEGIN {ARGV[1] = "/etc/passwd"; ARGC = 2}'],
  ["BEGIN {for (k in ENVIRON) print k}"],
  ['BEGIN {f = "system"; @f("id")}'],
  ["-f", "prog", "f"],
  ["-E", "prog"],
  ["-i", "inplace", "{print}"],
  ["--file=prog"],
];

Deno.test("isKnownAwk() knows programs that transform text, and no others", () => {
  for (const words of AWK) assert.ok(isKnownAwk(words), words.join(" "));
  for (const words of UNKNOWN_AWK) assert.ok(!isKnownAwk(words), words.join(" "));
});
