/**
 * Programs that work on files and directories: what they look at, what they change.
 */
import { extreme, extremeRows, type Row, safeRows, sensitive, sensitiveRows } from "../program.ts";

const MODE = { "-m --mode": "text", "-Z --context": "text" } as const;
const BACKUP = { "-S --suffix": "text", "-t --target-directory": "write" } as const;

/** Rows of the program table. */
export const FILES: readonly Row[] = [
  ...safeRows("ls dir vdir exa eza lsd stat du df readlink realpath namei pathchk", {
    operands: "read",
    options: { "-I --ignore": "text", "-d --max-depth -L": "text", "-o": "text", "-P": "text" },
  }),
  ...safeRows("tree", {
    operands: "read",
    options: { "-o": "write", "-I -P -L": "text", "--fromfile": "read" },
  }),
  ...safeRows("file", {
    operands: "read",
    options: { "-C --compile": sensitive("writes a compiled table"), "-m --magic-file": "read" },
  }),
  ...safeRows("basename dirname"),
  ...safeRows("cmp diff diff3 sdiff colordiff delta comm", {
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
  ...safeRows(
    "md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum b3sum cksum sum shasum crc32",
    {
      operands: "read",
    },
  ),
  ...safeRows("find", { grammar: "find", longDash: true }),
  ...safeRows("fd fdfind", {
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
  ...safeRows("locate mlocate plocate"),
  ...sensitiveRows("mkdir", "makes a directory", { operands: "write", options: MODE }),
  ...sensitiveRows("touch", "makes or dates a file", {
    operands: "write",
    options: { "-r --reference": "read", "-d --date -t": "text" },
  }),
  ...sensitiveRows("rmdir unlink", "removes a file or an empty directory", { operands: "write" }),
  ...sensitiveRows("rm", "removes a file", {
    operands: "write",
    grammar: "rm",
    options: {
      "-r -R --recursive": extreme("removes recursively"),
      "--no-preserve-root": extreme("removes the root"),
    },
  }),
  ...sensitiveRows("trash trash-put rip gio", "removes a file", {
    operands: "write",
    grammar: "rm",
  }),
  ...sensitiveRows("mv mmv", "moves a file", { operands: "write", grammar: "mv", options: BACKUP }),
  ...sensitiveRows("rename prename", "moves a file", { operands: "write", skip: 1, grammar: "mv" }),
  ...sensitiveRows("cp", "copies a file", { operands: "copy", options: BACKUP }),
  ...sensitiveRows("install", "copies a file", {
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
  ...sensitiveRows("ln link", "makes a link", { operands: "write", options: BACKUP }),
  ...sensitiveRows("mkfifo truncate fallocate split csplit", "makes or cuts files", {
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
  ...sensitiveRows("mktemp", "makes a temporary file", {
    operands: "write",
    options: { "-p --tmpdir": "write", "-t": "text" },
  }),
  ...extremeRows("mknod", "makes a device"),
  ...sensitiveRows("chmod", "changes who may use a file", {
    operands: "write",
    skip: 1,
    grammar: "chmod",
    options: {
      "-R --recursive": extreme("changes whole trees"),
      "--reference": "read",
    },
  }),
  ...sensitiveRows("chown chgrp", "changes the owner of a file", {
    operands: "write",
    skip: 1,
    grammar: "chown",
    options: { "-R --recursive": extreme("changes whole trees"), "--reference": "read" },
  }),
  ...extremeRows(
    "setfacl setcap chattr chcon semanage restorecon",
    "changes the protection of files",
  ),
  ...extremeRows("shred srm wipe", "destroys files beyond recovery"),
  ...extremeRows("rimraf del-cli", "removes recursively"),
  ...extremeRows("dd ddrescue", "can destroy whole disks or files"),
  ...sensitiveRows("sync", "writes out buffers"),
  ...sensitiveRows("tar bsdtar gtar", "packs or unpacks files", {
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
  ...sensitiveRows("zip", "packs files", {
    operands: "write",
    options: {
      "-T --test": sensitive("packs files"),
      "-TT --unzip-command": "code",
      "-m --move": extreme("removes what it packed"),
      "-x -i": "text",
    },
  }),
  ...sensitiveRows("unzip", "unpacks files", {
    grammar: "archive",
    operands: "write",
    options: { "-d": "write", "-P": "text", "-x": "text", "-:": extreme("writes outside") },
  }),
  ...sensitiveRows("7z 7za 7zr rar unrar ar pax lha xar jar war", "packs or unpacks files", {
    operands: "write",
    options: { "-C": "write" },
  }),
  ...sensitiveRows("cpio", "packs files", {
    options: {
      "-i --extract -p --pass-through": extreme("may write outside: archives name any path"),
      "-O -F --file": "write",
    },
  }),
  ...sensitiveRows(
    "gzip gunzip bzip2 bunzip2 xz unxz lzma zstd unzstd lz4 brotli pigz compress uncompress",
    "packs or unpacks a file",
    {
      grammar: "archive",
      operands: "write",
      options: { "-o": "write", "-S --suffix": "text", "-D": "read" },
    },
  ),
  ...safeRows("zcat bzcat xzcat zstdcat lz4cat gzcat zipinfo lsar", { operands: "read" }),
  ...sensitiveRows("rsync", "copies files", {
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
  ...sensitiveRows("patch", "changes files", {
    operands: "write",
    options: { "-i --input": "read", "-o --output -r --reject-file -d --directory": "write" },
  }),
  ...sensitiveRows("open xdg-open start explorer", "opens it in another program"),
  ...sensitiveRows("pbcopy pbpaste xclip xsel wl-copy wl-paste", "uses the clipboard"),
  ...sensitiveRows("ncdu ranger mc nnn", "shows a full screen"),
  ...sensitiveRows(
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
  ...safeRows("mediainfo pdfinfo", { operands: "read" }),
];
