/**
 * Programs that work on files and directories: what they look at, what they change.
 */

/** Rows of the program table. */
export const FILES = `
safe =reads ls dir vdir exa eza lsd stat du df readlink realpath namei pathchk md5sum sha1sum sha224sum sha256sum
    sha384sum sha512sum b2sum b3sum cksum sum shasum crc32 zcat bzcat xzcat zstdcat lz4cat gzcat zipinfo lsar mediainfo
    pdfinfo: only reads
safe =reads file: only reads
  -C --compile: sensitive writes a compiled table
safe =reads find: only reads
  longdash
  -exec -execdir -ok -okdir: command
  -delete: extreme deletes every file found
  -fprint -fprint0 -fprintf -fls: write
  -newer -anewer -cnewer -samefile -files0-from: read
  -name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -type -xtype -size
      -mtime -atime -ctime -mmin -amin -cmin -perm -user -group -uid -gid -maxdepth -mindepth -links
      -inum -fstype -used -printf -regextype -context: text
safe =reads-1 fd fdfind: only reads
  -x --exec -X --exec-batch: extreme acts on every file found
sensitive =writes mkdir touch rmdir mktemp split csplit mkfifo: makes, dates or removes files
  --filter: code
sensitive =links ln link: makes links
  -t --target-directory: write
sensitive =writes truncate fallocate tee: changes files
  match [*?] => extreme changes many files at once
sensitive =writes rm unlink trash gio: removes a file
  unless ^(-[\\w=-]*(\\n|$))*([^-\\0$\\n][^\\0$\\n]*(\\n|$)(-[\\w=-]*(\\n|$))*){0,10}$ => extreme removes many files at once, or what is only known at run time
  -r -R --recursive: extreme removes recursively
  --no-preserve-root: extreme removes the root
sensitive =writes mv: moves a file
  match ^/dev/null$ => extreme throws files away
sensitive =writes-1 rename prename: moves a file
  match [;(@]|/[a-z]*e[a-z]*$ => extreme runs text as code
sensitive =copies cp: copies a file
  -t --target-directory: write
sensitive =copies install: copies a file
  -t --target-directory: write
  -d --directory: rewrites
  -m --mode: text
  match ^0*[2-7]\\d{3}$|^[ugoa]*[+=][rwxX]*s => extreme lets a file run with the rights of its owner
sensitive =writes-1 chmod chown chgrp: changes who may use a file
  -R --recursive: extreme changes whole trees
  match ^0*[2-7]\\d{3}$|^[ugoa]*[+=][rwxX]*s => extreme lets a file run with the rights of its owner
  match ^(root|0)(:|$) => extreme gives a file to root
extreme shred srm wipe rimraf del-cli dd ddrescue mknod setfacl setcap chattr chcon semanage
    restorecon cpio: destroys files, writes them anywhere, or changes their protection
sensitive =writes tar bsdtar gtar: packs or unpacks files
  looks (?<![^])-?[zjJavf]*(t|x[zjJavf]*O)[zjJavf]*$
  -I -F --use-compress-program --checkpoint-action --to-command --info-script --new-volume-script
      --rsh-command --rmt-command: code
  -P --absolute-names: extreme writes outside the workspace
  match ^-?[cxtru][vzjJafkpP]*P[vzjJafkpP]*$ => extreme writes outside the workspace
  --remove-files --unlink-first --recursive-unlink: extreme removes what it packed
sensitive =writes gzip gunzip bzip2 bunzip2 xz unxz lzma zstd unzstd lz4 brotli pigz compress uncompress: packs or
    unpacks files
  looks (?<![^])-[dkfqv\\d]*[clt][cdkflqtv\\d]*$
sensitive =writes unzip: unpacks files
  looks (?<![^])-(q*[lvtzpc][lvtzpcq]*|Z1?)$
  -:: extreme writes outside
sensitive =writes zip 7z 7za 7zr rar unrar xar jar war: packs or unpacks files
  -TT --unzip-command: code
  -m --move: extreme removes what it packed
sensitive =copies rsync: copies files
  -e --rsync-path: code
  --delete --del --delete-before --delete-after --delete-during --delete-excluded --remove-source-files --daemon
      --config --backup-dir --write-batch --temp-dir -T --partial-dir: extreme may remove files, or write elsewhere
sensitive =writes patch: changes files
  -i --input: read
sensitive open xdg-open start explorer pbcopy pbpaste xclip xsel wl-copy wl-paste: uses the desktop or the screen
sensitive =writes convert magick mogrify identify ffprobe ffmpeg pandoc gs pdftotext dot: writes files
  -i: read
  --filter -F --lua-filter: code
`;
