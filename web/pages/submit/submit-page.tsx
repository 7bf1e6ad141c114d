import { useQuery } from '@tanstack/react-query';
import { RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { Notice } from '../../parts/notice.tsx';
import { Page } from '../../parts/page.tsx';
import { QueryProblem } from '../../parts/query-problem.tsx';
import { SkeletonLines } from '../../parts/skeleton.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { usePermissions } from '../../state/use-permissions.ts';
import { textField, useUrlState } from '../../state/use-url-state.ts';
import { EMPTY_DRAFT, hasEntries } from './model/draft.ts';
import { draftOf } from './model/job-draft.ts';
import { ProductChooser } from './product-chooser.tsx';
import { ProductForm } from './product-form.tsx';
import { SubmitForm } from './submit-form.tsx';
import { forgetDraft, loadDraft, productDraftKey } from './use-draft.ts';

/** `from` is the id of a job to submit again with changes, `product` the name of a product. */
const SCHEMA = { from: textField(), product: textField() };

export function SubmitPage() {
  const [{ from, product }] = useUrlState(SCHEMA);
  const { rest } = useService();
  const { can, why } = usePermissions();
  const principal = useQuery(queries.principal(rest)).data;
  const isKnown = principal !== undefined;
  const user = principal?.username ?? '';
  const { data: job } = useQuery({ ...queries.job(rest, from), enabled: from !== '' });
  const [round, setRound] = useState(0);
  const [isAsking, setIsAsking] = useState(false);
  const key = `${from}:${product}:${round}`;
  const draftKey = product === '' ? from : productDraftKey(user, product);
  const startOver = (): void => {
    forgetDraft(draftKey);
    setRound(round + 1);
  };
  return (
    <Page
      title={from === '' ? 'Submit a job' : 'Clone with changes'}
      crumbs={from === '' ? [] : [{ label: job?.name ?? 'Job', href: `/jobs/${encodeURIComponent(from)}` }]}
      actions={
        <Button
          icon={<RotateCcw aria-hidden="true" />}
          onPress={() => (hasEntries(loadDraft(draftKey)) ? setIsAsking(true) : startOver())}
        >
          Start over
        </Button>
      }
    >
      {isKnown && why('jobs.write') !== '' && <Notice kind="warning" detail={why('jobs.write')} />}
      {from !== '' && <CloneForm key={key} id={from} />}
      {from === '' && product !== '' && isKnown && <ProductForm key={key} name={product} user={user} />}
      {from === '' && product === '' && (
        <>
          {isKnown && can('products.read') && <ProductChooser user={user} />}
          <SubmitForm key={key} from="" initial={loadDraft('') ?? EMPTY_DRAFT} />
        </>
      )}
      {isAsking && (
        <ConfirmDialog
          title="Start over?"
          action="Start over"
          onConfirm={() => {
            startOver();
            return Promise.resolve();
          }}
          onClose={() => setIsAsking(false)}
        >
          Your entries will be discarded.
        </ConfirmDialog>
      )}
    </Page>
  );
}

/** The form, filled with the template, parameters and destination of a job. */
function CloneForm({ id }: { id: string }) {
  const { rest } = useService();
  const job = useQuery(queries.job(rest, id));
  const text = useQuery(queries.template(rest, id));
  const sent = useQuery(queries.jobEnvironments(rest, id));
  // A failed refresh does not replace the form, because it has all its data.
  const failed = [job, text, sent].find(({ data, error }) => error !== null && data === undefined);
  if (failed !== undefined)
    return (
      <QueryProblem
        error={failed.error}
        what="the job"
        onRetry={() => void Promise.all([job.refetch(), text.refetch(), sent.refetch()])}
      />
    );
  if (job.data === undefined || text.data === undefined || sent.data === undefined)
    return <SkeletonLines lines={12} label="Loading the job" />;
  return <SubmitForm from={id} initial={loadDraft(id) ?? draftOf(job.data, text.data, sent.data)} />;
}
