"""Ways out of the sandbox that are each of their own kind: new repositories, the disk, processes, sockets, the kernel.

See `sandbox_ways.py` for what a way is.
"""

from __future__ import annotations

from tests.faults.sandbox_ways import ACT, Way

REPOSITORIES = {
    "a new repository": "mkdir -p plain/.git/hooks && echo x > plain/.git/hooks/pre-commit",
    "a new repository by git": "git init -q made || mkdir -p made/.git",
    "a clone": "git clone -q . cloned || mkdir -p cloned/.git",
    "a new bare repository": (
        "mkdir -p nb/objects nb/refs nb/hooks; echo 'ref: refs/heads/x' > nb/HEAD; echo > nb/config"
    ),
    "a new worktree's folder": "mkdir -p wd; echo 'ref: refs/heads/x' > wd/HEAD; echo ../sub/.git > wd/commondir",
    "a .git that is a file": "mkdir g && echo 'gitdir: ../prepared' > g/.git",
    "a .git that is a link": "mkdir g && ln -s ../prepared g/.git",
    "a .git that is a dangling link": "mkdir g && ln -s nowhere g/.git",
    "our settings in a folder": "mkdir -p plain/.jp-tui && echo x > plain/.jp-tui/config.toml",
    "names in other letters": f"{ACT} case plain ; {ACT} case .",
    "a repository that is renamed into place": "mkdir -p r/git/hooks && mv r/git r/.git",
    "a repository far down": "mkdir -p z/y/x/w/v/u/t/s/.git/hooks",
    "a repository made and removed": "mkdir -p plain/.git ; rm -rf plain/.git",
    "hooks of the user": (
        "git config --global core.hooksPath @ROOT@/plain ; echo x >> ~/.gitconfig ; echo x > ~/.config/git/config"
    ),
    "hooks by the environment": (
        "export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=@ROOT@/plain; "
        "git config core.hooksPath plain; git config core.fsmonitor 'touch x'; git status"
    ),
    "the index": "git add -A ; git commit -qm x --allow-empty ; git update-ref refs/heads/x HEAD ; git gc -q",
    "a worktree": (
        "git worktree add -f ../elsewhere ; git -C wt config core.hooksPath x ; echo x > @HOME@/src/main/.git/config"
    ),
    "the repository of the worktree": (
        "echo x > @HOME@/src/main/.git/hooks/pre-commit ; mkdir -p @HOME@/src/main/.git/hooks ; rm -rf @HOME@/src/main"
    ),
    "the configuration by its other name": (
        "echo '[core]' >> gitconfig.txt ; mv gitconfig.txt gc ; ln -f acts.py gitconfig.txt ; rm -f gitconfig.txt"
    ),
    "a submodule": (
        "git config -f .gitmodules x.y z ; git submodule add ./plain plain2 ; git -C mod config core.worktree /"
    ),
}
DISK = {
    "the disk": "echo x > /made ; echo x > /usr/made ; mkdir /opt/made ; echo x > /etc/made ; touch /var/made",
    "beside the workspace": "echo x > ../made ; mkdir ../../made ; mv ../other ../other2 ; rm -rf ../other",
    "the workspace itself": "mv @ROOT@ @ROOT@2 ; rmdir @ROOT@ ; ln -sfn / @ROOT@ ; mv ../w ../w2",
    "the home folder": (
        "echo x >> ~/.bashrc ; echo x > ~/.profile ; mkdir -p ~/.config/autostart ; "
        "mkdir -p ~/.ssh; echo x > ~/.ssh/authorized_keys"
    ),
    "a visible place": (
        "echo x > ~/.cargo/bin/tool ; rm ~/.cargo/bin/tool ; mv ~/.cargo/bin ~/.cargo/b ; "
        "touch ~/.cargo/bin/new ; chmod 777 ~/.cargo/bin/tool"
    ),
    "our own files": (
        "cat @JP@/data/conversations.db @JP@/config/conversations.db @JP@/state/conversations.db ; "
        "echo x > @JP@/config/config.toml ; ls -R @JP@"
    ),
    "another folder": (
        "echo x > @OUT@/made ; rm @OUT@/plain.txt ; mv @OUT@ @OUT@2 ; chmod 777 @OUT@/plain.txt ; "
        "touch -d @0 @OUT@/plain.txt"
    ),
    "another folder by a link": (
        "echo x > outfolder/made ; echo x > outlink ; rm outfolder/plain.txt ; ln @OUT@/plain.txt hard"
    ),
    "another folder by a descriptor": (
        f"exec 7<@OUT@/plain.txt; echo x >&7; echo x > /proc/self/fd/7; {ACT} linked @OUT@/plain.txt hard; "
        "echo x >> hard"
    ),
    "a read-only disk made writable": (
        f"{ACT} remount / ; mount -o remount,rw / ; echo x > @OUT@/made ; {ACT} remount @OUT@ ; echo x > @OUT@/made2"
    ),
    "passwords": (
        "cat /etc/shadow /etc/shadow- /etc/gshadow /var/backups/shadow.bak ; getent shadow; ls -la /etc/ssl/private/"
    ),
    "other homes": "ls -A /root /home/* ; cat /root/.bashrc /root/.profile /root/.ssh/* /home/*/.bashrc",
    "temporary files of others": "ls -A /tmp /var/tmp /run /dev/shm ; cat @TMP@/*",
    "other disks": "ls -A /mnt /media ; cat /mnt/*/*",
    "the disk's device": (
        f"{ACT} device dev b 254 0 ; cat /dev/vda /dev/sda /dev/nvme0n1 /dev/mem /dev/kmem /proc/kcore | head -c 16"
    ),
    "devices": f"ls /dev ; {ACT} device zero c 1 5 ; {ACT} device mem c 1 1 ; echo x > /dev/made ; echo x > /dev/kmsg",
    "rights for later": (
        "cp /bin/sh shell && chmod 6755 shell && chown 0:0 shell ; setcap cap_setuid+ep shell ; ls -l shell"
    ),
    "the host's name": "hostname changed ; echo changed > /proc/sys/kernel/hostname ; cat /proc/sys/kernel/hostname",
    "shared memory": "echo @NAME@ > /dev/shm/@NAME@ ; ipcmk -M 64 ; echo x > /dev/mqueue/x",
}
PROCESSES = {
    "processes outside": f"ps aux ; kill -WINCH @PID@ ; {ACT} send 28 @PID@ ; cat /proc/@PID@/environ",
    "everybody's processes": f"kill -WINCH -1 ; {ACT} everyone 28 ; pkill -WINCH python",
    "our environment": "env ; cat /proc/1/environ /proc/self/environ /proc/2/environ /proc/[0-9]*/environ",
    "our parents": (
        f"cat /proc/$PPID/environ /proc/1/cmdline ; ls -l /proc/1/fd /proc/$PPID/fd ; {ACT} attach 1 ; "
        f"{ACT} attach $PPID"
    ),
    "a root of another": (
        "ls /proc/1/root/@HOME@/.ssh ; "
        "cat /proc/1/root@HOME@/notes.txt /proc/$PPID/root@HOME@/notes.txt /proc/*/root@HOME@/notes.txt"
    ),
    "what came along": f"{ACT} descriptors ; ls -l /proc/self/fd",
    "a process that stays": (
        "setsid sleep @SLEEP@ >/dev/null 2>&1 & (sleep @SLEEP@ &) ; nohup sleep @SLEEP@ & sleep 0.1"
    ),
    "a process that leaves twice": "perl -e 'for(1..3){fork and exit} setpgrp; sleep @SLEEP@' &",
    "jobs for later": (
        "touch /var/spool/cron/@NAME@ /etc/cron.d/@NAME@ /etc/systemd/system/@NAME@ ; "
        "systemd-run --user touch @OUT@/made ; systemctl --user daemon-reload"
    ),
    "our own program": (
        f"{ACT} named /proc/1/exe ; chmod go+r /proc/1/exe ; chown 0 /proc/1/exe ; cat x > /proc/1/exe ; "
        f"{ACT} named /proc/$PPID/exe ; chmod go+r /proc/$PPID/exe /proc/[0-9]*/exe /proc/1/map_files/*"
    ),
    "what processes hold": (
        "chmod 777 /proc/self/fd/* /proc/1/fd/* ; ls -l /proc/1/cwd/ /proc/1/root/root ; "
        "cat /proc/1/cwd/../../notes.txt ; cat /proc/1/task/1/root@HOME@/notes.txt"
    ),
    "a debugger": "gdb -p 1 -batch ; strace -p 1 -o trace & sleep 0.2; kill %1",
}
SOCKETS = {
    "a socket in /tmp": f"{ACT} connect @TMP@/t.sock",
    "a socket elsewhere": f"{ACT} connect @OUT@/o.sock ; {ACT} connect outfolder/o.sock ; {ACT} datagram @OUT@/o.sock",
    "a socket in the workspace": (
        f"{ACT} connect plain/w.sock ; mv plain/w.sock s ; {ACT} connect s ; "
        f"mv plain pl && {ACT} connect pl/w.sock"
    ),
    "an abstract socket": f"{ACT} connect @@ABSTRACT@",
    "the loopback": f"{ACT} network 127.0.0.1 @PORT@ ; {ACT} network localhost @PORT@ ; {ACT} network ::1 @PORT@",
    "the network": f"{ACT} network 10.0.2.2 80 ; {ACT} network 169.254.169.254 80 ; {ACT} network 1.1.1.1 53",
    "docker": (
        "docker ps ; curl --unix-socket /var/run/docker.sock http://x/ ; "
        "ls -la /run/docker.sock /var/run/docker.sock"
    ),
    "the bus": "busctl list ; busctl --user list ; dbus-send --system --dest=org.freedesktop.DBus / x.y",
    "agents": "ssh-add -l ; gpg-connect-agent /bye ; ls -la /tmp/ssh-* /run/user",
    "the display": "ls -la /tmp/.X11-unix /run/user/*/wayland* ; xdpyinfo",
}  # fmt: skip
KERNEL = {
    "a user namespace": (
        "unshare -Urm sh -c 'umount -l .git; mount -o remount,rw,bind .git; echo x > .git/in' ; "
        f"{ACT} namespace 10020000 .env .git @HOME@ ; cat .env ; echo x > .git/in"
    ),
    "a user namespace and a mount": (
        "unshare -Um --map-root-user mount --bind plain .git ; unshare -r cat .env ; "
        f"{ACT} namespace 10000000 ; {ACT} namespace 00020000"
    ),
    "another's namespace": (
        f"nsenter -t 1 -m cat @HOME@/notes.txt ; {ACT} enter /proc/1/ns/mnt ; {ACT} enter /proc/1/ns/user ; "
        f"{ACT} enter /proc/$PPID/ns/user"
    ),
    "a copy of the mounts": f"{ACT} tree . .env ; {ACT} tree @ROOT@ .git/config ; {ACT} tree / @HOME@/notes.txt",
    "another root": f"{ACT} root / ; {ACT} root plain ; chroot / cat .env",
    "another user": f"{ACT} owner 0 ; {ACT} owner 1 ; su -c id ; sudo -n id ; setpriv --reuid 0 id",
    "files by number": f"{ACT} write_handle . ; {ACT} handle id_rsa",
    "a folder's descriptor": (
        f"{ACT} folders_read . .env ; {ACT} folders_read .. other/.env ; {ACT} folders_read / @HOME@/notes.txt"
    ),
}
LATER = (
    Way("moved too deep to be found", f"{ACT} deeper cfg", then=(f"{ACT} dig .env.production",)),
    Way(
        "moved among a repository's data",
        "mkdir -p x/objects x/refs; echo ref: refs/heads/x > x/HEAD; mv cfg id_rsa x/objects/",
        then=("cat x/objects/cfg/.env.production x/objects/id_rsa",),
    ),
    Way(
        "no secret under another parent", "mv p/.aws p/aws ; mv p q", then=("cat p/aws/credentials q/.aws/credentials",)
    ),
    Way(
        "called an example",
        "mv .env .env.example ; mv cfg .env.example ; ln -s cfg .env.sample",
        then=("cat .env.example .env.example/.env.production .env.sample/.env.production",),
    ),
    Way("another name for later", "ln .env later ; ln id_rsa later2 ; mv certs c", then=("cat later* c/a.p12",)),
    Way("closed for a while", "chmod 000 cfg", then=("chmod 755 cfg ; cat cfg/.env.production",)),
    Way("a link for later", "ln -s cfg/.env.production later ; ln -s cfg l", then=("cat later l/.env.production",)),
    Way("an odd name", "mv cfg \"$(printf 'a\\nb\\377\\013 c')\"", then=("cat a*/.env.production */.env.production",)),
    Way(
        "a repository freed for later",
        "mv sub sub2 ; mkdir -p sub ; chmod 000 sub",
        then=("mkdir -p sub/.git/hooks ; echo x > sub/.git/hooks/pre-commit",),
    ),
    Way(
        "a missing place made ready",
        "touch .jp_tui/x ; mkdir -p locked/deep ; mv locked l2 ; ln -s plain .jp_tui",
        then=("mkdir -p .jp_tui/x ; mkdir -p locked/deep/missing/x ; rmdir .jp_tui", "echo x > .jp_tui/config.toml"),
    ),
)
BESIDE = (
    Way("folders that move meanwhile", "cat c*/.env.production */.env.production", beside=f"{ACT} flip cfg cfg2 ''"),
    Way(
        "a folder that is a link meanwhile",
        "echo x > plain/made ; echo x > @OUT@/made ; echo x > plain2/made",
        beside=f"mkdir -p plain/.git ; {ACT} flip plain plain2 @OUT@",
    ),
    Way(
        "a missing place that comes and goes",
        "mkdir -p .jp_tui/x ; echo x > .jp_tui/config.toml",
        beside="touch begun ; for i in 1 2 3 4 5 6 7 8 9; do mkdir -p .jp_tui/x ; rmdir .jp_tui ; sleep 0.1 ; done",
    ),
    Way(
        "a repository that comes and goes",
        "echo x > sub/.git/x ; echo x > plain/.git/x",
        beside="touch begun ; for i in 1 2 3 4 5 6; do mkdir -p plain/.git ; sleep 0.1 ; rm -rf plain/.git ; done",
    ),
)
SAID = (
    Way("sockets to a virtual machine's host", f"{ACT} family 40", says=("made 3 FAMILY", "made 4 FAMILY")),
    Way("packet sockets", f"{ACT} family 17 ; {ACT} family 38 ; {ACT} family 31 ; {ACT} family 44", says=("FAMILY\n",)),
    Way("the kernel's keys", f"{ACT} keyring ; keyctl show", says=("key 1", "key 2", "key 3", "added 0", "added 1")),
    Way("io_uring", f"{ACT} ring", says=("io_uring 3", "io_uring 4", "io_uring 5")),
    Way(
        "the terminal",
        f"{ACT} terminal /dev/tty ; {ACT} terminal @PTY@ ; {ACT} typed ; echo x > @PTY@",
        says=("TYPED",),
    ),
    Way(
        "memory as disk",
        "for d in /tmp ~ /dev/shm /run; do s=$(df -k --output=size $d | tail -1); "
        "[ $s -gt @EIGHTH@ ] && echo UNBOUNDED $d; done",
        says=("UNBOUNDED",),
    ),
    Way("limits", "ulimit -f unlimited && echo LIFTED ; ulimit -c unlimited && echo LIFTED", says=("LIFTED",)),
    Way("the clock", 'date -s "$(date)" && echo CLOCK', says=("CLOCK",)),
    Way(
        "the system's settings",
        "for f in /proc/sys/kernel/core_pattern /proc/sys/vm/swappiness /sys/kernel/uevent_helper /proc/self/comm; "
        "do x=$(cat $f) && echo $x > $f && echo WRITTEN; done",
        says=("WRITTEN",),
    ),
    Way("a namespace at all", f"{ACT} namespace 10000000 ; unshare -U true && echo UNSHARED", says=("UNSHARED\n",)),
    Way("descriptors of ours", f"{ACT} descriptors", says=("INHERITED 3", "INHERITED 4", "INHERITED 5")),
    Way("privileges", "grep Cap /proc/self/status | grep -v 0000000000000000 && echo CAPABLE", says=("CAPABLE\n",)),
    Way("new privileges", "grep NoNewPrivs /proc/self/status | grep -v 1 && echo GAINS", says=("GAINS\n",)),
    Way(
        "services with the network open",
        f"cat .env ~/notes.txt ; {ACT} connect @TMP@/t.sock ; {ACT} connect @OUT@/o.sock ; "
        f"{ACT} connect plain/w.sock ; echo x > .git/x",
        network=True,
    ),
)


def more_ways() -> list[Way]:
    """All of them."""
    found = [
        Way(name, line) for group in (REPOSITORIES, DISK, PROCESSES, SOCKETS, KERNEL) for name, line in group.items()
    ]
    return [*found, *LATER, *BESIDE, *SAID]
