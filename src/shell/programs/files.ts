/**
 * Programs that work on files and directories: what they look at, what they change.
 */
import { asks, extreme, grave, type Row, safe, sensitive } from "../program.ts";

const MODE = { "-m --mode": "text", "-Z --context": "text" } as const;
const BACKUP = { "-S --suffix": "text", "-t --target-directory": "write" } as const;

/** Rows of the program table. */
export const FILES: readonly Row[] = [
  ...safe("ls dir vdir exa eza lsd stat du df readlink realpath namei pathchk", {
    operands: "read",
    options: { "-I --ignore": "text", "-d --max-depth -L": "text", "-o": "text", "-P": "text" },
  }),
  ...safe("tree", {
    operands: "read",
    options: { "-o": "write", "-I -P -L": "text", "--fromfile": "read" },
  }),
  ...safe("file", {
    operands: "read",
    options: { "-C --compile": sensitive("writes a compiled table"), "-m --magic-file": "read" },
  }),
  ...safe("basename dirname"),
  ...safe("cmp diff diff3 sdiff colordiff delta comm", {
    operands: "read",
    options: {
      "--diff-program": "code",
      "-o --output": "write",
      "-x --exclude": "text",
      "-U --unified": "text",
      "-C --context": "text",
      "-I --ignore-matching-lines": "text",
    },
  }),
  ...safe(
    "md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum b3sum cksum sum shasum crc32",
    {
      operands: "read",
    },
  ),
  ...safe("find", { grammar: "find", longDash: true }),
  ...safe("fd fdfind", {
    operands: "read",
    skip: 1,
    options: {
      "-x --exec -X --exec-batch": extreme("acts on every file found"),
      "-e --extension": "text",
      "-E --exclude": "text",
      "-d --max-depth": "text",
      "-t --type": "text",
    },
  }),
  ...safe("locate mlocate plocate"),
  ...asks("mkdir", "makes a directory", { operands: "write", options: MODE }),
  ...asks("touch", "makes or dates a file", {
    operands: "write",
    options: { "-r --reference": "read", "-d --date -t": "text" },
  }),
  ...asks("rmdir unlink", "removes a file or an empty directory", { operands: "write" }),
  ...asks("rm", "removes a file", {
    operands: "write",
    grammar: "rm",
    options: {
      "-r -R --recursive": extreme("removes recursively"),
      "--no-preserve-root": extreme("removes the root"),
    },
  }),
  ...asks("trash trash-put rip gio", "removes a file", { operands: "write", grammar: "rm" }),
  ...asks("mv mmv", "moves a file", { operands: "write", grammar: "mv", options: BACKUP }),
  ...asks("rename prename", "moves a file", { operands: "write", skip: 1, grammar: "mv" }),
  ...asks("cp", "copies a file", { operands: "copy", options: BACKUP }),
  ...asks("install", "copies a file", {
    operands: "copy",
    options: {
      ...BACKUP,
      ...MODE,
      "-o --owner": "text",
      "-g --group": "text",
      "--strip-program": "code",
      "-d --directory": sensitive("makes a directory"),
    },
    rewrites: /^(-d|--directory)$/,
  }),
  ...asks("ln link", "makes a link", { operands: "write", options: BACKUP }),
  ...asks("mkfifo truncate fallocate split csplit", "makes or cuts files", {
    operands: "write",
    options: {
      "-s --size": "text",
      "-l --length --lines": "text",
      "-o --offset": "text",
      "-n --number": "text",
      "-b --bytes": "text",
      "-r --reference": "read",
      "-p --tmpdir": "write",
      "--filter": "code",
    },
  }),
  ...asks("mktemp", "makes a temporary file", {
    operands: "write",
    options: { "-p --tmpdir": "write", "-t": "text" },
  }),
  ...grave("mknod", "makes a device"),
  ...asks("chmod", "changes who may use a file", {
    operands: "write",
    skip: 1,
    grammar: "chmod",
    options: {
      "-R --recursive": extreme("changes whole trees"),
      "--reference": "read",
    },
  }),
  ...asks("chown chgrp", "changes the owner of a file", {
    operands: "write",
    skip: 1,
    grammar: "chown",
    options: { "-R --recursive": extreme("changes whole trees"), "--reference": "read" },
  }),
  ...grave("setfacl setcap chattr chcon semanage restorecon", "changes the protection of files"),
  ...grave("shred srm wipe", "destroys files beyond recovery"),
  ...grave("rimraf del-cli", "removes recursively"),
  ...grave("dd ddrescue", "can destroy whole disks or files"),
  ...asks("sync", "writes out buffers"),
  ...asks("tar bsdtar gtar", "packs or unpacks files", {
    grammar: "archive",
    operands: "write",
    options: {
      "-C --directory --one-top-level": "write",
      "-f --file": "write",
      "--to-command --use-compress-program -I --checkpoint-action --rsh-command --rmt-command --info-script --new-volume-script -F":
        "code",
      "-P --absolute-names": extreme("writes outside the workspace"),
      "--exclude": "text",
      "-X --exclude-from -T --files-from": "read",
      "--remove-files": extreme("removes what it packed"),
      "--unlink-first --recursive-unlink": extreme("removes recursively"),
    },
  }),
  ...asks("zip", "packs files", {
    operands: "write",
    options: {
      "-T --test": sensitive("packs files"),
      "-TT --unzip-command": "code",
      "-m --move": extreme("removes what it packed"),
      "-x -i": "text",
    },
  }),
  ...asks("unzip", "unpacks files", {
    grammar: "archive",
    operands: "write",
    options: { "-d": "write", "-P": "text", "-x": "text", "-:": extreme("writes outside") },
  }),
  ...asks("7z 7za 7zr rar unrar ar pax lha xar jar war", "packs or unpacks files", {
    operands: "write",
    options: { "-C": "write" },
  }),
  ...asks("cpio", "packs files", {
    options: {
      "-i --extract -p --pass-through": extreme("may write outside: archives name any path"),
      "-O -F --file": "write",
    },
  }),
  ...asks(
    "gzip gunzip bzip2 bunzip2 xz unxz lzma zstd unzstd lz4 brotli pigz compress uncompress",
    "packs or unpacks a file",
    {
      grammar: "archive",
      operands: "write",
      options: { "-o": "write", "-S --suffix": "text", "-D": "read" },
    },
  ),
  ...safe("zcat bzcat xzcat zstdcat lz4cat gzcat zipinfo lsar", { operands: "read" }),
  ...asks("rsync", "copies files", {
    operands: "copy",
    options: {
      "-e --rsh --rsync-path": "code",
      "--delete --del --delete-before --delete-after --delete-during --delete-excluded --remove-source-files":
        extreme("removes files"),
      "--exclude --include -f --filter": "text",
      "--exclude-from --include-from --files-from --password-file": "read",
      "--log-file --backup-dir --write-batch --temp-dir -T --partial-dir": "write",
      "--daemon --config": extreme("serves files to the network"),
    },
  }),
  ...asks("patch", "changes files", {
    operands: "write",
    options: { "-i --input": "read", "-o --output -r --reject-file -d --directory": "write" },
  }),
  ...asks("open xdg-open start explorer", "opens it in another program"),
  ...asks("pbcopy pbpaste xclip xsel wl-copy wl-paste", "uses the clipboard"),
  ...asks("ncdu ranger mc nnn", "shows a full screen"),
  ...asks(
    `
      convert magick mogrify identify exiftool ffprobe ffmpeg pandoc gs pdftotext wkhtmltopdf
      dot inkscape
    `,
    "writes files",
    {
      operands: "write",
      options: { "-i": "read", "-o --output": "write", "--filter -F --lua-filter": "code" },
    },
  ),
  ...safe("mediainfo pdfinfo", { operands: "read" }),
];
