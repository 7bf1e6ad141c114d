import { Page } from '../../parts/page.tsx';

export function JobPage() {
  return <Page title="Job">{null}</Page>;
}
