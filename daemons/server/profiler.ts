import type { Profile, Profiler } from '../../http/debug/pprof.ts';
import { profileOf } from '../threads/profile-channel.ts';
import { takeProfile, type ProfileKind } from '../threads/profile.ts';

const FRONT_THREAD = 'front';

/** Time for a thread to reply after the end of the profile: its turns may be long and the profile large. */
const GRACE_MS = 10_000;

/** Takes profiles of the threads of the service, at most one per thread at the same time. */
export class ThreadProfiler implements Profiler {
  private readonly others: () => readonly string[];
  private readonly busy = new Set<string>();

  /** `others` returns the names of all threads except the main thread. */
  constructor(others: () => readonly string[]) {
    this.others = others;
  }

  threads(): readonly string[] {
    return [FRONT_THREAD, ...this.others()];
  }

  async take(thread: string, kind: ProfileKind, seconds: number, signal: AbortSignal): Promise<Profile> {
    if (this.busy.has(thread)) return { ok: false, reason: 'busy' };
    this.busy.add(thread);
    try {
      const milliseconds = seconds * 1000;
      if (thread === FRONT_THREAD) return { ok: true, text: await takeProfile(kind, milliseconds, signal) };
      const answer = await profileOf({ thread, kind, milliseconds }, GRACE_MS, signal);
      if (answer === null) return { ok: false, reason: 'silent' };
      if (!answer.ok) throw new Error(`no profile of the thread ${thread}: ${answer.reason}`);
      return { ok: true, text: answer.profile };
    } finally {
      this.busy.delete(thread);
    }
  }
}
