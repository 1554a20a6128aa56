#!/usr/bin/env bash
# namespaces.sh <mpirun> <adacvar-mpi>
#
# Trains on two network namespaces with host names of their own, which know each other over TCP
# only, and compares the model with that of one rank; then kills a rank of the other host. Ends with
# 77 (skipped) where namespaces cannot be made.
set -euo pipefail
mpirun=$1 program=$2

skip() { echo "skipped: $*"; exit 77; }
[[ $(id -u) -eq 0 ]] || skip "not root"
command -v ip > /dev/null || skip "there is no ip (package iproute2)"

# Names of this run, so that several may run at a time.
id=$(printf '%04x' $(($$ % 65536)))
net=10.$((64 + $$ % 64)).$(($$ / 64 % 256))
folder=$(mktemp -d)
clean() {
  for host in 1 2; do ip netns del "av$id-$host" 2> /dev/null || true; done
  ip link del "av$id" 2> /dev/null || true
  rm -rf "$folder"
}
trap clean EXIT

{
  ip link add "av$id" type bridge && ip addr add "$net.254/24" dev "av$id" &&
    ip link set "av$id" up
  for host in 1 2; do
    ip netns add "av$id-$host" &&
      ip link add "av$id-v$host" type veth peer name eth0 netns "av$id-$host" &&
      ip link set "av$id-v$host" master "av$id" up &&
      ip -n "av$id-$host" addr add "$net.$host/24" dev eth0 &&
      ip -n "av$id-$host" link set eth0 up && ip -n "av$id-$host" link set lo up
  done
} 2> "$folder/error" || skip "network namespaces cannot be made: $(tail -1 "$folder/error")"

# Instead of ssh: <address> <command>
cat > "$folder/agent" <<AGENT
#!/bin/bash
host=\${1##*.}; shift
exec ip netns exec "av$id-\$host" unshare --uts bash -c "hostname node\$host; \$*"
AGENT
chmod +x "$folder/agent"
ip netns exec "av$id-1" unshare --uts true 2> "$folder/error" || skip "$(tail -1 "$folder/error")"

cd "$folder"
awk 'BEGIN { print "x,city,y"; for (i = 0; i < 400; ++i)
  printf "%g,%s,%g\n", i * 37 % 101, i % 3 ? "Bern" : "Biel", i * 37 % 101 + (i * i) % 29 }' > t.csv
on_hosts() {
  timeout 60 "$mpirun" -q --allow-run-as-root --mca plm_rsh_agent "$folder/agent" \
    --mca oob_tcp_if_include "$net.0/24" --mca btl tcp,self --mca btl_tcp_if_include "$net.0/24" \
    --host "$net.1:1,$net.2:1" "$@"
}
train=("$program" train t.csv --target y --quiet)

"$mpirun" -q --allow-run-as-root -n 1 "${train[@]}" --epochs 5 --model one.json > /dev/null
on_hosts "${train[@]}" --epochs 5 --model two.json > /dev/null ||
  { echo "the job on two hosts ended with $?"; exit 1; }
cmp one.json two.json

on_hosts "${train[@]}" --epochs 10000000 --model none.json 2> error &
job=$!
sleep 3
victim=$(ip netns pids "av$id-2" | while read -r pid; do
  [[ $(cat "/proc/$pid/comm") == adacvar-mpi ]] && echo "$pid"; done)
kill -STOP "$victim"
code=0
wait "$job" || code=$?
[[ $code -eq 72 ]] || { echo "exit code $code instead of 72"; cat error; exit 1; }
grep -q 'rank 1 on node2: has not answered for 6 s' error || { cat error; exit 1; }
[[ ! -e none.json ]]
