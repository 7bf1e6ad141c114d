import { join } from 'node:path';
import type { ResourceRequest } from '../../core/ports/task-processes.ts';
import type { ResourceUsage } from '../../core/resource-usage.ts';
import { findControllers, type Controller, type ControllerPlaces } from '../host/cgroup-controllers.ts';
import { enableControllers } from './controller-delegation.ts';
import { messageOf } from './error-code.ts';
import { limitFiles } from './limit-files.ts';
import { sessionLimits, type LimitSettings } from './limit-settings.ts';
import {
  groupName,
  isRefusal,
  makeGroup,
  readGroupFile,
  removeTree,
  writeGroupFile,
} from './session-cgroup.ts';
import { UsageCounters } from './usage-counters.ts';

const CONTROLLERS: readonly Controller[] = ['memory', 'pids', 'cpu', 'cpuacct'];
const UNIFIED_CONTROLLERS = ['memory', 'pids', 'cpu'];

/** Limits and counters of one session. */
export interface SessionResources {
  /** Groups of version 1 that its processes join besides the fence. */
  readonly groups: readonly string[];
  /** Why limits could not be set. */
  readonly problems: readonly string[];
  begin(): void;
  used(): ResourceUsage;
  /** Removes its groups, once no process is left in them. */
  remove(): void;
}

/** Sets limits for the sessions of a worker by control groups (docs/isolation.md#limits). */
export class WorkerLimits {
  private readonly settings: LimitSettings;
  private readonly name: string;
  private readonly root: string;

  /** `root`: the root of the file system. */
  constructor(workerDirectory: string, settings: LimitSettings, root = '/') {
    this.settings = settings;
    this.name = groupName(workerDirectory);
    this.root = root;
  }

  /** `fence`: the group of the session that contains its processes, in version 2 or in the freezer; null for none. */
  session(sessionId: string, fence: string | null, request: ResourceRequest | undefined): SessionResources {
    const places = findControllers(this.root);
    const directories = new Map<Controller, { readonly version: 1 | 2; readonly directory: string }>();
    const problems: string[] = [];
    const groups: string[] = [];
    let isUnifiedReady: boolean | null = null;
    for (const controller of CONTROLLERS) {
      const place = places[controller];
      // The counter of version 2 is in the fence, and its cpu controller has no group of its own.
      if (controller === 'cpuacct' && (!place.isUsable || hasCpuStat(fence))) continue;
      try {
        if (!place.isUsable) continue;
        if (place.version === 1) {
          const worker = join(place.directory, this.name);
          const directory = join(worker, sessionId);
          makeGroup(worker);
          makeGroup(directory);
          directories.set(controller, { version: 1, directory });
          if (!groups.includes(directory)) groups.push(directory);
        } else if (fence?.startsWith(join(place.directory, this.name)) === true) {
          isUnifiedReady ??= enableControllers(
            place.directory,
            join(place.directory, this.name),
            UNIFIED_CONTROLLERS,
          );
          directories.set(controller, { version: 2, directory: fence });
        }
      } catch (error) {
        if (!isRefusal(error)) throw error;
        problems.push(`${controller}: ${messageOf(error)}`);
      }
    }
    problems.push(...this.setLimits(places, directories, request));
    const counters = new UsageCounters(
      {
        memory: directories.get('memory') ?? null,
        cpuacct: directories.get('cpuacct')?.directory ?? null,
        unified: hasCpuStat(fence) ? fence : null,
      },
      {
        limitMib: sessionLimits(this.settings, request).memoryMib,
        requestedMib: request?.memoryMib ?? null,
      },
    );
    return {
      groups,
      problems,
      begin: () => counters.begin(),
      used: () => counters.used(),
      remove: () => {
        // Again, when the last process has left the groups later.
        counters.close();
        for (const group of groups) removeTree(group);
      },
    };
  }

  /** Removes the worker's groups, unless a process still runs in them. */
  remove(): void {
    for (const place of Object.values(findControllers(this.root)))
      if (place.isUsable && place.version === 1) removeTree(join(place.directory, this.name));
  }

  /** Returns the limits that could not be set, with reasons. */
  private setLimits(
    places: ControllerPlaces,
    directories: ReadonlyMap<Controller, { readonly version: 1 | 2; readonly directory: string }>,
    request: ResourceRequest | undefined,
  ): readonly string[] {
    const limits = sessionLimits(this.settings, request);
    const problems = new Set<string>();
    for (const version of [1, 2] as const)
      for (const { part, controller, file, value, isOptional } of limitFiles(version, limits)) {
        const place = places[controller];
        const group = directories.get(controller);
        if (group === undefined) {
          const reason = place.isUsable ? 'the group of the session could not be created' : place.reason;
          problems.add(`${part}: ${reason}`);
        } else if (group.version === version) {
          const failure = writeGroupFile(join(group.directory, file), value);
          if (failure !== null && isOptional !== true) problems.add(`${part}: ${failure}`);
        }
      }
    return [...problems];
  }
}

/** Reports whether the group counts the CPU time of its processes without a controller. */
const hasCpuStat = (fence: string | null): boolean =>
  fence !== null && readGroupFile(join(fence, 'cpu.stat'))?.includes('usage_usec ') === true;
