/**
 * What settings of git say in everyday repositories. Beside the user's keys nothing else is obeyed where commands may
 * have written a setting: its value could name any program of the machine, or through whom git talks.
 */
import { isPlainSshOption, SSH_LETTERS } from "./ssh_options.ts";

/** Whether a value is one of an ordinary form. */
type IsOrdinary = (value: string) => boolean;
/** Keys of a section, in lower case, and what their values look like. */
type Row = readonly [keys: RegExp, isOrdinary: IsOrdinary];

const like = (pattern: RegExp): IsOrdinary => (value) => pattern.test(value);
/** Words of a command line that no shell reads as more than words. */
const line = (pattern: RegExp): IsOrdinary => (value) =>
  pattern.test(plainWords(value)?.join(" ") ?? "\n");
const any: IsOrdinary = () => true;
const none = like(/^$/);
const yes = like(/^(?:true|yes|on|1|)$/i);
/** It does not name the program that talks, nor a way on which anybody can listen. */
const address = like(/^(?!-|\w+::|(?:http|ftp):)/i);
/** It does not name the program that talks by a command line. */
const remote = like(/^(?!-|ext::)/i);

/** The same name in a directory; whether commands may write that is seen elsewhere. */
const named = (names: string) => String.raw`(?:~?/(?:[\w.@+-]+/)*)?(?:${names})(?:\.exe)?`;
const command = (names: string, rest = "") => line(new RegExp(`^${named(names)}${rest}$`));

/** None of them takes commands, of which it may run any, from its input. */
const EDITOR = "true|cat|code|codium|cursor|zed|subl|mate|gedit|kate";
const editor = line(new RegExp(`^:?$|^${named(EDITOR)}(?: -(?:w|nw|n|t|f|-wait|-new-window))*$`));
const pager = like(
  /^(?:true|false|cat|(?:(?:delta|bat|diff-so-fancy|diff-highlight)(?: -[\w=-]+)*(?: \| )?)?(?:(?:less|more|most)(?: -[\w=,-]+)*)?)$/,
);

/**
 * Sections from which git, or what it starts, takes programs, ways and trust. Of them all that is not told here counts
 * as strange; what other sections say is data to git, or nothing at all.
 */
