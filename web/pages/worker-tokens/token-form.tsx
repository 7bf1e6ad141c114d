import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ProblemError } from '../../../client/problem.ts';
import type { Farm, NewWorkerToken } from '../../../client/resources.ts';
import { Button, SubmitButton } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { NumberField, SelectField } from '../../parts/field.tsx';
import { Notice } from '../../parts/notice.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { explained } from '../../state/toasts.ts';
import { usePermissions } from '../../state/use-permissions.ts';
import { PairsField } from '../catalog/pairs-field.tsx';
import { LocalBusNote } from './local-bus-note.tsx';
import { draftProblems, LIFETIMES, MAX_USES, newDraft, refusals, tokenInput } from './token-model.ts';

/** The form of a new join token. `farm` is the id of the farm that is chosen at first; empty for none. */
export function TokenForm({
  title,
  farms,
  farm,
  onCreated,
  onClose,
}: {
  title: string;
  farms: readonly Farm[];
  farm: string;
  onCreated: (token: NewWorkerToken) => void;
  onClose: () => void;
}) {
  const { rest } = useService();
  const { why } = usePermissions();
  const bus = useQuery(queries.settings(rest)).data?.bus;
  const form = useTokenForm(farm, onCreated);
  const { draft, change, problemAt } = form;
  const forbidden = why('infra.manage');
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={() => {
        if (forbidden === '') void form.create();
      }}
      foot={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <SubmitButton isBusy={form.isBusy} disabledReason={forbidden}>
            Create token
          </SubmitButton>
        </>
      }
    >
      {forbidden !== '' && <Notice kind="info" detail={forbidden} />}
      {form.error !== null && <Notice kind="danger" {...explained(form.error)} />}
      <p className="muted">
        A worker exchanges a join token for a credential of its own. The bus refuses workers without one.
      </p>
      {bus !== undefined && <LocalBusNote bus={bus} />}
      <SelectField
        label="Farm"
        value={draft.farm}
        choices={farms.map(({ id, name }) => ({ value: id, label: name }))}
        none="Any: worker.farm of the worker selects it"
        error={problemAt('farm_id')}
        onChange={(value) => change({ farm: value }, 'farm_id')}
      />
      <NumberField
        label="Number of workers"
        isRequired
        min={1}
        max={MAX_USES}
        step={1}
        value={draft.uses}
        error={problemAt('uses')}
        hint="How many workers can join with the token."
        onChange={(uses) => change({ uses }, 'uses')}
      />
      <SelectField
        label="Expires"
        value={draft.expiresIn}
        choices={LIFETIMES}
        error={problemAt('expires_in')}
        hint="Workers that have joined keep their credentials."
        onChange={(expiresIn) => change({ expiresIn }, 'expires_in')}
      />
      <PairsField
        label="Tags"
        hint="The workers get these tags. They replace tags of the same name in the configuration of a worker."
        error={problemAt('tags')}
        nameLabel="Tag"
        valueLabel="Value"
        firstName=""
        suggestions={[]}
        pairs={draft.tags}
        onChange={(tags) => change({ tags }, 'tags')}
      />
    </Dialog>
  );
}

/** Holds the inputs of the form and sends them. */
function useTokenForm(farm: string, onCreated: (token: NewWorkerToken) => void) {
  const { rest } = useService();
  const [draft, setDraft] = useState(() => newDraft(farm));
  const [isTried, setIsTried] = useState(false);
  const [refused, setRefused] = useState<ReadonlyMap<string, string>>(new Map());
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setIsBusy] = useState(false);
  const problems = draftProblems(draft);
  const create = async (): Promise<void> => {
    setIsTried(true);
    if (isBusy || problems.size > 0) return;
    setIsBusy(true);
    setError(null);
    setRefused(new Map());
    try {
      onCreated(await rest.call('post', '/worker-tokens', { body: tokenInput(draft) }));
    } catch (reason) {
      const found = reason instanceof ProblemError ? refusals(reason.errors) : new Map<string, string>();
      setRefused(found);
      setError(found.size > 0 && !found.has('') ? null : reason);
      setIsBusy(false);
    }
  };
  return {
    draft,
    /** Changes the inputs of a member of the request. */
    change: (inputs: Partial<typeof draft>, member: string): void => {
      setDraft({ ...draft, ...inputs });
      setRefused(new Map([...refused].filter(([name]) => name !== member)));
    },
    problemAt: (member: string): string =>
      refused.get(member) ?? (isTried ? (problems.get(member) ?? '') : ''),
    error,
    isBusy,
    create,
  };
}
