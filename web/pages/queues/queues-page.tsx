import { Page } from '../../parts/page.tsx';

export function QueuesPage() {
  return <Page title="Queues">{null}</Page>;
}
