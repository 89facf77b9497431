#!/usr/bin/env bash
# A real node for tests: containerd and a kubelet of their own, beside whatever else this machine runs.
#
#   real-node.sh start NAME ADDRESS DIRECTORY KUBECONFIG CLIENT_CA     returns when both processes run
#   real-node.sh stop  NAME ADDRESS DIRECTORY                          leaves nothing: processes, mounts, cgroups, address
#
# Needs root, containerd, runc, the CNI plugins and a static busybox (Debian: containerd runc containernetworking-plugins
# busybox-static iproute2), and KUBELET, the program's path. Nothing is pulled: the one image is made from busybox.
# ADDRESS is put on the loopback interface, so that the API server reaches the kubelet there and nobody else does.
set -euo pipefail

verb=$1 name=$2 address=$3 folder=$4
socket=$folder/containerd.sock
image=localhost/busybox:1
port=${PORT:-27250}

on_containerd() { ctr --address "$socket" --namespace k8s.io "$@"; }

# Without this capability a container may not be given a smaller score than its parent has.
may_lower_oom_score() {
  local granted
  granted=$(awk '$1 == "CapEff:" { print $2 }' /proc/self/status)
  [ $((0x$granted >> 24 & 1)) = 1 ]
}

write_containerd_config() {
  local restricted=true
  if may_lower_oom_score; then restricted=false; fi
  cat >"$folder/containerd.toml" <<TOML
version = 2
root = "$folder/images"
state = "$folder/state"
[grpc]
  address = "$socket"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "$image"
  restrict_oom_score_adj = $restricted
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "native"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "$folder/network"
TOML
  cat >"$folder/network/pods.conflist" <<JSON
{ "cniVersion": "0.4.0", "name": "$name",
  "plugins": [{ "type": "ptp", "ipam": { "type": "host-local", "subnet": "10.124.7.0/24", "dataDir": "$folder/addresses" } }] }
JSON
}

write_kubelet_config() { # CLIENT_CA
  cat >"$folder/kubelet.yaml" <<YAML
kind: KubeletConfiguration
apiVersion: kubelet.config.k8s.io/v1beta1
containerRuntimeEndpoint: unix://$socket
address: $address
port: $port
healthzPort: 0
authentication:
  anonymous: { enabled: false }
  webhook: { enabled: false }
  x509: { clientCAFile: $1 }
authorization: { mode: AlwaysAllow }
podLogsDir: $folder/logs
resolvConf: ""
# What is outside of this node's own cgroups is not touched, and nothing is evicted.
cgroupDriver: cgroupfs
cgroupRoot: /$name
failCgroupV1: false
failSwapOn: false
enforceNodeAllocatable: []
makeIPTablesUtilChains: false
evictionHard: {}
imageGCHighThresholdPercent: 100
# A test should not wait for periods that are made for large clusters.
nodeStatusUpdateFrequency: 1s
YAML
}

# The kubelet wants its root in every hierarchy, and an empty cpuset runs nothing.
make_cgroups() {
  if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
    mkdir -p "/sys/fs/cgroup/$name"
    return
  fi
  local hierarchy
  for hierarchy in /sys/fs/cgroup/*; do
    if [ -e "$hierarchy/tasks" ] || [ -e "$hierarchy/cgroup.procs" ]; then mkdir -p "$hierarchy/$name"; fi
  done
  cat /sys/fs/cgroup/cpuset/cpuset.cpus >"/sys/fs/cgroup/cpuset/$name/cpuset.cpus"
  cat /sys/fs/cgroup/cpuset/cpuset.mems >"/sys/fs/cgroup/cpuset/$name/cpuset.mems"
}

remove_cgroups() {
  local found
  for found in /sys/fs/cgroup/"$name" /sys/fs/cgroup/*/"$name"; do
    if [ -d "$found" ]; then find "$found" -depth -type d -exec rmdir {} \; 2>/dev/null || true; fi
  done
}

