/**
 * Forms of commands that have the user's keys by which they start no other program of this machine, load none, obey no
 * file but the user's, and pass the keys on to nobody who has not given them: subcommands, and options.
 */

/** A form of command lines: what stands behind the program. */
interface Form {
  readonly programs: readonly string[];
  /** Operands with a blank between, from the first on. */
  readonly operands: RegExp;
  /** Options without their dashes; one with a value ends with `=`. Absent: any, behind the operands that were looked at. */
  readonly options?: ReadonlySet<string>;
  /** Options of which one must be there. @default none */
  readonly asks?: ReadonlySet<string>;
  /** What options may have for a value. @default anything */
  readonly values?: ReadonlyMap<string, RegExp>;
}

const GH =
  /^(?:pr|issue|repo|release|run|workflow|api|search|label|gist|cache|secret|variable|org|project|browse|status|ruleset|attestation|ssh-key|gpg-key|alias list|extension list|auth (?:login|logout|refresh|setup-git|switch)|help|--version|--help)(?: |$)/;
const GLAB =
  /^(?:mr|issue|repo|release|ci|job|pipeline|schedule|api|label|snippet|variable|user|search|incident|milestone|changelog|iteration|help)(?: |$)/;
const TEA =
  /^(?:issues?|pulls?|pr|releases?|repos?|labels?|milestones?|branches|times|organizations|notifications|comment|open|whoami|clone)(?: |$)/;
const HUB =
  /^(?:pull-request|pr|issue|release|ci-status|sync|browse|compare|fetch|push|pull|clone|create|fork|api)(?: |$)/;
/** Subcommands that a cluster answers; what is edited or compared starts programs. */
const KUBECTL =
  /^(?:get|describe|logs|top|version|cluster-info|api-resources|api-versions|explain|events|wait|auth can-i|config (?:view|get-contexts|current-context)|rollout|apply|create(?= (?:configmap|cm|secret|deployment|deploy|namespace|ns|job|cronjob|ingress|role|rolebinding|clusterrole|clusterrolebinding|service|svc|serviceaccount|sa|quota|poddisruptionbudget|pdb|priorityclass)\b|$)|delete|patch|replace|scale|set|label|annotate|expose|autoscale|cordon|uncordon|drain|taint|run|exec|cp|port-forward)(?: |$)/;
const HELM =
  /^(?:list|ls|status|get|history|search|show|version|install|upgrade|uninstall|rollback|template|lint|repo (?:list|update)|dependency|pull|push)(?: |$)/;
const DOCKER =
  /^(?:ps|images|run|exec|logs|inspect|stop|start|restart|rm|rmi|kill|create|cp|stats|top|port|info|version|system|volume|network|container|history|save|load|events|wait|tag|export|import|diff|image (?:ls|rm|inspect|prune|tag|history))(?: |$)/;
/** Subcommands of clouds that only ask, behind the name of what they ask for; none that leads to another machine. */
const ASKS =
  /^(?!.*\b(?:ssh|scp|exec|run|start|shell|console|tunnel|dev|build|serve|local|components|extension|configure|auth)\b)(?:[a-z][a-z0-9-]* ){0,4}?(?:list|ls|describe|show|get|info|status|logs|whoami|head|read|query|scan|list-[a-z0-9-]+|describe-[a-z0-9-]+|get-(?![a-z-]*(?:secret|password|token|credential|login|authorization))[a-z0-9-]+|head-[a-z0-9-]+|[a-z]+:info)(?: |$)/;
const S3 = /^s3 (?:ls|cp|mv|sync|rm|mb|rb)(?: |$)/;
/** The name of a database, or its address. */
const DATABASE = /^(?:[\w.-]+|postgres(?:ql)?:\/\/[\w.:@%-]+(?:\/[\w-]*)?)?(?: [\w.-]+)?$/;
const HOST = /^[\w./-]*$/;
/** What a server of databases is asked; not what `psql` itself does. */
const SQL = /^(?:[^\\]+|\\(?:d\w*\+?|l\+?|z|conninfo)(?: [\w.*]+)?)$/;

