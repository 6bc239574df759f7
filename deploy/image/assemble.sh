#!/usr/bin/env bash
# assemble.sh FOLDER EPOCH: writes the root of the image into FOLDER, with EPOCH as the time of every file. It runs in the build
# stage of the Containerfile, in the folder of the built package.
set -euo pipefail
out=$1 epoch=$2
app=$out/opt/tollgate
node=$(command -v node)

install -d -m 755 "$out"/{usr/bin,etc/tollgate,proc,sys,dev,run/secrets,var/lib/dpkg/status.d} "$app"
install -d -m 1777 "$out/tmp"

# Node, and the libraries it is linked with, under the paths where the loader looks.
install -m 755 "$node" "$out/usr/bin/node"
missing=$(ldd "$node" | grep 'not found' || true)
[ -z "$missing" ] || { echo "The builder lacks libraries of Node: $missing. Install their Debian packages (libatomic1, libstdc++6)." >&2; exit 1; }
ldd "$node" | grep -oE '/[^ ]+' | while read -r library; do
  install -D -m 755 "$(realpath "$library")" "$out$library"
  package=$(dpkg -S "$(realpath "$library")" | head -n 1 | cut -d: -f1)
  # Scanners of vulnerabilities look here for what is installed.
  dpkg-query --status "$package" > "$out/var/lib/dpkg/status.d/$package"
  install -D -m 644 "/usr/share/doc/$package/copyright" "$out/usr/share/doc/$package/copyright"
done
install -m 644 /etc/os-release "$out/etc/os-release"

# The package. Maps and type declarations of dependencies are never read at run time.
cp -R bin dist schema node_modules package.json LICENSE deploy/image/healthcheck.js "$app"
install -d "$app/console" "$app/build/openapi"
cp -R console/dist "$app/console/dist"
cp -R build/openapi/dist "$app/build/openapi/dist"
find "$app/node_modules" -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete
# Without a shell there is no `env`; the kernel starts Node itself.
sed -i '1s|.*|#!/usr/bin/node|' "$app/bin/tollgate.js"
chmod 755 "$app/bin/tollgate.js"
ln -s /opt/tollgate/bin/tollgate.js "$out/usr/bin/tollgate"

echo 'tollgate:x:65532:65532:Tollgate:/nonexistent:/nonexistent' > "$out/etc/passwd"
echo 'tollgate:x:65532:' > "$out/etc/group"
echo 'hosts: files dns' > "$out/etc/nsswitch.conf"

chmod -R u+rwX,go+rX,go-w "$out"
chmod 1777 "$out/tmp"
find "$out" -exec touch --no-dereference --date="@$epoch" {} +
