import type { JobEnvironment } from '../../src/core/records/job.ts';
import type { QueueEnvironmentRecord } from '../../src/core/records/queue-environment.ts';
import { SETTINGS, versionOf } from '../../src/core/records/settings-version.ts';
import { timestampOf } from '../../src/core/timestamp.ts';
import type { Schemas } from './schemas.ts';

/** docs/queue-environments.md */
export const queueEnvironmentView = (record: QueueEnvironmentRecord): Schemas['QueueEnvironment'] => ({
  id: record.id,
  queue_id: record.queueId,
  name: record.name,
  priority: record.priority,
  format: record.format,
  template: record.template,
  created_at: timestampOf(record.createdAt),
  updated_at: timestampOf(record.updatedAt),
  settings_version: versionOf(SETTINGS['queue environment'](record)),
});

export const jobEnvironmentView = ({
  name,
  origin,
  format,
  text,
}: JobEnvironment): Schemas['JobEnvironment'] => ({ name, origin, format, template: text });
