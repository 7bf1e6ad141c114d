import type { IsolationPart } from '../../core/access/isolation-part.ts';
import { findControllers, type ControllerPlace } from './cgroup-controllers.ts';

/** Returns which limits of tasks this machine supports for this process. `root` is the root of the file system. */
export function limitSupport(root = '/'): readonly IsolationPart[] {
  const { memory, pids, cpu, cpuacct } = findControllers(root);
  return [
    partOf('memory limit', memory),
    partOf('process limit', pids),
    partOf('CPU weight', cpu),
    partOf('whole cores', cpu),
    partOf('peak memory', memory),
    partOf('CPU time', cpuacct),
  ];
}

const partOf = (part: string, place: ControllerPlace): IsolationPart =>
  place.isUsable
    ? { part, isSupported: true, detail: `cgroup v${place.version}`, fix: '' }
    : { part, isSupported: false, detail: place.reason, fix: place.fix };
