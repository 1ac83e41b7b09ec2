/**
 * Programs that work on files and directories: what they look at, what they change.
 */

/** Rows of the program table. */
export const FILES = `
safe ls dir vdir exa eza lsd stat du df readlink realpath namei pathchk md5sum sha1sum sha224sum
    sha256sum sha384sum sha512sum b2sum b3sum cksum sum shasum crc32 zcat bzcat xzcat zstdcat lz4cat
    gzcat zipinfo lsar mediainfo pdfinfo: only reads
  reads
safe file: only reads
  reads
  -C --compile: sensitive writes a compiled table
safe find: only reads
  reads
  longdash
  -exec -execdir -ok -okdir: command
  -delete: extreme deletes every file found
  -fprint -fprint0 -fprintf -fls: write
  -newer -anewer -cnewer -samefile -files0-from: read
  -name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -type -xtype -size
      -mtime -atime -ctime -mmin -amin -cmin -perm -user -group -uid -gid -maxdepth -mindepth -links
      -inum -fstype -used -printf -regextype -context: text
safe fd fdfind: only reads
  reads 1
  -x --exec -X --exec-batch: extreme acts on every file found
sensitive mkdir touch rmdir mktemp split csplit mkfifo: makes, dates or removes files
  writes
  --filter: code
sensitive ln link: makes links
  links
  -t: write
sensitive truncate fallocate tee: changes files
  writes
  match [*?] => extreme changes many files at once
sensitive rm unlink trash gio: removes a file
  writes
  unless ^(-[\\w=-]*(\\n|$))*([^-\\0$\\n][^\\0$\\n]*(\\n|$)(-[\\w=-]*(\\n|$))*){0,10}$ => extreme removes many files at once, or what is only known at run time
  -r -R --recursive: extreme removes recursively
  --no-preserve-root: extreme removes the root
sensitive mv: moves a file
  writes
  match ^/dev/null$ => extreme throws files away
sensitive rename prename: moves a file
  writes 1
  match [;(@]|/[a-z]*e[a-z]*$ => extreme runs text as code
sensitive cp: copies a file
  copies
  -t: write
sensitive install: copies a file
  copies
  -t: write
  -d --directory: rewrites
  -m --mode: text
  match ^0*[2-7]\\d{3}$|^[ugoa]*[+=][rwxX]*s => extreme lets a file run with the rights of its owner
sensitive chmod chown chgrp: changes who may use a file
  writes 1
  -R --recursive: extreme changes whole trees
  match ^0*[2-7]\\d{3}$|^[ugoa]*[+=][rwxX]*s => extreme lets a file run with the rights of its owner
  match ^(root|0)(:|$) => extreme gives a file to root
extreme shred srm wipe rimraf del-cli dd ddrescue mknod setfacl setcap chattr chcon semanage
    restorecon cpio: destroys files, writes them anywhere, or changes their protection
sensitive tar bsdtar gtar: packs or unpacks files
  writes
  looks (?<![^])-?[zjJavf]*(t|x[zjJavf]*O)[zjJavf]*$
  -I -F --use-compress-program --checkpoint-action --to-command --info-script --new-volume-script
      --rsh-command --rmt-command: code
  -P --absolute-names: extreme writes outside the workspace
  match ^-?[cxtru][vzjJafkpP]*P[vzjJafkpP]*$ => extreme writes outside the workspace
  --remove-files --unlink-first --recursive-unlink: extreme removes what it packed
sensitive gzip gunzip bzip2 bunzip2 xz unxz lzma zstd unzstd lz4 brotli pigz compress uncompress: packs or unpacks files
  writes
  looks (?<![^])-[dkfqv\\d]*[clt][cdkflqtv\\d]*$
sensitive zip unzip 7z 7za 7zr rar unrar xar jar war: packs or unpacks files
  writes
  looks (?<![^])-([lvtzpcq]+|Z1?)$
  -TT --unzip-command: code
  -m --move: extreme removes what it packed
  -:: extreme writes outside
sensitive rsync: copies files
  copies
  -e --rsync-path: code
  --delete --del --delete-before --delete-after --delete-during --delete-excluded --remove-source-files --daemon
      --config --backup-dir --write-batch --temp-dir -T --partial-dir: extreme may remove files, or write elsewhere
sensitive patch: changes files
  writes
  -i --input: read
sensitive open xdg-open start explorer pbcopy pbpaste xclip xsel wl-copy wl-paste: uses the desktop or the screen
sensitive convert magick mogrify identify ffprobe ffmpeg pandoc gs pdftotext dot: writes files
  writes
  -i: read
  --filter -F --lua-filter: code
`;
