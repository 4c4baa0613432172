# The service in one image. Build it from a clone:  docker build -t ratecard .
# Without workers (no runtime, no bundler):          docker build -t ratecard --build-arg WORKERS=off .
ARG BUILD_IMAGE=docker.io/library/node:24-bookworm-slim
ARG RUNTIME_IMAGE=docker.io/library/debian:bookworm-slim

FROM ${BUILD_IMAGE} AS build
WORKDIR /src
COPY . .
RUN npm ci --ignore-scripts --no-audit --no-fund && npm run build && npm run pack -- --out /tarballs && rm -rf node_modules
ARG WORKERS=on
# Of native parts only those of this machine stay, and no sources: nothing is compiled in the image.
RUN npm install --prefix /app --ignore-scripts --no-audit --no-fund --omit=dev \
      $(test "$WORKERS" = on || echo --omit=optional) /tarballs/ratecard-[0-9]*.tgz \
  && cd /app/node_modules/better-sqlite3 && rm -rf deps src binding.gyp ../node-addon-api \
  && find prebuilds -type f ! -name "linux-$(node -p process.arch).node" -delete \
  && cp "$(command -v node)" /app/node

FROM ${RUNTIME_IMAGE}
ARG WORKERS=on
# bubblewrap confines workers where the container may make namespaces; util-linux (setpriv, prlimit, unshare) is in the base. tini
# is the first process: it clears away what an ended worker leaves behind, which nobody else in a container does.
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates tini $(test "$WORKERS" != on || echo bubblewrap) \
  && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/* \
  && groupadd --gid 10001 ratecard && useradd --uid 10001 --gid 10001 --home-dir /data --no-create-home ratecard \
  && install -d -o ratecard -g ratecard -m 0700 /data
COPY --from=build /app /app
RUN ln -s /app/node /usr/local/bin/node && ln -s /app/node_modules/.bin/ratecard /usr/local/bin/ratecard
# Less memory, measured on an idle service with its sandbox (158 MB without): a young generation of 8 MB saves 13 MB, two arenas of
# the C library instead of eight for each core save 14 MB, and both together 19 MB. Compose and Kubernetes run this image.
ENV NODE_OPTIONS=--max-semi-space-size=8 MALLOC_ARENA_MAX=2
ENV NODE_ENV=production HOME=/data XDG_CACHE_HOME=/tmp/cache \
    RATECARD_HOST=0.0.0.0 RATECARD_PORT=4242 RATECARD_DATA_DIR=/data RATECARD_WORKERS=${WORKERS}
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 4242
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "require('http').get({ port: process.env.RATECARD_PORT, path: '/healthz' }, (r) => process.exit(r.statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
ENTRYPOINT ["tini", "-s", "--", "ratecard"]
CMD ["server", "start"]
