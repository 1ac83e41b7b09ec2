/**
 * Uses of risky programs that only read. Each line is a command: `*` stands for one plain word, `...` for
 * any number of them, neither of them an option. They count before the program's row.
 */
import { basename } from "node:path";
import type { ShellWord } from "../words.ts";

/** They show facts about the machine and its tools. */
const SAFE = `
  findmnt | blkid | npm root | npm prefix | npm bin | npm root -g | npm prefix -g | conda info
  conda env list | go env ... | brew config | brew --prefix ... | brew --version | apt-cache policy *
  apt-cache show * | apt-cache depends * | dpkg-query -l ... | dpkg-query -W ...
  mount | mount -l | mount -t * | swapon --show | swapon -s | losetup -a | losetup -l | losetup --list
  nginx -v | nginx -V | apachectl -v | hwclock --show | at -l | crontab -l | atq | fuser * | hostname | hostname -f | hostname -i | hostname -I | hostname -s
  hostname -d | hostname -A | sysctl -a | sysctl -n * | sysctl *
  timedatectl | timedatectl status | timedatectl show | timedatectl list-timezones
  hostnamectl | hostnamectl status | localectl | localectl status | localectl list-locales
  loginctl | loginctl list-sessions | loginctl list-users | loginctl show-session ...
  service --status-all | service * status | launchctl list ... | launchctl print ...
  defaults read ... | scutil --get * | networksetup -listallhardwareports | xcode-select -p
  xcode-select --print-path | pkgutil --pkgs | sw_vers
  update-alternatives --list * | update-alternatives --display * | apt-mark showhold
  apt-mark showmanual | apt-mark showauto | dpkg -S ... | dpkg -L ... | dpkg -s ...
  dpkg -l ... | dpkg --get-selections ... | dpkg --list ... | dpkg --status ... | dpkg --listfiles ...
  rpm -q ... | rpm -qa ... | rpm -qi ... | rpm -ql ... | rpm -qf ... | pacman -Q ... | pacman -Qs ...
  pacman -Qi ... | pacman -Ql ... | pacman -Si * | pacman -Ss ...
  chage -l * | passwd -S * | iwconfig | nmcli | nmcli device | nmcli device status
  nmcli connection show | nmcli general status
  npm config get ... | npm config list | npm config ls | npm config ls -l | npm get * | npm whoami
  npm dist-tag ls ... | npm token list | npm access list ... | npm owner ls * | npm profile get
  pnpm config get * | pnpm config list | yarn config get * | yarn config list
  pip config list | pip config get * | pip config debug | pip cache dir | pip cache info
  pip cache list | pip3 config list | pip3 config get * | pip3 cache dir | pip3 cache info
  poetry config --list | conda config --show ... | conda config --show-sources
  bundle config | bundle config list | bundle config get *
  cargo install --list | rustup show ... | rustup toolchain list | rustup target list
  rustup component list | rustup which * | rustup default
  nvm ls ... | nvm list ... | nvm current | nvm version | nvm which * | nvm alias
  fnm ls | fnm list | fnm current | volta list ... | volta which * | asdf list ... | asdf current ...
  asdf which * | asdf plugin list | mise ls ... | mise list ... | mise current ... | mise which *
  mise doctor | rtx ls | pyenv versions | pyenv version | pyenv which * | pyenv root
  rbenv versions | rbenv version | rbenv which * | nodenv versions | nodenv version | goenv versions
  jenv versions | sdk list ... | sdk current ... | sdk version | ghcup list | pipx list
  nix-env -q | nix-store -q ... | nix show-config | nix flake show ... | nix flake metadata ...
  code --list-extensions | code --list-extensions --show-versions
  kubectl config view | kubectl config current-context | kubectl config get-contexts ...
  kubectl config get-clusters | kubectl config get-users | kubectl version --client
  helm plugin list | helm plugin ls | terraform version | tofu version | pulumi version
  gh alias list | gh config list | gh config get * | gh extension list
  trap | trap -p ... | alias | bind -P | bind -p | bind -V | bind -l | complete | complete -p ...
  enable | enable -a | enable -p | hash | hash -l
`;

