/**
 * The vocabulary of the OS sandbox: what a judged command may do in it, what is known of it, and what it
 * kept a command from.
 */

/**
 * What an allowed command gets beyond the workspace: the machine's network, the inside of `.git`, of that
 * also the configuration, the sockets of the machine's services, the user's keys, the logins of package
 * registries.
 */
export type Need =
  | "network"
  | "repository"
  | "repository_config"
  | "services"
  | "keys"
  | "registries";

/** All that a command may be given: the workspace to write, and what lies beyond it. */
export type Power = "write" | Need;

/** A setting of a repository that a command's own words name. */
export interface NamedSetting {
  /** Its words name the setting. */
  readonly kind: "named";
  /** As it was written; one that ends with a dot stands for all settings below it, and `.*.` for any name between. */
  readonly name: string;
  /** What its words may give it, none where they take it away. @default anything, as only running shows it */
  readonly values?: readonly string[];
  /** A section whose settings it may get, with a dot at its end. @default its own */
  readonly from?: string;
}

/** What a command does to the settings of a repository, which was judged with it. */
export type GitSetting =
  | NamedSetting
  /** It makes such settings as git writes by itself: below this, with a dot at its end. */
  | { readonly kind: "made"; readonly name: string }
  /** It gives a setting of which only running it shows which one that is. */
  | { readonly kind: "unknown" }
  /** Nothing in its sandbox changes settings but what its words say: whatever was changed was judged. */
  | { readonly kind: "all" };

/** What one command may do in the sandbox. */
export interface SandboxPolicy {
  /**
   * Whether it may write the workspace. If not, it runs closed: it reads the workspace and the system's programs, sees
   * nothing else of the machine, and changes nothing.
   */
  readonly write: boolean;
  /** What it gets beyond the workspace; closed, only "repository": to read all of the repository that it lies in. */
  readonly needs: readonly Need[];
  /** True if it runs closed only because nobody knows what it does, so that it may lack a power. @default false */
  readonly tentative?: true;
  /** True if it runs closed and may print what files or git hold: errors in that are not its own. @default false */
  readonly showsFiles?: true;
  /** Absolute paths that may not be read, with all below. @default none */
  readonly hidden?: readonly string[];
  /**
   * Whether it sees what git keeps of a repository that holds a hidden path: only commands of git that print none of
   * it. Then no hooks run. @default false
   */
  readonly history?: boolean;
  /** Settings of git, as they are shown, for whose programs it does not see that after all. @default none */
  readonly historyKeptFrom?: readonly string[];
  /** Absolute paths that may not be changed, with all below. @default none */
  readonly unwritable?: readonly string[];
  /**
   * What a part of it needs and does not get, because other code in the same shell would get it too, because its words
   * might be read otherwise, or because nobody named it.
   * @default nothing
   */
  readonly withheld?: readonly Need[];
  /** Programs in it that need the keys and get none, as all commands are allowed and nobody named them. @default none */
  readonly unnamed?: readonly string[];
  /** Words by which what only reads, beside keys, may name files. @default none */
  readonly reads?: readonly string[];
  /** What its own words set in a repository, which was judged with them. @default nothing */
  readonly settings?: readonly GitSetting[];
  /**
   * True if nothing in it writes contents of files but git, by words that were judged with it; what hooks do is another
   * matter. @default false
   */
  readonly gitAlone?: true;
  /**
   * Files that a stored rule for it is bound to, absolute, with the fingerprint that each must have when it begins as a
   * part of a command line. @default it begins whatever they hold
   */
  readonly unchanged?: Readonly<Record<string, string>>;
  /** True if it was judged on the strength of the sandbox: without one it must not run. */
  readonly sandboxRequired: boolean;
}

/** What trial runs have shown of a sandbox that holds. */
export interface SandboxProof {
  /** The program that makes it, with its version. */
  readonly means: string;
  /** Whether system calls are filtered. */
  readonly filtered: boolean;
  /** Whether the kernel counts its processes for each sandbox. */
  readonly counted: boolean;
  /** Whether a command with the network is kept from sockets of the machine that have no file. */
  readonly scoped: boolean;
}

/** Proofs by what they are about: programs, as they were then. */
export type SandboxProofs = Map<string, SandboxProof>;

/** Where something stands in a command line as it was written: characters from its beginning. */
export interface TextSpan {
  /** Where it begins. */
  readonly pos: number;
  /** Where it has ended: exclusive. */
  readonly end: number;
}

