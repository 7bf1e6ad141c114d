import type { UsagePool } from '../../../client/resources.ts';
import { Notice } from '../../parts/notice.tsx';
import { Stat } from '../../parts/stat.tsx';
import { Ago } from '../../parts/time.tsx';

/** The latest value of the source of a pool with its age; nothing without one. */
export function MeasuredStat({ pool }: { pool: UsagePool }) {
  const { measured_slots: slots, measured_at: at, measured_stale: isStale, max_concurrent: most } = pool;
  if (slots === undefined || at === undefined) return null;
  return (
    <Stat
      label="Measured slots"
      value={slots.toLocaleString('en')}
      note={
        <>
          <Ago iso={at} />
          {isStale === true ? ', ignored' : `, of ${most.toLocaleString('en')} configured`}
        </>
      }
    />
  );
}

/** Warning about the source of a pool: it fails, or its value is too old. */
export function MeasuredNotices({ pool }: { pool: UsagePool }) {
  const { measured_error: error, measured_error_since: since, measured_stale: isStale } = pool;
  if (error === undefined && isStale !== true) return null;
  const count =
    pool.measured_slots === undefined || isStale === true
      ? `Its ${pool.max_concurrent.toLocaleString('en')} configured slots apply.`
      : 'The latest value applies until it is too old.';
  const began = since === undefined ? '' : ` Since ${new Date(since).toLocaleTimeString('en')}:`;
  return (
    <Notice
      kind="warning"
      title="The slots of the pool cannot be measured"
      detail={`${count}${error === undefined ? '' : `${began} ${error}.`} Check pools.reconcile in the configuration of the server.`}
    />
  );
}
