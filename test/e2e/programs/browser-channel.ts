/**
 * Connects to the event channel with the WebSocket of the platform, as a page does. Prints its states and the events of
 * `jobs`.
 *
 * node --experimental-websocket dist/test/e2e/programs/browser-channel.js http://127.0.0.1:8080
 */
import { EventChannel, eventsUrl } from '../../../client/events/channel.ts';

const channel = new EventChannel({ url: eventsUrl(process.argv[2] ?? '') });
channel.onState((state) => console.log(state.kind, state.kind === 'waiting' ? state.reason : ''));
channel.subscribe('jobs', {
  ready: () => console.log('ready'),
  events: (list) => {
    for (const { payload } of list) console.log('event', payload.job_id, payload.status);
  },
});
