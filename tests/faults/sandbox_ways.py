"""Ways out of the sandbox that are made of parts: each protected place by each act, each secret by each way to read.

A way is a line for /bin/sh in the workspace of `sandbox_world.py`, with @NAMES@ for what is in that world. Those of
other kinds are in `sandbox_more_ways.py`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Way:
    """`says` are words that must not be in what reached the model, besides any secret. `then` are more calls, one
    after the other; `beside` is one that already runs, from when it has made the file `begun`."""

    name: str
    line: str
    says: tuple[str, ...] = ()
    network: bool = False
    then: tuple[str, ...] = ()
    beside: str = ""


ACT = "@PY@ acts.py"
PLACES = {
    "the repository": ".git",
    "its hooks": ".git/hooks",
    "its configuration": ".git/config",
    "a repository within": "sub/.git",
    "a repository five folders down": "deep/a/b/c/d/.git",
    "a bare repository": "bare.git",
    "a worktree's file": "wt/.git",
    "a submodule's file": "mod/.git",
    "our settings": ".jp-tui",
    "a read-only folder": "d/e/vendor",
    "a read-only file": "pinned.txt",
}
ACTS = {
    "written in": "echo x >> @P@ ; echo x > @P@/new ; echo x >> @P@/config; echo x >> @P@/hooks/post-checkout",
    "renamed": "mv @P@ @P@.old ; mv @P@ plain/",
    "removed": "rm -rf @P@ ; rmdir @P@ ; unlink @P@",
    "replaced by a folder": "mv -T prepared @P@ ; rm -rf @P@ && cp -r prepared @P@ ; cp -r prepared/. @P@/",
    "replaced by a file": (
        "mv -f -T plain/file.txt @P@ ; ln -f plain/file.txt @P@ ; cp -f --remove-destination acts.py @P@"
    ),
    "replaced by a link": "ln -sfn ../plain @P@ ; ln -sfn plain/file.txt @P@ ; mv @P@ @P@2 && ln -s plain @P@",
    "exchanged": f"{ACT} exchange prepared @P@ ; {ACT} exchange plain/file.txt @P@ ; {ACT} exchange @P@ prepared",
    "with other rights": f"chmod -R 777 @P@ ; chown -R 1:1 @P@ ; {ACT} named @P@ ; {ACT} times @P@ ; touch -d @0 @P@",
    "bound over": (
        f"{ACT} bind prepared @P@ ; mount --bind prepared @P@ && echo x > @P@/bound ; {ACT} unmount @P@ ; "
        "echo x > @P@/x"
    ),
    "through /proc": (
        "echo x > /proc/self/root@ROOT@/@P@/new ; echo x >> /proc/self/cwd/@P@ ; "
        "mv /proc/1/root@ROOT@/@P@ /proc/1/root@ROOT@/gone"
    ),
}
PARENTS = {
    "the parent of a repository": ("sub", ".git"),
    "the top above a deep repository": ("deep", "a/b/c/d/.git"),
    "a middle above a deep repository": ("deep/a/b", "c/d/.git"),
    "the parent of a worktree's file": ("wt", ".git"),
    "the parent of a submodule's file": ("mod", ".git"),
    "the top above a read-only folder": ("d", "e/vendor"),
    "the parent of a read-only folder": ("d/e", "vendor"),
    "the top above a missing read-only path": ("locked", "deep/missing"),
    "the parent of a missing read-only path": ("locked/deep", "missing"),
    "the parent of a secret that its folder makes one": ("p/.aws", "credentials"),
}
MOVES = {
    "moved away and made again": "mv @P@ @P@2 && mkdir -p @P@/@R@/hooks && echo x > @P@/@R@/hooks/pre-commit",
    "exchanged": f"mkdir -p new/@R@/hooks && {ACT} exchange new @P@",
    "removed and made again": "rm -rf @P@ ; mkdir -p @P@/@R@ ; echo x > @P@/@R@/config",
    "replaced by a link": "mv @P@ moved && ln -s plain @P@ ; ln -sfn plain @P@",
}
MISSING = {
    "our older settings": ".jp_tui",
    "a missing read-only path": "locked/deep/missing",
}
MAKING = {
    "as a folder": "mkdir -p @P@/x ; echo x > @P@/x/config.toml ; echo x > @P@/config.toml",
    "as a file": "echo x > @P@ ; touch @P@/y ; cp acts.py @P@",
    "as a link": "ln -s plain @P@ ; rmdir @P@ && ln -s plain @P@",
    "by a rename": "mv -T prepared @P@ ; rmdir @P@ ; mv prepared @P@ ; cp -r prepared @P@",
    "by an exchange": f"{ACT} exchange prepared @P@",
    "without a name first": f"{ACT} unnamed . @P@ ; {ACT} unnamed @P@ @P@/x",
}
SECRETS = {
    ".env": ".env",
    "one in a folder": "cfg/.env.production",
    "a key": "id_rsa",
    "one by its ending": "certs/a.p12",
    "one by its folder": "p/.aws/credentials",
    "another name of .env": "copy.txt",
    "a link to one beside the workspace": "link",
    "a link to one elsewhere": "outlink",
    "one behind a linked folder": "outfolder/.env",
    "one in a read-only folder": "d/e/vendor/.netrc",
    "one in a visible place": "@HOME@/.cargo/bin/.env",
    "settings in a visible place": "@HOME@/.cargo/registry/npmrc",
}
READING = {
    "read": "cat @P@ ; head -c 99 < @P@ ; grep -r . @P@ ; od -c @P@",
    "copied": "cp @P@ leak ; cp -L @P@ leak2 ; dd if=@P@ of=leak3 ; tar cf leak.tar @P@ ; cat leak* ",
    "renamed": "mv @P@ leak ; cat leak ; mv @P@ @P@.txt ; cat @P@.txt",
    "by another name": 'ln @P@ leak ; ln -s "$(pwd)/@P@" leak2 ; cat leak leak2 ; ln -L @P@ leak3 ; cat leak3',
    "by a program": f"{ACT} read @P@ ; {ACT} mapped @P@ ; {ACT} linked @P@ leak ; cat leak ; {ACT} handle @P@",
    "uncovered": (
        f"{ACT} unmount @P@ ; cat @P@ ; {ACT} exchange @P@ plain/file.txt ; cat plain/file.txt ; rm -f @P@ ; cat @P@"
    ),
}
HOME = {
    "a key": ".ssh/id_ed25519",
    "a token": ".config/gh/hosts.yml",
    "cloud credentials": ".aws/credentials",
    "a start-up file": ".bashrc",
    "notes": "notes.txt",
    "a package manager's token": ".npmrc",
    "cargo's token": ".cargo/credentials.toml",
    "what a link leads to": ".docker/id_rsa",
    "what a link leads to elsewhere": ".kube/config",
    "a visible place that is a link to keys": ".local/bin/id_ed25519",
    "a neighbour of the workspace": "src/other/plain.txt",
}
REACHING = {
    "by its name": "cat @HOME@/@P@ ~/@P@ ; cp -r @HOME@/@P@ leak ; ls -la @HOME@/@P@",
    "by another way": (
        "cat ../../@P@ /proc/self/root@HOME@/@P@ /proc/1/root@HOME@/@P@ /proc/1/cwd/../../@P@ ; "
        "ln -s @HOME@/@P@ leak ; cat leak"
    ),
}


def ways() -> list[Way]:
    """Every combination."""
    found = [
        Way(f"{what} {how}", line.replace("@P@", place)) for what, place in PLACES.items() for how, line in ACTS.items()
    ]
    found += [
        Way(f"{what} {how}", line.replace("@P@", place).replace("@R@", rest))
        for what, (place, rest) in PARENTS.items()
        for how, line in MOVES.items()
    ]
    for places, acts in ((MISSING, MAKING), (SECRETS, READING), (HOME, REACHING)):
        found += [
            Way(f"{what} {how}", line.replace("@P@", place))
            for what, place in places.items()
            for how, line in acts.items()
        ]
    return found