/** A part of a command line that runs in a sandbox of its own. */
export interface ScriptPart {
  /** Says that it is no joint of parts. */
  readonly kind: "script";
  /** What the shell in its sandbox runs. */
  readonly text: string;
  /** What it may do. */
  readonly policy: SandboxPolicy;
  /** It uses the exit status of what ran before it. */
  readonly readsStatus: boolean;
  /** Where it stands in the command line. */
  readonly span: TextSpan;
  /** What its shell is told first, with the `;` behind it; "" for nothing. */
  readonly setup: string;
}

/** What a part came to. */
export interface EndedPart {
  readonly part: ScriptPart;
  readonly code: number;
}

/** A command line in parts, each in a sandbox of its own, which a shell outside of any sandbox joins. */
export type PartedScript =
  | ScriptPart
  | {
    readonly kind: "chain";
    readonly items: readonly PartedScript[];
    /** What stands between the items: one less than these. */
    readonly operators: readonly (";" | "&&" | "||" | "|" | "|&")[];
    /** Its exit status is turned round. */
    readonly negated: boolean;
  }
  | { readonly kind: "subshell" | "group"; readonly body: PartedScript }
  | { readonly kind: "cd"; readonly directory: string }
  /** Without a code the status is that of what ran before. */
  | { readonly kind: "exit"; readonly code: string | undefined }
  /** Options of the shell that joins the parts. */
  | { readonly kind: "options"; readonly options: readonly ("errexit" | "pipefail")[] };

/** Whether what stands on both sides of an operator runs at once. */
export function isPipe(operator: string | undefined): boolean {
  return operator === "|" || operator === "|&";
}

/** Whether a sandbox is wanted: where there is one, in any case, or not at all. */
export type SandboxMode = "auto" | "required" | "off";

/** What is known of the sandbox. */
export interface SandboxStatus {
  /** Proven to hold, switched off by the user, or not to be had. */
  readonly state: "active" | "off" | "unavailable";
  /** "bubblewrap 0.8.0", if there is one. */
  readonly means?: string;
  /** Why there is none. */
  readonly why?: string;
  /** What the user can do about it. */
  readonly mend?: string;
  /** Where it is active: what it would hold on other systems, and does not on this one. */
  readonly gaps?: readonly string[];
}

/** Why a command probably failed in the sandbox, in one sentence without its full stop. */
export interface SandboxBlock {
  /** The reason. */
  readonly why: string;
  /** What to do instead of running it outside, if there is something. */
  readonly instead?: string;
  /** What it needs and was not given; absent if nothing short of running outside would help. */
  readonly missing?: readonly Power[];
  /** Of a command line in parts: the part that failed, and every part that was started. */
  readonly parts?: {
    readonly failed: ScriptPart;
    readonly started: readonly ScriptPart[];
  };
  /** It may as well have failed by itself, so that nobody is to be asked. */
  readonly doubtful?: true;
  /** Nothing of it ran, because what its sandbox was to be made of has changed meanwhile: another one may be made. */
  readonly isUnmade?: true;
  /** Git has changed branches or tags while it ran, which nothing takes back: from the beginning it is not run again. */
  readonly movedRefs?: true;
}

/** What a program of a plugin sees of the disk in the sandbox, beside the system's own programs. */
export interface PluginProfile {
  /** Whether the machine's network is shared. */
  readonly network: boolean;
  /** Absolute and canonical, as are those that may be written; what is missing is left out. */
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  /** Shown empty, and what is written there is gone at the end. */
  readonly scratch: readonly string[];
  /** Of a readable place, what is not to be seen. */
  readonly hidden: readonly string[];
  /** Of a writable place, what stays as it is; what is not there is not to come to be there. */
  readonly unwritable: readonly string[];
}

/** A program in a sandbox of its own. */
export interface SandboxedProgram {
  /** The command line to start instead. */
  readonly argv: readonly [program: string, ...args: string[]];
  /** To be called when it has ended. Resolves to what was set aside, as a `Review` does. */
  readonly release: Review;
}

/**
 * Looks for what programs have made of repositories in the workspace, and sets it aside. Resolves to where that is now,
 * absolute, and to sentences on what could not be looked for. Never throws.
 */
export type Review = () => Promise<readonly string[]>;

/** Puts a program into a sandbox of its own; undefined if there is none. */
export type SandboxProgram = (
  argv: readonly [program: string, ...args: string[]],
  options: { readonly profile: PluginProfile; readonly cwd: string },
) => Promise<SandboxedProgram | undefined>;
