# The stack in a container: docker build -t cairn . Rights, devices and shared memory: docs/install.md.
FROM debian:bookworm-slim AS build
WORKDIR /src/cairn
COPY . .
RUN apt-get update && apt-get build-dep --no-install-recommends -y ./ \
    && DEB_BUILD_OPTIONS=nocheck dpkg-buildpackage -b -us -uc

FROM debian:bookworm-slim
COPY --from=build /src/cairn_*.deb /tmp/
RUN apt-get update && apt-get install --no-install-recommends -y /tmp/cairn_*.deb && rm -rf /tmp/*.deb /var/lib/apt/lists/* \
    && install -d -o cairn -g cairn -m 0700 /run/cairn
USER cairn
VOLUME /var/lib/cairn
STOPSIGNAL SIGTERM
ENTRYPOINT ["cairn", "up", "--headless", "--stay", "--run", "/run/cairn", "--set", "launcher.state_dir=/var/lib/cairn", \
    "--config", "/etc/cairn/cairn.yaml"]