/** They ask a daemon, a server or a device, or show what is private. */
const ASKS = `
  iptables -L | iptables -L -n | iptables -L -n -v | iptables -nL | iptables -nvL | iptables -S
  iptables -t nat -L | iptables -t nat -L -n | ip6tables -L | nft list ruleset | nft list tables
  ufw status | ufw status verbose | firewall-cmd --state | firewall-cmd --list-all
  fdisk -l ... | parted -l | sfdisk -l ... | gdisk -l * | smartctl -a * | smartctl -i * | smartctl -H *
  hdparm -I * | zfs list ... | zpool status ... | zpool list ... | btrfs filesystem show
  btrfs subvolume list * | nvme list | diskutil list | diskutil info * | hdiutil info
  tmux ls | tmux list-sessions | tmux list-windows | tmux list-panes | screen -ls | screen -list
  zellij list-sessions | zellij ls | pm2 list | pm2 ls | pm2 status | pm2 show * | pm2 logs ...
  supervisorctl status ... | initctl list | rc-status
  gpg --list-keys ... | gpg -k ... | gpg --list-public-keys ... | gpg --verify ... | gpg --fingerprint ...
  gpg2 --list-keys ... | ssh-add -l | ssh-add -L | vault status | security find-identity ...
  docker context ls | docker context list | docker context show | docker context inspect ...
  docker plugin ls | docker plugin list | docker service ls | docker service ps * | docker service logs *
  docker service inspect * | docker node ls | docker node inspect * | docker stack ls
  docker stack ps * | docker stack services * | docker secret ls | docker config ls
  docker trust inspect *
  kubectl auth can-i ... | kubectl auth whoami | kubectl rollout status ... | kubectl rollout history ...
  minikube status | minikube profile list | kind get clusters | k3d cluster list
  terraform state list ... | terraform state show ... | terraform state pull | terraform workspace list
  terraform workspace show | tofu state list ... | tofu state show ... | tofu workspace list
  pulumi stack ls | pulumi config | pulumi stack | pulumi about
  gcloud config list ... | gcloud config get-value * | gcloud config get * | gcloud auth list
  gcloud config configurations list | aws configure list ...
  aws configure list-profiles | az configure --list-defaults | az account show | az account list
  fly secrets list | netlify env:list | vercel env ls ...
  gh auth status | gh secret list | gh variable list | gh ssh-key list | gh gpg-key list
  virsh list ... | virsh dominfo * | VBoxManage list ... | multipass list | multipass info *
  limactl list | lima list | qemu-img info * | vagrant box list
  adb devices | wg show ... | tailscale status | rclone listremotes | rclone version
`;

/** Programs that tell their version by a short option. */
const VERSION_OPTIONS =
  /^(python[\d.]*|node|npm|pnpm|yarn|ruby|java|javac|php|perl|deno|bun|tsc|gcc|g\+\+|clang|cargo|rustc|make|cmake|docker|git|lua|bash)$/;
/** Programs that do so by `-V` alone. */
const TELLS_BY_CAPITAL = /^(ssh|tmux|gdb|psql|sudo)$/;

type ReadOnlyForms = ReadonlyMap<string, readonly (readonly string[])[]>;

/** Programs that `--version` does not stop: they are the shell, or act all the same. */
const IGNORES_VERSION =
  /^(killall5|init|telinit|halt|poweroff|reboot|shutdown|logout|eval|trap|fc|format|sc)$/;

const SAFE_FORMS = parseForms(SAFE);
const ASKING_FORMS = parseForms(ASKS);

/** The risk of a use that only reads, whatever else its program can do; undefined if it may do more. */
export function riskOfReadOnlyUse(
  command: string,
  rest: readonly ShellWord[],
): "safe" | "sensitive" | undefined {
  const name = basename(command);
  if (!rest.every(({ kind }) => kind === "literal")) return undefined;
  const words = rest.map(({ value }) => value);
  if (matches(SAFE_FORMS.get(name), words)) return "safe";
  return matches(ASKING_FORMS.get(name), words) ? "sensitive" : undefined;
}

/** Whether a known program is only asked for its version or its help. */
export function asksForVersion(name: string, rest: readonly ShellWord[]): boolean {
  const [word] = rest;
  if (rest.length !== 1 || word?.kind !== "literal" || IGNORES_VERSION.test(name)) return false;
  return /^--(version|help)$/.test(word.value) ||
    (/^(-v|-V|-version)$/.test(word.value) && VERSION_OPTIONS.test(name)) ||
    (word.value === "-V" && TELLS_BY_CAPITAL.test(name));
}

function parseForms(text: string): ReadOnlyForms {
  const forms = new Map<string, string[][]>();
  for (const line of text.split(/[|\n]/)) {
    const [name, ...words] = line.trim().split(/\s+/);
    if (name) forms.set(name, [...forms.get(name) ?? [], words]);
  }
  return forms;
}

function matches(forms: readonly (readonly string[])[] | undefined, words: readonly string[]) {
  return forms?.some((form) => {
    const open = form.at(-1) === "...";
    const fixed = open ? form.slice(0, -1) : form;
    if (open ? words.length < fixed.length : words.length !== fixed.length) return false;
    return words.every((word, at) => {
      const wanted = fixed[at] ?? "*";
      return wanted === "*" ? /^[\w@%.:/+,~][\w@%.:/+,~-]*$/.test(word) : word === wanted;
    });
  }) ?? false;
}
