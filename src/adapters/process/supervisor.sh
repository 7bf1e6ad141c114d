#!/bin/bash
# Guards the processes of one session: when the worker's daemon dies (end of file on standard input), does not run
# (no line for $2 seconds), or has had no contact with the service for too long, it kills every process of the session.
# It is no parent of those processes and knows them by the entry "$1" of their environment, by their process group, and
# by the control group "$3" (empty for none) with the groups below it. Further arguments are control groups with limits
# of the session, which it only removes.
#
# Lines it reads: "beat"; "beat MS" (contact with the service lasts for MS milliseconds more); "group N" (the process
# group of the running action, 0 for none); "ask N"; "end" (there is nothing to guard any more). Lines it writes:
# "guarding N" to "ask N", and "fenced" before it kills.
#
# It is started with an environment of its own: nothing that a template sets reaches it.
set -u
shopt -s nullglob
marker=$1
beat_limit=$(($2 * 100))
cgroup=$3
limits=("${@:4}")
group=0
readonly rounds=100

# It outlives what ends a session or a terminal; only the end of its input ends it.
trap '' HUP INT TERM QUIT PIPE

marked() {
  grep -lsxzF -e "$marker" /proc/[0-9]*/environ
}

held() {
  [[ -n $cgroup ]] && cat "$cgroup"/cgroup.procs "$cgroup"/*/cgroup.procs
}

kill_all() {
  local round entry pid left
  for ((round = 0; round < rounds; round++)); do
    if ((group > 1)); then kill -KILL -- "-$group"; fi
    if [[ -n $cgroup && -w $cgroup/cgroup.kill ]]; then echo 1 >"$cgroup/cgroup.kill"; fi
    left=0
    for pid in $(held); do
      kill -KILL "$pid" && left=1
    done
    for entry in $(marked); do
      pid=${entry#/proc/}
      kill -KILL "${pid%/environ}" && left=1
    done
    ((left == 0)) && return
    sleep 0.05
  done
}

fence() {
  echo fenced
  kill_all
  for limited in "${limits[@]}"; do rmdir "$limited" "${limited%/*}"; done
  if [[ -n $cgroup ]]; then rmdir "$cgroup"/*/ "$cgroup" "${cgroup%/*}"; fi
  exit 1
}

# Hundredths of a second since the start of the machine: no clock that anybody sets.
read_clock() {
  local uptime idle
  read -r uptime idle </proc/uptime
  now=$((10#${uptime/./}))
}

read_clock
heard=$now
contact_end=0
while true; do
  read_clock
  ((contact_end > 0 && now >= contact_end)) && fence
  left=$((heard + beat_limit - now))
  # A line that waits is read, however late it is.
  ((left < 1)) && left=1
  ((contact_end > 0 && contact_end - now < left)) && left=$((contact_end - now))
  printf -v patience '%d.%02d' $((left / 100)) $((left % 100))
  IFS= read -r -t "$patience" line || fence
  read_clock
  heard=$now
  case $line in
    beat) contact_end=0 ;;
    'beat '*) contact_end=$((now + ${line#beat } / 10)) ;;
    'group '*) group=${line#group } ;;
    'ask '*) echo "guarding ${line#ask }" ;;
    end) exit 0 ;;
  esac
done
