/**
 * The machine: its processes, packages, services, disks and users.
 */
import { extreme, extremeRows, type Row, safeRows, sensitiveRows } from "../program.ts";

const DISKS = "can destroy whole disks or files";
const SYSTEM = "stops or changes the system";
const PACKAGES = "changes the system's packages";
const USERS = "changes users and passwords";

/** Rows of the program table. */
export const SYSTEM_PROGRAMS: readonly Row[] = [
  ...safeRows(
    `
      uname arch which whereis sleep usleep nproc uptime free vmstat iostat mpstat lscpu lsblk lspci lsusb lsmod
      lsb_release getconf locale tty who w whoami id groups logname users last printenv
      sw_vers neofetch fastfetch nvidia-smi sensors tput stty clear reset apropos whatis tldr
      ps pgrep pstree pidof pidstat pmap
    `,
  ),
  ...safeRows("info", { options: { "-o --output --dribble": "write", "--restore": "code" } }),
  ...extremeRows("hostname", "renames the machine"),
  ...safeRows("man", {
    options: { "-P --pager -H --html -C --config-file": "code", "-l": "read" },
  }),
  ...safeRows("date", {
    options: { "-s --set": extreme("sets the clock"), "-f --file -r --reference": "read" },
  }),
  ...safeRows("top htop btop glances atop"),
  ...sensitiveRows("dmesg journalctl", "reads the system's log", {
    options: {
      "-C --clear -c --read-clear --vacuum-size --vacuum-time --vacuum-files --rotate": extreme(
        "clears the system's log",
      ),
    },
  }),
  ...sensitiveRows("kill", "ends a process", { grammar: "kill" }),
  ...extremeRows("killall pkill killall5 skill xkill fuser slay", "ends processes by name"),
  ...extremeRows("shutdown reboot halt poweroff telinit init kexec", SYSTEM),
  ...sensitiveRows("systemctl", "reads the services of the system", {
    subcommands: [
      ...sensitiveRows(
        `
          status show list-units list-unit-files is-active is-enabled is-failed cat
          list-timers list-sockets list-dependencies get-default
        `,
        "reads the services of the system",
      ),
      ...extremeRows(
        `
          start stop restart reload enable disable mask unmask kill isolate edit
          set-property daemon-reload daemon-reexec poweroff reboot halt suspend hibernate
          rescue emergency set-default revert link preset try-restart reset-failed
          import-environment set-environment
        `,
        SYSTEM,
      ),
    ],
  }),
  ...extremeRows(
    `
      hwclock ntpdate rtcwake nginx apachectl apache2ctl httpd
      service rc-service rc-update update-rc.d chkconfig launchctl initctl sv runit
      supervisorctl loginctl timedatectl hostnamectl localectl networksetup scutil defaults
      csrutil spctl nvram tccutil bless dsenableroot pmset systemsetup tmutil kextload kextunload
    `,
    SYSTEM,
  ),
  ...extremeRows(
    `
      lvextend lvresize lvreduce vgreduce vgextend pvmove pvresize growpart
      fdisk sfdisk cfdisk gdisk sgdisk parted wipefs mkswap swapon swapoff mount umount
      losetup cryptsetup mdadm lvm pvcreate vgcreate lvcreate lvremove vgremove pvremove zfs
      zpool btrfs hdparm nvme smartctl blkdiscard badblocks e2fsck fsck debugfs tune2fs
      resize2fs xfs_repair diskutil hdiutil eject partprobe mke2fs dmsetup
    `,
    DISKS,
  ),
  ...extremeRows("crontab anacron atq atrm", "changes what runs by itself"),
  ...extremeRows(
    `
      nft iptables ip6tables iptables-restore ip6tables-restore arptables ipset ufw firewall-cmd ebtables pfctl tc ifup ifdown dhclient nmcli
      iwconfig rfkill sysctl
    `,
    "changes the network or the kernel",
  ),
  ...extremeRows(
    `
      modprobe insmod rmmod depmod dkms grub-install update-grub grub-mkconfig efibootmgr
      bootctl mkinitcpio update-initramfs dracut setenforce aa-disable apparmor_parser
      auditctl
    `,
    "changes the kernel or how the machine starts",
  ),
  ...extremeRows(
    `
      useradd userdel usermod groupadd groupdel groupmod adduser deluser addgroup passwd
      chpasswd visudo vipw gpasswd chage chsh chfn dscl
    `,
    USERS,
  ),
  ...sensitiveRows(
    `
      apt apt-get aptitude dnf yum zypper pacman yay paru apk emerge brew port snap flatpak
      dpkg rpm xbps-install pkg pkgin opkg choco scoop winget mas
    `,
    PACKAGES,
    {
      options: {
        "-S -R -U -i -e -F --install --remove --purge --upgrade --erase -r -P -o -c": extreme(
          PACKAGES,
        ),
      },
      subcommands: [
        ...sensitiveRows(
          `
            list search show info policy depends rdepends cache query help outdated deps
            leaves desc home doctor config
          `,
          "reads the system's packages",
        ),
        ...extremeRows(
          `
            install remove purge upgrade update full-upgrade dist-upgrade autoremove add
            del delete erase reinstall uninstall tap untap link unlink cleanup clean
            autoclean refresh refresh-keys downgrade swap distro-sync group groupinstall
            localinstall in rm up dup source build-dep edit-sources key services pin
            bundle
          `,
          PACKAGES,
        ),
      ],
    },
  ),
  ...sensitiveRows("dpkg rpm pacman", "reads the system's packages", {
    options: {
      "-i --install -r --remove -P --purge -U --upgrade -e --erase -S --sync -R --configure --unpack -F --import":
        extreme(PACKAGES),
    },
  }),
  ...sensitiveRows("dpkg-query apt-cache rpm2cpio", "reads the system's packages"),
  ...extremeRows(
    `
      ldconfig alternatives update-alternatives locale-gen dpkg-reconfigure debconf
      softwareupdate xcode-select installer pkgutil add-apt-repository apt-key apt-mark
    `,
    PACKAGES,
  ),
  ...extremeRows("logger wall mesg", "writes to the system's log or to other users"),
  ...extremeRows(
    "xdotool ydotool wtype xte xinput xset xrandr xmodmap setxkbmap import scrot screencapture",
    "acts on the screen or the keyboard",
  ),
  ...extremeRows("renice prlimit cgexec cgcreate cgset", "changes the limits of processes"),
  ...extremeRows(
    "virsh qemu-system-x86_64 qemu-img VBoxManage vmrun multipass lima limactl",
    "acts on virtual machines",
  ),
  ...extremeRows(
    "reg regedit diskpart format bcdedit netsh sc taskkill wmic icacls takeown schtasks cipher",
    SYSTEM,
  ),
];
