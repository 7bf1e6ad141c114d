import { Page } from '../../parts/page.tsx';

export function JobsPage() {
  return <Page title="Jobs">{null}</Page>;
}
