/** Processes of tests: a test that hangs must not leave daemons behind. */
import { readFileSync, readdirSync } from 'node:fs';

/** Reads parent, group and start time of every process. Empty where there is no /proc. */
function readProcesses() {
  let names;
  try {
    names = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      // After the command, which may contain spaces and parentheses.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return [{ pid: Number(name), parent: Number(fields[1]), startedAt: fields[19] }];
    } catch {
      return []; // It has exited.
    }
  });
}

/** Returns the descendants of a process, in groups of their own or not. */
export function descendantsOf(pid) {
  const all = readProcesses();
  const found = [];
  for (let parents = [pid]; parents.length > 0;) {
    const children = all.filter((process) => parents.includes(process.parent));
    found.push(...children);
    parents = children.map((child) => child.pid);
  }
  return found;
}

function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has exited.
  }
}

/** Kills those of the processes that still run: a process with the same id but another start time is a new one. */
export function killProcesses(processes) {
  if (processes.length === 0) return;
  const running = new Map(readProcesses().map(({ pid, startedAt }) => [pid, startedAt]));
  for (const { pid, startedAt } of processes) if (running.get(pid) === startedAt) kill(pid);
}

/** Kills what is left of the process group of a test. */
export function killGroup(pid) {
  kill(-pid);
}