# One layer with busybox under the names that tests use. Without a command it sleeps, which is all that a sandbox does.
load_image() {
  local build=$folder/build tool layer
  mkdir -p "$build/root/bin" "$build/root/tmp"
  cp "$(command -v busybox)" "$build/root/bin/busybox"
  for tool in sh sleep echo cat ls; do ln -sf busybox "$build/root/bin/$tool"; done
  tar -C "$build/root" -cf "$build/layer.tar" .
  layer=$(sha256sum "$build/layer.tar" | cut -d ' ' -f 1)
  printf '{"os":"linux","architecture":"%s","config":{"Cmd":["sleep","2147483"],"Env":["PATH=/bin"]},"rootfs":{"type":"layers","diff_ids":["sha256:%s"]}}' \
    "$(dpkg --print-architecture)" "$layer" >"$build/config.json"
  printf '[{"Config":"config.json","RepoTags":["%s"],"Layers":["layer.tar"]}]' "$image" >"$build/manifest.json"
  tar -C "$build" -cf "$build/image.tar" manifest.json config.json layer.tar
  on_containerd images import --snapshotter native "$build/image.tar"
}

# In a session of its own, so that the end of this script does not end it.
launch() { # NAME COMMAND...
  local what=$1
  shift
  setsid "$@" >"$folder/$what.log" 2>&1 </dev/null &
  echo $! >"$folder/$what.pid"
}

start() { # KUBECONFIG CLIENT_CA
  mkdir -p "$folder"/{network,kubelet,certificates,logs}
  ip address replace "$address/32" dev lo
  touch "$folder/has-address"
  make_cgroups
  write_containerd_config
  write_kubelet_config "$2"
  launch containerd containerd --config "$folder/containerd.toml"
  timeout 60 sh -c "until ctr --address '$socket' version >/dev/null 2>&1; do sleep 0.1; done"
  load_image
  launch kubelet "$KUBELET" --config "$folder/kubelet.yaml" --kubeconfig "$1" --hostname-override "$name" \
    --node-ip "$address" --root-dir "$folder/kubelet" --cert-dir "$folder/certificates"
}

end() { # NAME: asks, waits ten seconds, then does not ask
  local pid tries
  [ -s "$folder/$1.pid" ] || return 0
  pid=$(cat "$folder/$1.pid")
  kill "$pid" 2>/dev/null || return 0
  for tries in $(seq 100); do
    kill -0 "$pid" 2>/dev/null || return 0
    sleep 0.1
  done
  kill -KILL "$pid" 2>/dev/null || true
}

# Every step is tried, whatever became of the one before: a node that started by half is cleaned up too.
stop() {
  local each
  end kubelet
  # The shims of containers outlive containerd, so containers end first.
  if [ -S "$socket" ]; then
    for each in $(timeout 10 ctr --address "$socket" --namespace k8s.io tasks ls --quiet 2>/dev/null); do
      on_containerd tasks delete --force "$each" >/dev/null 2>&1 || true
    done
    for each in $(timeout 10 ctr --address "$socket" --namespace k8s.io containers ls --quiet 2>/dev/null); do
      on_containerd containers info "$each" | grep -o '/run/netns/cni-[0-9a-f-]*' >>"$folder/netns" || true
      on_containerd containers delete "$each" >/dev/null 2>&1 || true
    done
  fi
  end containerd
  # Those whose containerd died before they were asked to end: they name its socket, which is this node's alone.
  for each in $(pgrep -f -- "-address $socket" || true); do kill -KILL "$each" 2>/dev/null || true; done
  # Deepest first; the kubelet mounts its own folder on itself and never undoes it.
  awk -v below="$folder/" 'index($5, below) == 1 { print $5 }' /proc/self/mountinfo | sort -r | while read -r each; do
    umount --lazy "$each" || true
  done
  # Pods that were not deleted leave their network behind.
  if [ -e "$folder/netns" ]; then
    sort -u "$folder/netns" | while read -r each; do ip netns delete "$(basename "$each")" 2>/dev/null || true; done
  fi
  remove_cgroups
  if [ -e "$folder/has-address" ]; then ip address delete "$address/32" dev lo || true; fi
  rm -rf "$folder"
}

case $verb in
  start) start "$5" "$6" ;;
  stop) stop || true ;;
  *) echo "real-node.sh: start or stop, not $verb" >&2 && exit 2 ;;
esac
