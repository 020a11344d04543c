#!/bin/sh
# Builds atr-verify-go without the network: build.sh <output> [vet|test]
# A private GOPATH links the packages used from Debian's /usr/share/gocode, or else from the copies that every Go
# distribution carries for its own use. No flags: with any, Debian's compiled standard library could not be used.
set -eu
out=${1:?usage: build.sh output [vet|test]}
case $out in /*) ;; *) out=$(pwd)/$out ;; esac
cd "$(dirname "$0")"
root=$(go env GOROOT)
path=$(mktemp -d)
trap 'rm -rf "$path"' EXIT
mkdir -p "$path/src/golang.org/x"
link() {
  if [ -d "/usr/share/gocode/src/golang.org/x/$1" ]; then from=/usr/share/gocode/src; else from=$root/$2; fi
  ln -s "$from/golang.org/x/$1" "$path/src/golang.org/x/$1"
}
link mod src/cmd/vendor
link crypto src/cmd/vendor # only older copies of mod want it
export GOPATH="$path" GO111MODULE=off GOFLAGS= GOPROXY=off
case ${2:-build} in
vet) go vet . ;;
test) go test . ;;
*) go build -o "$out" . ;;
esac
