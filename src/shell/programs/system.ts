/**
 * The machine: its processes, packages, services, disks and users.
 */

/** Rows of the program table. */
export const SYSTEM_PROGRAMS = `
safe uname arch which whereis sleep usleep nproc uptime free vmstat iostat mpstat lscpu lsblk lspci
    lsusb lsmod lsb_release getconf locale tty who w whoami id groups logname users last printenv
    sw_vers neofetch fastfetch nvidia-smi sensors tput stty clear reset apropos whatis tldr ps pgrep
    pstree pidof pidstat pmap man info top htop btop glances atop findmnt blkid: only reads
safe date: only reads
  -s --set: extreme sets the clock
safe ss netstat lsof: only reads
  -K --kill: extreme ends connections
  -D --diag: write
sensitive dmesg journalctl: reads the system's log
  -C --clear -c --read-clear --vacuum-size --vacuum-time --vacuum-files --rotate: extreme clears the
      system's log
sensitive kill: ends a process
  unless ^(-(s|n|-signal)\\n\\w+\\n|-\\w+\\n)?(--\\n)?(((?![01](\\n|$))%?\\d+|%[\\w+-]+|\\$|<)(\\n|$))*$ => extreme ends more than the processes that it names
  looks
unknown service rc-service: uses the services of the system
  unless \\nstatus$|^--status-all$ => extreme stops or changes the services of the system
extreme +services systemctl: changes the services of the system
- sensitive status show cat list-units is-active is-enabled: reads the services of the system
extreme hostname mount swapon hostnamectl timedatectl localectl loginctl: changes the machine
  lists
  looks
extreme shutdown reboot halt poweroff telinit init kexec hwclock ntpdate rtcwake nginx apachectl
    apache2ctl httpd rc-update update-rc.d chkconfig launchctl initctl sv runit
    supervisorctl networksetup scutil defaults csrutil spctl nvram tccutil bless dsenableroot pmset
    systemsetup tmutil kextload kextunload reg regedit diskpart format bcdedit netsh sc taskkill
    wmic icacls takeown schtasks cipher crontab anacron atq atrm at batch fuser nft iptables
    ip6tables iptables-restore ip6tables-restore arptables ipset ufw firewall-cmd ebtables pfctl tc
    ifup ifdown dhclient nmcli iwconfig rfkill sysctl: stops or changes the system or its network
  looks
sensitive apt apt-get aptitude dnf yum zypper yay paru apk emerge brew port snap flatpak pacman
    xbps-install pkg pkgin opkg choco scoop winget mas: reads or changes the system's packages
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
extreme ldconfig alternatives update-alternatives locale-gen dpkg-reconfigure debconf softwareupdate
    xcode-select installer pkgutil add-apt-repository apt-key apt-mark nix-shell nix nix-env
    nixos-rebuild modprobe insmod rmmod depmod dkms grub-install update-grub
    grub-mkconfig efibootmgr bootctl mkinitcpio update-initramfs dracut setenforce aa-disable
    apparmor_parser auditctl useradd userdel usermod groupadd groupdel groupmod adduser deluser
    addgroup passwd chpasswd visudo vipw gpasswd chage chsh chfn dscl: changes the system's
    packages, its network, its kernel or its users
sensitive ifconfig route arp ip: reads or changes the network
  words up down netmask broadcast mtu hw promisc add del flush delete set change replace append:
      extreme changes the network
  -d --delete -s --set -f --file: extreme changes the network
extreme lvextend lvresize lvreduce vgreduce vgextend pvmove pvresize growpart fdisk sfdisk cfdisk
    gdisk sgdisk parted wipefs mkswap swapoff umount losetup cryptsetup mdadm lvm pvcreate vgcreate
    lvcreate lvremove vgremove pvremove zfs zpool btrfs hdparm nvme smartctl blkdiscard badblocks
    e2fsck fsck debugfs tune2fs resize2fs xfs_repair diskutil hdiutil eject partprobe mke2fs dmsetup
    mkfs fastboot: can destroy whole disks or files
extreme killall pkill killall5 skill xkill slay renice prlimit cgexec cgcreate cgset logger mesg
    wall write talk xdotool ydotool wtype xte xinput xset xrandr xmodmap setxkbmap import scrot
    screencapture osascript virsh qemu-system-x86_64 qemu-img VBoxManage vmrun multipass lima
    limactl: acts on other processes, users, the screen or virtual machines
extreme su runuser login newgrp sg chroot unshare nsenter setpriv capsh systemd-run systemd-nspawn
    bwrap firejail: gains privilege, or changes the confinement of a program
extreme dtrace bpftrace tmux screen zellij sem daemonize dtach abduco start-stop-daemon: starts
    programs that go on by themselves
extreme watch hyperfine: runs text as code, again and again
  runs_text
code parallel script expect gdb lldb entr perf coreutils: runs text as code
  runs_text
`;
