#!/bin/bash
# Guards the processes of one session: when the worker's daemon dies (end of file on standard input) or does not run
# (no line for $2 seconds), it kills every process of the session. It is no parent of those processes and knows them
# by the entry "$1" of their environment and by their process group.
#
# Lines it reads: "beat"; "group N" (the process group of the running action, 0 for none); "ask N";
# "end" (there is nothing to guard any more). Lines it writes: "guarding N" to "ask N", and "fenced" before it kills.
#
# It is started with an environment of its own: nothing that a template sets reaches it.
set -u
marker=$1
beat_seconds=$2
group=0
readonly rounds=100

# It outlives what ends a session or a terminal; only the end of its input ends it.
trap '' HUP INT TERM QUIT PIPE

marked() {
  grep -lsxzF -e "$marker" /proc/[0-9]*/environ
}

kill_all() {
  local round entry pid left
  for ((round = 0; round < rounds; round++)); do
    if ((group > 1)); then kill -KILL -- "-$group"; fi
    left=0
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
  exit 1
}

while true; do
  IFS= read -r -t "$beat_seconds" line || fence
  case $line in
    'group '*) group=${line#group } ;;
    'ask '*) echo "guarding ${line#ask }" ;;
    end) exit 0 ;;
  esac
done
