/**
 * Where keys, passwords and histories of what was typed lie. From one row follows that reading the place is
 * extreme and that the sandbox hides it, so that judgement and confinement cannot disagree.
 */
import type { Need } from "./sandbox.ts";

/** A file or directory that holds secrets, with all below it. */
export interface SecretPlace {
  /** Below the home directory, or absolute. `*` stands for any characters of one name. */
  readonly path: string;
  /** What it holds. */
  readonly holds: string;
  /** Commands with this need see it in the sandbox. @default none does */
  readonly shownFor?: Need;
}

const BROWSERS = "profiles of browsers, mail and messages";

/** What shells, git and the desktop obey of a user's, wherever they work, below their home. */
export const USER_SETTINGS: readonly string[] = [
  ...[".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile", ".inputrc"],
  ...[".zshrc", ".zshenv", ".zprofile", ".zlogin", ".gitconfig", ".xprofile", ".config/git"],
  ...[".config/fish", ".config/autostart", ".config/systemd", ".config/environment.d"],
];

/** The places, by what they hold. */
export const SECRET_PLACES: readonly SecretPlace[] = [
  ...rows("keys and logins of remote machines", {
    shownFor: "keys",
    paths: [
      ...[".ssh", ".gnupg", ".netrc", ".s3cfg", ".boto", ".config/rclone", ".rclone.conf"],
      ...[".authinfo", ".authinfo.gpg", ".passwd-s3fs", ".mc/config.json", ".step", "/etc/ssh"],
      ...[".tsh", ".chef", ".pki/nssdb", ".android/adbkey", ".davfs2/secrets"],
    ],
  }),
  ...rows("logins of code hosts", {
    shownFor: "keys",
    paths: [
      ...[".git-credentials", ".config/git/credentials", ".config/gh", ".config/glab-cli"],
      ...[".config/hub", ".config/tea", ".config/hut", ".subversion/auth"],
    ],
  }),
  ...rows("logins of databases", {
    shownFor: "keys",
    paths: [
      ...[".my.cnf", ".mylogin.cnf", ".dbt/profiles.yml", ".snowsql/config", ".snowflake"],
      ...[".config/snowflake", ".databrickscfg", ".pg_service.conf"],
    ],
  }),
  ...rows("logins of databases", {
    paths: [
      ...[".pgpass", ".config/neonctl"],
      ".local/share/DBeaverData/workspace6/*/.dbeaver/credentials-config.json",
    ],
  }),
  ...rows("logins of package registries", {
    shownFor: "registries",
    paths: [
      ...[".npmrc", ".yarnrc.yml", ".gem/credentials", ".local/share/gem/credentials"],
      ...[".composer/auth.json", ".config/composer/auth.json", ".config/pypoetry/auth.toml"],
      ...[".yarnrc", ".bundle/config", ".pip/pip.conf", ".config/pip/pip.conf", ".condarc"],
      ...[".m2/settings.xml", ".gradle/gradle.properties", ".nuget/NuGet/NuGet.Config"],
      ...[".config/NuGet/NuGet.Config", ".config/pnpm/rc", ".config/pnpm/auth.ini", ".bunfig.toml"],
      ...[".hex/hex.config", ".local/share/uv/credentials", ".config/nix/netrc"],
    ],
  }),
  ...rows("logins of package registries", {
    paths: [
      ...[".pypirc", ".cargo/credentials", ".cargo/credentials.toml", ".m2/settings-security.xml"],
      ...[".sbt/.credentials", ".ivy2/.credentials", ".pub-cache/credentials.json"],
      ...[".config/dart/pub-credentials.json", ".conan2/credentials.json", ".jfrog"],
      ...[".lein/credentials.clj", ".lein/credentials.clj.gpg", ".pause"],
    ],
  }),
  ...rows("keys of containers and clusters", {
    shownFor: "services",
    paths: [".docker", ".config/containers/auth.json"],
  }),
  // Whole directories: a daemon may begin to listen in them while a command runs.
  ...rows("sockets of container engines and editors", {
    shownFor: "services",
    paths: [
      ".colima",
      ".config/colima",
      ".lima",
      ".rd",
      ".orbstack",
      ".finch",
      ".local/share/containers/podman",
      ".emacs.d/server",
      ".config/emacs/server",
    ],
  }),
  ...rows("keys of containers and clusters", {
    paths: [
      ...[".docker/config.json", ".kube", ".config/helm/registry"],
      ...[".config/helm/repositories.yaml", ".config/argocd", ".talos", ".minikube/ca.key"],
      ...[".minikube/certs", ".minikube/profiles/*/client.key", ".rancher"],
      ".minikube/machines/*/id_rsa",
    ],
  }),
  ...rows("keys of cloud services", {
    paths: [
      ...[".aws", ".azure", ".config/gcloud", ".oci", ".aliyun", ".bluemix"],
      ...[".terraform.d/credentials.tfrc.json", ".terraformrc", ".pulumi/credentials.json"],
      ...[".vault-token", ".config/doctl", ".config/hcloud", ".config/scw", ".config/openstack"],
      ...[".edgerc", ".config/b2", ".b2_account_info", ".config/linode-cli", ".config/netlify"],
      ...[".netlify/config.json", ".fly/config.yml", ".railway", ".supabase", ".render/cli.yaml"],
      ...[".doppler", ".circleci/cli.yml", ".travis/config.yml", ".twilio-cli", ".acme.sh"],
      ...[".config/exercism/user.json", ".local/share/com.vercel.cli/auth.json"],
      ...[".wrangler/config", ".config/.wrangler/config", ".config/configstore", ".config/stripe"],
      ...[".config/ngrok", ".ngrok2", ".cloudflared", ".sentryclirc", ".kaggle"],
      ...[".cf/config.json", ".awsvault", ".civo.json", ".ovh.conf", ".saml2aws", ".modal.toml"],
      ...[".config/infracost", ".streamlit/secrets.toml"],
      ...[".huggingface/token", ".cache/huggingface/token", ".cache/huggingface/stored_tokens"],
    ],
  }),
  ...rows("keys of AI services", {
    paths: [
      ...[".ally", ".claude.json", ".claude", ".codex", ".gemini", ".qwen", ".continue", ".openai"],
      ...[".config/openai", ".config/github-copilot", ".config/Code/User/globalStorage"],
      ...[".config/Code - Insiders/User/globalStorage", ".config/VSCodium/User/globalStorage"],
      ...[".config/Windsurf/User/globalStorage", ".ollama/id_ed25519"],
      ...[".config/Cursor/User/globalStorage", ".cursor/mcp.json", ".aider.conf.yml"],
      ...[".config/crush", ".local/share/crush", ".config/opencode"],
      ...[".config/io.datasette.llm/keys.json", ".local/share/opencode/auth.json"],
      ...[".config/goose/secrets.yaml", ".local/share/amp/secrets.json"],
    ],
  }),
  ...rows("stored passwords", {
    paths: [
      ...[".password-store", ".local/share/gopass", ".local/share/keyrings"],
      ...[".local/share/kwalletd", ".kde/share/apps/kwallet", ".config/op", ".1password"],
      ...[".config/1Password", ".config/Bitwarden", ".config/Bitwarden CLI", ".config/sops"],
      ...[".config/age", ".config/rbw", ".local/share/rbw", ".lpass", ".local/share/lpass"],
      ...[".config/JetBrains/*/c.kdbx", ".config/JetBrains/*/c.pwd", ".config/wireguard"],
      ...[".config/syncthing", ".local/state/syncthing", ".config/onedrive", ".smbcredentials"],
      ...[".vnc/passwd", ".config/filezilla", ".config/remmina", ".msmtprc", ".fetchmailrc"],
      ...[".mbsyncrc", ".offlineimaprc", ".config/msmtp", ".config/isyncrc", ".config/aerc"],
      ...[".config/himalaya", ".local/share/jupyter/runtime", "Library/Keychains"],
      ...[".config/borg/keys", ".local/share/mkcert/rootCA-key.pem"],
      ...[".local/share/caddy/pki/authorities/*/*.key", ".mitmproxy/mitmproxy-ca.pem"],
      ".mitmproxy/mitmproxy-ca.p12",
    ],
  }),
  ...rows(BROWSERS, {
    paths: [
      ...[".mozilla", ".librewolf", ".thunderbird", ".config/google-chrome*", ".config/chromium"],
      ...[".config/BraveSoftware", ".config/microsoft-edge*", ".config/vivaldi", ".config/opera"],
      ...[".config/thorium", ".config/mozilla", ".config/zen", ".zen", ".waterfox"],
      ...[".config/Slack", ".config/discord", ".config/Signal", ".local/share/TelegramDesktop"],
      ...[".var/app/*/.mozilla", ".var/app/*/config/google-chrome", ".var/app/*/config/chromium"],
      ...[".purple", ".weechat/sec.conf", ".config/weechat/sec.conf"],
      ...[".local/share/qutebrowser/webengine/Cookies"],
      ...["snap/firefox", "snap/chromium", "Library/Application Support/Firefox"],
      ...["Library/Application Support/Google/Chrome", "Library/Safari", "Library/Cookies"],
    ],
  }),
  ...rows("what lets programs draw and type on the screen", {
    shownFor: "services",
    paths: [".Xauthority", ".ICEauthority", ".config/pulse/cookie"],
  }),
  ...rows("wallets", {
    paths: [
      ...[".bitcoin", ".litecoin", ".dogecoin", ".ethereum", ".electrum", ".monero"],
      ...[".foundry/keystores", ".config/solana", ".near-credentials", ".config/Exodus"],
    ],
  }),
  ...rows("histories of commands", {
    paths: [
      ...[".bash_history", ".zsh_history", ".python_history", ".node_repl_history"],
      ...[".psql_history", ".mysql_history", ".sqlite_history", ".rediscli_history"],
      ...[".irb_history", ".*history", ".histfile", ".bash_sessions", ".zsh_sessions"],
      ...[".config/zsh/.*history", ".cache/zsh/history", ".local/share/zsh/history"],
      ...[".local/state/zsh/history", ".local/state/bash/history", ".local/share/xonsh", ".elvish"],
      ...[".local/state/elvish", ".local/share/fish/fish_history", ".local/share/nushell"],
      ...[".config/nushell/history.*", ".local/share/powershell/PSReadLine", ".local/share/atuin"],
      ...[".local/state/*_history", ".ipython/profile_*/history.sqlite", ".julia/logs"],
      ...[".ghc/ghci_history", ".cache/deno/deno_history.txt", ".mongodb/mongosh", ".dbshell"],
      ...[".viminfo", ".lesshst", ".local/state/nvim/shada", ".config/fish/fish_variables"],
    ],
  }),
  ...rows("passwords of the system", {
    paths: [
      ...["/etc/shadow*", "/etc/gshadow*", "/etc/sudoers*", "/etc/security", "/etc/ssl/private"],
      ...["/etc/krb5.keytab", "/etc/NetworkManager/system-connections", "/etc/wireguard"],
      ...["/etc/openvpn", "/etc/ppp/*-secrets", "/etc/letsencrypt", "/run/secrets"],
      "/var/run/secrets",
    ],
  }),
];

