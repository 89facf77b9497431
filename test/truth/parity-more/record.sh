#!/bin/sh
# A real control plane of Kubernetes 1.36.3 on loopback, as the scenarios beside this file were recorded on: etcd, API server,
# controller manager and scheduler with their default controllers and plugins, three virtual nodes by kwok. No CSI sidecar runs.
#
#   record.sh up DIRECTORY           start it; DIRECTORY/kubeconfig reaches it
#   record.sh down DIRECTORY         stop it
#   record.sh record|check ARGS...   start one in a temporary directory, play parity.mjs with ARGS against it, stop it
#
# RECORD_PORT (default 26443) and the three ports after it must be free. Recordings were made with `--runs 3 --jobs 3`.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
parity=$here/../parity
port=${RECORD_PORT:-26443}
server=https://127.0.0.1:$port

launch() { # DIRECTORY NAME COMMAND...
  directory=$1 name=$2
  shift 2
  "$@" >"$directory/$name.log" 2>&1 9>&- &
  echo "$!" >>"$directory/pids"
}

answers() { # URL TRIES
  tries=$2
  until [ "$(curl -sk -o /dev/null -w '%{http_code}' -H 'Authorization: Bearer recorder' "$1")" = 200 ]; do
    tries=$((tries - 1))
    if [ "$tries" = 0 ]; then echo "record.sh: $1 does not answer" >&2 && return 1; fi
    sleep 1
  done
}

up() { # DIRECTORY
  peers=$("$here/../../../scripts/peers.sh" etcd kube-apiserver kube-controller-manager kube-scheduler kwok)
  mkdir -p "$1/pki"
  openssl genrsa -out "$1/pki/sa.key" 2048 2>"$1/openssl.log"
  echo 'recorder,recorder,recorder,system:masters' >"$1/pki/tokens.csv"
  cat >"$1/kubeconfig" <<CONFIG
apiVersion: v1
kind: Config
current-context: recorded
clusters: [{ name: recorded, cluster: { server: "$server", insecure-skip-tls-verify: true } }]
users: [{ name: recorder, user: { token: recorder } }]
contexts: [{ name: recorded, context: { cluster: recorded, user: recorder } }]
CONFIG
  etcd=http://127.0.0.1:$((port + 1))
  launch "$1" etcd "$peers/etcd" --data-dir "$1/etcd" --unsafe-no-fsync --listen-client-urls "$etcd" --advertise-client-urls "$etcd" \
    --listen-peer-urls "http://127.0.0.1:$((port + 2))" --initial-advertise-peer-urls "http://127.0.0.1:$((port + 2))" \
    --initial-cluster "default=http://127.0.0.1:$((port + 2))"
  answers "$etcd/health" 60
  launch "$1" kube-apiserver "$peers/kube-apiserver" --etcd-servers "$etcd" --bind-address 127.0.0.1 --secure-port "$port" \
    --cert-dir "$1/pki" --token-auth-file "$1/pki/tokens.csv" --authorization-mode Node,RBAC --service-cluster-ip-range 10.96.0.0/16 \
    --service-account-key-file "$1/pki/sa.key" --service-account-signing-key-file "$1/pki/sa.key" --service-account-issuer "$server"
  answers "$server/readyz" 180
  launch "$1" kube-controller-manager "$peers/kube-controller-manager" --kubeconfig "$1/kubeconfig" --leader-elect=false --secure-port 0 \
    --use-service-account-credentials --service-account-private-key-file "$1/pki/sa.key"
  launch "$1" kube-scheduler "$peers/kube-scheduler" --kubeconfig "$1/kubeconfig" --leader-elect=false --secure-port 0
  stages=
  for file in "$peers"/kwok-stages/*.yaml; do stages="$stages --config $file"; done
  # shellcheck disable=SC2086 # one word each
  launch "$1" kwok "$peers/kwok" --kubeconfig "$1/kubeconfig" $stages --manage-all-nodes=false --node-lease-duration-seconds 40 \
    --manage-nodes-with-annotation-selector kwok.x-k8s.io/node=fake --server-address 127.0.0.1:$((port + 3))
  "${KUBECTL:-kubectl}" --kubeconfig "$1/kubeconfig" create --validate=false -f "$parity/environment.json" >&2
  "${KUBECTL:-kubectl}" --kubeconfig "$1/kubeconfig" wait --for=condition=Ready --timeout=120s node --all >&2
}

# The last started goes first, so that none is left without what it talks to.
down() { # DIRECTORY
  if [ ! -f "$1/pids" ]; then return; fi
  for pid in $(tac "$1/pids"); do
    kill "$pid" 2>/dev/null || true
    while kill -0 "$pid" 2>/dev/null; do sleep 0.2; done
  done
  rm "$1/pids"
}

command=${1:-}
[ $# -gt 0 ] && shift
case $command in
  up)
    mkdir -p "$1"
    trap 'down "$1"' EXIT
    up "$1"
    trap - EXIT
    ;;
  down) down "$1" ;;
  record | check)
    temporary=$(mktemp -d)
    trap 'down "$temporary"; rm -rf "$temporary"' EXIT
    trap 'exit 130' INT TERM
    up "$temporary"
    node "$parity/parity.mjs" "$command" --kubeconfig "$temporary/kubeconfig" "$@"
    ;;
  *) sed -n '2,9s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
esac
