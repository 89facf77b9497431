#!/bin/sh
# Builds real peers for tests from their Go modules and prints the directory that holds them:
#
#   scripts/peers.sh [NAME...]       etcd kube-apiserver kube-controller-manager kube-scheduler kubelet kubectl
#                                    kubectl-old kwok csi-sanity e2e.test
#
# Only the named peers are built, and none twice: they are kept in a directory keyed by their versions,
# ${XDG_CACHE_HOME:-~/.cache}/mooring/peers/<key>, or under MOORING_PEERS_DIR. A peer that KUBEBUILDER_ASSETS holds is linked
# from there instead. kwok comes with its stage files in kwok-stages/. Needs Go and the module proxy that Go is set up for.
# PEERS_JOBS (default 2) is how many compilers run at once. What is built goes to stderr.
set -eu

kubernetes=1.36.3
kubernetes_old=1.34.4
etcd=3.6.16
kwok=0.8.0
csi_test=5.6.0

key=kubernetes-$kubernetes-$kubernetes_old-etcd-$etcd-kwok-$kwok-csi-test-$csi_test
root=${MOORING_PEERS_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/mooring/peers}
assets=${KUBEBUILDER_ASSETS:-}
# Linked peers may be of any version, so each assets directory has a place of its own.
if [ -n "$assets" ]; then key=$key-assets-$(printf %s "$assets" | cksum | cut -d ' ' -f 1); fi
dir=$root/$key
mkdir -p "$dir/.modules"

go_in() { # MODULE_DIRECTORY ARGUMENTS...
  (cd "$1" && shift && GOWORK=off GOTOOLCHAIN=local CGO_ENABLED=0 GOFLAGS='-mod=mod -buildvcs=false' go "$@")
}

# A module that requires one other: MODULE_DIRECTORY MODULE VERSION
requiring() {
  if [ -f "$1/go.mod" ]; then return; fi
  mkdir -p "$1"
  printf 'module peers\n\ngo 1.26\n\nrequire %s v%s\n' "$2" "$3" >"$1/go.mod.new"
  mv "$1/go.mod.new" "$1/go.mod"
}

# The published Kubernetes module names its staging modules at v0.0.0; each is replaced by its own release of the same patch.
requiring_kubernetes() { # MODULE_DIRECTORY VERSION
  if [ -f "$1/go.mod" ]; then return; fi
  mkdir -p "$1"
  published=$(cd "$1" && GOWORK=off go mod download -json "k8s.io/kubernetes@v$2" | sed -n 's/^[[:space:]]*"GoMod": "\(.*\)",\{0,1\}$/\1/p')
  {
    printf 'module peers\n\ngo 1.26\n\nrequire k8s.io/kubernetes v%s\n\n' "$2"
    sed -n 's/^[[:space:]]*\(k8s\.io\/[^ ]*\) v0\.0\.0\( .*\)\{0,1\}$/\1/p' "$published" | sort -u | while read -r staging; do
      printf 'replace %s => %s v0.%s\n' "$staging" "$staging" "${2#1.}"
    done
  } >"$1/go.mod.new"
  mv "$1/go.mod.new" "$1/go.mod"
}

kubernetes_flags() { # VERSION; without these the programs call themselves v0.0.0-master and clients warn
  minor=${1#1.}
  at=k8s.io/component-base/version
  printf -- '-s -w -X %s.gitVersion=v%s -X %s.gitMajor=1 -X %s.gitMinor=%s -X %s.gitTreeState=clean' $at "$1" $at $at "${minor%%.*}" $at
}

# Several at once share what they are compiled from, and one is linked while the next is compiled.
kubernetes_commands() { # VERSION OUTPUT_DIRECTORY_OR_FILE COMMANDS...
  version=$1 output=$2
  shift 2
  module=$dir/.modules/kubernetes-$version
  requiring_kubernetes "$module" "$version"
  for command in "$@"; do set -- "$@" "k8s.io/kubernetes/cmd/$command"; shift; done
  go_in "$module" build -p "${PEERS_JOBS:-2}" -ldflags "$(kubernetes_flags "$version")" -o "$output" "$@"
}

module_command() { # MODULE VERSION PACKAGE OUTPUT
  module=$dir/.modules/$(basename "$4" .new)
  requiring "$module" "$1" "$2"
  go_in "$module" build -p "${PEERS_JOBS:-2}" -ldflags '-s -w' -o "$4" "$3"
}

kwok_stages() {
  from=$(go_in "$dir/.modules/kwok" list -m -f '{{.Dir}}' sigs.k8s.io/kwok)/kustomize/stage
  mkdir -p "$dir/kwok-stages"
  for stages in node/fast node/heartbeat-with-lease pod/fast; do
    for file in "$from/$stages"/*.yaml; do
      case $file in */kustomization.yaml) continue ;; esac
      cat "$file" >"$dir/kwok-stages/$(echo "$stages" | tr / -)-$(basename "$file")"
    done
  done
}

build() { # NAME OUTPUT
  case $1 in
    kubectl-old) kubernetes_commands $kubernetes_old "$2" kubectl ;;
    e2e.test)
      requiring_kubernetes "$dir/.modules/kubernetes-$kubernetes" $kubernetes
      go_in "$dir/.modules/kubernetes-$kubernetes" test -c -p "${PEERS_JOBS:-2}" -ldflags "$(kubernetes_flags $kubernetes)" -o "$2" k8s.io/kubernetes/test/e2e
      ;;
    etcd) module_command go.etcd.io/etcd/server/v3 $etcd go.etcd.io/etcd/server/v3 "$2" ;;
    csi-sanity) module_command github.com/kubernetes-csi/csi-test/v5 $csi_test github.com/kubernetes-csi/csi-test/v5/cmd/csi-sanity "$2" ;;
    kwok) module_command sigs.k8s.io/kwok $kwok sigs.k8s.io/kwok/cmd/kwok "$2" && kwok_stages ;;
    *) echo "peers.sh: no peer is called $1" >&2 && return 2 ;;
  esac
}

# Two runs at once would build the same peer twice.
exec 9>"$dir/.lock"
flock 9
commands=
for name in "$@"; do
  if [ -x "$dir/$name" ]; then continue; fi
  if [ -n "$assets" ] && [ -x "$assets/$name" ]; then
    ln -s "$assets/$name" "$dir/$name"
    continue
  fi
  case $name in
    kube-apiserver | kube-controller-manager | kube-scheduler | kubelet | kubectl)
      commands="$commands $name"
      continue
      ;;
  esac
  echo "peers.sh: building $name" >&2
  build "$name" "$dir/$name.new" >&2
  mv "$dir/$name.new" "$dir/$name"
done
if [ -n "$commands" ]; then
  echo "peers.sh: building$commands" >&2
  rm -rf "$dir/.new"
  mkdir "$dir/.new"
  # shellcheck disable=SC2086 # names hold no blanks
  kubernetes_commands $kubernetes "$dir/.new/" $commands >&2
  for name in $commands; do mv "$dir/.new/$name" "$dir/$name"; done
  rmdir "$dir/.new"
fi
echo "$dir"