const ORDINARY: Readonly<Record<string, readonly Row[]>> = {
  // What it stands for would be a command of which no word was looked at.
  alias: [[/^/, none]],
  annex: [[
    /^(?:adjustedbranchrefresh|addunlocked|autocommit|autoupgraderepository|backends?|bloomaccuracy|bloomcapacity|crippledfilesystem|delayadd|diskreserve|dotfiles|fastcopy|gitaddtoannex|hardlink|jobs|largefiles|mincopies|numcopies|pidlock|private|retry|resolvemerge|synccontent|synconlyannex|thin|uuid|version)$/,
    any,
  ]],
  branch: [
    [/^(?:push)?remote$/, remote],
    [
      /^mergeoptions$/,
      like(
        /^(?:\s*(?:--(?:no-)?(?:ff|ff-only|commit|edit|stat|log|squash|progress|verify|signoff)|-[nqv])(?!\S))*\s*$/,
      ),
    ],
    [/^/, any],
  ],
  bundle: [[/^uri$/, address], [/^(?:mode|version|heuristic|filter|creationtoken|location)$/, any]],
  core: [
    [
      /^(?:abbrev|alternaterefsprefixes|attributesfile|autocrlf|bare|bigfilethreshold|checkroundtripencoding|checkstat|commentchar|commentstring|commitgraph|compression|createobject|deltabasecachelimit|eol|excludesfile|filemode|filesreflocktimeout|fsmonitor|fsmonitorhookversion|fsync|fsyncmethod|fsyncobjectfiles|hidedotfiles|hookspath|ignorecase|ignorestat|logallrefupdates|longpaths|loosecompression|maxtreedepth|multipackindex|notesref|packed(?:gitlimit|gitwindowsize|refstimeout)|precomposeunicode|prefersymlinkrefs|preloadindex|protecthfs|protectntfs|quotepath|repositoryformatversion|restrictinheritedhandles|safecrlf|sharedindex|sharedrepository|sparsecheckout|sparsecheckoutcone|splitindex|symlinks|trustctime|unsetenvvars|untrackedcache|usereplacerefs|warnambiguousrefs|whitespace|worktree)$/,
      any,
    ],
    [/^(?:askpass|alternaterefscommand)$/, none],
    [/^editor$/, editor],
    [/^gitproxy$/, like(/^(?:none(?: |$)|$)/)],
    [/^pager$/, pager],
    [/^sshcommand$/, isPlainSsh],
  ],
  credential: [
    [/^(?:interactive|provider|sanitizeprompt|usehttppath|username)$/, any],
    [/^protectprotocol$/, yes],
    [
      /^helper$/,
      line(
        new RegExp(
          `^(?:${
            named("git-credential-(?:store|osxkeychain|manager(?:-core)?|wincred|libsecret|oauth)")
          }|store|osxkeychain|manager(?:-core)?|wincred|libsecret|oauth|` +
            `(?:${named("git-credential-cache")}|cache)(?: --timeout[= ]\\d+)?|` +
            `!${named("gh|glab")} auth git-credential|)$`,
        ),
      ),
    ],
  ],
  diff: [
    [/^(?:external|command|textconv)$/, command("git-crypt", " diff")],
    [/^/, any],
  ],
  fetch: [[/^bundleuri$/, address], [/^skiplist$/, none], [/^/, any]],
  filter: [
    [/^required$/, any],
    [
      /^(?:clean|smudge|process)$/,
      line(
        new RegExp(
          `^(?:${
            named("git-lfs")
          } (?:clean -- %f|(?:smudge|filter-process)(?: --skip)?(?: -- %f)?)|` +
            `${named("git-crypt")} (?:clean|smudge)(?: --key-name=[\\w-]+)?|cat|)$`,
        ),
      ),
    ],
  ],
  // Where a line of the file names no object, git shows the line.
  fsck: [[/^skiplist$/, none], [/^/, any]],
  gc: [[/^recentobjectshook$/, none], [/^/, any]],
  gpg: [
    [
      /^program$/,
      command("gpg2?|gpgsm|ssh-keygen|smimesign|gitsign|op-ssh-sign|op-ssh-sign-wsl|"),
    ],
    [/^defaultkeycommand$/, command("ssh-add", " -[lL]")],
    [/^(?:format|mintrustlevel|allowedsignersfile|revocationfile)$/, any],
  ],
  // Help of a subcommand is shown by programs of these names.
  ...Object.fromEntries(
    ["browser", "guitool", "instaweb", "man", "protocol", "ssh", "svn", "web"]
      .map((section) => [section, [[/^/, none]] as const]),
  ),
  help: [[/^autocorrect$/, like(/^(?:0|false|no|off|never|prompt|show)$/i)], [/^/, none]],
  hook: [[/^(?:event|enabled)$/, any]],
  // In others a character may stand for the end of a line.
  i18n: [[
    /^/,
    like(/^(?:utf-?8|(?:us-)?ascii|iso-?8859-?\d{1,2}|latin-?\d|(?:windows-|cp)125\d|)$/i),
  ]],
  http: [
    [
      /^(?:emptyauth|extraheader|keepalive(?:count|idle|interval)|lowspeed(?:limit|time)|maxrequests|maxretries|maxretrytime|minsessions|noepsv|postbuffer|proxyauthmethod|retryafter|schannelusesslcainfo|ssltry|useragent|version)$/,
      any,
    ],
    [/^(?:cookiefile|curloptresolve|proxy)$/, none],
    [/^delegation$/, like(/^none$/)],
    [/^followredirects$/, like(/^(?:initial|false|no|off|0)$/i)],
    [/^savecookies$/, like(/^(?:false|no|off|0)$/i)],
    [/^sslbackend$/, like(/^(?:openssl|gnutls|schannel|secure-transport)$/)],
    [/^(?:sslverify|schannelcheckrevoke)$/, yes],
    [/^sslversion$/, like(/^tlsv1\.[23]$/)],
  ],
  init: [[/^templatedir$/, none], [/^/, any]],
  interactive: [[/^difffilter$/, pager], [/^/, any]],
  lfs: [
    [/^(?:push)?url$/, remote],
    [
      /^(?:access|activitytimeout|allowincompletepush|basictransfersonly|batch|cachecredentials|concurrenttransfers|contenttype|dialtimeout|fetchexclude|fetchinclude|fetchrecent\w+|keepalive|lockignoredfiles|locksverify|maxretries|maxretrydelay|maxverifies|prune\w+|repositoryformatversion|setlockablereadonly|skipdownloaderrors|sshtransfer|storage|tlstimeout|tustransfers|enablehrefrewrite)$/,
      any,
    ],
  ],
  merge: [
    [/^driver$/, line(/^(?:true|git merge-file --(?:ours|theirs|union) %A %O %B|)$/)],
    [/^/, any],
  ],
  pager: [[/^/, pager]],
  pull: [
    [/^(?:twohead|octopus)$/, like(/^(?:(?:ort|recursive|resolve|octopus|ours|subtree)\s*)*$/)],
    [/^/, any],
  ],
  remote: [
    [/^(?:url|pushurl|lfsurl|lfspushurl)$/, remote],
    [
      /^(?:fetch|push|mirror|tagopt|prune|prunetags|skipdefaultupdate|skipfetchall|promisor|partialclonefilter|followremotehead|serveroption|proxyauthmethod|pushdefault|puttykeyfile|gh-resolved|glab-resolved|annex-(?:uuid|config-uuid|ignore|sync|pull|push|cost|readonly|bare|trustlevel|speculate-present|verify)|vscode-[\w-]+|gk-[\w-]+)$/,
      any,
    ],
    [/^proxy$/, none],
    [/^uploadpack$/, command("git[ -]upload-pack|")],
    [/^receivepack$/, command("git[ -]receive-pack|")],
  ],
  // git writes it into a list of steps, each of which is a line. Without a `%` it may be the name of another format.
  rebase: [
    [/^instructionformat$/, like(/^(?:$|(?=[^]*%)(?:%[hHs]|%a[neEdr]|%c[nedr]|[^%\n])*$)/)],
    [/^/, any],
  ],
  sequence: [[/^editor$/, editor]],
  submodule: [[/^url$/, remote], [/^update$/, like(/^(?!\s*!)/)], [/^/, any]],
  tar: [[/^(?:umask|remote)$/, any]],
  trailer: [[/^(?:cmd|command)$/, none], [/^/, any]],
  uploadpack: [[/^packobjectshook$/, none], [/^/, any]],
};

