#!/bin/sh
# What runs in the container. An empty state directory gets the settings that a container needs: the port is published by the engine, so
# margay listens on all addresses of the container, and TLS is the business of the proxy before it.
set -eu
umask 077
if [ ! -e "$MARGAY_HOME/config.json" ]; then
  mkdir -p "$MARGAY_HOME" /data/workspace
  printf '%s\n' '{' '  "workspace": "/data/workspace",' '  "gateway": { "host": "0.0.0.0", "allowPlainHttp": true }' '}' \
    >"$MARGAY_HOME/config.json"
fi
exec margay "$@"
