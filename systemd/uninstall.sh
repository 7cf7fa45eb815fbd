#!/bin/bash
# Remove the cosyedge service; --purge removes its configuration, state and user too.
set -euo pipefail

say() { echo "cosyedge: $*" >&2; }

purge=no
case ${1:-} in
    '') ;;
    --purge) purge=yes ;;
    *)
        echo "Usage: sudo systemd/uninstall.sh [--purge]" >&2
        exit 2
        ;;
esac
((EUID == 0)) || { say "run it as root: sudo $0"; exit 1; }

systemctl disable --now --quiet cosyedge.service 2>/dev/null || :
systemctl reset-failed cosyedge.service 2>/dev/null || :
rm -f /etc/systemd/system/cosyedge.service /etc/sysusers.d/cosyedge.conf \
    /etc/tmpfiles.d/cosyedge.conf /usr/lib/systemd/catalog/cosyedge.catalog
if [[ $(readlink /usr/local/bin/cosyedge) == /opt/cosyedge/* ]]; then
    rm -f /usr/local/bin/cosyedge
fi
rm -rf /opt/cosyedge
systemctl daemon-reload
journalctl --update-catalog 2>/dev/null || :

if [[ $purge == yes ]]; then
    rm -rf /etc/cosyedge /etc/credstore/cosyedge.* /var/lib/cosyedge /var/cache/cosyedge \
        {/etc/systemd/system,/etc/systemd/system.control,/run/systemd/system.control}/cosyedge.service.d
    if getent passwd cosyedge >/dev/null; then userdel cosyedge; fi
    if getent group cosyedge >/dev/null; then groupdel cosyedge; fi
    say "removed, with configuration, state and user"
else
    say "removed; /etc/cosyedge and /var/lib/cosyedge are kept (--purge removes them)"
fi
