#!/bin/bash
# Install or upgrade cosyedge as a system service; run it again at any time.
set -euo pipefail

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOT=/opt/cosyedge
CURRENT=$ROOT/venv
STATE=/var/lib/cosyedge
CONFIG=/etc/cosyedge/cosyedge.toml
UNIT=/etc/systemd/system/cosyedge.service
PYTHON=${PYTHON:-/usr/bin/python3}

usage() {
    cat <<'TEXT'
Usage: sudo systemd/install.sh [--wheelhouse DIR | --index-url URL] [options]

  --wheelhouse DIR  Install from the wheels in DIR alone; no network is used.
  --index-url URL   Install from this package index (a mirror near you); without it pip's own
                    configuration decides.
  --package SPEC    What to install instead of the folder that this script lies in.
  --extras NAMES    Extras, with commas between. Default: voice. Empty: none.
  --no-start        Install, but neither enable nor start the service.
  -h, --help        Show this and leave.

It makes /opt/cosyedge (a Python environment of its own), the user cosyedge, the unit, and
/etc/cosyedge/cosyedge.toml if that is not there. An upgrade that does not become ready is
taken back: the version, unit and journal of before run on.
TEXT
}

say() { echo "cosyedge: $*" >&2; }
die() { say "$*"; exit 1; }

wheelhouse='' index='' package='' extras=voice start=yes
while (($#)); do
    case $1 in
        --wheelhouse) wheelhouse=${2:?--wheelhouse needs a folder}; shift 2 ;;
        --index-url) index=${2:?--index-url needs an address}; shift 2 ;;
        --package) package=${2:?--package needs a name}; shift 2 ;;
        --extras) extras=${2?--extras needs names}; shift 2 ;;
        --no-start) start=no; shift ;;
        -h | --help) usage; exit 0 ;;
        *) usage >&2; exit 2 ;;
    esac
done

((EUID == 0)) || die "run it as root: sudo $0"
command -v systemctl >/dev/null || die "this system has no systemd"
"$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
    die "$PYTHON must be Python 3.11 or newer"
"$PYTHON" -c 'import ensurepip, venv' 2>/dev/null ||
    die "python3-venv is missing: apt install python3-venv"
[[ -z $wheelhouse || -d $wheelhouse ]] || die "$wheelhouse is no folder"

if [[ -z $package ]]; then
    package=cosyedge
    [[ -z $wheelhouse && -f $HERE/../pyproject.toml ]] && package=$(cd "$HERE/.." && pwd)
fi
[[ -n $extras ]] && package="$package[$extras]"

# A release is a folder that is never changed; `venv` is a link to the one in use.
make_release() {
    local options=(--disable-pip-version-check --no-input --quiet)
    if [[ -n $wheelhouse ]]; then
        options+=(--no-index --find-links "$wheelhouse")
    elif [[ -n $index ]]; then
        options+=(--index-url "$index")
    fi
    umask 022
    mkdir -p "$ROOT/releases"
    release=$(mktemp -d "$ROOT/releases/$(date -u +%Y%m%dT%H%M%S).XXXX")
    chmod 755 "$release"
    say "installing $package into $release"
    if ! "$PYTHON" -m venv "$release" ||
        ! "$release/bin/python" -m pip install "${options[@]}" "$package"; then
        rm -rf "$release"
        die "pip could not install it; nothing was changed"
    fi
}

install_files() {
    install -m 644 "$HERE/cosyedge.service" "$UNIT"
    install -D -m 644 "$HERE/cosyedge.sysusers" /etc/sysusers.d/cosyedge.conf
    install -D -m 644 "$HERE/cosyedge.tmpfiles" /etc/tmpfiles.d/cosyedge.conf
    install -D -m 644 "$HERE/cosyedge.catalog" /usr/lib/systemd/catalog/cosyedge.catalog
    systemd-sysusers /etc/sysusers.d/cosyedge.conf
    if [[ ! -e $CONFIG ]]; then
        install -D -m 640 "$(packaged_config)" "$CONFIG"
    fi
    systemd-tmpfiles --create /etc/tmpfiles.d/cosyedge.conf
    journalctl --update-catalog 2>/dev/null || say "the journal's catalogue could not be updated"
}

packaged_config() {
    "$release/bin/python" -c '
from importlib.resources import files
print(files("cosyedge") / "data" / "config" / "cosyedge.toml")'
}

keep_what_runs() {
    previous=''
    [[ -L $CURRENT ]] || return 0
    previous=$(readlink -f "$CURRENT")
    kept=$(mktemp -d "$ROOT/releases/.before.XXXX")
    cp -a "$UNIT" "$kept/" 2>/dev/null || :
    # A newer version may change the journal's tables, which the one before cannot read.
    cp -a "$STATE"/journal.* "$kept/" 2>/dev/null || :
}

put_back() {
    say "it did not become ready; the version of before is put back"
    journalctl -u cosyedge -n 20 --no-pager -o cat >&2 || :
    systemctl stop cosyedge.service || :
    point_to "$previous"
    if [[ -e $kept/cosyedge.service ]]; then cp -a "$kept/cosyedge.service" "$UNIT"; fi
    rm -f "$STATE"/journal.*
    cp -a "$kept"/journal.* "$STATE/" 2>/dev/null || :
    rm -rf "$kept" "$release"
    systemctl daemon-reload
    systemctl start cosyedge.service || die "the version of before does not start either"
    die "not upgraded"
}

point_to() {
    ln -sfn "$1" "$CURRENT.new"
    mv -T "$CURRENT.new" "$CURRENT"
}

forget_older_releases() {
    local each
    for each in "$ROOT"/releases/*; do
        [[ $each == "$release" || $each == "$previous" ]] || rm -rf "$each"
    done
    rm -rf "$ROOT"/releases/.before.*
}

make_release
was_running=no
if systemctl is-active --quiet cosyedge.service; then
    was_running=yes
    systemctl stop cosyedge.service
fi
keep_what_runs
install_files
point_to "$release"
ln -sfn "$CURRENT/bin/cosyedge" /usr/local/bin/cosyedge
systemctl daemon-reload
if [[ $start == yes || $was_running == yes ]]; then
    [[ $start == yes ]] && systemctl enable --quiet cosyedge.service
    if ! systemctl start cosyedge.service; then
        [[ -n $previous ]] && put_back
        journalctl -u cosyedge -n 20 --no-pager -o cat >&2 || :
        die "it is installed but does not become ready: see above, then edit $CONFIG"
    fi
fi
forget_older_releases
say "$("$CURRENT/bin/cosyedge" --version 2>/dev/null || echo cosyedge) is installed; configuration: $CONFIG"
