/**
 * Programs whose calls are refused before any question, whatever flags and answers say. The user edits the list with
 * the setting `banned_commands`. It is advice to the model, not a boundary: a script may do the same by another name.
 */

interface Category {
  readonly why: string;
  readonly programs: readonly string[];
}

/**
 * What is banned if the user does not say otherwise: what must not run unattended, with `--allow-all` and
 * nobody watching. What a person can sensibly allow once, such as curl, ssh or a project's own package
 * manager, is asked about like any command instead.
 */
const CATEGORIES: readonly Category[] = [
  { why: "it gains privilege", programs: splitWords("sudo su doas pkexec runuser") },
  { why: "it opens raw network connections", programs: splitWords("nc ncat netcat telnet socat") },
  {
    why: "it opens a browser",
    programs: splitWords(
      "chrome google-chrome chromium chromium-browser firefox safari xdg-open sensible-browser",
    ),
  },
  {
    why: "it changes the packages of the whole system",
    programs: splitWords("apt apt-get aptitude yum dnf pacman zypper apk snap brew"),
  },
  {
    why: "it stops or changes the system",
    programs: splitWords(
      "systemctl service shutdown reboot halt poweroff telinit mount umount fdisk parted mkfs mkswap",
    ),
  },
  {
    why: "it changes the network of the whole system",
    programs: splitWords("iptables ip6tables nft ufw firewall-cmd ifconfig ip"),
  },
];

function splitWords(text: string): readonly string[] {
  return text.split(" ");
}

/** The programs that are banned by default. */
export const DEFAULT_BANNED: readonly string[] = CATEGORIES.flatMap((one) => one.programs);

/** A banned program in a command. */
export interface Ban {
  readonly program: string;
  /** Why, as the end of a sentence. */
  readonly why: string;
}

/** What the ban list needs of one part of a command. */
interface BannablePart {
  /** The program and those it was wrapped round. */
  readonly programs: readonly string[];
  /** Runs a program, or a shell's text, that only the shell will know. */
  readonly opaque: boolean;
}

/** The first banned program that a judged command would run, or may run and mentions. */
export function findBanned(
  command: string,
  { parts, banned }: { parts: readonly BannablePart[]; banned: ReadonlySet<string> },
): Ban | undefined {
  if (banned.size === 0) return undefined;
  for (const { programs } of parts) {
    for (const program of programs) {
      const name = bannedName(program, banned);
      if (name === undefined) continue;
      const category = CATEGORIES.find((one) => one.programs.includes(name));
      return { program: name, why: category?.why ?? "the settings ban it" };
    }
  }
  if (!parts.some((part) => part.opaque)) return undefined;
  const mentioned = mentionedProgram(command, banned);
  const why = "the command names it and runs what only the shell will know";
  return mentioned === undefined ? undefined : { program: mentioned, why };
}

/** A banned name that stands anywhere in the text, quotes and backslashes aside. */
function mentionedProgram(command: string, banned: ReadonlySet<string>): string | undefined {
  for (const word of command.replace(/["'\\]/g, "").split(/[^A-Za-z0-9_.+-]+/)) {
    const name = bannedName(word, banned);
    if (name !== undefined) return name;
  }
  return undefined;
}

/** The entry of the list that a program's name falls under; `mkfs` covers `mkfs.ext4`. */
function bannedName(program: string, banned: ReadonlySet<string>): string | undefined {
  const name = program.replace(/\.exe$/i, "");
  if (banned.has(name)) return name;
  const family = name.split(".")[0] ?? name;
  return family === "mkfs" && banned.has(family) ? family : undefined;
}
