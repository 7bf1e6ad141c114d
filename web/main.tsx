import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { EventChannel } from '../client/events/channel.ts';
import { Rest } from '../client/rest.ts';
import { App } from './app/app.tsx';
import { toasts } from './state/toasts.ts';
import './styles/tokens.css';
import './styles/base.css';

const root = document.getElementById('app');
if (root === null) throw new Error('index.html has no element #app');

const rest = new Rest({ base: location.origin, onWaiting: (ms) => toasts.waiting(ms) });
const events = new EventChannel({ url: `${location.origin.replace(/^http/, 'ws')}/api/v1/ws` });

createRoot(root).render(
  <StrictMode>
    <App service={{ rest, events }} />
  </StrictMode>,
);
