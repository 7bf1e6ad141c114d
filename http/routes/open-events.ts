import { UPGRADE_HEADERS, upgradeFault } from '../guards/upgrade.ts';
import type { Header } from '../pipeline/message.ts';
import { problem, type Handler } from './operation.ts';

/** Answers a request to the event channel that the server did not recognize as a WebSocket handshake. */
export const openEvents: Handler<'openEvents'> = ({ headers }) => {
  const given = Object.entries(headers).map(([name, value]): Header => [name.toLowerCase(), value]);
  const fault = upgradeFault(given);
  if (fault === null) return problem('bad-request', 'a WebSocket connection is opened with GET');
  const asked = fault.kind === 'upgrade-required' ? UPGRADE_HEADERS : [];
  return { kind: 'problem', problem: fault, headers: asked };
};
