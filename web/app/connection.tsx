import { useSyncExternalStore } from 'react';
import { Button } from '../parts/button.tsx';
import { durationText } from '../parts/time-text.ts';
import { liveUpdates } from '../state/live-updates.ts';
import { useService } from '../state/service.tsx';
import { useNow } from '../state/use-now.ts';
import './connection.css';

const LABELS = {
  connecting: 'Connecting',
  live: 'Live',
  waiting: 'Offline',
  closed: 'Offline',
  paused: 'Paused',
} as const;

function useConnection() {
  const { events } = useService();
  return useSyncExternalStore(
    (listener) => events.onState(listener),
    () => events.state,
  );
}

const useIsPaused = (): boolean => useSyncExternalStore(liveUpdates.subscribe, liveUpdates.isPaused);

/** Button that shows the state of the connection, and pauses or resumes live updates. */
export function ConnectionState() {
  const connection = useConnection();
  const isPaused = useIsPaused();
  const shown = isPaused && connection.kind === 'live' ? 'paused' : connection.kind;
  return (
    <button
      type="button"
      className={`connection connection--${shown}`}
      aria-pressed={isPaused}
      title={isPaused ? 'Live updates paused. Select to resume.' : 'Pause live updates'}
      onClick={() => liveUpdates.pause(!isPaused)}
    >
      <span className="connection__dot" />
      {LABELS[shown]}
    </button>
  );
}

/** Banner that reports a lost connection and the age of the data. */
export function ConnectionBanner() {
  const { events } = useService();
  const connection = useConnection();
  const now = useNow('second');
  if (connection.kind !== 'waiting' && connection.kind !== 'closed') return null;
  const age =
    connection.lastFrameAt === null ? null : durationText(Math.max(0, now - connection.lastFrameAt));
  return (
    <div className="connection-banner" role="status">
      <span>
        Cannot reach the server. {age === null ? 'Reconnecting…' : `Data is ${age} old. Reconnecting…`}
      </span>
      <Button size="small" onPress={() => events.retryNow()}>
        Reconnect now
      </Button>
    </div>
  );
}
