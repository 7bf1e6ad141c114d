import { SETTINGS } from '../../src/core/records/settings-version.ts';
import { ifMatchOf } from './if-match.ts';
import type { FarmInput } from '../../actors/service/catalog/messages.ts';
import { bookedAmountWrong } from '../../src/openjd/template/capabilities.ts';
import { farmId } from '../../src/core/ids.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import type { FarmRecord } from '../../src/core/records/farm.ts';
import { poolKey } from '../../src/core/records/usage-pool.ts';
import { keys } from '../../src/core/records/tables.ts';
import { farmView } from '../views/farm-view.ts';
import { namedCapsInput } from '../views/named-caps-view.ts';
import { outageInput, outagesOf } from '../views/outage-view.ts';
import { queuePolicyInput, sharedByFault } from '../views/queue-policy-view.ts';
import { retryOverride } from '../views/retry-view.ts';
import type { Schemas } from '../views/schemas.ts';
import { askCatalog, created, deleted, replaced, okOrNotFound } from './catalog-replies.ts';
import { invalid, notFound, type Handler, type ProblemReply } from './operation.ts';

export const listFarms: Handler<'listFarms'> = (_call, { store }) => ({
  kind: 'json',
  status: 200,
  body: farmViews(store),
});

/** Returns all farms, oldest first. */
export const farmViews = (store: StoreReader): Schemas['Farm'][] =>
  [...store.scan('farm')].map((row) => farmView(row.value));

export const getFarm: Handler<'getFarm'> = ({ path }, { store }) =>
  okOrNotFound('farm', path.id, store.get('farm', keys.farm(farmId(path.id))), farmView, SETTINGS.farm);

export const createFarm: Handler<'createFarm'> = async ({ body }, ports) => {
  const refusal = amountRefusal(body) ?? policyRefusal(body, undefined);
  if (refusal !== null) return refusal;
  const id = farmId(ports.newId());
  const outcome = await askCatalog<FarmRecord>(ports, (replyTo) => ({
    type: 'farm.create',
    farmId: id,
    input: { ...farmInput(body), ...queuePolicyInput(body, undefined, id, ports.store) },
    replyTo,
  }));
  return created('/api/v1/farms', outcome, farmView);
};

export const replaceFarm: Handler<'replaceFarm'> = async ({ path, body, headers }, ports) => {
  const id = farmId(path.id);
  const stored = ports.store.get('farm', keys.farm(id));
  if (stored === undefined) return notFound('farm', path.id);
  const refusal = amountRefusal(body) ?? policyRefusal(body, stored);
  if (refusal !== null) return refusal;
  const outcome = await askCatalog<FarmRecord>(ports, (replyTo) => ({
    type: 'farm.replace',
    farmId: id,
    input: { ...farmInput(body), ...queuePolicyInput(body, stored.queuePolicy, id, ports.store) },
    ...ifMatchOf({ headers }),
    replyTo,
  }));
  return replaced(outcome, farmView, SETTINGS.farm);
};

/** Lists the outages of a farm that last (docs/outages.md). */
export const listOutages: Handler<'listOutages'> = ({ path }, ports) => {
  const stored = ports.store.get('farm', keys.farm(farmId(path.id)));
  if (stored === undefined) return notFound('farm', path.id);
  return { kind: 'json', status: 200, body: outagesOf(path.id, ports.store, ports.now()) };
};

/** Ends an outage, so that its tasks start again. */
export const endOutage: Handler<'endOutage'> = async ({ path, body, principal }, ports) => {
  const id = farmId(path.id);
  if (ports.store.get('farm', keys.farm(id)) === undefined) return notFound('farm', path.id);
  const { kind, name } = body;
  const place = { kind, name: kind === 'usage pool' ? poolKey(name) : name };
  const outcome = await ports.actors.ask<null>((replyTo) => ({
    actor: 'lease',
    id,
    message: { type: 'outage.end', place, by: principal.username, replyTo },
  }));
  if (!outcome.ok) return { kind: 'problem', problem: outcome.problem };
  return { kind: 'json', status: 200, body: outagesOf(path.id, ports.store, ports.now()) };
};

export const deleteFarm: Handler<'deleteFarm'> = async ({ path, query, headers }, ports) => {
  const id = farmId(path.id);
  if (ports.store.get('farm', keys.farm(id)) === undefined) return notFound('farm', path.id);
  const outcome = await ports.actors.ask<null>((replyTo) => ({
    actor: 'farm',
    id,
    message: { type: 'farm.delete', force: query.force, ...ifMatchOf({ headers }), replyTo },
  }));
  return deleted(outcome);
};

function farmInput(body: Schemas['FarmInput']): FarmInput {
  return {
    name: body.name,
    description: body.description ?? '',
    maxConcurrentTasks: body.max_concurrent_tasks ?? 0,
    retry: retryOverride(body),
    ...namedCapsInput(body),
    ...bookedAmountsInput(body),
    ...(body.quarantine !== undefined && { quarantine: body.quarantine }),
    ...outageInput(body),
  };
}

/** Returns the amounts that the body sets; absent if it sets none, which keeps the stored ones. */
function bookedAmountsInput({
  booked_amounts: names,
  amount_default: byDefault,
}: Schemas['FarmInput']): Pick<FarmInput, 'bookedAmounts'> {
  if (names === undefined && byDefault === undefined) return {};
  return {
    bookedAmounts: {
      ...(names !== undefined && { names: names.map((name) => name.toLowerCase()) }),
      ...(byDefault !== undefined && { byDefault }),
    },
  };
}

/** Returns 400 for a queue policy that cannot share the farm by what the body names. */
function policyRefusal(body: Schemas['FarmInput'], stored: FarmRecord | undefined): ProblemReply | null {
  const fault = sharedByFault(body, stored?.queuePolicy);
  return fault === null ? null : invalid('/shared_by', fault);
}

/** Returns 400 for an amount that cannot be booked, or that is listed twice. */
function amountRefusal({ booked_amounts: amounts = [] }: Schemas['FarmInput']): ProblemReply | null {
  const names = amounts.map((name) => name.toLowerCase());
  for (const [at, name] of names.entries()) {
    const fault = names.indexOf(name) < at ? 'is listed twice' : bookedAmountWrong(name);
    if (fault !== null) return invalid(`/booked_amounts/${at}`, `${JSON.stringify(name)} ${fault}`);
  }
  return null;
}