const FORMS: readonly Form[] = [
  // Their options are looked at by name.
  { programs: ["ssh", "scp", "ssh-copy-id"], operands: /^/ },
  { programs: ["gh"], operands: GH },
  { programs: ["gh"], operands: /^auth status$/, options: names("h= hostname= a active") },
  { programs: ["glab"], operands: GLAB },
  { programs: ["tea"], operands: TEA },
  { programs: ["hub"], operands: HUB },
  { programs: ["docker"], operands: DOCKER },
  {
    programs: ["docker"],
    operands: /^(?:(?:image |buildx )?(?:pull|push|build)|search|login|logout)(?: |$)/,
    options: names(
      "a all all-tags q quiet platform= t= tag= f= file= build-arg= target= label= network= " +
        "progress= no-cache pull rm load u= username= password-stdin",
    ),
  },
  {
    programs: ["kubectl", "k", "oc"],
    operands: KUBECTL,
    options: names(
      "n= namespace= context= cluster= o= output= l= selector= A all-namespaces f= filename= " +
        "k= kustomize= R recursive c= container= tail= since= since-time= p previous timestamps " +
        "w watch timeout= for= replicas= sort-by= show-labels no-headers ignore-not-found " +
        "field-selector= all force grace-period= dry-run overwrite from-literal= from-file= " +
        "image= port= target-port= type= i t it stdin tty rm restart= to-revision= server-side " +
        "prefix all-containers containers min= max= cpu-percent= ignore-daemonsets " +
        "delete-emptydir-data short client cascade request-timeout= limits= requests=",
    ),
  },
  {
    programs: ["helm"],
    operands: HELM,
    options: names(
      "n= namespace= kube-context= f= values= set= set-string= version= repo= o= output= A " +
        "all-namespaces i install wait timeout= atomic create-namespace dry-run reuse-values " +
        "reset-values a all l= selector= short",
    ),
  },
  {
    programs: ["aws"],
    operands: new RegExp(`${S3.source}|${ASKS.source}`),
    options: names(
      "profile= region= output= query= max-items= page-size= no-paginate no-cli-pager filters= " +
        "instance-ids= bucket= prefix= key= table-name= stack-name= cluster= services= tasks= " +
        "function-name= log-group-name= log-group-name-prefix= log-stream-name= start-time= " +
        "end-time= filter-pattern= role-name= user-name= name= names= id= ids= arn= group-name= " +
        "repository-name= recursive delete exclude= include= dryrun quiet only-show-errors " +
        "human-readable summarize acl= content-type= cache-control= storage-class= limit=",
    ),
  },
  {
    programs: ["gcloud", "az", "doctl", "hcloud", "flyctl", "fly", "heroku", "netlify", "vercel"],
    operands: ASKS,
    options: names(
      "project= region= zone= format= filter= limit= quiet q sort-by= location= cluster= json " +
        "g= resource-group= n= name= o= output= subscription= query= l= a= app= no-header all",
    ),
  },
  {
    programs: ["psql"],
    operands: DATABASE,
    options: names(
      "h= host= p= port= U= username= d= dbname= w no-password t tuples-only A no-align q quiet " +
        "X no-psqlrc x expanded csv c= command= l list",
    ),
    asks: names("c command l list"),
    values: new Map([
      ...[["c", SQL], ["command", SQL], ["l", /^$/], ["list", /^$/]] as const,
      ...[["d", DATABASE], ["dbname", DATABASE], ["h", HOST], ["host", HOST]] as const,
    ]),
  },
];

