import { Page } from '../../parts/page.tsx';

export function SubmitPage() {
  return <Page title="Submit">{null}</Page>;
}
