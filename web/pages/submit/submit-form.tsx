import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Button } from '../../parts/button.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { usePermissions } from '../../state/use-permissions.ts';
import { CheckPanel } from './check-panel.tsx';
import { DestinationSection } from './destination-section.tsx';
import type { Product } from '../../../client/resources.ts';
import { isShown } from './model/definition.ts';
import type { Draft } from './model/draft.ts';
import { ParameterForm } from './parameter-form.tsx';
import { ProductReadme, ProductSection } from './product-section.tsx';
import { TemplateSection } from './template-section.tsx';
import { useSubmitForm, type SubmitFormModel } from './use-submit-form.ts';
import { Verdict } from './verdict.tsx';
import './submit-form.css';

interface SubmitFormProps {
  /** Key of the draft. */
  readonly from: string;
  readonly initial: Draft;
  /** Null for a template of the user. */
  readonly product?: Product | null;
  /** Called after a job was submitted. */
  readonly onSent?: () => void;
}

/** The form that submits a job: its template or product, parameters and destination, and the result of the check. */
export function SubmitForm({ from, initial, product = null, onSent }: SubmitFormProps) {
  const { frame, ...model } = useSubmitForm(from, initial, product?.name ?? null, onSent);
  const { draft, template, form, check, serverErrors, edit } = model;
  const roots = useRoots();
  const outline = template.readable?.outline ?? null;
  const definitions = outline?.definitions ?? [];
  const resolvedName = form.isReady && !check.isBusy ? check.data?.name : undefined;
  return (
    <div className="submit" ref={frame}>
      <div className="submit__main">
        {product === null ? (
          <TemplateSection
            text={draft.text}
            source={draft.source}
            outline={outline}
            name={resolvedName ?? outline?.name ?? ''}
            errors={[...template.errors, ...serverErrors.template]}
            isOpen={draft.isTemplateOpen}
            onText={(text) => edit({ text })}
            onLoad={model.loadTemplate}
            onOpen={model.setTemplateOpen}
          />
        ) : (
          <ProductSection product={product} />
        )}
        {definitions.some(isShown) && (
          <section className="card stack" aria-label="Parameters">
            <ParameterForm
              definitions={definitions}
              values={draft.values}
              problems={model.valueProblems}
              roots={roots}
              onChange={model.setValue}
              onLeave={model.visitParameter}
            />
          </section>
        )}
      </div>
      <div className="submit__side">
        <DestinationSection
          draft={draft}
          errorOf={model.destinationError}
          onChange={edit}
          onLeave={model.visitField}
          jobName={product === null ? null : (resolvedName ?? outline?.name ?? '')}
        />
        <SubmitSection model={model} />
        {product !== null && <ProductReadme text={product.readme} />}
      </div>
    </div>
  );
}

function SubmitSection({ model }: { model: Omit<SubmitFormModel, 'frame'> }) {
  const { why } = usePermissions();
  const { template, form, check, refusal, serverErrors, isAttempted } = model;
  return (
    <section className="card stack" aria-label="Check and submit">
      <Verdict
        template={template}
        form={form}
        refusal={refusal}
        serverErrors={serverErrors}
        isAttempted={isAttempted}
      />
      {form.isReady && refusal === null && <CheckPanel data={check.data} isBusy={check.isBusy} />}
      <div className="submit__actions">
        <Button isBusy={check.isBusy} onPress={model.checkNow}>
          Check job
        </Button>
        <Button
          look="primary"
          isBusy={model.isSending}
          disabledReason={why('jobs.write')}
          onPress={model.submit}
        >
          Submit job
        </Button>
      </div>
    </section>
  );
}

/** Returns the roots of all storage locations, which are suggested for paths. */
function useRoots(): readonly string[] {
  const { rest } = useService();
  const { data } = useQuery(queries.storageLocations(rest));
  return useMemo(
    () => [...new Set((data ?? []).flatMap((location) => Object.values(location.roots)))].sort(),
    [data],
  );
}
