import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../kit/until.ts';

const ROOT = '/sys/fs/cgroup/freezer';

/** A control group that freezes and continues all its processes at once (the freezer of cgroup v1). */
export class Freezer {
  /** Command prefix that starts a daemon inside the group, together with all of its child processes. */
  readonly launcher: readonly string[];
  private readonly folder: string;

  /** Null if the kernel or the rights of this process do not allow it. */
  static make(name: string): Freezer | null {
    const folder = join(ROOT, name);
    try {
      mkdirSync(folder);
      readFileSync(join(folder, 'freezer.state'));
      return new Freezer(folder);
    } catch {
      return null;
    }
  }

  private constructor(folder: string) {
    this.folder = folder;
    this.launcher = ['sh', '-c', `echo $$ > ${join(folder, 'cgroup.procs')} && exec "$@"`, 'sh'];
  }

  async freeze(): Promise<void> {
    const state = join(this.folder, 'freezer.state');
    writeFileSync(state, 'FROZEN');
    await until('the group is frozen', () => readFileSync(state, 'utf8').trim() === 'FROZEN');
  }

  thaw(): void {
    writeFileSync(join(this.folder, 'freezer.state'), 'THAWED');
  }

  /** Removes the group. Call this when no process is left in it. */
  async remove(): Promise<void> {
    await until('the group is empty', () => readFileSync(join(this.folder, 'cgroup.procs'), 'utf8') === '');
    rmdirSync(this.folder);
  }
}
