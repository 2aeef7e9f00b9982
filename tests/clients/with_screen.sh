#!/usr/bin/env bash
# Runs a command with a screen in memory, made by Xvfb, unless there is a screen. Xvfb itself tells its number when it is ready, and
# does not begin anew when a program closes its last window: ParaView opens another one at once, which then found no server.
#
#   tests/clients/with_screen.sh COMMAND...
set -euo pipefail
if [[ -n ${DISPLAY:-} ]]; then
    exec "$@"
fi
folder=$(mktemp -d)
server=
finish() {
    [[ -z $server ]] || kill "$server" 2> /dev/null || true
    rm -rf "$folder"
}
trap finish EXIT
mkfifo "$folder/number"
Xvfb -displayfd 3 -screen 0 1280x1024x24 -noreset -nolisten tcp 3> "$folder/number" > /dev/null 2> "$folder/errors" &
server=$!
if ! read -r -t 120 number < "$folder/number"; then
    echo "Xvfb did not start" >&2
    cat "$folder/errors" >&2
    exit 1
fi
DISPLAY=:$number "$@"
