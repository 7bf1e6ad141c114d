import { useId } from 'react';
import type { WebhookEventType } from '../../../client/resources.ts';
import { CheckField } from '../../parts/field.tsx';
import { EVENT_LABELS, EVENT_TYPES } from './webhook-model.ts';
import './webhooks.css';

/** A box for each type of event. */
export function EventsField({
  events,
  error,
  onChange,
}: {
  events: readonly WebhookEventType[];
  error: string;
  onChange: (events: readonly WebhookEventType[]) => void;
}) {
  const id = useId();
  return (
    <fieldset className="webhooks__events" aria-describedby={error === '' ? undefined : id}>
      <legend>Events</legend>
      {EVENT_TYPES.map((type) => (
        <CheckField
          key={type}
          label={EVENT_LABELS[type]}
          isChecked={events.includes(type)}
          onChange={(isChecked) =>
            onChange(isChecked ? [...events, type] : events.filter((each) => each !== type))
          }
        />
      ))}
      {error !== '' && (
        <div id={id} className="field__error" role="alert">
          {error}
        </div>
      )}
    </fieldset>
  );
}
