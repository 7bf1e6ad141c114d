import { Page } from '../../parts/page.tsx';

export function DiagnosticsPage() {
  return <Page title="Diagnostics">{null}</Page>;
}
