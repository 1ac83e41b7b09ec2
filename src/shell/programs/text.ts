/**
 * Programs that read, filter and show text, and editors.
 */

/** Rows of the program table. */
export const TEXT = `
safe =reads cat tac nl more most od hexdump hd strings rev fold fmt pr expand unexpand bat batcat cut paste column join
    look wc units shellcheck nm objdump readelf size: only reads
safe =reads head tail: only reads
  -n --lines -c --bytes: text
safe tr seq : yes factor numfmt expr basename dirname locate mlocate plocate pkg-config pkgconf read
    printf test [ getopts unset fg disown caller help: only reads
safe =reads less shuf iconv base64 base32 basenc xmllint tree cmp diff diff3 sdiff colordiff delta comm cloc: only reads
  -o -O --out --output --log-file --report-file: write
safe =copies uniq: only reads
  -f -s -w --skip-fields --skip-chars --check-chars: text
safe =copies xxd: only reads
  -c -cols -g -groupsize -l -len -s -seek: text
  -r: sensitive writes bytes
safe =reads sort: only reads
  -o --output -T --temporary-directory: write
  --compress-program: code
safe =reads-1 ag ack: only reads
safe =reads-1 grep egrep fgrep zgrep ggrep rg ripgrep: only reads
  -f --file --exclude-from: read
  -e --regexp --include --exclude -g --glob -A -B -C -m --max-count --context --after-context --before-context: text
  --pre --hostname-bin: code
safe =reads-1 jq: only reads
  -f --from-file -L --rawfile --slurpfile --argfile: read
  --arg --argjson --indent: text
safe =reads-1 yq: only reads
  -o --output: text
  -i -I --inplace --in-place: rewrites
  -s --split-exp: sensitive changes files
unknown =reads-1 sed gsed: transforms text, and may run code given as text
  -e --expression -l --line-length: text
  -f --file: code
  match (^|[/;}{!\\n\\d$])\\s*e\\b|[^\\w\\s][gpim\\d]*e[gpimw\\d]*\\s*([;}\\n]|$) => code holds a script that runs text as code
  -i --in-place: rewrites
  match (^|[/;}\\n\\d$])[wW] ?(?!/dev/)[\\w./~] => sensitive holds a script that writes a file
  match (^|[/;}\\n\\d$gp])[wW] ?([/~]|\\.\\./)(?!dev/(null|std)) => extreme holds a script that writes outside
unknown =reads-1 awk gawk mawk nawk: transforms text, and may run code given as text
  -F --field-separator -v --assign: text
  -f --file -l --load: code
  -i --include: extreme= runs a file of code, and may write files
  match \\b(\\d[\\w.]*)?(system|getline)\\b|@|\\|&|"\\s*\\||\\|\\s*"|\\bprintf?\\b[^|}/]*\\|\\s*[a-z(] => code holds a program that may run text as code
  match \\bprintf?\\b[^;}()]*(?<![^-]-|=)>>? *[^ "=] => extreme holds a program that writes what it does not name
  -o --pretty-print -p --profile -d --dump-variables: write
  match (^|[^>])>>? *"(?!/dev/std) => sensitive holds a program that writes a file
  match >>? *"([/~]|\\.\\./)(?!dev/std) => extreme holds a program that writes outside
extreme ed red sponge vi vim nvim view nano emacs ex pico subl code codium cursor: changes files,
    and may run commands of an editor
code dc m4: runs text as code
`;