/** A variable, and what it names. */
interface SecretVariable {
  readonly variable: string;
  /** Where that lies by default, below the home directory: a secret place, what holds some, or a part of one. */
  readonly path: string;
  /** Whether it names several, with what stands between directories of PATH. @default one */
  readonly isList?: true;
}

/**
 * Variables by which users and programs put secret places elsewhere; what that holds, and what it is shown for, say the
 * rows of the default place. That one counts as well: what lay there before is secret still.
 */
export const SECRET_VARIABLES: readonly SecretVariable[] = [
  { variable: "XDG_CONFIG_HOME", path: ".config" },
  { variable: "XDG_DATA_HOME", path: ".local/share" },
  { variable: "XDG_STATE_HOME", path: ".local/state" },
  { variable: "XDG_CACHE_HOME", path: ".cache" },
  { variable: "GNUPGHOME", path: ".gnupg" },
  { variable: "NETRC", path: ".netrc" },
  { variable: "S3CMD_CONFIG", path: ".s3cfg" },
  { variable: "BOTO_CONFIG", path: ".boto" },
  { variable: "RCLONE_CONFIG", path: ".config/rclone/rclone.conf" },
  { variable: "GH_CONFIG_DIR", path: ".config/gh" },
  { variable: "GLAB_CONFIG_DIR", path: ".config/glab-cli" },
  { variable: "PGPASSFILE", path: ".pgpass" },
  { variable: "MYSQL_TEST_LOGIN_FILE", path: ".mylogin.cnf" },
  { variable: "DATABRICKS_CONFIG_FILE", path: ".databrickscfg" },
  { variable: "SNOWFLAKE_HOME", path: ".snowflake" },
  { variable: "NPM_CONFIG_USERCONFIG", path: ".npmrc" },
  { variable: "npm_config_userconfig", path: ".npmrc" },
  { variable: "COMPOSER_HOME", path: ".composer" },
  { variable: "POETRY_CONFIG_DIR", path: ".config/pypoetry" },
  { variable: "BUNDLE_USER_HOME", path: ".bundle" },
  { variable: "BUNDLE_USER_CONFIG", path: ".bundle/config" },
  { variable: "PIP_CONFIG_FILE", path: ".config/pip/pip.conf" },
  { variable: "CONDARC", path: ".condarc" },
  { variable: "GRADLE_USER_HOME", path: ".gradle" },
  { variable: "CARGO_HOME", path: ".cargo" },
  { variable: "PUB_CACHE", path: ".pub-cache" },
  { variable: "DOCKER_CONFIG", path: ".docker" },
  { variable: "DOCKER_CERT_PATH", path: ".docker" },
  { variable: "REGISTRY_AUTH_FILE", path: ".config/containers/auth.json" },
  { variable: "KUBECONFIG", path: ".kube/config", isList: true },
  { variable: "HELM_REGISTRY_CONFIG", path: ".config/helm/registry/config.json" },
  { variable: "HELM_REPOSITORY_CONFIG", path: ".config/helm/repositories.yaml" },
  { variable: "ARGOCD_CONFIG_DIR", path: ".config/argocd" },
  { variable: "TALOSCONFIG", path: ".talos/config" },
  { variable: "AWS_SHARED_CREDENTIALS_FILE", path: ".aws/credentials" },
  { variable: "AWS_CONFIG_FILE", path: ".aws/config" },
  { variable: "AWS_WEB_IDENTITY_TOKEN_FILE", path: ".aws/token" },
  { variable: "AZURE_CONFIG_DIR", path: ".azure" },
  { variable: "CLOUDSDK_CONFIG", path: ".config/gcloud" },
  { variable: "GOOGLE_APPLICATION_CREDENTIALS", path: ".config/gcloud/credentials.json" },
  { variable: "OCI_CLI_CONFIG_FILE", path: ".oci/config" },
  { variable: "HCLOUD_CONFIG", path: ".config/hcloud/cli.toml" },
  { variable: "FLY_CONFIG_DIR", path: ".fly" },
  { variable: "TF_CLI_CONFIG_FILE", path: ".terraformrc" },
  { variable: "PULUMI_HOME", path: ".pulumi" },
  { variable: "VAULT_CLIENT_KEY", path: ".vault-token" },
  { variable: "KAGGLE_CONFIG_DIR", path: ".kaggle" },
  { variable: "HF_HOME", path: ".cache/huggingface" },
  { variable: "HF_TOKEN_PATH", path: ".cache/huggingface/token" },
  { variable: "CLAUDE_CONFIG_DIR", path: ".claude" },
  { variable: "CODEX_HOME", path: ".codex" },
  { variable: "PASSWORD_STORE_DIR", path: ".password-store" },
  { variable: "BITWARDENCLI_APPDATA_DIR", path: ".config/Bitwarden CLI" },
  { variable: "SOPS_AGE_KEY_FILE", path: ".config/sops/age/keys.txt" },
  { variable: "XAUTHORITY", path: ".Xauthority" },
  { variable: "ICEAUTHORITY", path: ".ICEauthority" },
  { variable: "HISTFILE", path: ".bash_history" },
  { variable: "PYTHON_HISTORY", path: ".python_history" },
  { variable: "NODE_REPL_HISTORY", path: ".node_repl_history" },
  { variable: "PSQL_HISTORY", path: ".psql_history" },
  { variable: "MYSQL_HISTFILE", path: ".mysql_history" },
  { variable: "SQLITE_HISTORY", path: ".sqlite_history" },
  { variable: "REDISCLI_HISTFILE", path: ".rediscli_history" },
  { variable: "LESSHISTFILE", path: ".lesshst" },
];

