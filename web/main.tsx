import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { EventChannel } from '../client/events/channel.ts';
import { Rest } from '../client/rest.ts';
import { App } from './app/app.tsx';
import { SignInApp } from './app/sign-in-app.tsx';
import { browserSession } from './state/browser-session.ts';
import { toasts } from './state/toasts.ts';
import './styles/tokens.css';
import './styles/base.css';

const root = document.getElementById('app');
if (root === null) throw new Error('index.html has no element #app');

createRoot(root).render(<StrictMode>{content()}</StrictMode>);

/** The sign-in page is a document of its own: it has no connection and no data of a user. */
function content() {
  if (/^\/sign-in\/?$/.test(location.pathname)) return <SignInApp />;
  const session = browserSession();
  const rest = new Rest({
    base: location.origin,
    onWaiting: (ms) => toasts.waiting(ms),
    onUnauthorized: (method, signal) => session.refused(method !== 'get', signal),
  });
  const events = new EventChannel({ url: `${location.origin.replace(/^http/, 'ws')}/api/v1/ws` });
  return <App service={{ rest, events, session }} />;
}
