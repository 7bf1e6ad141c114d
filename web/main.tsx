import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';

const root = document.getElementById('app');
if (root === null) throw new Error('index.html has no element #app');
createRoot(root).render(
  <StrictMode>
    <h1>Callsheet</h1>
  </StrictMode>,
);
