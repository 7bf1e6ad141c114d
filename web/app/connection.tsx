import { useQuery } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { Button } from '../parts/button.tsx';
import { durationText } from '../parts/time-text.ts';
import { queries } from '../state/queries.ts';
import { faultOf, nodeText, type ServiceFault } from '../state/service-health.ts';
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

/** Time between two requests for the health of the server. */
const HEALTH_MS = 5_000;

/** Returns what does not work in the server; null if it is ready or unreachable. And its node in a cluster. */
function useServiceHealth(): { readonly fault: ServiceFault | null; readonly node: string } {
  const { rest } = useService();
  const connection = useConnection();
  const { data, isError } = useQuery({ ...queries.readiness(rest), refetchInterval: HEALTH_MS });
  const isUnknown = isError || connection.kind === 'waiting' || connection.kind === 'closed';
  return { fault: isUnknown ? null : faultOf(data), node: isUnknown ? '' : nodeText(data) };
}

/**
 * Button that shows the state of the connection and of the server behind it, and pauses or resumes live updates. A fault
 * of the server replaces the state: "Live" means that the server works.
 */
export function ConnectionState() {
  const connection = useConnection();
  const isPaused = useIsPaused();
  const { fault, node } = useServiceHealth();
  const own = isPaused && connection.kind === 'live' ? 'paused' : connection.kind;
  const shown = fault === null ? own : 'fault';
  return (
    <button
      type="button"
      className={`connection connection--${shown}`}
      aria-pressed={isPaused}
      title={[
        fault?.sentence,
        node,
        isPaused ? 'Live updates paused. Select to resume.' : 'Pause live updates',
      ]
        .filter((text) => text !== undefined && text !== '')
        .join(' ')}
      onClick={() => liveUpdates.pause(!isPaused)}
    >
      <span className="connection__dot" />
      {fault === null ? LABELS[own] : fault.label}
    </button>
  );
}

/** Banner that reports a lost connection and the age of the data, or what does not work in the server. */
export function ConnectionBanner() {
  const { events } = useService();
  const connection = useConnection();
  const now = useNow('second');
  const { fault } = useServiceHealth();
  if (fault !== null)
    return (
      <div className="connection-banner" role="status">
        {fault.sentence}
      </div>
    );
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
