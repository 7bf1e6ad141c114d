import { Page } from '../../parts/page.tsx';

export function UsagePoolsPage() {
  return <Page title="UsagePools">{null}</Page>;
}
