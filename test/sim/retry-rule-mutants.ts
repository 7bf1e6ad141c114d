import type { JobState } from '../../actors/service/job/state.ts';
import { droppingMessages, handle, withDefinitions, type Mutant } from './mutant.ts';
import { contextWith, type AnyContext } from './watch-turns.ts';

/** Returns the context that does not write rows of retry rules. */
const withoutRuleRows = (context: AnyContext): AnyContext =>
  contextWith(context, {
    change: (change) => {
      if (change.table !== 'taskRules') context.change(change);
    },
  });

/** Mutants of retry rules (docs/retry-rules.md). */
export const RETRY_RULE_MUTANTS: readonly Mutant[] = [
  {
    name: 'the uses of a retry rule are not counted',
    plant: handle('job', 'tasks.reported', (state, message, context, original) => {
      (state as JobState).ruleUses.clear();
      original(state, message, context);
    }),
  },
  {
    name: 'the uses of retry rules are not stored',
    plant: handle('job', 'tasks.reported', (state, message, context, original) => {
      original(state, message, withoutRuleRows(context));
    }),
  },
  {
    name: 'a failure that a retry rule has decided about counts for the job',
    plant: handle('job', 'tasks.reported', (state, message, context, original) => {
      const job = state as JobState;
      const before = job.ruleUses.size;
      original(state, message, context);
      if (job.ruleUses.size <= before) return;
      job.record = { ...job.record, failedAttempts: job.record.failedAttempts + 1 };
    }),
  },
  {
    name: 'the rules of a usage pool do not reach the jobs',
    plant: handle('farm', 'pool-rules.changed', (state, message, context, original) => {
      original(state, message, contextWith(context, { send: droppingMessages(context, 'policy.changed') }));
    }),
  },
  {
    name: 'a job that moves keeps the retry rules of its old queue',
    plant: handle('job', 'job.update', (state, message, context, original) => {
      const { ruleSets } = (state as JobState).inherited;
      original(state, message, context);
      const job = state as JobState;
      if (ruleSets !== undefined) job.inherited = { ...job.inherited, ruleSets };
    }),
  },
  {
    name: 'a shortage does not hold back its usage pool',
    plant: handle('catalog', 'pool.shortage', () => undefined),
  },
  {
    name: 'a usage pool is held back for the same time after each shortage',
    plant: handle('catalog', 'pool.shortage', (state, message, context, original) => {
      const { shortage } = message;
      const length = Math.ceil(shortage.backoffSeconds / 2);
      original(state, { ...message, shortage: { ...shortage, backoffSeconds: length } }, context);
    }),
  },
  {
    name: 'the hold of a usage pool does not end',
    plant: handle('lease', 'pool-hold.due', () => undefined),
  },
  {
    name: 'the lease actor does not hold back usage pools',
    plant: handle('lease', 'pools.changed', (state, message, context, original) => {
      const pools = message.pools.map(({ hold: _hold, ...pool }) => pool);
      original(state, { ...message, pools }, context);
    }),
  },
  {
    name: 'a raised amount does not reach the lease actor',
    plant: handle('lease', 'steps.ready', (state, message, context, original) => {
      const offers = message.offers.map((offer) => {
        const { requirements, raises = 0 } = offer;
        return raises === 0 ? offer : { ...offer, requirements: { ...requirements, amounts: [] } };
      });
      original(state, { ...message, offers }, context);
    }),
  },
  {
    name: 'an amount is raised once more for tasks that started before the raise',
    plant: handle('job', 'tasks.reported', (state, message, context, original) => {
      const job = state as JobState;
      for (const { record } of job.steps) record.raised = record.raised.map((each) => ({ ...each, at: 0 }));
      original(state, message, context);
    }),
  },
  {
    name: 'workers that a retry rule avoids are forgotten when a job is loaded again',
    plant: withDefinitions((definition) => {
      if (definition.kind !== 'job') return definition;
      return {
        ...definition,
        load: (id, reader, now) => {
          const job = definition.load(id, reader, now) as JobState | null;
          for (const [name, { avoided }] of job?.ruleUses ?? [])
            if (avoided !== undefined) job?.failedOn.delete(name);
          return job;
        },
      };
    }),
  },
];
