import { Page } from '../../parts/page.tsx';

export function WorkerPage() {
  return <Page title="Worker">{null}</Page>;
}