/** What lies in no place of its own, and what it is. */
const ELSEWHERE: readonly (readonly [pattern: RegExp, holds: string])[] = [
  // The sandbox has a `/proc` of its own.
  [/\/proc\/[^/]+\/(environ|mem|maps|fd|root|cwd|cmdline)/, "memory and environment of processes"],
  [/\/(Login Data|Cookies|cookies\.sqlite|key4\.db|logins\.json)$/i, BROWSERS],
];
/** Names that hold secrets wherever they lie. */
const SECRET_NAMES =
  /(^|\/)(\.env(\.(?!example$|sample$|template$|dist$)[\w.-]+)?|\.envrc|[._]netrc|\.npmrc|\.pypirc|\.pgpass|\.git-credentials|id_(rsa|dsa|ecdsa|ed25519)|[^/]*\.(pem|key|p12|pfx|kdbx|keystore|jks|asc|gpg|ovpn)|credentials(\.json)?|secrets?\.(json|ya?ml|toml)|service-account[^/]*\.json)$/i;

const EXPRESSIONS = SECRET_PLACES.map(expressionsOf);

function expressionsOf({ path, holds }: SecretPlace) {
  const source = path.replace(/^\//, "").replace(/[.+?()[\]{}|\\^$]/g, "\\$&")
    .replaceAll("*", "[^/]*");
  return {
    holds,
    fromTop: new RegExp(`^/${source}(?:/|$)`, "i"),
    anywhere: new RegExp(`/${source}(?:/|$|\\*)`, "i"),
  };
}

/** The rows for what lies at a path below the home, each with where it is below that. */
export function rowsAt(path: string): { below: string; row: SecretPlace }[] {
  const rows = SECRET_PLACES.filter((row) => `${row.path}/`.startsWith(`${path}/`))
    .map((row) => ({ below: row.path.slice(path.length), row }));
  if (rows.length > 0) return rows;
  return SECRET_PLACES.filter((row) => path.startsWith(`${row.path}/`)).slice(0, 1)
    .map((row) => ({ below: "", row }));
}

/** Makes what tells of a canonical path what it holds, by rows with absolute paths. */
export function secretFinder(
  rows: readonly SecretPlace[],
): (path: string) => string | undefined {
  const expressions = rows.map(expressionsOf);
  return (path) => expressions.find(({ fromTop }) => fromTop.test(path))?.holds;
}

/** Where the variables lead that name secret places, and such a variable as a shell has it. */
const DEFAULTS = new Map(SECRET_VARIABLES.map(({ variable, path }) => [variable, path]));
const VARIABLE = new RegExp(`\\$\\{?(${[...DEFAULTS.keys()].join("|")})\\b\\}?`, "g");

/** Whether a file's name says that it holds secrets. */
export function hasSecretName(path: string): boolean {
  return SECRET_NAMES.test(path);
}

/** What a text names that holds secrets, in whosever home: `$X/.ssh/id_rsa`, `/home/other/.netrc`, `$KUBECONFIG`. */
export function secretNamedIn(text: string): string | undefined {
  const spelled = text.replace(VARIABLE, (_, name: string) => `/${DEFAULTS.get(name) ?? name}`);
  return EXPRESSIONS.find(({ anywhere }) => anywhere.test(spelled))?.holds ??
    ELSEWHERE.find(([pattern]) => pattern.test(text))?.[1];
}

/**
 * What secrets who reads a path reads: `inside` says that it leads into the workspace. There only what lies in
 * the user's own home counts, since a project may have an `.npmrc` too.
 */
export function secretAt(
  path: string,
  { inside, home }: { inside: boolean; home: string },
): string | undefined {
  if (!inside) {
    return secretNamedIn(path) ?? (hasSecretName(path) ? "by its name" : undefined);
  }
  if (home === "" || !path.startsWith(`${home}/`)) return undefined;
  const below = path.slice(home.length);
  if (below.startsWith("/.")) return secretNamedIn(below);
  return EXPRESSIONS.find(({ fromTop }) => fromTop.test(below))?.holds;
}

/** Whether what lies below a directory holds secrets of the user's, who would read all of it. */
export function hasSecretsBelow(directory: string, home: string): boolean {
  const beginning = directory.endsWith("/") ? directory : `${directory}/`;
  return home !== "" &&
    SECRET_PLACES.some(({ path }) =>
      !path.startsWith("/") && `${home}/${path}`.startsWith(beginning)
    );
}

/** What a pattern of file names may match that holds secrets, in the home directory or the system. */
export function secretMatching(pattern: string, home: string): string | undefined {
  const names = pattern.split("/");
  return SECRET_PLACES.find(({ path }) => {
    if (!path.startsWith("/") && home === "") return false;
    const parts = (path.startsWith("/") ? path : `${home}/${path}`).replaceAll("*", "").split("/");
    return parts.length <= names.length &&
      parts.every((name, at) => name === names[at] || matchesName(name, names[at]!));
  })?.holds;
}

/**
 * Whether one name of a shell's pattern stands for a name, whose case counts for nothing. As in the shell, a wildcard at
 * the beginning matches no dot. Only the last star is tried again, so that this ends whatever the pattern is.
 */
function matchesName(name: string, pattern: string): boolean {
  if (name.startsWith(".") && /^[*?[]/.test(pattern)) return false;
  const last = pattern.lastIndexOf("]") + 1;
  const classless = pattern.slice(0, last).replace(/\[[^\]]*\]/g, "?") + pattern.slice(last);
  const [text, wanted] = [name.toLowerCase(), classless.toLowerCase()];
  let at = 0;
  let star: { readonly after: number; begins: number } | undefined;
  for (let index = 0; index < text.length;) {
    if (wanted[at] === "*") star = { after: ++at, begins: index };
    else if (wanted[at] === "?" || wanted[at] === text[index]) {
      at++;
      index++;
    } else if (star === undefined) return false;
    else [at, index] = [star.after, ++star.begins];
  }
  return /^\**$/.test(wanted.slice(at));
}

function rows(
  holds: string,
  { paths, shownFor }: { paths: readonly string[]; shownFor?: Need },
): SecretPlace[] {
  return paths.map((path) => ({ path, holds, ...(shownFor && { shownFor }) }));
}
