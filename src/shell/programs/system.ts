/**
 * The machine: its processes, packages, services, disks and users.
 */

/** Rows of the program table. */
export const SYSTEM_PROGRAMS = `
safe uname arch which whereis sleep nproc uptime free vmstat iostat lscpu lsblk lsb_release getconf
    locale tty who w whoami id groups logname users last printenv tput stty clear reset apropos ps
    pgrep pstree pidof pmap man info top htop btop atop findmnt blkid: only reads
safe date: only reads
  -s --set: extreme sets the clock
safe ss netstat lsof: only reads
  -K --kill: extreme ends connections
  -D --diag: write
sensitive dmesg journalctl: reads the system's log
  -C --clear -c --read-clear --vacuum-size --vacuum-time --vacuum-files --rotate: extreme clears the system's log
sensitive kill: ends a process
  unless ^(-(s|n|-signal)\\n\\w+\\n|-\\w+\\n)?(--\\n)?(((?![01](\\n|$))%?\\d+|%[\\w+-]+|\\$|<)(\\n|$))*$ => extreme ends more than the processes that it names
  looks
extreme +services systemctl: changes the services of the system
- sensitive status show cat list-units is-active is-enabled: reads the services of the system
extreme hostname mount swapon hostnamectl timedatectl localectl loginctl: changes the machine
  lists
  looks
extreme networksetup scutil csrutil spctl nvram tccutil pmset tmutil dscl service shutdown reboot halt poweroff telinit
    init kexec hwclock nginx apachectl apache2ctl httpd launchctl supervisorctl defaults reg regedit diskpart format sc
    taskkill schtasks crontab at batch fuser nft iptables ip6tables iptables-restore ip6tables-restore ipset ufw
    firewall-cmd pfctl tc ifup ifdown nmcli sysctl: stops or changes the system or its network
  looks
sensitive apt apt-get aptitude dnf yum zypper apk brew port snap flatpak pacman pkg opkg choco scoop
    winget: reads or changes the system's packages
  looks
  -i --install -r --remove -P --purge -U --upgrade -e --erase -S --sync -R --configure --unpack -F
      --import -o -c: extreme changes the system's packages
- extreme install remove purge upgrade update full-upgrade dist-upgrade autoremove add del delete
    erase reinstall uninstall tap untap link unlink cleanup clean autoclean refresh refresh-keys
    downgrade swap distro-sync group groupinstall localinstall in rm up dup source build-dep
    edit-sources key services pin bundle: changes the system's packages
sensitive dpkg rpm dpkg-query apt-cache rpm2cpio: reads or changes the system's packages
  -i --install -r --remove -P --purge -U --upgrade -e --erase -F --configure --unpack --import:
      extreme changes the system's packages
extreme ldconfig alternatives update-alternatives dpkg-reconfigure xcode-select add-apt-repository apt-mark nix-shell
    nix nix-env modprobe insmod rmmod useradd userdel usermod groupadd groupdel groupmod adduser deluser addgroup passwd
    chpasswd visudo chsh: changes the system's packages, its network, its kernel or its users
sensitive ifconfig route arp ip: reads or changes the network
  words up down netmask broadcast mtu hw promisc add del flush delete set change replace append:
      extreme changes the network
  -d --delete -s --set -f --file: extreme changes the network
extreme lvextend lvresize lvreduce vgreduce vgextend pvmove pvresize growpart dmsetup partprobe e2fsck debugfs tune2fs
    resize2fs xfs_repair badblocks cfdisk sgdisk fdisk sfdisk gdisk parted wipefs mkswap swapoff umount losetup
    cryptsetup mdadm lvm pvcreate vgcreate lvcreate lvremove vgremove pvremove zfs zpool btrfs hdparm nvme blkdiscard
    fsck diskutil mke2fs mkfs: can destroy whole disks or files
extreme killall pkill renice prlimit wall write import screencapture osascript virsh
    qemu-system-x86_64 qemu-img: acts on other processes, users, the screen or virtual machines
extreme su runuser login newgrp sg chroot unshare nsenter setpriv capsh systemd-run systemd-nspawn
    bwrap firejail: gains privilege, or changes the confinement of a program
extreme dtrace bpftrace tmux screen zellij sem daemonize dtach abduco start-stop-daemon: starts
    programs that go on by themselves
extreme http.server SimpleHTTPServer smtpd pdb xmlrpc.server: serves files or runs code
extreme =runs_text watch hyperfine: runs text as code, again and again
code =runs_text run-parts parallel script expect gdb lldb entr perf coreutils: runs text as code
`;