const FILE = /^[\w./~@%+,:=-]+$/;
const NAME = /^\w[\w.-]*$/;
const NUMBER = /^\d{1,6}$/;
/** Options of ssh by their names in lower case, with their values. Whoever answers gets no key: whom ssh trusts is its own matter. */
const SSH_OPTIONS: Readonly<Record<string, RegExp>> = {
  addressfamily: /^(?:any|inet6?)$/,
  batchmode: /^(?:yes|no)$/,
  checkhostip: /^(?:yes|no)$/,
  compression: /^(?:yes|no)$/,
  connectionattempts: NUMBER,
  connecttimeout: NUMBER,
  controlmaster: /^no$/,
  controlpath: /^none$/,
  forwardagent: /^no$/,
  forwardx11: /^no$/,
  hashknownhosts: /^(?:yes|no)$/,
  hostkeyalgorithms: /^[\w@.,+^-]+$/,
  identitiesonly: /^(?:yes|no)$/,
  identityfile: FILE,
  kexalgorithms: /^[\w@.,+^-]+$/,
  loglevel: /^\w+$/,
  port: NUMBER,
  preferredauthentications: /^publickey$/,
  pubkeyacceptedalgorithms: /^[\w@.,+^-]+$/,
  pubkeyacceptedkeytypes: /^[\w@.,+^-]+$/,
  pubkeyauthentication: /^yes$/,
  serveralivecountmax: NUMBER,
  serveraliveinterval: NUMBER,
  stricthostkeychecking: /^(?:yes|ask|accept-new|no|off)$/,
  tcpkeepalive: /^(?:yes|no)$/,
  user: NAME,
  userknownhostsfile: FILE,
};
/** Letters of it with a value of a form of its own. A file of settings (`F`) counts only where commands cannot write it. */
export const SSH_LETTERS: Readonly<Record<string, RegExp>> = {
  // Ports alone: a socket of this machine, as that of the agent, is not to be reached from there.
  R: /^(?:[\w.*-]*:)?\d+(?::[\w.-]+:\d+)?$/,
  F: /^(?:none|~?\/[\w./~@%+,:=-]+)$/,
  i: FILE,
  l: NAME,
  p: NUMBER,
};

/** Whether the value of `-o` is one of them: `IdentitiesOnly=yes`, `IdentitiesOnly yes`. */
export function isPlainSshOption(text: string): boolean {
  const [, name = "", value = ""] = /^(\w+)(?: *= *| +)(\S+)$/.exec(text) ?? [];
  const values = new Map(Object.entries(SSH_OPTIONS)).get(name.toLowerCase());
  return values?.test(value) ?? false;
}

/** Whether a command line has such a form: the name of the program, and the words behind it. */
export function hasKnownForm(program: string, words: readonly string[]): boolean {
  return FORMS.some((form) => form.programs.includes(program) && fits(words, form));
}

function fits(words: readonly string[], { operands, options, asks, values }: Form): boolean {
  if (!options) return operands.test(words.join(" "));
  const read = readOptions(words, options);
  return read !== undefined && operands.test(read.operands.join(" ")) &&
    (!asks || read.given.some(([name]) => asks.has(name))) &&
    read.given.every(([name, value]) => values?.get(name)?.test(value) ?? true);
}

interface ReadOptions {
  readonly given: readonly (readonly [name: string, value: string])[];
  readonly operands: readonly string[];
}

/** Options with their values, and operands; undefined if an option is none of those that are known. */
function readOptions(
  words: readonly string[],
  known: ReadonlySet<string>,
): ReadOptions | undefined {
  const given: [string, string][] = [];
  const operands: string[] = [];
  for (let at = 0; at < words.length && words[at] !== "--"; at++) {
    const [, long, value, letters = ""] = /^(?:--([\w-]+)(?:=(.*))?|-(.+))$/s.exec(words[at]!) ??
      [];
    if (long !== undefined) {
      if (known.has(`${long}=`)) given.push([long, value ?? words[++at] ?? ""]);
      else if (known.has(long)) given.push([long, value ?? ""]);
      else return undefined;
    } else if (letters === "") operands.push(words[at]!);
    for (const [index, letter] of [...letters].entries()) {
      const isValued = known.has(`${letter}=`) && !known.has(letter);
      if (!isValued && !known.has(letter)) return undefined;
      given.push([letter, isValued ? letters.slice(index + 1) || (words[++at] ?? "") : ""]);
      if (isValued) break;
    }
  }
  return { given, operands };
}

function names(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}