/** Whether a setting is one that people and their tools make, and by which git keeps the user's keys to itself. */
export function isOrdinary(
  { name, value }: { readonly name: string; readonly value: string },
): boolean {
  const [section = "", ...rest] = name.split(".");
  const key = rest.at(-1) ?? "";
  const subsection = rest.slice(0, -1).join(".");
  if (section === "url") return /^(?!\w+::|(?:http|ftp):)/i.test(subsection);
  if (/^(?:merge|diff)tool$/.test(section) && /^(?:cmd|path)$/.test(key)) return false;
  if (!Object.hasOwn(ORDINARY, section)) return true;
  return ORDINARY[section]!.find(([keys]) => keys.test(key))?.[1](value) ?? false;
}

/** The words of a line in which a shell finds nothing to do; undefined if it may find something. */
function plainWords(value: string): string[] | undefined {
  const text = value.replace(/\$(?:HOME\b|\{HOME\})(?=\/)/g, "~");
  if (!/^(?:[\w ./~@%+,:=!^-]|"[\w ./~@%+,:=^-]*"|'[\w ./~@%+,:=^-]*')*$/.test(text)) {
    return undefined;
  }
  return [...text.matchAll(/(?:"[^"]*"|'[^']*'|[^ "'])+/g)]
    .map(([word]) => word.replace(/["']/g, ""));
}

/** `ssh -i ~/.ssh/id_work -o IdentitiesOnly=yes`. */
function isPlainSsh(value: string): boolean {
  const [program, ...words] = plainWords(value) ?? [];
  if (program === undefined) return value === "";
  if (!new RegExp(`^${named("ssh")}$`).test(program)) return false;
  for (let at = 0; at < words.length; at++) {
    const [, letter = "", behind = ""] = /^-([Filop])(.*)$/.exec(words[at]!) ?? [];
    if (letter === "") {
      if (!/^-[46CTaqvx]+$/.test(words[at]!)) return false;
      continue;
    }
    const given = behind === "" ? words[++at] ?? "" : behind;
    if (!(letter === "o" ? isPlainSshOption(given) : SSH_LETTERS[letter]?.test(given))) {
      return false;
    }
  }
  return true;
}
