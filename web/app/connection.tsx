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
  held: 'Paused',
} as const;

function useConnection() {
  const { events } = useService();
  return useSyncExternalStore(
    (listener) => events.onState(listener),
    () => events.state,
  );
}

const useIsHeld = (): boolean => useSyncExternalStore(liveUpdates.subscribe, liveUpdates.isPaused);

/** Whether the page is live; pressing it holds and releases live updates. */
export function ConnectionState() {
  const connection = useConnection();
  const isHeld = useIsHeld();
  const shown = isHeld && connection.kind === 'live' ? 'held' : connection.kind;
  return (
    <button
      type="button"
      className={`connection connection--${shown}`}
      aria-pressed={isHeld}
      title={isHeld ? 'Live updates are held: press to go on' : 'Press to hold live updates'}
      onClick={() => liveUpdates.pause(!isHeld)}
    >
      <span className="connection__dot" />
      {LABELS[shown]}
    </button>
  );
}

/** Says that what is shown may be old, since when, and what happens about it. */
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
        The service cannot be reached.{' '}
        {age === null ? 'Trying again…' : `What is shown is ${age} old. Trying again…`}
      </span>
      <Button size="small" onPress={() => events.retryNow()}>
        Try now
      </Button>
    </div>
  );
}
