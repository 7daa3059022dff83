# margay in a container: the gateway, as a user without rights, with its state and its workspace in the volume /data.
# docs/install.md says how it is run and what the sandbox of commands needs.
FROM node:24-bookworm-slim AS build
WORKDIR /src
COPY . .
# Node is that of the image; the one of the checkout (125 MB) comes by a script of its package, which does not run.
RUN npm ci --ignore-scripts --no-audit --no-fund \
  && npm run build \
  && mkdir /packed \
  && npm pack --ignore-scripts --pack-destination /packed ./packages/app

FROM node:24-bookworm-slim
# bubblewrap and what it needs confine commands; git, curl, python3 and the like are what commands are made of: add yours here.
RUN apt-get update \
  && apt-get install -y --no-install-recommends bubblewrap ca-certificates curl git procps python3-minimal ripgrep tini util-linux \
  && rm -rf /var/lib/apt/lists/*
RUN --mount=type=bind,from=build,source=/packed,target=/packed \
  npm install --global --no-audit --no-fund /packed/margay-*.tgz \
  && npm cache clean --force \
  && mkdir -p /data && chown node:node /data
COPY container/entrypoint.sh /usr/local/bin/margay-container
ENV MARGAY_HOME=/data/home XDG_CACHE_HOME=/data/cache LANG=C.UTF-8
USER node
WORKDIR /data
VOLUME /data
EXPOSE 18790
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:18790/health').then((a) => process.exit(a.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tini", "--", "margay-container"]
CMD ["gateway", "--no-open", "--setup"]
